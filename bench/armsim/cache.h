// The caches and the memory of one core, for their time only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sidecore::armsim {

inline constexpr std::uint64_t kLineBytes = 64;

struct CacheModel {
  struct Level {
    std::size_t bytes;  ///< 0: there is none
    std::size_t ways;
    int latency;  ///< cycles more than a hit of the first level
  };
  Level levels[3];
  double memory_seconds;           ///< from a miss of all levels to the data
  double memory_bytes_per_second;  ///< that one core moves, read and written
};

class Cache {
 public:
  Cache(const CacheModel& model, double clock_hz);

  /// Cycles that the data comes later than a hit of the first level, of an access at `cycle`.
  std::uint64_t access(std::uint64_t address, bool store, std::uint64_t cycle);

  /// The same without any time: what is in the caches then is what would be.
  void pass(std::uint64_t address, bool store) {
    const double free = memory_free_;
    access(address, store, 0);
    memory_free_ = free;
  }

  /// Lines that came from memory, and lines that went back.
  [[nodiscard]] std::uint64_t lines_moved() const { return lines_moved_; }

 private:
  struct Line {
    std::uint64_t tag = ~std::uint64_t{0};
    std::uint64_t used = 0;
    bool dirty = false;
  };
  struct Level {
    std::vector<Line> lines;
    std::size_t sets = 0;
    std::size_t ways = 0;
    int latency = 0;
  };

  struct Touched {
    bool hit;               ///< else the line takes the place of another one:
    bool evicted_dirty;     ///< whether that has to be written back
    std::uint64_t evicted;  ///< and which it was
  };
  /// Marks a line as used.
  Touched touch(Level& level, std::uint64_t line, bool dirty);
  void write_back(std::size_t level, std::uint64_t line);
  bool prefetched(std::uint64_t line);

  std::vector<Level> levels_;
  double memory_latency_;  // cycles
  double line_cycles_;
  double memory_free_ = 0;
  std::uint64_t clock_ = 0;
  std::uint64_t last_line_ = ~std::uint64_t{0};  ///< of the access before; dirty if `last_dirty_`
  bool last_dirty_ = false;
  std::uint64_t lines_moved_ = 0;
  std::vector<std::uint64_t> streams_;  // the line that each stream asks for next
  std::size_t next_stream_ = 0;
};

}  // namespace sidecore::armsim
