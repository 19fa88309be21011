// Hardware counters of one thread, through perf_event_open.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace sidecore::gates {

/// What a thread did between start() and stop(), in user space. A counter that the CPU does not
/// have is absent; one that shared its register with others is scaled to the whole time.
struct PerfCounts {
  std::optional<std::uint64_t> cycles;
  std::optional<std::uint64_t> instructions;
  std::optional<std::uint64_t> cache_misses;
  std::optional<std::uint64_t> stalled_cycles_backend;

  PerfCounts& operator+=(const PerfCounts& other);
};

/// Instructions a cycle; nothing unless both were counted.
[[nodiscard]] std::optional<double> instructions_per_cycle(const PerfCounts& counts);

/// Opens the hardware event `config` (PERF_COUNT_HW_*) of the calling thread, disabled: a file
/// descriptor, or -1 with errno set.
[[nodiscard]] int open_hardware_event(std::uint64_t config);

/// The counters of the thread that made it; use it on that thread only.
class PerfCounters {
 public:
  /// As open_hardware_event().
  using OpenEvent = std::function<int(std::uint64_t config)>;

  explicit PerfCounters(const OpenEvent& open_event);
  ~PerfCounters();
  PerfCounters(const PerfCounters&) = delete;
  PerfCounters& operator=(const PerfCounters&) = delete;

  /// Why nothing can be counted, as "not permitted here (reason: ...)"; empty when cycles count.
  [[nodiscard]] const std::string& refusal() const { return refusal_; }

  void start();
  [[nodiscard]] PerfCounts stop();

 private:
  static constexpr std::size_t kEvents = 4;
  std::array<int, kEvents> descriptors_{-1, -1, -1, -1};
  std::string refusal_;
};

}  // namespace sidecore::gates
