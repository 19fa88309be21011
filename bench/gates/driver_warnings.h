// Faults of the Linux kernel's GPU driver that make a Raspberry Pi's figures wrong, by version.
#pragma once

#include <string>
#include <vector>

#include "gates/environment.h"

namespace sidecore::gates {

/// A known fault of the kernel's GPU driver that makes figures unreliable.
struct DriverWarning {
  std::string affects;  ///< "gpu_counters", "gpu_time", "gpu_timestamps", "energy" or "run"
  std::string text;     ///< the fault, and when Raspberry Pi's kernel fixed it
};

/// Returns the faults that the record's kernel has or may have, for a Raspberry Pi 4 or 5; empty
/// for other boards. A kernel of Raspberry Pi OS tells the day of its build, which decides. For
/// other kernels the version decides; if it cannot, the text says "may".
[[nodiscard]] std::vector<DriverWarning> driver_warnings(const EnvironmentRecord& record);

/// Returns why the performance counters of the GPU cannot be trusted; empty if no reason is known.
[[nodiscard]] std::string counters_distrust(const EnvironmentRecord& record);

}  // namespace sidecore::gates
