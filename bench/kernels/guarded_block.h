// The memory block of a workload: data regions with guard bytes in front of, between and behind
// them.
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

/// The planes of a picture, as messages name them.
inline constexpr std::array<std::string_view, 3> kPlaneNames{"Y", "Cb", "Cr"};

/// Lays named regions out one after another. Each starts at a multiple of kAlignment, so that a
/// shader can be bound to it, and has at least kGuardBytes of guard in front of and behind it.
class GuardedBlock {
 public:
  static constexpr std::size_t kAlignment = 256;
  static constexpr std::size_t kGuardBytes = 64;

  struct Region {
    std::string name;
    std::size_t offset = 0;
    std::size_t bytes = 0;
  };

  /// Adds a region behind the others and returns its number.
  std::size_t add(std::string name, std::size_t bytes);

  [[nodiscard]] const Region& region(std::size_t index) const { return regions_[index]; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

  template <class Byte>
  [[nodiscard]] std::span<Byte> part(std::span<Byte> memory, std::size_t index) const {
    return memory.subspan(regions_[index].offset, regions_[index].bytes);
  }

  /// The region in a device's memory.
  [[nodiscard]] qpu::BufferRange range(qpu::Buffer& memory, std::size_t index) const {
    return {.buffer = &memory, .offset = regions_[index].offset, .size = regions_[index].bytes};
  }

  /// Fills the whole block, regions too, with a pattern that differs from byte to byte.
  void fill_guards(std::span<std::byte> memory) const;

  /// The region that holds a byte; nothing for a guard.
  [[nodiscard]] std::optional<std::size_t> region_of(std::size_t byte) const;
  /// "guard byte 12 after the plane", "guard byte 3 before the plane".
  [[nodiscard]] std::string describe_guard(std::size_t byte) const;

 private:
  std::vector<Region> regions_;
  std::size_t bytes_ = kGuardBytes;
};

}  // namespace sidecore::bench
