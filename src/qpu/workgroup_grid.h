// Long one-dimensional work as a dispatch of two dimensions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "qpu/device.h"

namespace sidecore::qpu {

/// How many groups of `size` hold `count` items.
[[nodiscard]] constexpr std::uint32_t divided_up(std::uint32_t count, std::uint32_t size) {
  return (count + size - 1) / size;
}

/// Counts {x, y, 1} of at least `workgroups` workgroups, x no more than the device's limit (65,535
/// on V3D). Shaders number them as shaders/workgroup_index.glsl does and must themselves stop at
/// the end of their work: the last row may be partly empty. Throws Error (usage) when y would be
/// too large.
[[nodiscard]] std::array<std::uint32_t, 3> workgroup_grid(std::size_t workgroups,
                                                          const DeviceLimits& limits);

}  // namespace sidecore::qpu
