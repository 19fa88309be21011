// Predicts a transform block from the samples above and to the left of it.
// Source: VP9 specification v0.6, section 8.5.1.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "video/picture.h"
#include "vp9/types.h"

namespace sidecore::vp9 {

template <class Sample>
struct Dsp;

/// Predicts the N x N samples at `to`. above[0] to above[N - 1] is the row above, and above[-1] is
/// the sample left of that row. left[0] to left[N - 1] is the column to the left, from the top. 4x4
/// blocks also use above[4] to above[7], the samples above right; larger blocks repeat the last
/// sample of the row instead. Every mode may read above[-1] to above[2N - 1], even if its result
/// does not depend on them. Neither array overlaps the block.
template <class Sample>
using IntraPredict = void (*)(Sample* to, std::ptrdiff_t stride, const Sample* above,
                              const Sample* left);

/// Predictors for kDcPrediction if only one side or none is available. They follow the ten modes;
/// kDcPrediction itself uses both sides.
enum DcPredictor : std::uint8_t {
  kDcOfAbove = kIntraModes,
  kDcOfLeft,
  kDcOfNothing,  ///< the middle of the samples' range
  kIntraPredictors
};

/// Predictors for all blocks: [mode or DcPredictor][size].
template <class Sample>
using IntraPredictions =
    std::array<std::array<IntraPredict<Sample>, kTransformSizes>, kIntraPredictors>;

/// Neighbouring samples that a mode predicts from. kDcPrediction uses only those of them that are
/// available.
struct IntraNeeds {
  bool above = false;
  bool left = false;
  bool corner = false;       ///< the sample above left
  bool above_right = false;  ///< the samples above right; for 4x4 blocks only
};
/// Returns the neighbouring samples that a mode predicts from.
[[nodiscard]] IntraNeeds intra_needs(PredictionMode mode);

/// Position of a block, and which of its neighbouring samples may be used.
struct IntraSurroundings {
  int x = 0;  ///< `x` and `y`: position of the block's top left sample in the plane
  int y = 0;
  bool above = false;        ///< samples above the block exist
  bool left = false;         ///< samples left of the block exist
  bool above_right = false;  ///< the block above right belongs to the same vp9::Block
  int end_x = 0;  ///< `end_x` and `end_y`: the plane's size in samples, in whole 8x8 luma units
  int end_y = 0;
};

/// Writes the prediction of the block of `size` into the plane, whose memory must hold whole
/// superblocks. Collects the neighbouring samples that the mode needs and calls the kernel from the
/// table. If `line_above` is set, it replaces the plane's line above the block; it points to the
/// sample at x = 0.
template <class Sample>
void predict_intra(const Dsp<Sample>& dsp, const video::PlaneView<Sample>& plane,
                   const IntraSurroundings& where, TransformSize size, PredictionMode mode,
                   const Sample* line_above = nullptr);

extern template void predict_intra(const Dsp<std::uint8_t>&, const video::PlaneView<std::uint8_t>&,
                                   const IntraSurroundings&, TransformSize, PredictionMode,
                                   const std::uint8_t*);
extern template void predict_intra(const Dsp<std::uint16_t>&,
                                   const video::PlaneView<std::uint16_t>&, const IntraSurroundings&,
                                   TransformSize, PredictionMode, const std::uint16_t*);

/// Fills the table's intra predictions with the scalar definition.
template <class Sample>
void add_scalar_intra_predictions(Dsp<Sample>& dsp);

}  // namespace sidecore::vp9
