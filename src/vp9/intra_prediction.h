// Prediction of a transform block from the samples above and to the left of it.
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

/// Predicts the N x N samples at `to`. above[0] to above[N - 1] are the row above, above[-1] the
/// sample left of that row, left[0] to left[N - 1] the column to the left, from the top. Blocks of
/// 4x4 also take above[4] to above[7], the samples above right; in larger ones the last sample of
/// the row is repeated instead. A mode reads what it predicts from; above[-1] to above[2N - 1] may
/// be read by each. Neither overlaps the block.
template <class Sample>
using IntraPredict = void (*)(Sample* to, std::ptrdiff_t stride, const Sample* above,
                              const Sample* left);

/// What a mean is taken of where not both sides are there: predictors beside the ten modes, of
/// which kDcPrediction takes both.
enum DcPredictor : std::uint8_t {
  kDcOfAbove = kIntraModes,
  kDcOfLeft,
  kDcOfNothing,  ///< half of the samples' range
  kIntraPredictors
};

/// By mode or DcPredictor, and size.
template <class Sample>
using IntraPredictions =
    std::array<std::array<IntraPredict<Sample>, kTransformSizes>, kIntraPredictors>;

/// What a mode predicts from. The mean's depends on what is there, beside what is said here.
struct IntraNeeds {
  bool above = false;
  bool left = false;
  bool corner = false;       ///< the sample above left
  bool above_right = false;  ///< of blocks of 4x4
};
[[nodiscard]] IntraNeeds intra_needs(PredictionMode mode);

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
/// superblocks: finds the neighbours that the mode asks for, and calls the table.
template <class Sample>
void predict_intra(const Dsp<Sample>& dsp, const video::PlaneView<Sample>& plane,
                   const IntraSurroundings& where, TransformSize size, PredictionMode mode);

extern template void predict_intra(const Dsp<std::uint8_t>&, const video::PlaneView<std::uint8_t>&,
                                   const IntraSurroundings&, TransformSize, PredictionMode);
extern template void predict_intra(const Dsp<std::uint16_t>&,
                                   const video::PlaneView<std::uint16_t>&, const IntraSurroundings&,
                                   TransformSize, PredictionMode);

/// Fills the table's intra predictions with the definition's scalar code.
template <class Sample>
void add_scalar_intra_predictions(Dsp<Sample>& dsp);

}  // namespace sidecore::vp9
