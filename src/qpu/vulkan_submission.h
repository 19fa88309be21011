// A list on its way through the GPU.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "qpu/vulkan_command_list.h"

namespace sidecore::qpu {

/// Holds its recording, and through it every buffer and program, until the work is done.
struct Ticket::State {
  State(std::shared_ptr<Recording> recording, vk::raii::Fence fence);

  /// For the queue to signal.
  [[nodiscard]] vk::Fence fence() const { return *fence_; }

  /// Throws Error (environment) on device loss, a time-out, or words from the validation layer.
  /// After a time-out it throws at once, unless the work was done meanwhile: whoever goes on shall
  /// not be held up by each call.
  void wait();
  /// Polls; false while another thread waits. A lost device counts as done: nothing runs any more.
  [[nodiscard]] bool done();
  [[nodiscard]] std::optional<Nanoseconds> gpu_time() const;

 private:
  void complete();
  [[nodiscard]] std::optional<Nanoseconds> read_timestamps(const Recording& recording) const;

  mutable std::mutex mutex_;
  std::shared_ptr<VulkanContext> context_;
  std::shared_ptr<Recording> recording_;  // null once done
  vk::raii::Fence fence_;
  std::optional<Nanoseconds> gpu_time_;
  std::string failure_;
  bool late_ = false;  // a wait has timed out
};

}  // namespace sidecore::qpu
