// The Vulkan loader and one instance of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "qpu/device.h"
#include "qpu/vulkan_api.h"

namespace sidecore::qpu {

/// Messages of the validation layer, from any thread.
class ValidationLog {
 public:
  void add(std::string message);
  [[nodiscard]] std::uint64_t count() const { return count_.load(); }
  /// Throws Error (environment) with the first message not yet thrown and the number of messages
  /// after it, if there is one.
  void throw_if_any();
  /// Returns and removes all messages not yet thrown.
  [[nodiscard]] std::vector<std::string> take();

 private:
  std::mutex mutex_;
  std::vector<std::string> messages_;
  std::atomic<std::uint64_t> count_{0};
};

/// The Vulkan loader, opened with dlopen: without one, the program must still start and say what is
/// missing.
class VulkanLoader {
 public:
  /// Opens libvulkan.so.1, or the library that the environment variable SIDECORE_VULKAN_LOADER
  /// names. Throws Error (environment).
  VulkanLoader();

  [[nodiscard]] PFN_vkGetInstanceProcAddr entry() const { return entry_; }

 private:
  struct Close {
    void operator()(void* library) const;
  };
  std::unique_ptr<void, Close> library_;
  PFN_vkGetInstanceProcAddr entry_ = nullptr;
};

/// A Vulkan instance. Members are destroyed bottom-up: the instance before the loader that holds
/// its code.
class VulkanInstance {
 public:
  /// Creates an instance, with the validation layer if `validation` is set. Throws Error
  /// (environment).
  explicit VulkanInstance(bool validation);
  /// Uses the instance of a borrowed device and never destroys it. Throws Error (usage) if there is
  /// no instance, or it is older than Vulkan 1.1.
  explicit VulkanInstance(const BorrowedDevice& borrowed);
  /// Prints validation messages not yet thrown to standard error, including those from closing the
  /// device.
  ~VulkanInstance();
  VulkanInstance(const VulkanInstance&) = delete;
  VulkanInstance& operator=(const VulkanInstance&) = delete;

  struct Candidate {
    vk::raii::PhysicalDevice device;
    std::uint32_t queue_family = 0;  ///< index of a queue family that supports compute
    DeviceInfo info;
  };
  /// Returns the devices with Vulkan 1.1 or later and a compute queue, in the loader's order.
  /// Throws Error (environment) if there is none.
  [[nodiscard]] std::vector<Candidate> devices() const;
  /// Returns the entry of a borrowed device, with its own queue family. Throws Error (usage) if the
  /// device is not among devices(), or the family does not support compute.
  [[nodiscard]] Candidate candidate(const BorrowedDevice& borrowed) const;

  [[nodiscard]] ValidationLog& validation_log() { return log_; }
  [[nodiscard]] bool validates() const { return *messenger_ != vk::DebugUtilsMessengerEXT(); }

 private:
  void create(bool validation);

  ValidationLog log_;
  /// The loader; empty if the borrowed device has its own entry point.
  std::optional<VulkanLoader> loader_;
  vk::raii::Context context_;
  vk::raii::Instance instance_{nullptr};
  vk::raii::DebugUtilsMessengerEXT messenger_{nullptr};
};

/// Describes a physical device for the given queue family. Leaves DeviceInfo::index at 0.
[[nodiscard]] DeviceInfo describe_device(const vk::raii::PhysicalDevice& device,
                                         std::uint32_t queue_family);

/// Memory type for buffers: an index into the device's memory types.
struct MemoryChoice {
  std::uint32_t type = 0;
  bool cached = false;  ///< the memory is host-cached, so that host reads are fast
};
/// Chooses a memory type whose bit in `allowed` is set and that has all `required` properties. With
/// `prefer_cached`, prefers host-cached types. Returns nothing if no type has the required
/// properties.
[[nodiscard]] std::optional<MemoryChoice> choose_memory(
    const vk::PhysicalDeviceMemoryProperties& memory, std::uint32_t allowed,
    vk::MemoryPropertyFlags required, bool prefer_cached);

}  // namespace sidecore::qpu
