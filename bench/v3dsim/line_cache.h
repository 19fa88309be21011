// Cache between memory units and memory, for the timing MODEL. It determines the lines that a
// request fetches and evicts.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace sidecore::v3dsim {

/// Set-associative cache with lines of 64 bytes and least-recently-used eviction. A store fetches a
/// missing line; the line is written back when it is evicted.
class LineCache {
 public:
  /// Makes a cache of `kibibytes` KiB, which must be a power of two times kWays lines.
  explicit LineCache(unsigned kibibytes = 128) : sets_(kibibytes * 16U / kWays) {}

  struct Moved {
    unsigned fetched = 0;
    unsigned written = 0;
  };
  Moved touch(std::uint32_t line, bool store);

 private:
  static constexpr unsigned kWays = 16;
  /// Lines of one set, most recently used first. A line's number is its address / 64 + 1; 0 means
  /// none.
  struct Set {
    std::array<std::uint32_t, kWays> lines{};
    std::uint32_t dirty = 0;  ///< dirty flags, one bit per entry of `lines`
  };
  std::vector<Set> sets_;
};

}  // namespace sidecore::v3dsim
