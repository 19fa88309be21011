// Predicts a block from samples of a reference frame, displaced by fractions of a sample and
// possibly scaled.
// Source: VP9 specification v0.6, section 8.5.2.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "video/picture.h"
#include "vp9/frame_header.h"
#include "vp9/interpolation_filters.h"
#include "vp9/types.h"

namespace sidecore::vp9 {

template <class Sample>
struct Dsp;

/// Size of a reference frame relative to the current frame, in 16384ths; section 8.5.2.3.
struct ReferenceScale {
  int x = 1 << 14;
  int y = 1 << 14;
  [[nodiscard]] bool scaled() const { return x != 1 << 14 || y != 1 << 14; }
};
/// Returns the scale of a reference of one size for a frame of another.
[[nodiscard]] ReferenceScale reference_scale(const FrameSize& reference, const FrameSize& frame);
/// Converts a position or step in the current frame to the reference frame's scale.
[[nodiscard]] constexpr int scaled(int value, int scale) {
  return static_cast<int>((std::int64_t{value} * scale) >> 14);
}

/// The reference samples of a block. The first one is at `x`, `y` and the next ones are `step_x`,
/// `step_y` apart, in 16ths of a sample. The area may extend beyond the plane, whose border samples
/// are then repeated.
struct ReferenceArea {
  int x = 0;
  int y = 0;
  int step_x = 16;  ///< 1..32 16ths of a sample
  int step_y = 16;
  int width = 0;  ///< width of the block in samples: 4, 8, 16, 32 or 64
  int height = 0;
};

/// The kind of prediction that an area needs. Each kind is a kernel.
enum class InterKind : std::uint8_t {
  copy,        ///< positions are whole samples
  horizontal,  ///< a fraction of a sample along x only
  vertical,    ///< a fraction of a sample along y only
  both,        ///< fractions along x, rounded to samples, then along y
  scaled,      ///< any fractions and any steps
};
inline constexpr std::array kInterKinds = {InterKind::copy, InterKind::horizontal,
                                           InterKind::vertical, InterKind::both, InterKind::scaled};
/// Returns the kind of prediction that an area needs.
[[nodiscard]] constexpr InterKind inter_kind(const ReferenceArea& area) {
  if (area.step_x != 16 || area.step_y != 16) return InterKind::scaled;
  return static_cast<InterKind>(((area.x & 15) != 0 ? 1 : 0) + ((area.y & 15) != 0 ? 2 : 0));
}

/// Writes the prediction of a block at `to`, or the rounded mean of the prediction and the samples
/// that are already at `to`. `from` is the sample at (area.x >> 4, area.y >> 4); strides are in
/// samples. Along an axis with a fraction, and along both axes if scaled, memory must be readable
/// from 3 samples before the first fetched sample to 5 after the last, one sample more than the
/// taps use.
template <class Sample>
using InterPredict = void (*)(const Sample* from, std::ptrdiff_t from_stride,
                              const ReferenceArea& area, InterpolationFilter filter, Sample* to,
                              std::ptrdiff_t stride);

/// Fills the table's inter prediction with the scalar definition.
template <class Sample>
void add_scalar_inter_prediction(Dsp<Sample>& dsp);

/// Number of samples that must be readable after the last whole sample; the taps use only 4.
inline constexpr int kReadableAfter = 5;

/// Predicts like InterPrediction, for areas that extend beyond the plane or reach close to its
/// border.
template <class Sample>
void predict_inter_near_border(InterPredict<Sample> kernel,
                               const video::PlaneView<const Sample>& reference,
                               const ReferenceArea& area, InterpolationFilter filter, Sample* to,
                               std::ptrdiff_t stride);
extern template void predict_inter_near_border(InterPredict<std::uint8_t>,
                                               const video::PlaneView<const std::uint8_t>&,
                                               const ReferenceArea&, InterpolationFilter,
                                               std::uint8_t*, std::ptrdiff_t);
extern template void predict_inter_near_border(InterPredict<std::uint16_t>,
                                               const video::PlaneView<const std::uint16_t>&,
                                               const ReferenceArea&, InterpolationFilter,
                                               std::uint16_t*, std::ptrdiff_t);

/// Predicts an area. If the area extends beyond the plane, it reads a copy with repeated border
/// samples. An object serves several planes of one size, so that shared values are computed once
/// for both chroma planes.
template <class Sample>
class InterPrediction {
 public:
  /// Creates a predictor for planes of `width` x `height` samples. `area` must outlive it.
  InterPrediction(const Dsp<Sample>& dsp, const ReferenceArea& area, InterpolationFilter filter,
                  bool average, int width, int height)
      : area_(area),
        filter_(filter),
        kernel_(dsp.inter_prediction(average, inter_kind(area))),
        x_(area.x >> 4),
        y_(area.y >> 4),
        inside_(inside(x_, area.step_x, area.width, width) &&
                inside(y_, area.step_y, area.height, height)) {}

  void operator()(const video::PlaneView<const Sample>& reference, Sample* to,
                  std::ptrdiff_t stride) const {
    if (inside_) {
      kernel_(reference.row(y_) + x_, reference.stride, area_, filter_, to, stride);
    } else {
      predict_inter_near_border(kernel_, reference, area_, filter_, to, stride);
    }
  }

 private:
  /// Returns true if all samples that a kernel may read along one axis lie in a plane of `size`
  /// samples.
  static bool inside(int first, int step, int count, int size) {
    return first >= kTapsBefore && first + (count * step >> 4) + 1 + kReadableAfter <= size;
  }

  const ReferenceArea& area_;
  InterpolationFilter filter_;
  InterPredict<Sample> kernel_;
  int x_;
  int y_;
  bool inside_;
};

/// Predicts an area in one plane with InterPrediction.
template <class Sample>
void predict_inter(const Dsp<Sample>& dsp, const video::PlaneView<const Sample>& reference,
                   const ReferenceArea& area, InterpolationFilter filter, bool average, Sample* to,
                   std::ptrdiff_t stride) {
  const InterPrediction<Sample> predict(dsp, area, filter, average, reference.width,
                                        reference.height);
  predict(reference, to, stride);
}

}  // namespace sidecore::vp9
