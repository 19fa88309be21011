// libav's log, turned from lines on standard error into text of our errors.
#pragma once

#include <string>

namespace sidecore::libav {

/// From the first call on, libav prints nothing; what it logs as an error is kept for the thread
/// that it runs on.
void capture_libav_errors();

/// The first error logged on this thread since the last call, on one line; empty when there was
/// none.
[[nodiscard]] std::string take_libav_error();

}  // namespace sidecore::libav
