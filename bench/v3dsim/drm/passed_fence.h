// A sync file of a device that has finished every job when its submission returns: its fence has
// always passed.
#pragma once

#include <cstdint>

namespace sidecore::v3dsim {

/// A memory file: always ready to poll(), and known again by its inode. All fences are copies of
/// one descriptor.
class PassedFence {
 public:
  /// Throws Error (environment) where memory files are not to be had.
  PassedFence();
  ~PassedFence();
  PassedFence(const PassedFence&) = delete;
  PassedFence& operator=(const PassedFence&) = delete;

  /// A fresh close-on-exec descriptor, or -1 with errno set.
  [[nodiscard]] int duplicate() const;
  /// Whether `descriptor` is one of the above, or a copy of it.
  [[nodiscard]] bool owns(int descriptor) const;

 private:
  int descriptor_;
  std::uint64_t device_id_ = 0, inode_ = 0;
};

}  // namespace sidecore::v3dsim
