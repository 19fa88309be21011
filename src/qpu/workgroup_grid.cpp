#include "qpu/workgroup_grid.h"

#include <algorithm>

#include "base/error.h"

namespace sidecore::qpu {

std::array<std::uint32_t, 3> workgroup_grid(std::size_t workgroups, const DeviceLimits& limits) {
  const std::size_t columns =
      std::clamp<std::size_t>(workgroups, 1, std::max(1U, limits.max_workgroup_count[0]));
  const std::size_t rows = workgroups / columns + (workgroups % columns != 0 ? 1 : 0);
  if (rows > limits.max_workgroup_count[1]) {
    throw environment_error("{} workgroups are more than the device's {} x {}", workgroups,
                            limits.max_workgroup_count[0], limits.max_workgroup_count[1]);
  }
  return {static_cast<std::uint32_t>(columns), static_cast<std::uint32_t>(rows), 1};
}

}  // namespace sidecore::qpu
