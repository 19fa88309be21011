// Boundary between C callers and the C++ libraries: exceptions become negative errno numbers.
#pragma once

#include "base/error.h"

namespace sidecore::libvmaf {

/// Logs the exception that is being handled, and returns its error number: -ENOMEM for lack of
/// memory, -EIO for a device or a file that failed, -EINVAL for any mistake of the caller.
int fail_as_thrown() noexcept;

/// Returns 0 after `call`; an exception becomes an error number.
template <class Call>
int error_of(const Call& call) noexcept {
  try {
    call();
    return 0;
  } catch (...) {
    return fail_as_thrown();
  }
}

/// Throws Error (usage) with the message unless `holds`.
inline void require(bool holds, const char* message) {
  if (!holds) throw usage_error("{}", message);
}

}  // namespace sidecore::libvmaf
