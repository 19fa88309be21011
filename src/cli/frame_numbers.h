// Times of shown frames, counted in frames.
#pragma once

#include <cstdint>
#include <optional>

#include "video/source.h"

namespace sidecore::cli {

/// Numbers shown frames by their time stamps, as FFmpeg does. The first frame is 0; a frame that is
/// shown three frame durations later than another gets a number higher by 3.
class FrameNumbers {
 public:
  /// Creates the object; `ticks` is the unit of time stamps, in ticks per second.
  FrameNumbers(video::FrameRate rate, video::FrameRate ticks);

  /// Returns the number of the next shown frame, which is always higher than the last one. It is
  /// higher by 1 if the time stamp or the frame rate is unknown.
  [[nodiscard]] std::int64_t next(std::optional<std::int64_t> time_stamp);

 private:
  double frames_per_tick_ = 0;  ///< 0: unknown
  std::optional<std::int64_t> first_;
  std::int64_t next_ = 0;
};

}  // namespace sidecore::cli
