#include "gates/perf_counters.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace sidecore::gates {
namespace {

constexpr std::array<std::uint64_t, 4> kHardwareEvents{
    PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CACHE_MISSES,
    PERF_COUNT_HW_STALLED_CYCLES_BACKEND};

std::string refusal_text(int error) {
  std::string reason = fmt::format("perf_event_open: {}", std::strerror(error));
  std::ifstream paranoid("/proc/sys/kernel/perf_event_paranoid");
  int level = 0;
  if ((error == EACCES || error == EPERM) && paranoid >> level) {
    reason += fmt::format(", kernel.perf_event_paranoid is {}", level);
  }
  if (error == ENOENT || error == EOPNOTSUPP) reason += ", no hardware counters";
  return fmt::format("not permitted here (reason: {})", reason);
}

std::optional<std::uint64_t> read_scaled(int descriptor) {
  struct {
    std::uint64_t value, enabled, running;
  } reading{};
  if (::read(descriptor, &reading, sizeof(reading)) != sizeof(reading)) return std::nullopt;
  if (reading.running == 0) return std::nullopt;
  const double share = static_cast<double>(reading.enabled) / static_cast<double>(reading.running);
  if (share == 1.0) return reading.value;
  return static_cast<std::uint64_t>(static_cast<double>(reading.value) * share);
}

void add(std::optional<std::uint64_t>& sum, const std::optional<std::uint64_t>& term) {
  if (term.has_value()) sum = sum.value_or(0) + *term;
}

}  // namespace

int open_hardware_event(std::uint64_t config) {
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.size = sizeof(attributes);
  attributes.config = config;
  attributes.disabled = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return static_cast<int>(
      ::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

PerfCounts& PerfCounts::operator+=(const PerfCounts& other) {
  add(cycles, other.cycles);
  add(instructions, other.instructions);
  add(cache_misses, other.cache_misses);
  add(stalled_cycles_backend, other.stalled_cycles_backend);
  return *this;
}

std::optional<double> instructions_per_cycle(const PerfCounts& counts) {
  if (!counts.cycles.has_value() || !counts.instructions.has_value() || *counts.cycles == 0) {
    return std::nullopt;
  }
  return static_cast<double>(*counts.instructions) / static_cast<double>(*counts.cycles);
}

PerfCounters::PerfCounters(const OpenEvent& open_event) {
  for (std::size_t event = 0; event < kEvents; ++event) {
    descriptors_[event] = open_event(kHardwareEvents[event]);
    if (event == 0 && descriptors_[event] < 0) {
      refusal_ = refusal_text(errno);
      return;
    }
  }
}

PerfCounters::~PerfCounters() {
  for (const int descriptor : descriptors_) {
    if (descriptor >= 0) ::close(descriptor);
  }
}

void PerfCounters::start() {
  for (const int descriptor : descriptors_) {
    if (descriptor < 0) continue;
    ::ioctl(descriptor, PERF_EVENT_IOC_RESET, 0);
    ::ioctl(descriptor, PERF_EVENT_IOC_ENABLE, 0);
  }
}

PerfCounts PerfCounters::stop() {
  std::array<std::optional<std::uint64_t>, kEvents> values;
  for (const int descriptor : descriptors_) {
    if (descriptor >= 0) ::ioctl(descriptor, PERF_EVENT_IOC_DISABLE, 0);
  }
  for (std::size_t event = 0; event < kEvents; ++event) {
    if (descriptors_[event] >= 0) values[event] = read_scaled(descriptors_[event]);
  }
  return {values[0], values[1], values[2], values[3]};
}

}  // namespace sidecore::gates
