// Prediction of a block from samples of a reference frame, displaced by fractions of a sample and
// perhaps scaled.
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

/// How a reference frame's size relates to the frame's, in 16384ths; section 8.5.2.3.
struct ReferenceScale {
  int x = 1 << 14;
  int y = 1 << 14;
  [[nodiscard]] bool scaled() const { return x != 1 << 14 || y != 1 << 14; }
};
[[nodiscard]] ReferenceScale reference_scale(const FrameSize& reference, const FrameSize& frame);
/// A position or a step in a frame, in the reference.
[[nodiscard]] constexpr int scaled(int value, int scale) {
  return static_cast<int>((std::int64_t{value} * scale) >> 14);
}

/// The samples to fetch: from `x`, `y` on (in 16ths of a sample of the reference plane; may lie
/// outside it, where its border samples are repeated), every `step` 16ths.
struct ReferenceArea {
  int x = 0;
  int y = 0;
  int step_x = 16;  ///< 1..32
  int step_y = 16;
  int width = 0;  ///< of the block: 4, 8, 16, 32 or 64
  int height = 0;
};

/// What has to be done for an area: a kernel each.
enum class InterKind : std::uint8_t {
  copy,        ///< whole samples
  horizontal,  ///< a fraction of a sample along x only
  vertical,    ///< along y only
  both,        ///< along x, rounded to samples, then along y
  scaled,      ///< any fractions, any steps
};
inline constexpr std::array kInterKinds = {InterKind::copy, InterKind::horizontal,
                                           InterKind::vertical, InterKind::both, InterKind::scaled};
[[nodiscard]] constexpr InterKind inter_kind(const ReferenceArea& area) {
  if (area.step_x != 16 || area.step_y != 16) return InterKind::scaled;
  return static_cast<InterKind>(((area.x & 15) != 0 ? 1 : 0) + ((area.y & 15) != 0 ? 2 : 0));
}

/// Writes the prediction of a block at `to`, or its rounded mean with what is there. `from` is the
/// sample at (area.x >> 4, area.y >> 4), strides are in samples. Along an axis with a fraction, and
/// along both when scaled, memory is readable from 3 samples before the first that is fetched to 5
/// behind the last: one more than there are taps.
template <class Sample>
using InterPredict = void (*)(const Sample* from, std::ptrdiff_t from_stride,
                              const ReferenceArea& area, InterpolationFilter filter, Sample* to,
                              std::ptrdiff_t stride);

/// Fills the table's inter prediction with the definition's scalar code.
template <class Sample>
void add_scalar_inter_prediction(Dsp<Sample>& dsp);

inline constexpr int kReadBehind = 5;  ///< of the last whole sample: the taps reach 4

/// InterPrediction for areas that reach beyond the plane, or nearly so.
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

/// Predicts an area, with samples of the reference or of a copy that has the border's samples
/// repeated, where the area reaches beyond the plane. What is the same in planes of one size is
/// found once for both planes of chroma.
template <class Sample>
class InterPrediction {
 public:
  /// For planes of `width` and `height`; `area` has to stay.
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
  /// Whether all that any kernel reads along an axis lies in a plane of `size` samples.
  static bool inside(int first, int step, int count, int size) {
    return first >= kTapsBefore && first + (count * step >> 4) + 1 + kReadBehind <= size;
  }

  const ReferenceArea& area_;
  InterpolationFilter filter_;
  InterPredict<Sample> kernel_;
  int x_;
  int y_;
  bool inside_;
};

/// The same in one plane.
template <class Sample>
void predict_inter(const Dsp<Sample>& dsp, const video::PlaneView<const Sample>& reference,
                   const ReferenceArea& area, InterpolationFilter filter, bool average, Sample* to,
                   std::ptrdiff_t stride) {
  const InterPrediction<Sample> predict(dsp, area, filter, average, reference.width,
                                        reference.height);
  predict(reference, to, stride);
}

}  // namespace sidecore::vp9
