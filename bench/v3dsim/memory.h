// Maps GPU addresses to host bytes, with bounds checks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace sidecore::v3dsim {

/// Range of GPU addresses backed by contiguous host bytes; empty if `bytes` is null.
struct Window {
  std::uint32_t begin = 0;
  std::uint32_t size = 0;
  std::byte* bytes = nullptr;

  /// Returns true if [address, address + count) is inside; `count` must be above 0.
  [[nodiscard]] bool contains(std::uint32_t address, std::uint32_t count) const {
    return address >= begin && address - begin < size && size - (address - begin) >= count;
  }
  [[nodiscard]] std::byte* at(std::uint32_t address) const { return bytes + (address - begin); }
};

/// Memory that a job may access. Several host threads call window() during a job; its answer for an
/// address must not change meanwhile.
class Memory {
 public:
  virtual ~Memory() = default;
  /// Returns the allocated range that contains `address`, or an empty window if there is none.
  [[nodiscard]] virtual Window window(std::uint32_t address) const = 0;
};

/// Memory in one host mapping, where the GPU address is the offset: a base pointer and the
/// allocated ranges (buffer objects).
class MappedMemory : public Memory {
 public:
  /// Creates the memory. `base` is the host address of GPU address 0, aligned to 4; the mapping
  /// must outlive this object.
  explicit MappedMemory(std::byte* base) : base_(base) {}

  /// Adds an allocated range. Throws std::invalid_argument if it is empty, overlaps another one or
  /// exceeds 4 GiB.
  void add(std::uint32_t begin, std::uint32_t size);
  /// Removes a range. Throws std::invalid_argument if no allocated range begins at `begin`.
  void remove(std::uint32_t begin);
  [[nodiscard]] Window window(std::uint32_t address) const override;

 private:
  std::byte* base_;
  std::map<std::uint32_t, std::uint32_t> live_;  ///< size of each range by its first address
};

/// Part of another memory: the ranges listed for one job. This is stricter than the hardware, which
/// faults only on unmapped pages.
class RestrictedMemory : public Memory {
 public:
  struct Range {
    std::uint32_t begin;
    std::uint32_t size;
  };
  /// Creates the restricted memory; `whole` must outlive it. Ranges may come in any order but must
  /// not overlap.
  RestrictedMemory(const Memory& whole, std::span<const Range> ranges);
  [[nodiscard]] Window window(std::uint32_t address) const override;

 private:
  const Memory& whole_;
  std::vector<Range> ranges_;  ///< ranges sorted by their first address
};

/// Cache of the last windows of one user of a memory, so that most accesses need no lookup.
class WindowCache {
 public:
  explicit WindowCache(const Memory& memory) : memory_(&memory) {}

  /// Returns the host bytes of [address, address + count), or null unless they are inside one
  /// allocated range.
  [[nodiscard]] std::byte* find(std::uint32_t address, std::uint32_t count) {
    for (const Window& window : windows_) {
      if (window.contains(address, count)) return window.at(address);
    }
    return refill(address, count);
  }

 private:
  std::byte* refill(std::uint32_t address, std::uint32_t count);

  const Memory* memory_;
  std::array<Window, 4> windows_{};
  unsigned next_ = 0;
};

}  // namespace sidecore::v3dsim
