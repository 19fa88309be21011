// What the simulated board is and how hard it tests: every switch, in one place.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace sidecore::v3dsim {

enum class BoardVersion {
  v42,  ///< V3D 4.2.14, Raspberry Pi 4
  v71,  ///< V3D 7.1.7, Raspberry Pi 5
};

/// In which order supergroups start and threads take turns at thread switches.
enum class ScheduleOrder { in_order, random };

/// What vkCmdWriteTimestamp records.
enum class TimestampSource {
  host,   ///< the clock of this machine: says how long the simulation took
  model,  ///< the sum of the modelled durations of the jobs before it
};

/// One field a switch; the switches are environment variables with the prefix kSettingsPrefix.
struct Settings {
  BoardVersion version = BoardVersion::v71;       ///< VERSION=4.2|7.1
  std::uint64_t seed = 1;                         ///< SEED=0..2^64-1, of all that is random here
  ScheduleOrder order = ScheduleOrder::in_order;  ///< ORDER=in-order|random
  unsigned sfu_ulp = 0;                           ///< SFU_ULP=0..4096: reciprocals etc. disturbed
  bool poison = false;                            ///< POISON=0|1: noise where nothing is defined
  bool races = false;                             ///< RACES=0|1: report data races
  unsigned threads = 1;                           ///< THREADS=1..256 of the host
  TimestampSource timestamps = TimestampSource::host;  ///< TIMESTAMPS=host|model
  bool cpu_queue = true;                               ///< CPU_QUEUE=0|1: kernel offers SUBMIT_CPU
  bool explain = false;                                ///< EXPLAIN=0|1: a line a job on stderr
  std::filesystem::path statistics;                    ///< STATISTICS=file.json, written at exit
};

inline constexpr std::string_view kSettingsPrefix = "SIDECORE_V3DSIM_";

/// Reads the switches out of `environment` (pairs of name and value); names without the prefix are
/// passed over. Throws Error (usage) on an unknown switch or a value out of range, naming both.
[[nodiscard]] Settings parse_settings(
    std::span<const std::pair<std::string, std::string>> environment);

/// parse_settings() of this process's environment.
[[nodiscard]] Settings settings_from_environment();

}  // namespace sidecore::v3dsim
