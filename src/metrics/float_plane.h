// Luma as libvmaf's float metrics see it: planes of binary32 samples in 0..255.x.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "video/picture.h"

namespace sidecore::metrics {

using FloatView = video::PlaneView<float>;
using ConstFloatView = video::PlaneView<const float>;

/// A plane with memory of its own, zeroed. Rows start at multiples of 4 samples and the last one
/// is as long as the others, so that vectors of 4 may be read up to the end of any row.
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

/// Writes v / 2^(bits-8) for every sample v, exactly: deeper samples are scaled into 0..255.x, and
/// the metrics' constants stay those of 8 bits. Planes have one size (asserted).
void to_float(video::PlaneView<const std::uint8_t> from, FloatView to);
void to_float(video::PlaneView<const std::uint16_t> from, int bits, FloatView to);
/// The same of a picture's luma.
void luma_to_float(const video::Picture& picture, FloatView luma);
/// Rows `first` to `last` - 1 of the same, less 128.
void centred_luma_to_float(const video::Picture& picture, int first, int last, FloatView luma);

/// Throws Error (usage) that names `feature` unless bits is 8, 10, 12 or 16.
void check_float_depth(const char* feature, int bits);

}  // namespace sidecore::metrics
