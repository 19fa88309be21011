#include "vp9/motion_vectors.h"

#include <algorithm>

#include "vp9/block_tables.h"

namespace sidecore::vp9 {
namespace {

/// Distance that a candidate may point beyond the frame, in eighths of a luma sample.
constexpr int kBorder = 128;

/// Rows and columns of a block's neighbours, in units, relative to the block.
constexpr std::int8_t kNeighbourOffsets[kBlockSizes][8][2] = {
    {{-1, 0}, {0, -1}, {-1, -1}, {-2, 0}, {0, -2}, {-2, -1}, {-1, -2}, {-2, -2}},
    {{-1, 0}, {0, -1}, {-1, -1}, {-2, 0}, {0, -2}, {-2, -1}, {-1, -2}, {-2, -2}},
    {{-1, 0}, {0, -1}, {-1, -1}, {-2, 0}, {0, -2}, {-2, -1}, {-1, -2}, {-2, -2}},
    {{-1, 0}, {0, -1}, {-1, -1}, {-2, 0}, {0, -2}, {-2, -1}, {-1, -2}, {-2, -2}},
    {{0, -1}, {-1, 0}, {1, -1}, {-1, -1}, {0, -2}, {-2, 0}, {-2, -1}, {-1, -2}},
    {{-1, 0}, {0, -1}, {-1, 1}, {-1, -1}, {-2, 0}, {0, -2}, {-1, -2}, {-2, -1}},
    {{-1, 0}, {0, -1}, {-1, 1}, {1, -1}, {-1, -1}, {-3, 0}, {0, -3}, {-3, -3}},
    {{0, -1}, {-1, 0}, {2, -1}, {-1, -1}, {-1, 1}, {0, -3}, {-3, 0}, {-3, -3}},
    {{-1, 0}, {0, -1}, {-1, 2}, {-1, -1}, {1, -1}, {-3, 0}, {0, -3}, {-3, -3}},
    {{-1, 1}, {1, -1}, {-1, 2}, {2, -1}, {-1, -1}, {-3, 0}, {0, -3}, {-3, -3}},
    {{0, -1}, {-1, 0}, {4, -1}, {-1, 2}, {-1, -1}, {0, -3}, {-3, 0}, {2, -1}},
    {{-1, 0}, {0, -1}, {-1, 4}, {2, -1}, {-1, -1}, {-3, 0}, {0, -3}, {-1, 2}},
    {{-1, 3}, {3, -1}, {-1, 4}, {4, -1}, {-1, -1}, {-1, 0}, {0, -1}, {-1, 6}}};

/// Weight of a neighbour's mode; the sum of two weights selects the context.
constexpr std::uint8_t kModeWeight[kIntraModes + kInterModes] = {9, 9, 9, 9, 9, 9, 9,
                                                                 9, 9, 9, 0, 0, 3, 1};
constexpr std::uint8_t kContextOfWeight[19] = {2, 3, 4, 1, 3, 9, 0, 9, 9, 5,
                                               5, 9, 5, 9, 9, 9, 9, 9, 6};

/// The 4x4 block of a neighbour that touches a 4x4 block of the current block: [4x4
/// block][neighbour is above].
constexpr std::uint8_t kTouchingSubBlock[4][2] = {{1, 2}, {1, 3}, {3, 2}, {3, 3}};

MotionVector negated_if(bool condition, MotionVector mv) {
  if (!condition) return mv;
  return {static_cast<std::int16_t>(-mv.row), static_cast<std::int16_t>(-mv.column)};
}

}  // namespace

/// Collects the first `wanted` (1 or 2) candidate vectors that differ from each other.
class CandidateList {
 public:
  explicit CandidateList(std::size_t wanted) : wanted_(wanted) {}
  void add(MotionVector mv) {
    if (count_ == 0 || (count_ == 1 && mv != found_[0])) found_[count_++] = mv;
  }
  [[nodiscard]] bool full() const { return count_ >= wanted_; }
  [[nodiscard]] const Candidates& found() const { return found_; }

