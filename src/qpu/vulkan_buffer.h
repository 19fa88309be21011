// Storage buffers: one allocation on unified memory, a device side and a host side elsewhere.
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
  /// What shaders see.
  [[nodiscard]] vk::Buffer device_side() const { return *device_.buffer; }
  /// What bytes() lies in; none unless staged().
  [[nodiscard]] vk::Buffer host_side() const { return *host_.buffer; }
  /// Of a device that is validated: whether nobody wrote behind the buffer, where its memory goes
  /// on and the simulated V3D, which sees memory and no buffers, lets a shader write. Says so once.
  /// The device side of a staged buffer is not looked at.
  [[nodiscard]] bool guard_holds();

 private:
  struct Block {
    vk::raii::DeviceMemory memory{nullptr};
    vk::raii::Buffer buffer{nullptr};  // goes before its memory
  };
  [[nodiscard]] Block allocate(vk::BufferUsageFlags usage, vk::MemoryPropertyFlags memory,
                               bool prefer_cached) const;
  void map(const Block& block);
  void zero_device_side();

  std::shared_ptr<VulkanContext> context_;
  std::size_t size_;
  Block device_;
  Block host_;
  std::byte* mapped_ = nullptr;  // for as long as the memory lives
  std::span<std::byte> guard_;   // behind bytes(); empty: nobody looks
};

}  // namespace sidecore::qpu
