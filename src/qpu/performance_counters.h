// The GPU's performance counters (VK_KHR_performance_query). This header needs no Vulkan header.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sidecore::qpu {

/// Type in which the driver writes a counter's value.
enum class CounterStorage : std::uint8_t { int32, int64, uint32, uint64, float32, float64 };

/// Description of one counter. `unit` is Vulkan's term: "generic", "percentage", "nanoseconds",
/// "bytes", "bytes per second", "kelvin", "watts", "volts", "amps", "hertz" or "cycles". V3D's
/// driver calls all of its counters generic; their names say more.
struct PerformanceCounter {
  std::uint32_t index = 0;  ///< index of the counter in the driver, for the compute queue's family
  std::string name;
  std::string category;
  std::string description;
  std::string unit;
  /// The smallest unit that can be counted: "command", "render pass", "command buffer".
  std::string scope;
  CounterStorage storage = CounterStorage::uint64;
};

/// Counters that a device reads for each command list. A list must run `passes` times to read them
/// all.
struct CounterSet {
  std::vector<PerformanceCounter> counters;
  std::uint32_t passes = 0;
};

/// Chooses the counters that matter for compute work, in the device's order. V3D 4.2 and 7.1:
/// counters with Linux' names for them, and all counters of the simulator. A device without any of
/// these names: the first 16 counters that do not belong to render passes.
[[nodiscard]] std::vector<PerformanceCounter> choose_counters(
    std::span<const PerformanceCounter> offered);

}  // namespace sidecore::qpu
