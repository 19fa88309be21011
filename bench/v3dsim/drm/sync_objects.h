// DRM sync objects, binary and timeline, for a device that finishes every job before its submission
// returns.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <span>
#include <unordered_map>

namespace sidecore::v3dsim {

/// Sync objects by handle. Functions that can fail return 0 or a negative errno value, as the
/// kernel does. The caller holds one lock around every call; wait() releases it while it blocks.
class SyncObjects {
 public:
  [[nodiscard]] std::uint32_t create(bool signaled);
  int destroy(std::uint32_t handle);
  [[nodiscard]] bool known(std::uint32_t handle) const;

  /// Returns true if the binary object has a passed fence. If it has no passed fence it has none at
  /// all, because in this simulation every fence has passed.
  [[nodiscard]] bool signaled(std::uint32_t handle) const;
  int signal(std::span<const std::uint32_t> handles);
  int reset(std::span<const std::uint32_t> handles);

  /// Raises the timelines to `points`; a point of 0 is a binary signal.
  int signal_points(std::span<const std::uint32_t> handles, std::span<const std::uint64_t> points);
  int query(std::span<const std::uint32_t> handles, std::span<std::uint64_t> points) const;
  int transfer(std::uint32_t source, std::uint64_t source_point, std::uint32_t destination,
               std::uint64_t destination_point);

  /// Makes every wait that would block fail with -EIO, and every wait that already blocks. Such a
  /// wait is for work after a rejected submission, which is never signaled.
  void mark_lost();

  /// Waits until one (or all) of `handles` is signaled. If `points` is not empty, handles[i] must
  /// have reached points[i]. Sets `first` to the index of a signaled object. Returns -ETIME at
  /// `deadline_ns` (CLOCK_MONOTONIC, absolute). Returns -EINVAL at once if nothing was submitted
  /// and `for_submit` is false, because nothing would ever signal the object.
  int wait(std::unique_lock<std::mutex>& lock, std::span<const std::uint32_t> handles,
           std::span<const std::uint64_t> points, std::int64_t deadline_ns, bool all,
           bool for_submit, std::uint32_t& first);

 private:
  struct State {
    bool signaled = false;
    std::uint64_t point = 0;
  };
  [[nodiscard]] bool all_known(std::span<const std::uint32_t> handles) const;
  [[nodiscard]] bool reached(std::uint32_t handle, std::uint64_t point) const;

  std::unordered_map<std::uint32_t, State> states_;
  std::uint32_t next_ = 1;
  bool lost_ = false;
  std::condition_variable changed_;
};

}  // namespace sidecore::v3dsim
