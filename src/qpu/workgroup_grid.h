// Maps long one-dimensional work to a two-dimensional dispatch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "qpu/device.h"

namespace sidecore::qpu {

/// Returns the number of groups of `size` that hold `count` items.
[[nodiscard]] constexpr std::uint32_t divide_rounding_up(std::uint32_t count, std::uint32_t size) {
  return (count + size - 1) / size;
}

/// Returns counts {x, y, 1} of at least `workgroups` workgroups; x is at most the device's limit
/// (65,535 on V3D). Shaders number the workgroups with shaders/workgroup_index.glsl. They must stop
/// at the end of their work, because the last row may be partly empty. Throws Error
/// (environment) if y would exceed the device's limit.
[[nodiscard]] std::array<std::uint32_t, 3> workgroup_grid(std::size_t workgroups,
                                                          const DeviceLimits& limits);

}  // namespace sidecore::qpu
