// Contexts of a block's reference frames, from the blocks above and to the left.
// Source: VP9 specification v0.6, section 9.3 ("comp_mode", "comp_ref", "single_ref_p1", "_p2").
#pragma once

#include "vp9/frame_context.h"
#include "vp9/picture_data.h"

namespace sidecore::vp9 {

/// Either is null where there is no such block, or in another tile.
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
/// Whether the single reference is LAST, and if not, whether it is GOLDEN.
[[nodiscard]] int single_reference_context_1(const Neighbours& neighbours);
[[nodiscard]] int single_reference_context_2(const Neighbours& neighbours);

}  // namespace sidecore::vp9
