// The board and its state, which the measured figures depend on.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sidecore::gates {

struct CpuState {
  int cpu = 0;
  std::string governor;       ///< CPU frequency governor; empty if the system does not report it
  std::optional<double> mhz;  ///< present frequency
  std::optional<double> maximum_mhz;
};

struct Temperature {
  std::string zone;  ///< "cpu-thermal"
  double celsius = 0;
};

/// Throttling reports. Both are empty if the system does not report throttling.
struct ThrottleState {
  std::optional<std::uint32_t> firmware_flags;  ///< ThrottleFlags::read()
  std::optional<std::uint64_t> core_events;     ///< x86: sum of core_throttle_count over all CPUs
};

struct EnvironmentRecord {
  std::string time;  ///< UTC, ISO 8601
  /// Name of the board: device-tree model, else DMI product name, else CPU model.
  std::string board;
  std::string cpu_model;
  std::string kernel;  ///< "Linux 6.12.34"
  /// Build of the kernel, "#1 SMP PREEMPT Debian 1:6.12.34-1+rpt1 (2025-06-26)"
  std::string kernel_build{};
  std::string os;
  std::string machine;         ///< "aarch64"
  std::vector<CpuState> cpus;  ///< online CPUs
  std::vector<Temperature> temperatures;
  ThrottleState throttle;
  std::optional<std::array<double, 3>> load_average;
};

/// Reads the board's state from files below `root`, "/" except in tests. Members stay empty if the
/// system does not report them. Does not throw.
[[nodiscard]] EnvironmentRecord record_environment(const std::filesystem::path& root = "/");

/// Returns the causes of throttling between the two records as text; empty if nothing throttled or
/// the system does not report it.
[[nodiscard]] std::string throttled_between(const ThrottleState& before,
                                            const ThrottleState& after);

/// Build settings of this program.
struct BuildRecord {
  std::string type;      ///< CMake's build type
  std::string compiler;  ///< "gcc 12.2.0"
  std::string neon;      ///< instruction set that the NEON source was compiled to
  bool neon_is_native = false;
};
[[nodiscard]] BuildRecord build_record();

/// The command, the build and the board's state that belong to a result.
struct RunRecord {
  std::vector<std::string> command_line;
  BuildRecord build;
  EnvironmentRecord before;
  EnvironmentRecord after;
  std::string throttled;  ///< causes of throttling during the run; empty: none was reported
};

}  // namespace sidecore::gates
