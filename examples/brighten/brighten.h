// brighten: adds a number to every 8-bit sample of a plane, limited to 255. It is too small to be
// worth a GPU, but has all parts of a kernel; docs/adding-a-kernel.md explains them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "qpu/command_list.h"
#include "qpu/device.h"

namespace sidecore::examples {

/// Scalar definition for one row: every sample becomes min(sample + offset, 255).
void brighten(std::span<std::uint8_t> row, std::uint8_t offset);

/// NEON implementation of brighten(), with the same bytes.
void brighten_neon(std::span<std::uint8_t> row, std::uint8_t offset);

/// A plane in memory. Kernels do not change the bytes between the end of a row and the next row.
struct BrightenPlane {
  std::uint32_t width = 0;   ///< number of samples per row
  std::uint32_t height = 0;  ///< number of rows
  std::uint32_t stride =
      0;  ///< distance between two rows in bytes: a multiple of 16, and at least `width`
};

/// Records a dispatch that brightens all rows of the plane that starts at `samples` in device
/// memory. Throws Error (usage) if the stride is not a multiple of 16.
void brighten_qpu(qpu::Device& device, qpu::CommandList& list, const qpu::BufferRange& samples,
                  const BrightenPlane& plane, std::uint8_t offset);

}  // namespace sidecore::examples
