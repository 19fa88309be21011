// Counters of a running dispatch: one object per host thread, summed at the end.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "v3dsim/lanes.h"
#include "v3dsim/line_cache.h"
#include "v3dsim/line_set.h"
#include "v3dsim/program.h"
#include "v3dsim/statistics.h"

namespace sidecore::v3dsim {

/// Counts events that depend on data. All other statistics follow from `executed` and the program.
class Counters {
 public:
  Counters(std::size_t steps, bool count_lines) : executed(steps), count_lines_(count_lines) {}

  /// Counts a TMU request of `width` bytes per lane. Returns the cache lines that it moves; nothing
  /// unless follow_cache() was called and lines are counted.
  LineCache::Moved count_request(TmuKind kind, unsigned type, unsigned words, const Lanes& address,
                                 LaneMask lanes, unsigned width);
  void end_supergroup();
  void add(const Counters& other);
  void write_to(Statistics& statistics, const Program& program) const;

  /// Makes later requests pass through a cache, which is empty because the kernel flushes it before
  /// a job.
  void follow_cache() { cache_.emplace(); }

  std::vector<std::uint64_t> executed;
  std::uint64_t branches_taken = 0;
  std::uint64_t branches_divergent = 0;
  std::uint64_t thread_switches = 0;
  std::uint64_t barriers = 0;
  std::uint64_t waits = 0;
  std::uint64_t uninitialised_reads = 0;

 private:
  TmuStatistics tmu_;
  std::optional<LineCache> cache_;
  LineSet dispatch_lines_, supergroup_lines_;
  std::uint64_t supergroup_touches_ = 0;
  bool count_lines_;
};

}  // namespace sidecore::v3dsim
