// Interface by which a running program reads the records of its jobs. It is the only function of
// the preloaded library that is not a hook. A program looks it up by name; if it is missing,
// nothing is simulated.
#pragma once

namespace sidecore::v3dsim {

/// const char* sidecore_v3dsim_take_records() returns a JSON array with one record per job since
/// the last call. The first call starts the recording. It must come before the Vulkan instance is
/// created, because it makes the driver name its shaders. The library owns the text, which is valid
/// until the next call. Only one thread at a time may call it.
inline constexpr const char* kTakeRecordsName = "sidecore_v3dsim_take_records";
using TakeRecords = const char* (*)();

}  // namespace sidecore::v3dsim
