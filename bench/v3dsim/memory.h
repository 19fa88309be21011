// GPU addresses to host bytes, with bounds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace sidecore::v3dsim {

/// A run of GPU addresses backed by contiguous host bytes; empty when bytes is null.
struct Window {
  std::uint32_t begin = 0;
  std::uint32_t size = 0;
  std::byte* bytes = nullptr;

  /// Whether [address, address + count) lies inside; count > 0.
  [[nodiscard]] bool contains(std::uint32_t address, std::uint32_t count) const {
    return address >= begin && address - begin < size && size - (address - begin) >= count;
  }
  [[nodiscard]] std::byte* at(std::uint32_t address) const { return bytes + (address - begin); }
};

/// What a job may touch. window() is called from several host threads during a job; the answer for
/// an address must not change while one runs.
class Memory {
 public:
  virtual ~Memory() = default;
  /// The live range around `address`, or an empty window when nothing lives there.
  [[nodiscard]] virtual Window window(std::uint32_t address) const = 0;
};

/// Memory whose GPU address is the offset into one host mapping: a base pointer and the live ranges
/// (buffer objects) in it.
class MappedMemory : public Memory {
 public:
  /// `base` is where GPU address 0 would be, aligned to 4; it must outlive this object.
  explicit MappedMemory(std::byte* base) : base_(base) {}

  /// Throws std::invalid_argument when the range is empty, overlaps a live one or passes 4 GiB.
  void add(std::uint32_t begin, std::uint32_t size);
  /// Throws std::invalid_argument when no live range begins there.
  void remove(std::uint32_t begin);
  [[nodiscard]] Window window(std::uint32_t address) const override;

 private:
  std::byte* base_;
  std::map<std::uint32_t, std::uint32_t> live_;  ///< begin -> size
};

/// A part of another memory: the ranges that a job listed for itself. Stricter than the hardware,
/// which faults on unmapped pages only.
class RestrictedMemory : public Memory {
 public:
  struct Range {
    std::uint32_t begin;
    std::uint32_t size;
  };
  /// `whole` must outlive this object; ranges may come in any order but must not overlap.
  RestrictedMemory(const Memory& whole, std::span<const Range> ranges);
  [[nodiscard]] Window window(std::uint32_t address) const override;

 private:
  const Memory& whole_;
  std::vector<Range> ranges_;  ///< sorted by begin
};

/// Remembers the last windows of one user of a memory, so that most accesses need no lookup.
class WindowCache {
 public:
  explicit WindowCache(const Memory& memory) : memory_(&memory) {}

  /// The host bytes of [address, address + count), or null when they are not inside one live range.
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
