// QPU implementation of metrics/motion.h: host side.
#pragma once

#include <cstddef>
#include <memory>

#include "metrics/motion.h"
#include "qpu/command_list.h"
#include "qpu/device.h"
#include "video/picture.h"

namespace sidecore::qpu {

/// Records metrics::motion_sad() of the luma planes of two pictures that lie in device-visible
/// buffers, as two dispatches: strips of kMotionStripRows rows, and their total.
class Motion {
 public:
  /// Throws Error (usage) where the feature's check does.
  Motion(Device& device, const video::PictureFormat& format);

  [[nodiscard]] std::size_t strips() const { return strips_; }

  /// Planes are bound as ranges whose first byte is the first sample, and may be the same; the
  /// stride of both is in bytes and a multiple of 16. `strip_sums` receives strips() 64-bit words,
  /// `total` one. Throws Error (usage) for a stride or a range that does not hold the rows.
  void record(CommandList& list, const BufferRange& previous, const BufferRange& current,
              std::size_t stride, const BufferRange& strip_sums, const BufferRange& total) const;

 private:
  video::PictureFormat format_;
  std::size_t strips_ = 0;
  std::shared_ptr<Program> strips_program_;
  std::shared_ptr<Program> total_program_;
};

}  // namespace sidecore::qpu
