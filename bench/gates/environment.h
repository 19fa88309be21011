// The board and its state: what a figure must be read against.
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
  std::string governor;       ///< empty when the system does not say
  std::optional<double> mhz;  ///< present frequency
  std::optional<double> maximum_mhz;
};

struct Temperature {
  std::string zone;  ///< "cpu-thermal"
  double celsius = 0;
};

/// Both empty: nothing tells of throttling.
struct ThrottleState {
  std::optional<std::uint32_t> firmware_flags;  ///< ThrottleFlags::read()
  std::optional<std::uint64_t> core_events;     ///< x86: core_throttle_count, all CPUs together
};

struct EnvironmentRecord {
  std::string time;   ///< UTC, ISO 8601
  std::string board;  ///< device-tree model, else DMI product, else the CPU's model
  std::string cpu_model;
  std::string kernel;  ///< "Linux 6.12.34"
  std::string os;
  std::string machine;         ///< "aarch64"
  std::vector<CpuState> cpus;  ///< online ones
  std::vector<Temperature> temperatures;
  ThrottleState throttle;
  std::optional<std::array<double, 3>> load_average;
};

/// Reads the files of `root`, "/" except in tests. What a system does not tell stays empty; nothing
/// throws.
[[nodiscard]] EnvironmentRecord record_environment(const std::filesystem::path& root = "/");

/// What throttled between the two records, as a sentence; empty when nothing did or the system does
/// not report it.
[[nodiscard]] std::string throttled_between(const ThrottleState& before,
                                            const ThrottleState& after);

/// Of this build, for the record.
struct BuildRecord {
  std::string type;      ///< CMake's build type
  std::string compiler;  ///< "gcc 12.2.0"
  std::string neon;      ///< what the NEON implementations were compiled to
  bool neon_is_native = false;
};
[[nodiscard]] BuildRecord build_record();

/// How a result came about.
struct RunRecord {
  std::vector<std::string> command_line;
  BuildRecord build;
  EnvironmentRecord before;
  EnvironmentRecord after;
  std::string throttled;  ///< what throttled in between; empty: nothing that the system tells of
};

}  // namespace sidecore::gates
