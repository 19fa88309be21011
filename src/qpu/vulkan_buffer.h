// Storage buffers: one allocation on unified memory, otherwise a device side and a host side.
#pragma once

#include <memory>
#include <string>

#include "qpu/buffer.h"
#include "qpu/vulkan_context.h"

namespace sidecore::qpu {

class VulkanBuffer final : public Buffer, public std::enable_shared_from_this<VulkanBuffer> {
 public:
  VulkanBuffer(std::shared_ptr<VulkanContext> context, std::size_t bytes);

  [[nodiscard]] std::size_t size() const override { return size_; }
  [[nodiscard]] std::span<std::byte> bytes() override { return {mapped_, size_}; }
  [[nodiscard]] bool staged() const override { return *host_.buffer != vk::Buffer(); }
  [[nodiscard]] std::uint64_t vulkan_handle() const override {
    return reinterpret_cast<std::uint64_t>(static_cast<VkBuffer>(device_side()));
  }

  [[nodiscard]] const std::shared_ptr<VulkanContext>& context() const { return context_; }
  /// Buffer that shaders access.
  [[nodiscard]] vk::Buffer device_side() const { return *device_.buffer; }
  /// Buffer whose memory bytes() returns; null unless staged().
  [[nodiscard]] vk::Buffer host_side() const { return *host_.buffer; }
  /// Returns false once if memory after the end of the buffer was overwritten. The allocated memory
  /// continues after the buffer. The simulated V3D checks only the bounds of memory, so a shader
  /// can write after the end of the buffer. Checks only on a validated device, and not the device
  /// side of a staged buffer.
  [[nodiscard]] bool check_guard();

 private:
  struct Block {
    vk::raii::DeviceMemory memory{nullptr};
    // The buffer; declared after its memory, so that it is destroyed first.
    vk::raii::Buffer buffer{nullptr};
  };
  [[nodiscard]] Block allocate(vk::BufferUsageFlags usage, vk::MemoryPropertyFlags memory,
                               bool prefer_cached) const;
  void map(const Block& block);
  void zero_device_side();

  std::shared_ptr<VulkanContext> context_;
  std::size_t size_;
  Block device_;
  Block host_;
  std::byte* mapped_ = nullptr;  // host address of the buffer, valid as long as its memory
  std::span<std::byte> guard_;   // guard bytes after bytes(); empty if not checked
};

}  // namespace sidecore::qpu
