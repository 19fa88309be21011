// Decides when a command must wait for earlier commands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace sidecore::qpu {

/// Bytes [begin, end) of a memory block that a command touches.
struct MemoryAccess {
  std::uintptr_t block = 0;  ///< number that identifies the memory block
  std::size_t begin = 0;
  std::size_t end = 0;
  bool writes = false;  ///< a command that reads and writes counts as one that writes
};

/// Remembers the bytes that commands touched since the last barrier. A barrier orders everything
/// before it against everything after it, so nothing before a barrier needs to be remembered.
class HazardTracker {
 public:
  /// Adds a command. Returns true if a barrier must precede it: the command reads or writes bytes
  /// that a remembered command writes, or writes bytes that a remembered command reads.
  [[nodiscard]] bool add(std::span<const MemoryAccess> accesses);

 private:
  [[nodiscard]] bool conflicts(const MemoryAccess& access) const;

  std::unordered_map<std::uintptr_t, std::vector<MemoryAccess>> pending_;
};

}  // namespace sidecore::qpu
