// Luma planes of binary32 samples in 0..255.x, the input of libvmaf's float metrics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "video/picture.h"

namespace sidecore::metrics {

using FloatView = video::PlaneView<float>;
using ConstFloatView = video::PlaneView<const float>;

/// A plane that owns its memory, which starts as zeros. Rows start at multiples of 4 samples, and
/// the last row is padded as the others, so code may read vectors of 4 up to the end of any row.
class FloatPlane {
 public:
  FloatPlane() = default;
  FloatPlane(int width, int height)
      : width_(width),
        height_(height),
        stride_((static_cast<std::ptrdiff_t>(width) + 3) / 4 * 4),
        samples_(static_cast<std::size_t>(stride_) * static_cast<std::size_t>(height)) {}

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }
  [[nodiscard]] float* row(int y) { return view().row(y); }
  [[nodiscard]] const float* row(int y) const { return view().row(y); }
  [[nodiscard]] FloatView view() { return {samples_.data(), width_, height_, stride_}; }
  [[nodiscard]] ConstFloatView view() const { return {samples_.data(), width_, height_, stride_}; }

 private:
  int width_ = 0;
  int height_ = 0;
  std::ptrdiff_t stride_ = 0;
  std::vector<float> samples_;
};

/// Writes v / 2^(bits-8) for every sample v, exactly. Samples above 8 bits are thus scaled to
/// 0..255.x, and the metrics' constants for 8 bits stay valid. Both planes must have one size
/// (asserted).
void to_float(video::PlaneView<const std::uint8_t> from, FloatView to);
void to_float(video::PlaneView<const std::uint16_t> from, int bits, FloatView to);
/// Writes a picture's luma as to_float() does.
void luma_to_float(const video::Picture& picture, FloatView luma);
/// Writes row y of a picture's luma as to_float() does, minus 128.
void centred_luma_to_float(const video::Picture& picture, int y, float* to);

/// Throws Error (usage) that names `feature` unless bits is 8, 10, 12 or 16.
void check_float_depth(const char* feature, int bits);

}  // namespace sidecore::metrics
