#include "v3dsim/drm/sync_objects.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

#include "base/clock.h"

namespace sidecore::v3dsim {
namespace {

constexpr std::chrono::milliseconds kLossGrace{50};

}  // namespace

std::uint32_t SyncObjects::create(bool signaled) {
  const std::uint32_t handle = next_++;
  states_.emplace(handle, State{signaled, 0});
  return handle;
}

int SyncObjects::destroy(std::uint32_t handle) {
  if (states_.erase(handle) == 0) return -EINVAL;
  // Ends waits for the object, as the kernel does when the object's fence passes.
  changed_.notify_all();
  return 0;
}

bool SyncObjects::known(std::uint32_t handle) const {
  return states_.contains(handle);
}

bool SyncObjects::all_known(std::span<const std::uint32_t> handles) const {
  return std::all_of(handles.begin(), handles.end(), [&](auto handle) { return known(handle); });
}

bool SyncObjects::signaled(std::uint32_t handle) const {
  const auto found = states_.find(handle);
  return found != states_.end() && found->second.signaled;
}

int SyncObjects::signal(std::span<const std::uint32_t> handles) {
  if (!all_known(handles)) return -ENOENT;
  for (const std::uint32_t handle : handles) states_[handle].signaled = true;
  changed_.notify_all();
  return 0;
}

int SyncObjects::reset(std::span<const std::uint32_t> handles) {
  if (!all_known(handles)) return -ENOENT;
  for (const std::uint32_t handle : handles) states_[handle] = State{};
  return 0;
}

int SyncObjects::signal_points(std::span<const std::uint32_t> handles,
                               std::span<const std::uint64_t> points) {
  if (!all_known(handles)) return -ENOENT;
  for (std::size_t i = 0; i < handles.size(); ++i) {
    State& state = states_[handles[i]];
    state.signaled = true;
    state.point = std::max(state.point, points[i]);
  }
  changed_.notify_all();
  return 0;
}

int SyncObjects::query(std::span<const std::uint32_t> handles,
                       std::span<std::uint64_t> points) const {
  if (!all_known(handles)) return -ENOENT;
  for (std::size_t i = 0; i < handles.size(); ++i) points[i] = states_.at(handles[i]).point;
  return 0;
}

int SyncObjects::transfer(std::uint32_t source, std::uint64_t source_point,
                          std::uint32_t destination, std::uint64_t destination_point) {
  if (!known(source) || !known(destination)) return -ENOENT;
  if (!reached(source, source_point)) return -EINVAL;
  State& state = states_[destination];
  state.signaled = true;
  state.point = std::max(state.point, destination_point);
  changed_.notify_all();
  return 0;
}

bool SyncObjects::reached(std::uint32_t handle, std::uint64_t point) const {
  const auto found = states_.find(handle);
  if (found == states_.end()) return false;
  return found->second.signaled && found->second.point >= point;
}

void SyncObjects::mark_lost() {
  lost_ = true;
  changed_.notify_all();
}

int SyncObjects::wait(std::unique_lock<std::mutex>& lock, std::span<const std::uint32_t> handles,
                      std::span<const std::uint64_t> points, std::int64_t deadline_ns, bool all,
                      bool for_submit, std::uint32_t& first) {
  // The deadline is in CLOCK_MONOTONIC, which is the clock of the kernel, and of Clock on Linux.
  const Clock::time_point deadline{Nanoseconds{std::max<std::int64_t>(deadline_ns, 0)}};
  for (;;) {
    if (!all_known(handles)) return -ENOENT;
    std::size_t done = 0;
    bool pending = false;
    for (std::size_t i = 0; i < handles.size(); ++i) {
      if (reached(handles[i], points.empty() ? 0 : points[i])) {
        if (done++ == 0) first = static_cast<std::uint32_t>(i);
      } else {
        pending = true;
      }
    }
    if (handles.empty() || (all ? !pending : done != 0)) return 0;
    if (lost_) {
      // The wait sleeps briefly, because the driver's submission thread needs time to record the
      // loss. Only then does the driver report this wait as VK_ERROR_DEVICE_LOST instead of an
      // unknown error.
      lock.unlock();
      std::this_thread::sleep_for(kLossGrace);
      lock.lock();
      return -EIO;
    }
    if (!for_submit) return -EINVAL;
    if (Clock::now() >= deadline) return -ETIME;
    if (deadline_ns == INT64_MAX) {
      changed_.wait(lock);
    } else {
      changed_.wait_until(lock, deadline);
    }
  }
}

}  // namespace sidecore::v3dsim
