// The GPU's own performance counters (VK_KHR_performance_query). No Vulkan header is needed to
// include this.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sidecore::qpu {

/// How the driver writes a value.
enum class CounterStorage : std::uint8_t { int32, int64, uint32, uint64, float32, float64 };

/// What a counter's value is, in Vulkan's words: "generic", "percentage", "nanoseconds", "bytes",
/// "bytes per second", "kelvin", "watts", "volts", "amps", "hertz", "cycles". V3D's driver calls
/// all of its counters generic; their names say more.
struct PerformanceCounter {
  std::uint32_t index = 0;  ///< the driver's, within the compute queue's family
  std::string name;
  std::string category;
  std::string description;
  std::string unit;
  std::string scope;  ///< what one value can be told of: "command", "render pass", "command buffer"
  CounterStorage storage = CounterStorage::uint64;
};

/// What a device counts of each command list, and how often a list must run for that.
struct CounterSet {
  std::vector<PerformanceCounter> counters;
  std::uint32_t passes = 0;
};

/// Those worth reading for compute work, in the device's order: of V3D 4.2 and 7.1 by the names
/// that Linux gives their counters, and all that the simulator offers. Of a device with none of
/// these names the first 16 that do not belong to render passes.
[[nodiscard]] std::vector<PerformanceCounter> choose_counters(
    std::span<const PerformanceCounter> offered);

}  // namespace sidecore::qpu
