// The cache between the memory units and the memory, for the timing MODEL: which lines a request
// fetches, and which it pushes out.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace sidecore::v3dsim {

/// Of lines of 64 bytes; the one that was not touched for longest leaves its set. A store fetches
/// what it does not find, and is written back when its line leaves.
class LineCache {
 public:
  /// Kibibytes: a power of two times kWays lines.
  explicit LineCache(unsigned kibibytes = 128) : sets_(kibibytes * 16U / kWays) {}

  struct Moved {
    unsigned fetched = 0;
    unsigned written = 0;
  };
  Moved touch(std::uint32_t line, bool store);

 private:
  static constexpr unsigned kWays = 16;
  /// Newest first; a line's number is its address / 64 + 1, and 0 is none.
  struct Set {
    std::array<std::uint32_t, kWays> lines{};
    std::uint32_t dirty = 0;  ///< a bit for each of `lines`
  };
  std::vector<Set> sets_;
};

}  // namespace sidecore::v3dsim
