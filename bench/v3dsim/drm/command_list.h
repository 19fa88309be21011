// The render command lists that a compute program causes: buffer copies and fills, which the driver
// puts through the tile buffer, and the empty frame that ends a submission.
#pragma once

#include <cstdint>

#include "v3dsim/drm/address_space.h"
#include "v3dsim/drm/settings.h"

namespace sidecore::v3dsim {

/// What one render command list does, seen as a program for memory.
struct Transfer {
  enum class Kind { nothing, copy, fill };
  Kind kind = Kind::nothing;
  std::uint32_t source = 0;       ///< copy
  std::uint32_t destination = 0;  ///< copy, fill
  std::uint64_t bytes = 0;        ///< copy, fill; a fill's is a multiple of 4
  std::uint32_t word = 0;         ///< fill
};

/// Reads the list that starts at `start`. Throws Error (failed) on everything that is neither of
/// the above (drawing, image copies, clears and resolves) and on lists that leave their buffers.
[[nodiscard]] Transfer read_command_list(const AddressSpace& memory, Version version,
                                         std::uint32_t start);

/// Carries it out. Throws Error (failed) when it leaves its buffers; then nothing was written.
void perform(const Transfer& transfer, const AddressSpace& memory);

}  // namespace sidecore::v3dsim
