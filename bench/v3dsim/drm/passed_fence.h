// Sync file whose fence has always passed, because the device finishes every job before its
// submission returns.
#pragma once

#include <cstdint>

namespace sidecore::v3dsim {

/// A memory file as fence: it is always ready for poll(), and identified by its inode. All fences
/// are copies of one descriptor.
class PassedFence {
 public:
  /// Creates the file. Throws Error (environment) if memory files are not available.
  PassedFence();
  ~PassedFence();
  PassedFence(const PassedFence&) = delete;
  PassedFence& operator=(const PassedFence&) = delete;

  /// Returns a new close-on-exec descriptor, or -1 with errno set.
  [[nodiscard]] int duplicate() const;
  /// Returns true if `descriptor` came from duplicate() or is a copy of one.
  [[nodiscard]] bool owns(int descriptor) const;

 private:
  int descriptor_;
  std::uint64_t device_id_ = 0, inode_ = 0;
};

}  // namespace sidecore::v3dsim
