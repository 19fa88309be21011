// A submitted list until it is done.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "qpu/vulkan_command_list.h"

namespace sidecore::qpu {

/// State of a submission. Keeps the recording, and through it every buffer and program, until the
/// work is done.
struct Ticket::State {
  State(std::shared_ptr<Recording> recording, vk::raii::Fence fence);

  /// Returns the fence that the queue signals.
  [[nodiscard]] vk::Fence fence() const { return *fence_; }

  /// Waits for the fence. Throws Error (environment) on device loss, a time-out, or validation
  /// messages. After one time-out, later calls throw at once unless the work is done, so that
  /// cleaning up does not wait again for each submission.
  void wait();
  /// Returns true if the work is done, without waiting; false while another thread waits. A lost
  /// device counts as done, because nothing runs any more.
  [[nodiscard]] bool done();
  [[nodiscard]] std::optional<Nanoseconds> gpu_time() const;

 private:
  void complete();
  [[nodiscard]] std::optional<Nanoseconds> read_timestamps(const Recording& recording) const;

  mutable std::mutex mutex_;
  std::shared_ptr<VulkanContext> context_;
  std::shared_ptr<Recording> recording_;  // recording of the work; null after the work is done
  vk::raii::Fence fence_;
  std::optional<Nanoseconds> gpu_time_;
  std::string failure_;
  bool late_ = false;  // true if a wait has timed out
};

}  // namespace sidecore::qpu
