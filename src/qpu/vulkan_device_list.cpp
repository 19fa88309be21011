// Lists the Vulkan devices and describes them as DeviceInfo.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "base/error.h"
#include "qpu/vulkan_counters.h"
#include "qpu/vulkan_instance.h"

namespace sidecore::qpu {
namespace {

DeviceType device_type(vk::PhysicalDeviceType type) {
  switch (type) {
    case vk::PhysicalDeviceType::eIntegratedGpu:
      return DeviceType::integrated;
    case vk::PhysicalDeviceType::eDiscreteGpu:
      return DeviceType::discrete;
    case vk::PhysicalDeviceType::eVirtualGpu:
      return DeviceType::virtual_gpu;
    case vk::PhysicalDeviceType::eCpu:
      return DeviceType::cpu;
    case vk::PhysicalDeviceType::eOther:
      break;
  }
  return DeviceType::other;
}

DeviceLimits device_limits(const vk::PhysicalDeviceLimits& limits) {
  DeviceLimits result;
  result.max_workgroup_invocations = limits.maxComputeWorkGroupInvocations;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    result.max_workgroup_size[axis] = limits.maxComputeWorkGroupSize[axis];
    result.max_workgroup_count[axis] = limits.maxComputeWorkGroupCount[axis];
  }
  result.max_shared_memory_bytes = limits.maxComputeSharedMemorySize;
  result.max_storage_buffers =
      std::min({limits.maxPerStageDescriptorStorageBuffers, limits.maxDescriptorSetStorageBuffers,
                limits.maxPerStageResources});
  result.max_push_constant_bytes = limits.maxPushConstantsSize;
  result.max_storage_buffer_range = limits.maxStorageBufferRange;
  result.min_storage_buffer_offset_alignment =
      static_cast<std::uint32_t>(limits.minStorageBufferOffsetAlignment);
  return result;
}

bool has_extension(const std::vector<vk::ExtensionProperties>& extensions, const char* name) {
  return std::any_of(extensions.begin(), extensions.end(), [&](const auto& extension) {
    return std::strcmp(extension.extensionName.data(), name) == 0;
  });
}

void describe_memory(const vk::raii::PhysicalDevice& device, DeviceInfo& info) {
  using Flag = vk::MemoryPropertyFlagBits;
  const auto memory = device.getMemoryProperties();
  const auto host = Flag::eHostVisible | Flag::eHostCoherent;
  // Buffers of a discrete GPU are not unified even if the host can map all its memory, because
  // accesses cross the bus.
  const auto unified = info.type == DeviceType::discrete
                           ? std::nullopt
                           : choose_memory(memory, ~0U, host | Flag::eDeviceLocal, true);
  info.unified_memory = unified.has_value();
  const auto choice = unified ? unified : choose_memory(memory, ~0U, host, true);
  info.cached_memory = choice && choice->cached;
}

/// Joins name and version without repeating a word: "V3DV Mesa" and "Mesa 25.0.7" give
/// "V3DV Mesa 25.0.7".
std::string driver_text(std::string name, std::string_view version) {
  const std::size_t blank = name.rfind(' ');
  const std::string last = name.substr(blank == std::string::npos ? 0 : blank + 1) + ' ';
  if (version.starts_with(last)) version.remove_prefix(last.size());
  if (version.empty()) return name;
  return fmt::format("{} {}", name, version);
}

void describe_driver(const vk::raii::PhysicalDevice& device, bool has_driver_properties,
                     DeviceInfo& info) {
  if (!has_driver_properties) {
    info.driver = fmt::format("version {:#x}", info.driver_version);
    return;
  }
  const auto chain =
      device.getProperties2<vk::PhysicalDeviceProperties2, vk::PhysicalDeviceDriverProperties>();
  const auto& driver = chain.get<vk::PhysicalDeviceDriverProperties>();
  info.driver = driver_text(driver.driverName.data(), driver.driverInfo.data());
  while (!info.driver.empty() && info.driver.back() == ' ') info.driver.pop_back();
}

}  // namespace

