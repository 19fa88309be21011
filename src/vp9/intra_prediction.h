// Prediction of a transform block from the samples above and to the left of it.
// Source: VP9 specification v0.6, section 8.5.1.
#pragma once

#include "video/picture.h"
#include "vp9/types.h"

namespace sidecore::vp9 {

/// Where a block lies and what of its surroundings may be used.
struct IntraSurroundings {
  int x = 0;  ///< of its top left sample in the plane
  int y = 0;
  bool above = false;        ///< there are samples above
  bool left = false;         ///< there are samples to the left
  bool above_right = false;  ///< the block above right lies within the same block of modes
  int end_x = 0;             ///< the plane's size in whole 8x8 luma units: what has been decoded
  int end_y = 0;
};

/// Writes the prediction of the block of `size` into the plane, whose memory holds whole
/// superblocks. Sample is std::uint8_t, or std::uint16_t with `bits` 10 or 12.
template <class Sample>
void predict_intra(const video::PlaneView<Sample>& plane, const IntraSurroundings& where,
                   TransformSize size, PredictionMode mode, int bits);

extern template void predict_intra(const video::PlaneView<std::uint8_t>&, const IntraSurroundings&,
                                   TransformSize, PredictionMode, int);
extern template void predict_intra(const video::PlaneView<std::uint16_t>&, const IntraSurroundings&,
                                   TransformSize, PredictionMode, int);

}  // namespace sidecore::vp9
