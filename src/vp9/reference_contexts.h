// Contexts of a block's reference frame symbols, derived from the blocks above and to the left.
// Source: VP9 specification v0.6, section 9.3 ("comp_mode", "comp_ref", "single_ref_p1", "_p2").
#pragma once

#include "vp9/frame_context.h"
#include "vp9/picture_data.h"

namespace sidecore::vp9 {

/// Neighbouring blocks. Each is null if there is no such block or if it is in another tile.
struct Neighbours {
  const Block* above = nullptr;
  const Block* left = nullptr;
};

[[nodiscard]] int is_inter_context(const Neighbours& neighbours);
[[nodiscard]] int compound_mode_context(const Neighbours& neighbours,
                                        const CompoundReferences& compound);
[[nodiscard]] int compound_reference_context(const Neighbours& neighbours,
                                             const CompoundReferences& compound,
                                             const std::array<bool, 4>& sign_bias);
/// Returns the context of the first symbol of a single reference (LAST or not).
/// single_reference_context_2() returns that of the second symbol (GOLDEN or ALTREF).
[[nodiscard]] int single_reference_context_1(const Neighbours& neighbours);
[[nodiscard]] int single_reference_context_2(const Neighbours& neighbours);

}  // namespace sidecore::vp9
