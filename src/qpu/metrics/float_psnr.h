// Host side of the QPU implementation of metrics/float_psnr.h.
#pragma once

#include <memory>

#include "metrics/float_psnr.h"
#include "qpu/command_list.h"
#include "qpu/device.h"
#include "video/picture.h"

namespace sidecore::qpu {

/// Records the exact squared-error sum of the luma planes of two pictures in device-visible
/// buffers, as two dispatches: strips of kPsnrStripRows rows, and their total.
class FloatPsnr {
 public:
  /// Creates the recorder. Throws Error (usage) unless the format has 8, 10, 12 or 16 bits.
  FloatPsnr(Device& device, const video::PictureFormat& format);

  [[nodiscard]] std::size_t strips() const { return strips_; }

  /// Records the sum. A plane's range must begin with its first sample; strides are in bytes,
  /// multiples of 16. `strip_sums` receives strips() 64-bit words, `total` one.
  void record(CommandList& list, const BufferRange& reference, std::size_t reference_stride,
              const BufferRange& distorted, std::size_t distorted_stride,
              const BufferRange& strip_sums, const BufferRange& total) const;

 private:
  video::PictureFormat format_;
  std::size_t strips_ = 0;
  std::shared_ptr<Program> strips_program_;
  std::shared_ptr<Program> total_program_;
};

}  // namespace sidecore::qpu
