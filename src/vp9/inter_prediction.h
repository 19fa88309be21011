// Prediction of a block from samples of a reference frame, displaced by fractions of a sample and
// perhaps scaled.
// Source: VP9 specification v0.6, section 8.5.2.
#pragma once

#include "video/picture.h"
#include "vp9/frame_header.h"
#include "vp9/types.h"

namespace sidecore::vp9 {

/// How a reference frame's size relates to the frame's, in 16384ths; section 8.5.2.3.
struct ReferenceScale {
  int x = 1 << 14;
  int y = 1 << 14;
  [[nodiscard]] bool scaled() const { return x != 1 << 14 || y != 1 << 14; }
};
[[nodiscard]] ReferenceScale reference_scale(const FrameSize& reference, const FrameSize& frame);

/// The samples to fetch: from `x`, `y` on (in 16ths of a sample of the reference plane; may lie
/// outside it, where its border samples are repeated), every `step` 16ths.
struct ReferenceArea {
  int x = 0;
  int y = 0;
  int step_x = 16;  ///< 1..32
  int step_y = 16;
  int width = 0;  ///< of the block, 4..64
  int height = 0;
};

/// Writes the prediction of the block at `to`, whose rows lie `stride` samples apart, or with
/// `average` the rounded mean of it and what is there. Sample is std::uint8_t, or std::uint16_t
/// with `bits` 10 or 12.
template <class Sample>
void predict_inter(const video::PlaneView<const Sample>& reference, const ReferenceArea& area,
                   InterpolationFilter filter, bool average, Sample* to, std::ptrdiff_t stride,
                   int bits);

extern template void predict_inter(const video::PlaneView<const std::uint8_t>&,
                                   const ReferenceArea&, InterpolationFilter, bool, std::uint8_t*,
                                   std::ptrdiff_t, int);
extern template void predict_inter(const video::PlaneView<const std::uint16_t>&,
                                   const ReferenceArea&, InterpolationFilter, bool, std::uint16_t*,
                                   std::ptrdiff_t, int);

}  // namespace sidecore::vp9
