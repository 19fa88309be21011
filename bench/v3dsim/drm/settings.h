// All switches of the simulated board and its checks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "v3dsim/machine.h"
#include "v3dsim/options.h"

namespace sidecore::v3dsim {

/// Clock that vkCmdWriteTimestamp records.
enum class TimestampSource {
  host,   ///< this machine's clock: shows how long the simulation took
  model,  ///< sum of the modelled durations of all jobs so far, each the middle of its interval
};

/// Memory that a job may access.
enum class Bounds {
  live,  ///< all allocated buffers, as with the hardware's page tables
  job,   ///< only the buffers that the driver listed for the job, as the kernel's interface demands
};

/// Values of all switches, one field per switch. A switch is an environment variable with the
/// prefix kSettingsPrefix:
/// - VERSION=4.2|7.1: the GPU
/// - ORDER=in-order|random: Options::order
/// - SEED=0..2^64-1: seed of order, poison and disturbance
/// - THREADS=1..256: Options::host_threads
/// - POISON=0|1: Options::poison
/// - SFU_ULP=0..4096: Options::disturbance.ulps
/// - RACES=0|1|ordered-lanes: Options::check_races, with ordered-lanes also lanes_are_ordered
/// - BOUNDS=live|job: memory that a job may access
/// - TIMESTAMPS=host|model: clock of vkCmdWriteTimestamp
/// - CPU_QUEUE=0|1: 1 if the kernel has a CPU queue; without it the driver reads indirect grids
/// - EXPLAIN=0|1: prints one line per job on stderr, and the unproven points at the end
/// - STATISTICS=FILE: file for the statistics of every job, as JSON, written at the end
/// - RECORD=FILE: file for every job with its memory before and after (job_capture.h), written at
///   the end
/// - EXECUTOR=0..2^20: inherited socket to a process that runs the jobs; without it they run here
struct Settings {
  Version version = Version::v71;
  Options options;
  Bounds bounds = Bounds::live;
  TimestampSource timestamps = TimestampSource::host;
  bool cpu_queue = true;
  bool explain = false;
  std::filesystem::path statistics;
  std::filesystem::path record;
  std::optional<int> executor;

  [[nodiscard]] Machine machine() const { return version == Version::v42 ? pi4() : pi5(); }
};

inline constexpr std::string_view kSettingsPrefix = "SIDECORE_V3DSIM_";

/// Reads the switches from `environment` (pairs of name and value) and ignores names without the
/// prefix. Throws Error (usage) for an unknown switch or a value out of range, naming both.
[[nodiscard]] Settings parse_settings(
    std::span<const std::pair<std::string, std::string>> environment);

/// Calls parse_settings() with this process's environment.
[[nodiscard]] Settings settings_from_environment();

}  // namespace sidecore::v3dsim
