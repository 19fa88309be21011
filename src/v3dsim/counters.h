// Counting while a dispatch runs: one object per host thread, added up at the end.
#pragma once

#include <cstdint>
#include <vector>

#include "v3dsim/lanes.h"
#include "v3dsim/line_set.h"
#include "v3dsim/program.h"
#include "v3dsim/statistics.h"

namespace sidecore::v3dsim {

/// What depends on data is counted here; what every execution of an instruction does alike follows
/// from `executed` and the program.
class Counters {
 public:
  Counters(std::size_t steps, bool count_lines) : executed(steps), count_lines_(count_lines) {}

  /// A TMU request of `width` bytes per lane at these addresses. TraceEvent::lines of it; 0 when
  /// lines are not counted.
  unsigned count_request(TmuKind kind, unsigned type, unsigned words, const Lanes& address,
                         LaneMask lanes, unsigned width);
  void end_supergroup();
  void add(const Counters& other);
  void write_to(Statistics& statistics, const Program& program) const;

  std::vector<std::uint64_t> executed;
  std::uint64_t branches_taken = 0;
  std::uint64_t branches_divergent = 0;
  std::uint64_t thread_switches = 0;
  std::uint64_t barriers = 0;
  std::uint64_t waits = 0;
  std::uint64_t uninitialised_reads = 0;

 private:
  TmuStatistics tmu_;
  LineSet dispatch_lines_, supergroup_lines_;
  std::uint64_t supergroup_touches_ = 0;
  bool count_lines_;
};

}  // namespace sidecore::v3dsim
