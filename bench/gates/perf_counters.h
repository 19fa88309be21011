// CPU performance counters of one thread, through perf_event_open.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace sidecore::gates {

/// Counts of one thread's user-space code between start() and stop(). A counter that the CPU lacks
/// is empty. A counter that shared a hardware register with others is scaled to the whole time.
struct PerfCounts {
  std::optional<std::uint64_t> cycles;
  std::optional<std::uint64_t> instructions;
  std::optional<std::uint64_t> cache_misses;
  std::optional<std::uint64_t> stalled_cycles_backend;

  PerfCounts& operator+=(const PerfCounts& other);
};

/// Returns instructions per cycle; nothing unless both were counted.
[[nodiscard]] std::optional<double> instructions_per_cycle(const PerfCounts& counts);

/// Opens the hardware event `config` (PERF_COUNT_HW_*) of the calling thread, disabled. Returns a
/// file descriptor, or -1 with errno set.
[[nodiscard]] int open_hardware_event(std::uint64_t config);

/// Counters of the thread that constructs the object. All calls must come from that thread.
class PerfCounters {
 public:
  /// Type of functions like open_hardware_event().
  using OpenEvent = std::function<int(std::uint64_t config)>;

  explicit PerfCounters(const OpenEvent& open_event);
  ~PerfCounters();
  PerfCounters(const PerfCounters&) = delete;
  PerfCounters& operator=(const PerfCounters&) = delete;

  /// Returns the reason why nothing can be counted: "not permitted here (reason: ...)". Empty if
  /// cycles can be counted.
  [[nodiscard]] const std::string& refusal() const { return refusal_; }

  void start();
  [[nodiscard]] PerfCounts stop();

 private:
  static constexpr std::size_t kEvents = 4;
  std::array<int, kEvents> descriptors_{-1, -1, -1, -1};
  std::string refusal_;
};

}  // namespace sidecore::gates
