// Prediction of motion vectors from blocks nearby and from the frame before.
// Source: VP9 specification v0.6, section 6.4.22 to 6.4.27 ("motion vector prediction processes").
#pragma once

#include <array>

#include "vp9/frame_context.h"
#include "vp9/picture_data.h"

namespace sidecore::vp9 {

/// The two best candidates; absent ones are zero.
using Candidates = std::array<MotionVector, 2>;

/// Where candidates may come from: the tile's columns, and all rows above.
class MotionVectorPredictor {
 public:
  MotionVectorPredictor(const FrameContext& frame, const PictureData& picture, int first_column,
                        int end_column)
      : frame_(frame), picture_(picture), first_column_(first_column), end_column_(end_column) {}

  struct Result {
    Candidates candidates;
    int mode_context = 0;  ///< of the inter mode symbol
  };
  /// For `block` as a whole (`sub_block` -1) or one of its four 4x4 blocks; find_mv_refs().
  [[nodiscard]] Result find(const Block& block, ReferenceFrame reference, int sub_block) const;

  /// NEARESTMV and NEARMV of a 4x4 block, given those before it in the block;
  /// append_sub8x8_mvs().
  [[nodiscard]] Candidates find_in_sub_block(const Block& block, std::size_t which,
                                             int sub_block) const;

 private:
  [[nodiscard]] const Block* neighbour(const Block& block, int index) const;
  void add_other_references(class CandidateList& list, const Block& block, ReferenceFrame reference,
                            const UnitMotion* previous) const;
  [[nodiscard]] MotionVector clamped(const Block& block, MotionVector mv) const;

  const FrameContext& frame_;
  const PictureData& picture_;
  int first_column_;
  int end_column_;
};

/// Whether vectors near `mv` are coded to an eighth of a sample, where the frame allows it.
[[nodiscard]] bool uses_high_precision(MotionVector mv);

/// `mv` to a quarter of a sample, towards zero, unless it is of high precision; section 6.4.25.
[[nodiscard]] MotionVector with_precision(MotionVector mv, bool high_precision_allowed);

}  // namespace sidecore::vp9
