// Host side of the QPU implementation of metrics/motion.h.
#pragma once

#include <cstddef>
#include <memory>

#include "metrics/motion.h"
#include "qpu/command_list.h"
#include "qpu/device.h"
#include "video/picture.h"

namespace sidecore::qpu {

/// Records metrics::motion_sad() of the luma planes of two pictures in device-visible buffers, as
/// two dispatches: strips of kMotionStripRows rows, and their total.
class Motion {
 public:
  /// Creates the recorder. Throws Error (usage) if metrics::check_motion_format() does.
  Motion(Device& device, const video::PictureFormat& format);

  [[nodiscard]] std::size_t strips() const { return strips_; }

  /// Records the sum. A plane's range must begin with its first sample; both may be the same plane.
  /// Both have one stride in bytes, a multiple of 16. `strip_sums` receives strips() 64-bit words,
  /// `total` one. Throws Error (usage) if the stride or a range is too small for the rows.
  void record(CommandList& list, const BufferRange& previous, const BufferRange& current,
              std::size_t stride, const BufferRange& strip_sums, const BufferRange& total) const;

 private:
  video::PictureFormat format_;
  std::size_t strips_ = 0;
  std::shared_ptr<Program> strips_program_;
  std::shared_ptr<Program> total_program_;
};

}  // namespace sidecore::qpu
