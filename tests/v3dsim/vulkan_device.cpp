#include "v3dsim/vulkan_device.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "base/error.h"

namespace sidecore::v3dsim_client {
namespace {

bool has_extension(VkPhysicalDevice physical, const char* name) {
  std::uint32_t count = 0;
  check(vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr),
        "vkEnumerateDeviceExtensionProperties");
  std::vector<VkExtensionProperties> all(count);
  check(vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, all.data()),
        "vkEnumerateDeviceExtensionProperties");
  return std::any_of(all.begin(), all.end(), [name](const VkExtensionProperties& extension) {
    return std::strcmp(extension.extensionName, name) == 0;
  });
}

VkInstance make_instance() {
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = VK_API_VERSION_1_2;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  VkInstance instance = VK_NULL_HANDLE;
  check(vkCreateInstance(&info, nullptr, &instance), "vkCreateInstance");
  return instance;
}

VkPhysicalDevice first_device(VkInstance instance) {
  std::uint32_t count = 1;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  const VkResult result = vkEnumeratePhysicalDevices(instance, &count, &physical);
  if (result != VK_SUCCESS && result != VK_INCOMPLETE) check(result, "vkEnumeratePhysicalDevices");
  if (count == 0) throw environment_error("there is no Vulkan device");
  return physical;
}

std::uint32_t compute_family(VkPhysicalDevice physical) {
  std::uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
  for (std::uint32_t i = 0; i < count; ++i) {
    if ((families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0) return i;
  }
  throw environment_error("the Vulkan device has no compute queue");
}

}  // namespace

void check(VkResult result, const char* call) {
  if (result == VK_SUCCESS) return;
  if (result == VK_ERROR_DEVICE_LOST) {
    throw Error(ErrorKind::failed, fmt::format("{}: VK_ERROR_DEVICE_LOST", call));
  }
  throw environment_error("{}: Vulkan error {}", call, static_cast<int>(result));
}

VulkanDevice::VulkanDevice(bool robust) : instance_(make_instance()) {
  try {
    create(robust);
  } catch (...) {
    vkDestroyInstance(instance_, nullptr);
    throw;
  }
}

void VulkanDevice::create(bool robust) {
  physical_ = first_device(instance_);
  queue_family_ = compute_family(physical_);
  VkPhysicalDeviceProperties properties{};
  vkGetPhysicalDeviceProperties(physical_, &properties);
  name_ = properties.deviceName;
  timestamp_period_ns_ = static_cast<double>(properties.limits.timestampPeriod);

  VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executable{};
  executable.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR;
  VkPhysicalDeviceVulkan12Features vulkan12{};
  vulkan12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  VkPhysicalDeviceVulkan11Features vulkan11{};
  vulkan11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  vulkan11.pNext = &vulkan12;
  VkPhysicalDeviceFeatures2 features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  features.pNext = &vulkan11;
  const char* const extension = VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME;
  has_executable_properties_ = has_extension(physical_, extension);
  if (has_executable_properties_) vulkan12.pNext = &executable;
  vkGetPhysicalDeviceFeatures2(physical_, &features);
  if (robust && features.features.robustBufferAccess == VK_FALSE) {
    throw environment_error("{} has no robustBufferAccess", name_);
  }
  features.features.robustBufferAccess = robust ? VK_TRUE : VK_FALSE;
  has_buffer_addresses_ = vulkan12.bufferDeviceAddress != VK_FALSE;

  const float priority = 1;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = queue_family_;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &features;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = has_executable_properties_ ? 1 : 0;
  info.ppEnabledExtensionNames = &extension;
  check(vkCreateDevice(physical_, &info, nullptr, &device_), "vkCreateDevice");
  vkGetDeviceQueue(device_, queue_family_, 0, &queue_);
}

VulkanDevice::~VulkanDevice() {
  vkDestroyDevice(device_, nullptr);
  vkDestroyInstance(instance_, nullptr);
}

