// The kernel's performance monitors: sets of counters. Each monitor sums the counts of the jobs
// that name it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "v3dsim/drm/uapi.h"
#include "v3dsim/simulated_counters.h"

namespace sidecore::v3dsim {

/// Performance monitors by id. Functions return 0 or a negative errno value, as the kernel does.
/// The caller serialises calls.
class Perfmons {
 public:
  /// Creates a monitor and sets `request.id` to the lowest free id, from 1. Returns -EINVAL for no
  /// counters, more than kMaxCounters, or an unknown counter.
  int create(uapi::PerfmonCreate& request);
  int destroy(std::uint32_t id);
  /// Writes the current sums, in the order of the monitor's counters.
  int get_values(const uapi::PerfmonGetValues& request) const;

  [[nodiscard]] bool known(std::uint32_t id) const { return monitors_.contains(id); }
  /// Adds a job's counts. This and the following functions ignore unknown ids.
  void add(std::uint32_t id, const CounterValues& job);
  void reset(std::uint32_t id);
  /// Returns the current sums of a monitor; empty for an unknown id.
  [[nodiscard]] std::span<const std::uint64_t> sums(std::uint32_t id) const;

  /// Writes name, category and description of counter `request.counter`.
  static int describe(uapi::PerfmonGetCounter& request);

 private:
  struct Monitor {
    std::vector<std::uint8_t> counters;
    std::vector<std::uint64_t> sums;  ///< sum of the counter at the same index
  };
  std::map<std::uint32_t, Monitor> monitors_;
};

}  // namespace sidecore::v3dsim
