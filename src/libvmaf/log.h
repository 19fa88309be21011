// Messages of libvmaf's interface. They go to standard error, like libvmaf's.
#pragma once

#include "libvmaf/libvmaf.h"

namespace sidecore::libvmaf {

/// Sets the level for the whole process. Values out of range are limited to the nearest level.
void set_log_level(VmafLogLevel level) noexcept;

/// Prints one line if the level includes it. Control characters of the message are escaped, because
/// it may name files and options.
void log(VmafLogLevel level, const char* message) noexcept;

}  // namespace sidecore::libvmaf
