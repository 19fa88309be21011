// brighten: adds a number to every 8-bit sample of a plane and stops at 255. Too small to pay, but
// it has all the parts of a kernel; docs/adding-a-kernel.md walks through them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "qpu/command_list.h"
#include "qpu/device.h"

namespace sidecore::examples {

/// The definition, for a row: every sample becomes min(sample + offset, 255).
void brighten(std::span<std::uint8_t> row, std::uint8_t offset);

/// The same bytes on NEON.
void brighten_neon(std::span<std::uint8_t> row, std::uint8_t offset);

/// A plane in memory. What lies between the end of a row and the next row is not touched.
struct BrightenPlane {
  std::uint32_t width = 0;   ///< in samples
  std::uint32_t height = 0;  ///< in rows
  std::uint32_t stride = 0;  ///< bytes from a row to the next: a multiple of 16, at least width
};

/// Records the same for all rows of a plane that starts at `samples`, which a device sees.
/// Throws Error (usage) when the stride is no multiple of 16.
void brighten_qpu(qpu::Device& device, qpu::CommandList& list, const qpu::BufferRange& samples,
                  const BrightenPlane& plane, std::uint8_t offset);

}  // namespace sidecore::examples
