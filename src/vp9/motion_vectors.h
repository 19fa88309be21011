// Predicts motion vectors from neighbouring blocks and from the previous frame.
// Source: VP9 specification v0.6, section 6.4.22 to 6.4.27 ("motion vector prediction processes").
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>

#include "vp9/frame_context.h"
#include "vp9/picture_data.h"

namespace sidecore::vp9 {

/// The two best candidate vectors, not yet clamped to the frame's surroundings. Missing candidates
/// are zero.
using Candidates = std::array<MotionVector, 2>;

/// Predicts a block's vectors from earlier blocks in the same tile columns and from the previous
/// frame. Stops searching as soon as it has the requested candidate.
class MotionVectorPredictor {
 public:
  /// Creates a predictor for `block`, whose position and size must be set. Its references must be
  /// set before vectors are requested.
  MotionVectorPredictor(const FrameContext& frame, const PictureData& picture, int first_column,
                        int end_column, const Block& block);

  /// Returns the context of the inter mode symbol, derived from the modes of the first two
  /// neighbours.
  [[nodiscard]] int mode_context() const;

  /// Returns the vector for `mode`, which is kNearestMv or kNearMv, and the block's reference
  /// `which`, rounded to the allowed precision. A coded vector is a difference from the kNearestMv
  /// vector. Implements find_mv_refs() and find_best_ref_mvs().
  [[nodiscard]] MotionVector predict(std::size_t which, PredictionMode mode) const;

  /// Returns the vector of a 4x4 block within a block smaller than 8x8, whose earlier 4x4 blocks
  /// must be set. Implements append_sub8x8_mvs().
  [[nodiscard]] MotionVector predict_sub_block(std::size_t which, std::size_t sub_block,
                                               PredictionMode mode) const;

 private:
  static constexpr int kNeighbours = 8;
  static constexpr int kNearNeighbours = 2;  // neighbours whose modes give the context

  /// Returns the neighbouring block, or null if there is none.
  [[nodiscard]] inline const Block* look_up(int index) const;
  [[nodiscard]] inline const Block* neighbour(int index) const;
  [[nodiscard]] Candidates find(ReferenceFrame reference, int sub_block, std::size_t wanted) const;
  void add_other_references(class CandidateList& list, ReferenceFrame reference,
                            const BlockMotion* previous) const;
  [[nodiscard]] inline MotionVector clamped(MotionVector mv) const;

  const FrameContext& frame_;
  const PictureData& picture_;
  const Block& block_;
  const std::int8_t (*offsets_)[2];  ///< offsets of the neighbours: row and column, in 8x8 units
  const std::uint32_t* block_here_;  ///< block index of each unit, starting at the block's unit
  int first_column_;
  int end_column_;
  std::array<const Block*, kNearNeighbours> near_;  ///< null if there is none
};

/// Returns true if vectors near `mv` are coded in eighths of a sample, provided that the frame
/// allows it.
[[nodiscard]] inline bool uses_high_precision(MotionVector mv) {
  constexpr int kHighPrecisionBelow = 64;
  return std::abs(mv.row) < kHighPrecisionBelow && std::abs(mv.column) < kHighPrecisionBelow;
}

/// Rounds `mv` towards zero to quarters of a sample, unless it may have high precision; section
/// 6.4.25.
[[nodiscard]] inline MotionVector with_precision(MotionVector mv, bool high_precision_allowed) {
  if (high_precision_allowed && uses_high_precision(mv)) return mv;
  const auto even = [](std::int16_t value) {
    return static_cast<std::int16_t>(value - (value % 2));
  };
  return {even(mv.row), even(mv.column)};
}

}  // namespace sidecore::vp9
