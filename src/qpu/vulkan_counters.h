// Performance counters through VK_KHR_performance_query: the counters that a device offers, and the
// Vulkan objects that a device needs while it counts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "qpu/performance_counters.h"
#include "qpu/vulkan_api.h"

namespace sidecore::qpu {

struct OfferedCounters {
  std::vector<PerformanceCounter> counters;
  std::string none;  ///< reason why there are no counters; empty if there are some
};

/// Returns the counters that a queue family offers.
[[nodiscard]] OfferedCounters offered_counters(const vk::raii::PhysicalDevice& device,
                                               std::uint32_t queue_family);

/// Chooses the counters to read. Throws Error (environment) with the reason if there are none.
[[nodiscard]] CounterSet choose_counter_set(const vk::raii::PhysicalDevice& device,
                                            std::uint32_t queue_family);

/// Holds the driver's profiling lock. Command buffers with counter queries need it from before
/// their recording until they have run.
class ProfilingLock {
 public:
  /// Acquires the lock. Throws Error (environment) if that takes more than one second.
  explicit ProfilingLock(const vk::raii::Device& device);
  ~ProfilingLock();
  ProfilingLock(const ProfilingLock&) = delete;
  ProfilingLock& operator=(const ProfilingLock&) = delete;

 private:
  const vk::raii::Device& device_;
};

/// Creates a pool with one query of `set`.
[[nodiscard]] vk::raii::QueryPool create_counter_query(const vk::raii::Device& device,
                                                       std::uint32_t queue_family,
                                                       const CounterSet& set);

/// Reads the query's results, in the order of `set`. All passes must have run. Integers above 2^53
/// are rounded.
[[nodiscard]] std::vector<double> read_counters(const vk::raii::QueryPool& query,
                                                const CounterSet& set);

}  // namespace sidecore::qpu
