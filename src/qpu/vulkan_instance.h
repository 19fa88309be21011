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

/// What the validation layer says, from whichever thread.
class ValidationLog {
 public:
  void add(std::string message);
  [[nodiscard]] std::uint64_t count() const { return count_.load(); }
  /// Throws Error (environment) with the first message that has not been thrown yet, and how many
  /// followed it.
  void throw_if_any();
  /// All that have not been thrown yet.
  [[nodiscard]] std::vector<std::string> take();

 private:
  std::mutex mutex_;
  std::vector<std::string> messages_;
  std::atomic<std::uint64_t> count_{0};
};

/// Opened with dlopen, because the program must start, and say what is missing, without it.
class VulkanLoader {
 public:
  /// Throws Error (environment). The environment variable SIDECORE_VULKAN_LOADER names another
  /// library than libvulkan.so.1.
  VulkanLoader();

  [[nodiscard]] PFN_vkGetInstanceProcAddr entry() const { return entry_; }

 private:
  struct Close {
    void operator()(void* library) const;
  };
  std::unique_ptr<void, Close> library_;
  PFN_vkGetInstanceProcAddr entry_ = nullptr;
};

/// Members are destroyed bottom-up: the instance before the loader that holds its code.
class VulkanInstance {
 public:
  /// Throws Error (environment).
  explicit VulkanInstance(bool validation);
  /// That of a borrowed device, which goes on without this. Throws Error (usage) when it is none,
  /// or older than Vulkan 1.1.
  explicit VulkanInstance(const BorrowedDevice& borrowed);
  /// Messages of the validation layer that nobody was told, those of closing the device among them,
  /// go to standard error.
  ~VulkanInstance();
  VulkanInstance(const VulkanInstance&) = delete;
  VulkanInstance& operator=(const VulkanInstance&) = delete;

  struct Candidate {
    vk::raii::PhysicalDevice device;
    std::uint32_t queue_family = 0;  ///< with compute
    DeviceInfo info;
  };
  /// Devices of Vulkan 1.1 or later with a compute queue, in the loader's order.
  /// Throws Error (environment) when there is none.
  [[nodiscard]] std::vector<Candidate> devices() const;
  /// A borrowed one of them, by its own queue family. Throws Error (usage) when it is none.
  [[nodiscard]] Candidate candidate(const BorrowedDevice& borrowed) const;

  [[nodiscard]] ValidationLog& validation_log() { return log_; }
  [[nodiscard]] bool validates() const { return *messenger_ != vk::DebugUtilsMessengerEXT(); }

 private:
  void create(bool validation);

  ValidationLog log_;
  std::optional<VulkanLoader> loader_;  ///< none where a borrowed device's owner has one
  vk::raii::Context context_;
  vk::raii::Instance instance_{nullptr};
  vk::raii::DebugUtilsMessengerEXT messenger_{nullptr};
};

/// A physical device in the runner's words, by the queue family to be used; index is left 0.
[[nodiscard]] DeviceInfo describe_device(const vk::raii::PhysicalDevice& device,
                                         std::uint32_t queue_family);

/// The memory type buffers live in: index into the device's memory types.
struct MemoryChoice {
  std::uint32_t type = 0;
  bool cached = false;  ///< host reads are fast
};
/// Of the types that `allowed` has a bit for, one with all of `required`, host-cached where there
/// is one (`prefer_cached`). Nothing when none has.
[[nodiscard]] std::optional<MemoryChoice> choose_memory(
    const vk::PhysicalDeviceMemoryProperties& memory, std::uint32_t allowed,
    vk::MemoryPropertyFlags required, bool prefer_cached);

}  // namespace sidecore::qpu