std::optional<MemoryChoice> choose_memory(const vk::PhysicalDeviceMemoryProperties& memory,
                                          std::uint32_t allowed, vk::MemoryPropertyFlags required,
                                          bool prefer_cached) {
  std::optional<MemoryChoice> choice;
  for (std::uint32_t type = 0; type < memory.memoryTypeCount; ++type) {
    const vk::MemoryPropertyFlags flags = memory.memoryTypes[type].propertyFlags;
    if ((allowed >> type & 1U) == 0 || (flags & required) != required) continue;
    const bool cached = static_cast<bool>(flags & vk::MemoryPropertyFlagBits::eHostCached);
    if (!choice || (prefer_cached && cached && !choice->cached))
      choice = MemoryChoice{type, cached};
  }
  return choice;
}

DeviceInfo describe_device(const vk::raii::PhysicalDevice& device, std::uint32_t queue_family) {
  const vk::QueueFamilyProperties queue = device.getQueueFamilyProperties()[queue_family];
  const auto chain =
      device.getProperties2<vk::PhysicalDeviceProperties2, vk::PhysicalDeviceIDProperties,
                            vk::PhysicalDeviceSubgroupProperties>();
  const auto& properties = chain.get<vk::PhysicalDeviceProperties2>().properties;
  const auto& ids = chain.get<vk::PhysicalDeviceIDProperties>();
  const auto extensions = device.enumerateDeviceExtensionProperties();

  DeviceInfo info;
  info.name = properties.deviceName.data();
  info.type = device_type(properties.deviceType);
  // scripts/v3dsim sets an environment variable, because the driver cannot tell the simulator from
  // a board's GPU.
  constexpr std::uint32_t kBroadcom = 0x14e4;
  info.simulated =
      properties.vendorID == kBroadcom && std::getenv("SIDECORE_V3DSIM_VERSION") != nullptr;
  info.api_version = fmt::format("{}.{}.{}", VK_API_VERSION_MAJOR(properties.apiVersion),
                                 VK_API_VERSION_MINOR(properties.apiVersion),
                                 VK_API_VERSION_PATCH(properties.apiVersion));
  info.vendor_id = properties.vendorID;
  info.device_id = properties.deviceID;
  info.driver_version = properties.driverVersion;
  std::copy_n(ids.deviceUUID.begin(), info.device_uuid.size(), info.device_uuid.begin());
  std::copy_n(ids.driverUUID.begin(), info.driver_uuid.size(), info.driver_uuid.begin());
  info.subgroup_size = chain.get<vk::PhysicalDeviceSubgroupProperties>().subgroupSize;
  info.lockstep_subgroups = properties.vendorID == kBroadcom;
  info.limits = device_limits(properties.limits);
  info.timestamps = queue.timestampValidBits != 0 && properties.limits.timestampPeriod > 0;
  info.timestamp_period =
      info.timestamps ? static_cast<double>(properties.limits.timestampPeriod) : 0;
  describe_driver(device, has_extension(extensions, VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME), info);
  describe_memory(device, info);
  if (has_extension(extensions, VK_KHR_8BIT_STORAGE_EXTENSION_NAME)) {
    const auto features =
        device.getFeatures2<vk::PhysicalDeviceFeatures2, vk::PhysicalDevice8BitStorageFeatures>();
    info.storage_8bit =
        features.get<vk::PhysicalDevice8BitStorageFeatures>().storageBuffer8BitAccess == VK_TRUE;
  }
  if (has_extension(extensions, VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME)) {
    using Executables = vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR;
    const auto features = device.getFeatures2<vk::PhysicalDeviceFeatures2, Executables>();
    info.compiler_figures = features.get<Executables>().pipelineExecutableInfo == VK_TRUE;
  }
  OfferedCounters offered = offered_counters(device, queue_family);
  info.performance_counters = offered.counters.size();
  info.no_performance_counters = std::move(offered.none);
  return info;
}

std::vector<DeviceInfo> list_devices() {
  const VulkanInstance instance(false);
  std::vector<DeviceInfo> list;
  for (VulkanInstance::Candidate& candidate : instance.devices()) {
    list.push_back(std::move(candidate.info));
  }
  return list;
}

}  // namespace sidecore::qpu
