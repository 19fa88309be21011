// RAII owners of the few Vulkan objects that the simulator's test client needs.
#pragma once

#include <vulkan/vulkan.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace sidecore::v3dsim_client {

/// Throws Error naming `call` unless `result` is VK_SUCCESS. The error's kind is "failed" for a
/// lost device, otherwise "environment".
void check(VkResult result, const char* call);

/// The first device with its first compute queue. All its features are enabled, but
/// robustBufferAccess only if `robust` is set.
class VulkanDevice {
 public:
  explicit VulkanDevice(bool robust);
  ~VulkanDevice();
  VulkanDevice(const VulkanDevice&) = delete;
  VulkanDevice& operator=(const VulkanDevice&) = delete;

  [[nodiscard]] VkPhysicalDevice physical() const { return physical_; }
  [[nodiscard]] VkDevice handle() const { return device_; }
  [[nodiscard]] VkQueue queue() const { return queue_; }
  [[nodiscard]] std::uint32_t queue_family() const { return queue_family_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] double timestamp_period_ns() const { return timestamp_period_ns_; }
  [[nodiscard]] bool has_executable_properties() const { return has_executable_properties_; }
  [[nodiscard]] bool has_buffer_addresses() const { return has_buffer_addresses_; }
  [[nodiscard]] std::uint32_t mappable_memory_type(std::uint32_t allowed) const;

 private:
  void create(bool robust);

  VkInstance instance_ = VK_NULL_HANDLE;
  VkPhysicalDevice physical_ = VK_NULL_HANDLE;
  VkDevice device_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  std::uint32_t queue_family_ = 0;
  std::string name_;
  double timestamp_period_ns_ = 1;
  bool has_executable_properties_ = false;
  bool has_buffer_addresses_ = false;
};

/// A buffer in its own mapped memory. The buffer begins `offset` bytes after the start of that
/// memory.
class MappedBuffer {
 public:
  MappedBuffer(const VulkanDevice& device, std::size_t bytes, VkBufferUsageFlags usage,
               std::size_t offset = 0);
  ~MappedBuffer();
  MappedBuffer(MappedBuffer&& other) noexcept;
  MappedBuffer& operator=(MappedBuffer&&) = delete;

  [[nodiscard]] VkBuffer handle() const { return buffer_; }
  [[nodiscard]] std::span<std::byte> bytes() const { return memory_bytes_.subspan(offset_); }
  /// Returns the bytes from the start of the memory to the end of the buffer.
  [[nodiscard]] std::span<std::byte> memory_bytes() const { return memory_bytes_; }
  /// Returns 0 if the device has no buffer addresses.
  [[nodiscard]] std::uint64_t address() const;

 private:
  const VulkanDevice* device_;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  std::size_t offset_ = 0;
  std::span<std::byte> memory_bytes_;
};

/// Storage image of 32-bit unsigned words with optimal tiling, and its view.
class StorageImage {
 public:
  StorageImage(const VulkanDevice& device, std::uint32_t width, std::uint32_t height);
  ~StorageImage();
  StorageImage(const StorageImage&) = delete;
  StorageImage& operator=(const StorageImage&) = delete;

  [[nodiscard]] VkImage handle() const { return image_; }
  [[nodiscard]] VkImageView view() const { return view_; }

 private:
  const VulkanDevice& device_;
  VkImage image_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  VkImageView view_ = VK_NULL_HANDLE;
};

}  // namespace sidecore::v3dsim_client
