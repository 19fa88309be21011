// What the simulated board is and how hard it tests: every switch, in one place.
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

/// What vkCmdWriteTimestamp records.
enum class TimestampSource {
  host,   ///< the clock of this machine: says how long the simulation took
  model,  ///< the modelled durations of the jobs so far, each at the middle of its interval
};

/// What a job may touch.
enum class Bounds {
  live,  ///< every live buffer, as the hardware's page tables would have it
  job,   ///< only the buffers that the driver listed for the job, as its contract with the kernel
         ///< says
};

/// One field a switch; the switches are environment variables with the prefix kSettingsPrefix:
/// VERSION=4.2|7.1          the GPU
/// ORDER=in-order|random    Options::order
/// SEED=0..2^64-1           of all that is random: order, poison, disturbance
/// THREADS=1..256           Options::host_threads
/// POISON=0|1               Options::poison
/// SFU_ULP=0..4096          Options::disturbance.ulps
/// RACES=0|1|ordered-lanes  Options::check_races, and with lanes_are_ordered
/// BOUNDS=live|job
/// TIMESTAMPS=host|model
/// CPU_QUEUE=0|1            whether the kernel offers it; else the driver reads indirect grids
/// itself EXPLAIN=0|1              a line per job on stderr, and at the end what is not proven
/// STATISTICS=FILE          statistics of every job, as JSON, written at the end
/// RECORD=FILE              every job with its memory before and after (job_capture.h), likewise
/// EXECUTOR=0..2^20         an inherited socket to a process that runs the jobs; else they run here
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

/// Reads the switches out of `environment` (pairs of name and value); names without the prefix are
/// passed over. Throws Error (usage) on an unknown switch or a value out of range, naming both.
[[nodiscard]] Settings parse_settings(
    std::span<const std::pair<std::string, std::string>> environment);

/// parse_settings() of this process's environment.
[[nodiscard]] Settings settings_from_environment();

}  // namespace sidecore::v3dsim
