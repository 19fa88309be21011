// The memory block of a workload: data regions with guard bytes before, between and after them.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "qpu/buffer.h"

namespace sidecore::bench {

/// Names of a picture's planes in messages.
inline constexpr std::array<std::string_view, 3> kPlaneNames{"Y", "Cb", "Cr"};

/// Layout of named regions in one block. Each region starts at a multiple of kAlignment, so that a
/// shader can be bound to it, and has at least kGuardBytes guard bytes before and after it.
class GuardedBlock {
 public:
  static constexpr std::size_t kAlignment = 256;
  static constexpr std::size_t kGuardBytes = 64;

  struct Region {
    std::string name;
    std::size_t offset = 0;
    std::size_t bytes = 0;
  };

  /// Adds a region after the earlier regions and returns its index.
  std::size_t add(std::string name, std::size_t bytes);

  [[nodiscard]] const Region& region(std::size_t index) const { return regions_[index]; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

  template <class Byte>
  [[nodiscard]] std::span<Byte> part(std::span<Byte> memory, std::size_t index) const {
    return memory.subspan(regions_[index].offset, regions_[index].bytes);
  }

  /// Returns the region's range in a device buffer that holds the block.
  [[nodiscard]] qpu::BufferRange range(qpu::Buffer& memory, std::size_t index) const {
    return {.buffer = &memory, .offset = regions_[index].offset, .size = regions_[index].bytes};
  }

  /// Fills the whole block, including the regions, with a pattern that differs from byte to byte.
  void fill_guards(std::span<std::byte> memory) const;

  /// Returns the index of the region that contains the byte; nothing for a guard byte.
  [[nodiscard]] std::optional<std::size_t> region_of(std::size_t byte) const;
  /// Returns for example "guard byte 12 after the plane" or "guard byte 3 before the plane".
  [[nodiscard]] std::string describe_guard(std::size_t byte) const;

 private:
  std::vector<Region> regions_;
  std::size_t bytes_ = kGuardBytes;
};

}  // namespace sidecore::bench
