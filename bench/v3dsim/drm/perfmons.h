// The kernel's performance monitors: sets of counters that a job may name, each adding up what the
// jobs did that named it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "v3dsim/drm/uapi.h"
#include "v3dsim/simulated_counters.h"

namespace sidecore::v3dsim {

/// Functions return 0 or a negative errno value, as the kernel does. The caller serialises.
class Perfmons {
 public:
  /// Sets `request.id`: the lowest that is free, from 1 on. -EINVAL without counters, with more
  /// than kMostCounters, or with one that does not exist.
  int create(uapi::PerfmonCreate& request);
  int destroy(std::uint32_t id);
  /// Writes the sums so far, in the order of the monitor's counters.
  int get_values(const uapi::PerfmonGetValues& request) const;

  [[nodiscard]] bool known(std::uint32_t id) const { return monitors_.contains(id); }
  /// Adds a job's counts. What is not known is passed over, here and below.
  void add(std::uint32_t id, const CounterValues& job);
  void reset(std::uint32_t id);
  /// The sums so far; empty for what is not known.
  [[nodiscard]] std::span<const std::uint64_t> sums(std::uint32_t id) const;

  /// Name, category and description of counter `request.counter`.
  static int describe(uapi::PerfmonGetCounter& request);

 private:
  struct Monitor {
    std::vector<std::uint8_t> counters;
    std::vector<std::uint64_t> sums;  ///< of the counter at the same place
  };
  std::map<std::uint32_t, Monitor> monitors_;
};

}  // namespace sidecore::v3dsim
