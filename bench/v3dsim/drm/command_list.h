// Render command lists that a compute program causes. They copy and fill buffers, which the driver
// does through the tile buffer, and one empty frame ends a submission.
#pragma once

#include <cstdint>

#include "v3dsim/drm/address_space.h"
#include "v3dsim/drm/settings.h"

namespace sidecore::v3dsim {

/// Effect of one render command list on memory.
struct Transfer {
  enum class Kind { nothing, copy, fill };
  Kind kind = Kind::nothing;
  std::uint32_t source = 0;       ///< source address of a copy
  std::uint32_t destination = 0;  ///< destination address of a copy or fill
  std::uint64_t bytes = 0;        ///< length of a copy or fill in bytes; a multiple of 4 for a fill
  std::uint32_t word = 0;         ///< word that a fill writes
};

/// Reads the list at `start`, which must copy or fill a buffer or be empty. Throws Error (failed)
/// for all other lists (drawing, image copies, clears and resolves) and for lists that leave their
/// buffers.
[[nodiscard]] Transfer read_command_list(const AddressSpace& memory, Version version,
                                         std::uint32_t start);

/// Performs the transfer. Throws Error (failed) if it leaves its buffers; then nothing was written.
void perform(const Transfer& transfer, const AddressSpace& memory);

}  // namespace sidecore::v3dsim