 private:
  Candidates found_{};
  std::size_t count_ = 0;
  std::size_t wanted_;
};

namespace {

/// Adds vectors that point at other references than the wanted one. A vector is negated if its
/// reference lies in the other direction in time. Vectors is Block's array (vectors of its last 4x4
/// block) or BlockMotion's.
template <class Vectors>
inline void add_other(CandidateList& list, const std::array<ReferenceFrame, 2>& references,
                      const Vectors& mv, ReferenceFrame wanted,
                      const std::array<bool, 4>& sign_bias) {
  const auto turned = [&](std::size_t which) {
    const bool opposite = sign_bias[static_cast<std::size_t>(references[which])] !=
                          sign_bias[static_cast<std::size_t>(wanted)];
    return negated_if(opposite, mv[which]);
  };
  if (references[0] > kIntra && references[0] != wanted) list.add(turned(0));
  if (references[1] > kIntra && references[1] != wanted && mv[1] != mv[0]) list.add(turned(1));
}

template <class Vectors>
[[gnu::always_inline]] inline void add_same(CandidateList& list,
                                            const std::array<ReferenceFrame, 2>& references,
                                            const Vectors& mv, ReferenceFrame wanted) {
  if (references[0] == wanted) {
    list.add(mv[0]);
  } else if (references[1] == wanted) {
    list.add(mv[1]);
  }
}

}  // namespace

MotionVectorPredictor::MotionVectorPredictor(const FrameContext& frame, const PictureData& picture,
                                             int first_column, int end_column, const Block& block)
    : frame_(frame),
      picture_(picture),
      block_(block),
      offsets_(kNeighbourOffsets[block.size]),
      block_here_(picture.motion().block_of_unit.data() + picture.unit(block.row, block.column)),
      first_column_(first_column),
      end_column_(end_column),
      near_{look_up(0), look_up(1)} {}

const Block* MotionVectorPredictor::look_up(int index) const {
  const auto [down, right] = offsets_[index];
  const int row = block_.row + down;
  const int column = block_.column + right;
  const bool inside =
      row >= 0 && row < picture_.rows() && column >= first_column_ && column < end_column_;
  return inside ? &picture_.blocks[block_here_[down * picture_.columns() + right]] : nullptr;
}

const Block* MotionVectorPredictor::neighbour(int index) const {
  return index < kNearNeighbours ? near_[static_cast<std::size_t>(index)] : look_up(index);
}

int MotionVectorPredictor::mode_context() const {
  int weight = 0;
  for (const Block* const neighbour : near_) {
    if (neighbour != nullptr) weight += kModeWeight[neighbour->mode()];
  }
  return kContextOfWeight[weight];
}

MotionVector MotionVectorPredictor::clamped(MotionVector mv) const {
  constexpr int kUnitInEighths = kUnit * 8;
  const auto clamp = [](int value, int position, int size, int all) {
    const int least = -position * kUnitInEighths - kBorder;
    const int most = (all - size - position) * kUnitInEighths + kBorder;
    return static_cast<std::int16_t>(std::clamp(value, least, most));
  };
  return {clamp(mv.row, block_.row, kHeightIn8[block_.size], picture_.rows()),
          clamp(mv.column, block_.column, kWidthIn8[block_.size], picture_.columns())};
}

Candidates MotionVectorPredictor::find(ReferenceFrame reference, int sub_block,
                                       std::size_t wanted) const {
  CandidateList list(wanted);
  for (int index = 0; index < kNeighbours; ++index) {
    const Block* const candidate = neighbour(index);
    if (candidate == nullptr) continue;
    std::size_t touching = 3;
    if (sub_block >= 0 && index < kNearNeighbours && candidate->size < kBlock8x8) {
      const bool above = offsets_[index][1] == 0;
      touching = kTouchingSubBlock[sub_block][above];
    }
    add_same(list, candidate->references, candidate->mv[touching], reference);
    if (list.full()) return list.found();
  }
  const BlockMotion* const previous =
      frame_.previous_motion != nullptr
          ? &frame_.previous_motion->at(picture_.unit(block_.row, block_.column))
          : nullptr;
  if (previous != nullptr) add_same(list, previous->references, previous->mv, reference);
  if (!list.full()) add_other_references(list, reference, previous);
  return list.found();
}

void MotionVectorPredictor::add_other_references(CandidateList& list, ReferenceFrame reference,
                                                 const BlockMotion* previous) const {
  const std::array<bool, 4>& sign_bias = frame_.header.sign_bias;
  for (int index = 0; index < kNeighbours && !list.full(); ++index) {
    const Block* const candidate = neighbour(index);
    if (candidate == nullptr) continue;
    add_other(list, candidate->references, candidate->mv[3], reference, sign_bias);
  }
  if (previous != nullptr && !list.full()) {
    add_other(list, previous->references, previous->mv, reference, sign_bias);
  }
}

MotionVector MotionVectorPredictor::predict(std::size_t which, PredictionMode mode) const {
  const std::size_t rank = mode == kNearMv ? 1 : 0;
  return with_precision(clamped(find(block_.references[which], -1, rank + 1)[rank]),
                        frame_.header.high_precision_mv);
}

MotionVector MotionVectorPredictor::predict_sub_block(std::size_t which, std::size_t sub_block,
                                                      PredictionMode mode) const {
  const ReferenceFrame reference = block_.references[which];
  const std::size_t rank = mode == kNearMv ? 1 : 0;
  if (sub_block == 0) return clamped(find(reference, 0, rank + 1)[rank]);
  const auto of = [&](std::size_t index) { return block_.mv[index][which]; };
  // The nearest vector is that of 4x4 block 0, or of block 2 for the last block. The near vector is
  // the first one that differs from it.
  const MotionVector nearest = sub_block == 3 ? of(2) : of(0);
  if (mode == kNearestMv) return nearest;
  const Candidates found = find(reference, static_cast<int>(sub_block), 2);
  const std::array<MotionVector, 4> later = {of(1), of(0), clamped(found[0]), clamped(found[1])};
  for (std::size_t index = sub_block == 3 ? 0 : 2; index < later.size(); ++index) {
    if (later[index] != nearest) return later[index];
  }
  return {};
}

}  // namespace sidecore::vp9
