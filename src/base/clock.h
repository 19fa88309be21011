// The project's only clock: monotonic, in nanoseconds.
#pragma once

#include <chrono>

namespace sidecore {

using Clock = std::chrono::steady_clock;
using Nanoseconds = std::chrono::nanoseconds;

/// Converts a duration to seconds as a double, for rates.
[[nodiscard]] inline double seconds(Nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace sidecore
