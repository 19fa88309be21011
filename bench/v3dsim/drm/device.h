// The fake V3D: answers ioctl on its render node as the kernel's driver would.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "v3dsim/drm/address_space.h"
#include "v3dsim/drm/job_runner.h"
#include "v3dsim/drm/passed_fence.h"
#include "v3dsim/drm/perfmons.h"
#include "v3dsim/drm/settings.h"
#include "v3dsim/drm/submit.h"
#include "v3dsim/drm/sync_objects.h"

namespace sidecore::v3dsim {

/// The simulated device. Thread-safe: one lock covers everything, including jobs, which run inside
/// their submission. Only waits for sync objects release it.
class Device {
 public:
  Device(Settings settings, std::unique_ptr<AddressSpace> memory,
         std::unique_ptr<JobRunner> runner);

  /// Executes a request; `argument` points to its structure. Returns 0 or a negative errno value.
  /// If the simulator rejects the request, prints one line on stderr (each text only once) and
  /// returns -EIO, which the driver reports as VK_ERROR_DEVICE_LOST.
  int ioctl(unsigned long request, void* argument);

  [[nodiscard]] const AddressSpace& memory() const { return *memory_; }
  [[nodiscard]] const Settings& settings() const { return settings_; }
  /// Returns the fence that every sync object is exported as. Two such fences merge into another
  /// fence of this kind.
  [[nodiscard]] const PassedFence& fence() const { return fence_; }

 private:
  int dispatch(std::unique_lock<std::mutex>& lock, uapi::Request request, void* argument);
  int dispatch_sync(std::unique_lock<std::mutex>& lock, uapi::Request request, void* argument);
  int dispatch_buffer(uapi::Request request, void* argument);
  int dispatch_perfmon(uapi::Request request, void* argument);
  int dispatch_sync_file(uapi::Request request, uapi::SyncobjHandle& argument);
  int refuse_sharing();
  void complain(const std::string& message);

  Settings settings_;
  std::unique_ptr<JobRunner> runner_;
  std::mutex mutex_;
  std::unique_ptr<AddressSpace> memory_;
  SyncObjects syncs_;
  Perfmons perfmons_;
  PassedFence fence_;
  Submitter submitter_;
  std::set<std::string> complaints_;
};

}  // namespace sidecore::v3dsim
