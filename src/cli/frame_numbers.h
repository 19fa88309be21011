// Where frames lie in time, in frames.
#pragma once

#include <cstdint>
#include <optional>

#include "video/source.h"

namespace sidecore::cli {

/// Numbers shown frames by their time stamps, as FFmpeg does: 0 for the first one, and a frame
/// that comes as late as three frames after another has a number that is higher by three.
class FrameNumbers {
 public:
  /// `ticks` is the unit of time stamps, in ticks per second.
  FrameNumbers(video::FrameRate rate, video::FrameRate ticks);

  /// Returns the number of the next shown frame, which is more than that of the one before: by 1
  /// where there is no time stamp, or where it or the rate says nothing.
  [[nodiscard]] std::int64_t next(std::optional<std::int64_t> time_stamp);

 private:
  double frames_per_tick_ = 0;  ///< 0: unknown
  std::optional<std::int64_t> first_;
  std::int64_t next_ = 0;
};

}  // namespace sidecore::cli
