// An open Vulkan device; every object made from it keeps it alive.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "qpu/device.h"
#include "qpu/pipeline_cache_file.h"
#include "qpu/vulkan_counters.h"
#include "qpu/vulkan_instance.h"

namespace sidecore::qpu {

/// State of one open device. Members are destroyed bottom-up, so that the device is destroyed
/// before the instance.
class VulkanContext {
 public:
  /// Opens or borrows a device. Throws as Device::open().
  explicit VulkanContext(const DeviceOptions& options);
  /// Saves the pipeline cache.
  ~VulkanContext();
  VulkanContext(const VulkanContext&) = delete;
  VulkanContext& operator=(const VulkanContext&) = delete;

  [[nodiscard]] const vk::raii::Device& device() const { return device_; }
  /// Submits to the queue. Calls the lock functions of a borrowed device before and after.
  void submit(const vk::SubmitInfo& work, vk::Fence fence = {}) const;
  [[nodiscard]] std::uint32_t queue_family() const { return queue_family_; }
  [[nodiscard]] std::uint32_t timestamp_bits() const { return timestamp_bits_; }
  [[nodiscard]] const vk::PhysicalDeviceMemoryProperties& memory() const { return memory_; }
  [[nodiscard]] const vk::raii::PipelineCache& pipeline_cache() const { return pipeline_cache_; }

  [[nodiscard]] const DeviceInfo& info() const { return info_; }
  [[nodiscard]] const DeviceLimits& limits() const { return limits_; }
  [[nodiscard]] bool staged() const { return staged_; }
  /// Returns true if pipelines must be created so that their statistics can be read.
  [[nodiscard]] bool compiler_figures() const { return compiler_figures_; }
  /// Returns the counters that every list reads; empty if lists read none.
  [[nodiscard]] const CounterSet& counter_set() const { return counter_set_; }
  [[nodiscard]] bool lost() const { return lost_; }
  /// Returns the longest time to wait for the device; a longer wait is an error. A substitute
  /// device compiles shaders in their first submission, on CPU cores that it shares with all other
  /// work.
  [[nodiscard]] std::chrono::seconds wait_limit() const {
    return std::chrono::seconds(info_.is_cpu() ? 900 : 60);
  }
  /// Returns false if `fence` does not signal within wait_limit().
  [[nodiscard]] bool wait_for(vk::Fence fence) const {
    const std::chrono::nanoseconds limit = wait_limit();
    return device_.waitForFences(fence, VK_TRUE, static_cast<std::uint64_t>(limit.count())) !=
           vk::Result::eTimeout;
  }
  [[nodiscard]] DeviceCounters& counters() { return counters_; }
  [[nodiscard]] ValidationLog& validation_log() { return instance_->validation_log(); }
  /// Returns true if the validation layer is active; sidecore then checks buffer guards too.
  [[nodiscard]] bool validates() const { return instance_->validates(); }

  /// Runs calls as checked() does, and remembers if the device is lost. On a lost device, throws
  /// without calling.
  template <class Calls>
  auto run(const std::string& doing, const Calls& calls) -> decltype(calls()) {
    require_alive(doing);
    try {
      return calls();
    } catch (const vk::SystemError& error) {
      if (error.code().value() == static_cast<int>(vk::Result::eErrorDeviceLost)) lost_ = true;
      throw_vulkan_error(doing + " on " + info_.name, error);
    }
  }

  /// Takes an unsignalled fence from the pool; give_fence() returns it. Any thread may call both,
  /// because any thread may wait for tickets.
  [[nodiscard]] vk::raii::Fence take_fence();
  void give_fence(vk::raii::Fence fence);

 private:
  void open_device(const vk::raii::PhysicalDevice& physical);
  void borrow_device(const vk::raii::PhysicalDevice& physical);
  void open_pipeline_cache();
  void save_pipeline_cache() noexcept;
  void require_alive(const std::string& doing) const;

  std::optional<BorrowedDevice> borrowed_;
  std::unique_ptr<VulkanInstance> instance_;
  DeviceInfo info_;
  DeviceLimits limits_;
  std::uint32_t queue_family_ = 0;
  std::uint32_t timestamp_bits_ = 0;
  vk::PhysicalDeviceMemoryProperties memory_;
  bool staged_ = false;
  bool compiler_figures_ = false;
  CounterSet counter_set_;
  std::atomic<bool> lost_{false};
  DeviceCounters counters_;
  vk::raii::Device device_{nullptr};
  std::optional<ProfilingLock> profiling_;
  vk::raii::Queue queue_{nullptr};
  std::optional<PipelineCacheFile> cache_file_;
  vk::raii::PipelineCache pipeline_cache_{nullptr};
  std::mutex fences_mutex_;
  std::vector<vk::raii::Fence> fences_;
};

}  // namespace sidecore::qpu
