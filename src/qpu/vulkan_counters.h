// VK_KHR_performance_query: what a device offers, and what one that counts has open.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "qpu/performance_counters.h"
#include "qpu/vulkan_api.h"

namespace sidecore::qpu {

struct OfferedCounters {
  std::vector<PerformanceCounter> counters;
  std::string none;  ///< why there are none; empty when there are
};

/// Of a queue family.
[[nodiscard]] OfferedCounters offered_counters(const vk::raii::PhysicalDevice& device,
                                               std::uint32_t queue_family);

/// The counters to read of what is offered. Throws Error (environment) with the reason when there
/// is none.
[[nodiscard]] CounterSet choose_counter_set(const vk::raii::PhysicalDevice& device,
                                            std::uint32_t queue_family);

/// Holds the driver's profiling lock, which command buffers with such queries need from before
/// their recording until they have run.
class ProfilingLock {
 public:
  /// Throws Error (environment) when it is not to be had within a second.
  explicit ProfilingLock(const vk::raii::Device& device);
  ~ProfilingLock();
  ProfilingLock(const ProfilingLock&) = delete;
  ProfilingLock& operator=(const ProfilingLock&) = delete;

 private:
  const vk::raii::Device& device_;
};

/// One query of `set`.
[[nodiscard]] vk::raii::QueryPool create_counter_query(const vk::raii::Device& device,
                                                       std::uint32_t queue_family,
                                                       const CounterSet& set);

/// The query's results, in the order of `set`. All passes have run.
/// Integers beyond 2^53 are rounded.
[[nodiscard]] std::vector<double> read_counters(const vk::raii::QueryPool& query,
                                                const CounterSet& set);

}  // namespace sidecore::qpu