std::uint32_t VulkanDevice::mappable_memory_type(std::uint32_t allowed) const {
  constexpr VkMemoryPropertyFlags kWanted =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkPhysicalDeviceMemoryProperties memory{};
  vkGetPhysicalDeviceMemoryProperties(physical_, &memory);
  for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    if ((allowed >> i & 1) != 0 && (memory.memoryTypes[i].propertyFlags & kWanted) == kWanted) {
      return i;
    }
  }
  throw environment_error("{} has no mappable memory for buffers", name_);
}

MappedBuffer::MappedBuffer(const VulkanDevice& device, std::size_t bytes, VkBufferUsageFlags usage,
                           std::size_t offset)
    : device_(&device), offset_(offset) {
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = bytes;
  info.usage = usage;
  if (device.has_buffer_addresses()) info.usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  check(vkCreateBuffer(device.handle(), &info, nullptr, &buffer_), "vkCreateBuffer");
  VkMemoryRequirements requirements{};
  vkGetBufferMemoryRequirements(device.handle(), buffer_, &requirements);
  VkMemoryAllocateFlagsInfo flags{};
  flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  if (device.has_buffer_addresses()) allocate.pNext = &flags;
  allocate.allocationSize = offset + requirements.size;
  allocate.memoryTypeIndex = device.mappable_memory_type(requirements.memoryTypeBits);
  check(vkAllocateMemory(device.handle(), &allocate, nullptr, &memory_), "vkAllocateMemory");
  check(vkBindBufferMemory(device.handle(), buffer_, memory_, offset), "vkBindBufferMemory");
  void* mapped = nullptr;
  check(vkMapMemory(device.handle(), memory_, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
  memory_bytes_ = {static_cast<std::byte*>(mapped), offset + bytes};
  std::fill(memory_bytes_.begin(), memory_bytes_.end(), std::byte{0});
}

MappedBuffer::MappedBuffer(MappedBuffer&& other) noexcept
    : device_(other.device_),
      buffer_(std::exchange(other.buffer_, VK_NULL_HANDLE)),
      memory_(std::exchange(other.memory_, VK_NULL_HANDLE)),
      offset_(other.offset_),
      memory_bytes_(std::exchange(other.memory_bytes_, {})) {}

MappedBuffer::~MappedBuffer() {
  vkDestroyBuffer(device_->handle(), buffer_, nullptr);
  vkFreeMemory(device_->handle(), memory_, nullptr);
}

StorageImage::StorageImage(const VulkanDevice& device, std::uint32_t width, std::uint32_t height)
    : device_(device) {
  VkImageCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = VK_FORMAT_R32_UINT;
  info.extent = {width, height, 1};
  info.mipLevels = 1;
  info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  check(vkCreateImage(device.handle(), &info, nullptr, &image_), "vkCreateImage");
  VkMemoryRequirements requirements{};
  vkGetImageMemoryRequirements(device.handle(), image_, &requirements);
  VkMemoryAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocate.allocationSize = requirements.size;
  allocate.memoryTypeIndex = device.mappable_memory_type(requirements.memoryTypeBits);
  check(vkAllocateMemory(device.handle(), &allocate, nullptr, &memory_), "vkAllocateMemory");
  check(vkBindImageMemory(device.handle(), image_, memory_, 0), "vkBindImageMemory");
  VkImageViewCreateInfo view{};
  view.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
  view.image = image_;
  view.viewType = VK_IMAGE_VIEW_TYPE_2D;
  view.format = info.format;
  view.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  check(vkCreateImageView(device.handle(), &view, nullptr, &view_), "vkCreateImageView");
}

StorageImage::~StorageImage() {
  vkDestroyImageView(device_.handle(), view_, nullptr);
  vkDestroyImage(device_.handle(), image_, nullptr);
  vkFreeMemory(device_.handle(), memory_, nullptr);
}

std::uint64_t MappedBuffer::address() const {
  if (!device_->has_buffer_addresses()) return 0;
  VkBufferDeviceAddressInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
  info.buffer = buffer_;
  return vkGetBufferDeviceAddress(device_->handle(), &info);
}

}  // namespace sidecore::v3dsim_client
