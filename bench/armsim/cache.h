// Model of one core's caches and memory; it computes only times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sidecore::armsim {

inline constexpr std::uint64_t kLineBytes = 64;

struct CacheModel {
  struct Level {
    std::size_t bytes;  ///< size in bytes; 0 if the level does not exist
    std::size_t ways;
    int latency;  ///< latency in cycles beyond a hit of the first level
  };
  Level levels[3];
  double memory_seconds;  ///< time from a miss in all levels to the arrival of the data
  /// Bytes that one core moves per second, read and written together.
  double memory_bytes_per_second;
};

class Cache {
 public:
  Cache(const CacheModel& model, double clock_hz);

  /// Returns the delay of the data of an access at `cycle`, in cycles beyond a hit of the first
  /// level.
  std::uint64_t access(std::uint64_t address, bool store, std::uint64_t cycle);

  /// Updates the caches as access() does, but takes no time.
  void pass(std::uint64_t address, bool store) {
    const double free = memory_free_;
    access(address, store, 0);
    memory_free_ = free;
  }

  /// Returns the number of lines that came from memory plus the number of lines that were written
  /// back to it.
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
    bool hit;               ///< false: the line has replaced another line
    bool evicted_dirty;     ///< true if the replaced line must be written back
    std::uint64_t evicted;  ///< number of the replaced line
  };
  /// Marks a line as used, and loads it into the level if it is absent.
  Touched touch(Level& level, std::uint64_t line, bool dirty);
  void write_back(std::size_t level, std::uint64_t line);
  bool prefetched(std::uint64_t line);

  std::vector<Level> levels_;
  double memory_latency_;  // latency of memory in cycles
  double line_cycles_;
  double memory_free_ = 0;
  std::uint64_t clock_ = 0;
  /// Line of the previous access; it is dirty if `last_dirty_` is true.
  std::uint64_t last_line_ = ~std::uint64_t{0};
  bool last_dirty_ = false;
  std::uint64_t lines_moved_ = 0;
  std::vector<std::uint64_t> streams_;  // number of each stream's next expected line
  std::size_t next_stream_ = 0;
};

}  // namespace sidecore::armsim
