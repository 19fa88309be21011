#include "cli/frame_numbers.h"

#include <algorithm>
#include <cmath>

namespace sidecore::cli {

FrameNumbers::FrameNumbers(video::FrameRate rate, video::FrameRate ticks) {
  if (rate.numerator <= 0 || rate.denominator <= 0) return;
  if (ticks.numerator <= 0 || ticks.denominator <= 0) return;
  frames_per_tick_ =
      static_cast<double>(rate.numerator) / rate.denominator * ticks.denominator / ticks.numerator;
}

std::int64_t FrameNumbers::next(std::optional<std::int64_t> time_stamp) {
  if (time_stamp) {
    if (!first_) first_ = *time_stamp;
    if (*time_stamp > *first_) {  // unsigned, because the difference may need all 64 bits
      const auto ticks = static_cast<double>(static_cast<std::uint64_t>(*time_stamp) -
                                             static_cast<std::uint64_t>(*first_));
      constexpr double kMax = 1e15;
      const double frames = std::min(std::round(ticks * frames_per_tick_), kMax);
      next_ = std::max(next_, static_cast<std::int64_t>(frames));
    }
  }
  return next_++;
}

}  // namespace sidecore::cli
