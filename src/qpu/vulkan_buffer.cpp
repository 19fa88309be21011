#include "qpu/vulkan_buffer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace sidecore::qpu {

using Usage = vk::BufferUsageFlagBits;
using Memory = vk::MemoryPropertyFlagBits;

namespace {

/// Size of the guard after a buffer: a multiple of every alignment of buffer memory.
constexpr std::size_t kGuardBytes = 4096;
constexpr std::byte kGuard{0xa5};

}  // namespace

VulkanBuffer::VulkanBuffer(std::shared_ptr<VulkanContext> context, std::size_t bytes)
    : context_(std::move(context)), size_(bytes) {
  const DeviceLimits& limits = context_->limits();
  if (bytes == 0) throw usage_error("a buffer must not have 0 bytes");
  if (bytes > limits.max_storage_buffer_range) {
    throw environment_error("a buffer of {} bytes is needed, but {} allows at most {}", bytes,
                            context_->info().name, limits.max_storage_buffer_range);
  }
  const vk::MemoryPropertyFlags host = Memory::eHostVisible | Memory::eHostCoherent;
  if (!context_->staged()) {
    // The buffer can also be a transfer source, because a borrowed device's owner may copy from it.
    device_ =
        allocate(Usage::eStorageBuffer | Usage::eTransferSrc, host | Memory::eDeviceLocal, true);
    map(device_);
    return;
  }
  const vk::BufferUsageFlags copies = Usage::eTransferSrc | Usage::eTransferDst;
  device_ = allocate(Usage::eStorageBuffer | copies, Memory::eDeviceLocal, false);
  host_ = allocate(copies, host, true);
  map(host_);
  zero_device_side();
}

VulkanBuffer::Block VulkanBuffer::allocate(vk::BufferUsageFlags usage,
                                           vk::MemoryPropertyFlags memory,
                                           bool prefer_cached) const {
  const std::string doing = fmt::format("allocating a buffer of {} bytes", size_);
  return context_->run(doing, [&] {
    Block block;
    block.buffer = context_->device().createBuffer({{}, size_, usage});
    const vk::MemoryRequirements needs = block.buffer.getMemoryRequirements();
    const auto choice =
        choose_memory(context_->memory(), needs.memoryTypeBits, memory, prefer_cached);
    if (!choice) throw environment_error("{}: the device has no suitable memory type", doing);
    const vk::DeviceSize guard = context_->validates() ? kGuardBytes : 0;
    block.memory = context_->device().allocateMemory({needs.size + guard, choice->type});
    block.buffer.bindMemory(*block.memory, 0);
    return block;
  });
}

void VulkanBuffer::map(const Block& block) {
  void* address = context_->run(fmt::format("mapping a buffer of {} bytes", size_),
                                [&] { return block.memory.mapMemory(0, VK_WHOLE_SIZE); });
  mapped_ = static_cast<std::byte*>(address);
  std::memset(mapped_, 0, size_);
  if (!context_->validates()) return;
  guard_ = {mapped_ + size_, kGuardBytes};
  std::ranges::fill(guard_, kGuard);
}

bool VulkanBuffer::check_guard() {
  if (std::ranges::all_of(guard_, [](std::byte byte) { return byte == kGuard; })) return true;
  std::ranges::fill(guard_, kGuard);
  return false;
}

// Copies zeros from the host side. vkCmdFillBuffer is not used, because in v3dv 25.0.7 it ignores
// the offset of the buffer in its memory and writes at the start of the memory.
void VulkanBuffer::zero_device_side() {
  context_->run(fmt::format("zeroing a buffer of {} bytes", size_), [&] {
    const vk::raii::Device& device = context_->device();
    const vk::raii::CommandPool pool = device.createCommandPool(
        {vk::CommandPoolCreateFlagBits::eTransient, context_->queue_family()});
    const std::vector<vk::raii::CommandBuffer> commands =
        device.allocateCommandBuffers({*pool, vk::CommandBufferLevel::ePrimary, 1});
    commands[0].begin({vk::CommandBufferUsageFlagBits::eOneTimeSubmit});
    commands[0].copyBuffer(host_side(), device_side(), vk::BufferCopy(0, 0, size_));
    commands[0].end();
    const vk::CommandBuffer handle = *commands[0];
    const vk::raii::Fence fence = device.createFence({});
    context_->submit(vk::SubmitInfo(nullptr, nullptr, handle), *fence);
    if (!context_->wait_for(*fence)) {
      throw environment_error("zeroing a buffer of {} bytes took more than {} s", size_,
                              context_->wait_limit().count());
    }
  });
}

}  // namespace sidecore::qpu
