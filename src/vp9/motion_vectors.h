// Prediction of motion vectors from blocks nearby and from the frame before.
// Source: VP9 specification v0.6, section 6.4.22 to 6.4.27 ("motion vector prediction processes").
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>

#include "vp9/frame_context.h"
#include "vp9/picture_data.h"

namespace sidecore::vp9 {

/// The two best candidates, which may point too far beyond the frame; absent ones are zero.
using Candidates = std::array<MotionVector, 2>;

/// The vectors that a block's may be predicted from: those of blocks in the tile's columns, in all
/// rows above, and of the frame before. Looks no further than what is asked for needs.
class MotionVectorPredictor {
 public:
  /// `block` knows its place and size, and its references before vectors are asked for.
  MotionVectorPredictor(const FrameContext& frame, const PictureData& picture, int first_column,
                        int end_column, const Block& block);

  /// Of the inter mode symbol; from the modes of the two neighbours that come first.
  [[nodiscard]] int mode_context() const;

  /// The vector of the block's `mode`, kNearestMv or kNearMv, for its reference `which`, in the
  /// precision that it may have; kNearestMv is also what a coded vector adds to. find_mv_refs()
  /// and find_best_ref_mvs().
  [[nodiscard]] MotionVector predict(std::size_t which, PredictionMode mode) const;

  /// Likewise for a 4x4 block of a block below 8x8, given those before it in the block;
  /// append_sub8x8_mvs().
  [[nodiscard]] MotionVector predict_sub_block(std::size_t which, std::size_t sub_block,
                                               PredictionMode mode) const;

 private:
  static constexpr int kNeighbours = 8;
  static constexpr int kNearNeighbours = 2;  // the ones whose modes make the context

  /// Null where there is none.
  [[nodiscard]] inline const Block* look_up(int index) const;
  [[nodiscard]] inline const Block* neighbour(int index) const;
  [[nodiscard]] Candidates find(ReferenceFrame reference, int sub_block, std::size_t wanted) const;
  void add_other_references(class CandidateList& list, ReferenceFrame reference,
                            const UnitMotion* previous) const;
  [[nodiscard]] inline MotionVector clamped(MotionVector mv) const;

  const FrameContext& frame_;
  const PictureData& picture_;
  const Block& block_;
  const std::int8_t (*offsets_)[2];  ///< of neighbours: row and column, in units
  const std::uint32_t* block_here_;  ///< index of the block at each unit, from ours on
  int first_column_;
  int end_column_;
  std::array<const Block*, kNearNeighbours> near_;  ///< null where there is none
};

/// Whether vectors near `mv` are coded to an eighth of a sample, where the frame allows it.
[[nodiscard]] inline bool uses_high_precision(MotionVector mv) {
  constexpr int kHighPrecisionBelow = 64;
  return std::abs(mv.row) < kHighPrecisionBelow && std::abs(mv.column) < kHighPrecisionBelow;
}

/// `mv` to a quarter of a sample, towards zero, unless it is of high precision; section 6.4.25.
[[nodiscard]] inline MotionVector with_precision(MotionVector mv, bool high_precision_allowed) {
  if (high_precision_allowed && uses_high_precision(mv)) return mv;
  const auto even = [](std::int16_t value) {
    return static_cast<std::int16_t>(value - (value % 2));
  };
  return {even(mv.row), even(mv.column)};
}

}  // namespace sidecore::vp9
