#include "vp9/reference_contexts.h"

namespace sidecore::vp9 {
namespace {

bool uses(const Block& block, ReferenceFrame reference) {
  return block.references[0] == reference || block.references[1] == reference;
}

bool is(const Block& block, ReferenceFrame reference) {
  return block.references[0] == reference;
}

/// Returns the only available neighbour. Exactly one must be available.
const Block* only(const Neighbours& neighbours) {
  return neighbours.above != nullptr ? neighbours.above : neighbours.left;
}

bool both(const Neighbours& neighbours) {
  return neighbours.above != nullptr && neighbours.left != nullptr;
}

/// A pair of neighbours of which one has compound and one has single prediction.
struct MixedPair {
  const Block& single;
  const Block& compound;
};

MixedPair mixed(const Block& above, const Block& left) {
  return above.is_compound() ? MixedPair{left, above} : MixedPair{above, left};
}

int compound_reference_of_inter_pair(const Block& above, const Block& left,
                                     const CompoundReferences& compound, std::size_t variable) {
  const auto candidate = [&](const Block& block) {
    return block.references[block.is_compound() ? variable : 0];
  };
  const ReferenceFrame a = candidate(above);
  const ReferenceFrame l = candidate(left);
  const ReferenceFrame target = compound.variable[1];
  if (a == l && a == target) return 0;
  if (!above.is_compound() && !left.is_compound()) {
    const ReferenceFrame other = compound.variable[0];
    if ((a == compound.fixed && l == other) || (l == compound.fixed && a == other)) return 4;
    return a == l ? 3 : 1;
  }
  if (above.is_compound() != left.is_compound()) {
    const MixedPair pair = mixed(above, left);
    const ReferenceFrame of_compound = candidate(pair.compound);
    const ReferenceFrame of_single = candidate(pair.single);
    if (of_compound == target && of_single != target) return 1;
    if (of_single == target && of_compound != target) return 2;
    return 4;
  }
  return a == l ? 4 : 2;
}

int single_reference_1_of_inter_pair(const Block& above, const Block& left) {
  if (!above.is_compound() && !left.is_compound()) {
    return 2 * int{is(above, kLast)} + 2 * int{is(left, kLast)};
  }
  if (above.is_compound() && left.is_compound()) {
    return 1 + int{uses(above, kLast) || uses(left, kLast)};
  }
  const MixedPair pair = mixed(above, left);
  return (is(pair.single, kLast) ? 3 : 0) + int{uses(pair.compound, kLast)};
}

int single_reference_2_of_inter_pair(const Block& above, const Block& left) {
  if (above.is_compound() && left.is_compound()) {
    if (above.references != left.references) return 2;
    return 3 * int{uses(above, kGolden) || uses(left, kGolden)};
  }
  if (!above.is_compound() && !left.is_compound()) {
    if (is(above, kLast) && is(left, kLast)) return 3;
    if (is(above, kLast)) return 4 * int{is(left, kGolden)};
    if (is(left, kLast)) return 4 * int{is(above, kGolden)};
    return 2 * int{is(above, kGolden)} + 2 * int{is(left, kGolden)};
  }
  const MixedPair pair = mixed(above, left);
  const int golden = int{uses(pair.compound, kGolden)};
  if (is(pair.single, kGolden)) return 3 + golden;
  if (is(pair.single, kAltRef)) return golden;
  return 1 + 2 * golden;
}

}  // namespace

int is_inter_context(const Neighbours& neighbours) {
  if (both(neighbours)) {
    const bool above_intra = !neighbours.above->is_inter();
    const bool left_intra = !neighbours.left->is_inter();
    return above_intra && left_intra ? 3 : int{above_intra || left_intra};
  }
  const Block* const edge = only(neighbours);
  return edge != nullptr && !edge->is_inter() ? 2 : 0;
}

int compound_mode_context(const Neighbours& neighbours, const CompoundReferences& compound) {
  if (!both(neighbours)) {
    const Block* const edge = only(neighbours);
    if (edge == nullptr) return 1;
    return edge->is_compound() ? 3 : int{is(*edge, compound.fixed)};
  }
  const Block& above = *neighbours.above;
  const Block& left = *neighbours.left;
  if (above.is_compound() && left.is_compound()) return 4;
  if (!above.is_compound() && !left.is_compound()) {
    return int{is(above, compound.fixed) != is(left, compound.fixed)};
  }
  const Block& single = mixed(above, left).single;
  return 2 + int{is(single, compound.fixed) || !single.is_inter()};
}

int compound_reference_context(const Neighbours& neighbours, const CompoundReferences& compound,
                               const std::array<bool, 4>& sign_bias) {
  const std::size_t variable = sign_bias[static_cast<std::size_t>(compound.fixed)] ? 0 : 1;
  const ReferenceFrame target = compound.variable[1];
  if (!both(neighbours)) {
    const Block* const edge = only(neighbours);
    if (edge == nullptr || !edge->is_inter()) return 2;
    return edge->is_compound() ? 4 * int{edge->references[variable] != target}
                               : 3 * int{edge->references[0] != target};
  }
  const Block& above = *neighbours.above;
  const Block& left = *neighbours.left;
  if (!above.is_inter() && !left.is_inter()) return 2;
  if (!above.is_inter() || !left.is_inter()) {
    const Block& inter = above.is_inter() ? above : left;
    return 1 + 2 * int{inter.references[inter.is_compound() ? variable : 0] != target};
  }
  return compound_reference_of_inter_pair(above, left, compound, variable);
}

int single_reference_context_1(const Neighbours& neighbours) {
  const auto alone = [](const Block& block) {
    return block.is_compound() ? 1 + int{uses(block, kLast)} : 4 * int{is(block, kLast)};
  };
  if (!both(neighbours)) {
    const Block* const edge = only(neighbours);
    return edge == nullptr || !edge->is_inter() ? 2 : alone(*edge);
  }
  const Block& above = *neighbours.above;
  const Block& left = *neighbours.left;
  if (!above.is_inter() && !left.is_inter()) return 2;
  if (!above.is_inter()) return alone(left);
  if (!left.is_inter()) return alone(above);
  return single_reference_1_of_inter_pair(above, left);
}

int single_reference_context_2(const Neighbours& neighbours) {
  if (!both(neighbours)) {
    const Block* const edge = only(neighbours);
    if (edge == nullptr || !edge->is_inter()) return 2;
    if (edge->is_compound()) return 3 * int{uses(*edge, kGolden)};
    return is(*edge, kLast) ? 2 : 4 * int{is(*edge, kGolden)};
  }
  const Block& above = *neighbours.above;
  const Block& left = *neighbours.left;
  if (!above.is_inter() && !left.is_inter()) return 2;
  if (!above.is_inter() || !left.is_inter()) {
    const Block& inter = above.is_inter() ? above : left;
    if (inter.is_compound()) return 1 + 2 * int{uses(inter, kGolden)};
    return is(inter, kLast) ? 3 : 4 * int{is(inter, kGolden)};
  }
  return single_reference_2_of_inter_pair(above, left);
}

}  // namespace sidecore::vp9
