// How a program finds out, while it runs, what its jobs did: the one function of the preloaded
// library that is not a hook. A program looks it up by name; where it is missing, nothing is
// simulated.
#pragma once

namespace sidecore::v3dsim {

/// const char* sidecore_v3dsim_take_records(): a JSON array, one record a job, of the jobs since
/// the last call. The first call starts the recording and belongs before the Vulkan instance is
/// created: the driver is told then to name its shaders. The text is the library's, valid until the
/// next call, which must not come from another thread meanwhile.
inline constexpr const char* kTakeRecordsName = "sidecore_v3dsim_take_records";
using TakeRecords = const char* (*)();

}  // namespace sidecore::v3dsim
