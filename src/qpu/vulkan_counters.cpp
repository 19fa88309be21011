#include "qpu/vulkan_counters.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace sidecore::qpu {
namespace {

constexpr std::uint64_t kLockPatienceNanoseconds = 1'000'000'000;

std::string unit_name(vk::PerformanceCounterUnitKHR unit) {
  using enum vk::PerformanceCounterUnitKHR;
  switch (unit) {
    case ePercentage:
      return "percentage";
    case eNanoseconds:
      return "nanoseconds";
    case eBytes:
      return "bytes";
    case eBytesPerSecond:
      return "bytes per second";
    case eKelvin:
      return "kelvin";
    case eWatts:
      return "watts";
    case eVolts:
      return "volts";
    case eAmps:
      return "amps";
    case eHertz:
      return "hertz";
    case eCycles:
      return "cycles";
    default:
      return "generic";
  }
}

std::string scope_name(vk::PerformanceCounterScopeKHR scope) {
  switch (scope) {
    case vk::PerformanceCounterScopeKHR::eCommandBuffer:
      return "command buffer";
    case vk::PerformanceCounterScopeKHR::eRenderPass:
      return "render pass";
    default:
      return "command";
  }
}

CounterStorage storage_of(vk::PerformanceCounterStorageKHR storage) {
  using enum vk::PerformanceCounterStorageKHR;
  switch (storage) {
    case eInt32:
      return CounterStorage::int32;
    case eInt64:
      return CounterStorage::int64;
    case eUint32:
      return CounterStorage::uint32;
    case eFloat32:
      return CounterStorage::float32;
    case eFloat64:
      return CounterStorage::float64;
    default:
      return CounterStorage::uint64;
  }
}

double value_of(const VkPerformanceCounterResultKHR& result, CounterStorage storage) {
  switch (storage) {
    case CounterStorage::int32:
      return result.int32;
    case CounterStorage::int64:
      return static_cast<double>(result.int64);
    case CounterStorage::uint32:
      return result.uint32;
    case CounterStorage::uint64:
      return static_cast<double>(result.uint64);
    case CounterStorage::float32:
      return static_cast<double>(result.float32);
    case CounterStorage::float64:
      return result.float64;
  }
  return 0;
}

std::vector<std::uint32_t> indices_of(const CounterSet& set) {
  std::vector<std::uint32_t> indices;
  indices.reserve(set.counters.size());
  for (const PerformanceCounter& counter : set.counters) indices.push_back(counter.index);
  return indices;
}

std::string no_queries(const vk::raii::PhysicalDevice& device) {
  const auto extensions = device.enumerateDeviceExtensionProperties();
  const bool listed = std::ranges::any_of(extensions, [](const auto& extension) {
    return std::strcmp(extension.extensionName.data(), VK_KHR_PERFORMANCE_QUERY_EXTENSION_NAME) ==
           0;
  });
  // V3D's driver lists the extension if the kernel has performance monitors: Linux 5.15 and later.
  if (!listed) return "the driver offers no VK_KHR_performance_query";
  const auto features = device.getFeatures2<vk::PhysicalDeviceFeatures2,
                                            vk::PhysicalDevicePerformanceQueryFeaturesKHR>();
  const auto& feature = features.get<vk::PhysicalDevicePerformanceQueryFeaturesKHR>();
  return feature.performanceCounterQueryPools == VK_TRUE
             ? ""
             : "the driver lists VK_KHR_performance_query, but not its feature";
}

// Returns the performance counters of a queue family.
std::vector<PerformanceCounter> enumerate(const vk::raii::PhysicalDevice& device,
                                          std::uint32_t queue_family) {
  const auto [found, descriptions] =
      device.enumerateQueueFamilyPerformanceQueryCountersKHR(queue_family);
  std::vector<PerformanceCounter> counters;
  for (std::size_t i = 0; i < found.size(); ++i) {
    counters.push_back({static_cast<std::uint32_t>(i), descriptions[i].name.data(),
                        descriptions[i].category.data(), descriptions[i].description.data(),
                        unit_name(found[i].unit), scope_name(found[i].scope),
                        storage_of(found[i].storage)});
  }
  return counters;
}

}  // namespace

OfferedCounters offered_counters(const vk::raii::PhysicalDevice& device,
                                 std::uint32_t queue_family) {
  OfferedCounters offered;
  offered.none = no_queries(device);
  if (!offered.none.empty()) return offered;
  try {
    offered.counters = enumerate(device, queue_family);
    if (offered.counters.empty()) offered.none = "the driver has no counter for compute queues";
  } catch (const vk::SystemError& error) {
    // The failure is not an error, because some drivers show counters only to privileged users, and
    // the device remains usable without counters.
    offered.none = fmt::format("the driver refuses to list its counters: {}",
                               vulkan_name(static_cast<vk::Result>(error.code().value())));
  }
  return offered;
}

CounterSet choose_counter_set(const vk::raii::PhysicalDevice& device, std::uint32_t queue_family) {
  const OfferedCounters offered = offered_counters(device, queue_family);
  if (!offered.none.empty()) throw environment_error("no performance counters: {}", offered.none);
  CounterSet set{choose_counters(offered.counters), 0};
  const std::vector<std::uint32_t> indices = indices_of(set);
  set.passes = device.getQueueFamilyPerformanceQueryPassesKHR(
      vk::QueryPoolPerformanceCreateInfoKHR(queue_family, indices));
  if (set.passes == 0)
    throw environment_error("no performance counters: the driver says that they need 0 passes");
  return set;
}

ProfilingLock::ProfilingLock(const vk::raii::Device& device) : device_(device) {
  checked("taking the profiling lock", [&] {
    device_.acquireProfilingLockKHR({{}, kLockPatienceNanoseconds});
  });
}

ProfilingLock::~ProfilingLock() {
  device_.releaseProfilingLockKHR();
}

vk::raii::QueryPool create_counter_query(const vk::raii::Device& device, std::uint32_t queue_family,
                                         const CounterSet& set) {
  const std::vector<std::uint32_t> indices = indices_of(set);
  const vk::QueryPoolPerformanceCreateInfoKHR counters(queue_family, indices);
  vk::QueryPoolCreateInfo create({}, vk::QueryType::ePerformanceQueryKHR, 1);
  create.pNext = &counters;
  return device.createQueryPool(create);
}

std::vector<double> read_counters(const vk::raii::QueryPool& query, const CounterSet& set) {
  using Result = VkPerformanceCounterResultKHR;
  const std::size_t count = set.counters.size();
  const auto [status, results] = query.getResults<Result>(
      0, 1, count * sizeof(Result), count * sizeof(Result), vk::QueryResultFlagBits::eWait);
  if (status != vk::Result::eSuccess) {
    throw environment_error("reading performance counters: {}", vulkan_name(status));
  }
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(value_of(results[i], set.counters[i].storage));
  }
  return values;
}

}  // namespace sidecore::qpu
