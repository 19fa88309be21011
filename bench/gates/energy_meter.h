// Energy that a period of work took, on machines with a power sensor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/outcome.h"
#include "gates/firmware_mailbox.h"

namespace sidecore::gates {

/// One reading of a sensor: the energy since an arbitrary start, or the present power.
struct PowerReading {
  std::optional<std::uint64_t> microjoules;  ///< value of an energy counter
  double watts = 0;                          ///< present power, if there is no counter
  std::string raw;         ///< text that was read; equal texts mean a repeated reading
  std::string parts = {};  ///< names of the summed power rails; empty for a single value
};

class PowerSensor {
 public:
  virtual ~PowerSensor() = default;
  /// Returns what the sensor measures, for a note below a table.
  [[nodiscard]] virtual std::string description() const = 0;
  /// Reads the sensor. Returns nothing if the sensor does not answer. Does not throw.
  [[nodiscard]] virtual std::optional<PowerReading> read() = 0;
  /// Returns the value after which the counter wraps around to 0; 0 if that is unknown.
  [[nodiscard]] virtual std::uint64_t counter_range() const { return 0; }
};

/// A power sensor, never null, or the reason why there is none.
using FoundPowerSensor = Outcome<std::unique_ptr<PowerSensor>>;

/// Returns the first of these sensors that answers:
/// - the power chip of a Raspberry Pi 5, through the firmware's mailbox: the sum of all rails whose
///   volts and amperes it reports;
/// - below sys/class/hwmon, an energy counter, a power sensor, or a pair of volts and amperes;
/// - the CPU package's energy counter below sys/class/powercap.
/// Otherwise the reason, without a full stop, says whether a sensor's file exists that this user
/// cannot read. `root` is "/" except in tests.
[[nodiscard]] FoundPowerSensor find_power_sensor(const std::filesystem::path& root,
                                                 const FirmwareExchange& exchange);

/// Adds up the readings of a sensor. A period's energy is unknown if the sensor
/// - stops answering,
/// - sums other power rails than in the meter's first reading,
/// - repeats one reading for longer than kLongestRepetition.
/// The energy is also unknown if the sensor's counter
/// - does not change,
/// - decreases although its range is unknown, or exceeds its range,
/// - may have wrapped around more than once between two readings.
class EnergyMeter {
 public:
  /// Time between two readings.
  static constexpr Nanoseconds kPause{100'000'000};
  /// Longest time for which a reading may stay unchanged.
  static constexpr Nanoseconds kLongestRepetition{3'000'000'000};
  /// Upper bound of a machine's power. It gives the shortest time in which a counter can wrap
  /// around.
  static constexpr double kMaxWatts = 1000;

  /// Searches for a sensor of energy or power under `root`, which is "/" except in tests. Later
  /// calls do not search again.
  explicit EnergyMeter(const std::filesystem::path& root = "/");
  explicit EnergyMeter(FoundPowerSensor sensor);

  /// Returns what the sensor measures, or the reason why there is none.
  [[nodiscard]] Outcome<std::string> description() const;

  /// Starts a period with a first reading.
  void begin(Clock::time_point now);
  void sample(Clock::time_point now);
  /// Starts a thread that calls sample() every kPause; its destructor stops it. Throws Error
  /// (environment) if the thread cannot be started.
  [[nodiscard]] std::jthread watch();
  /// Ends the period with a last reading. Returns its energy in joules, or the reason why it is
  /// unknown, without a full stop.
  [[nodiscard]] Outcome<double> end(Clock::time_point now);

 private:
  void fail(std::string why);
  /// Adds the energy that the counter has counted since the last reading.
  void add_counted(std::uint64_t microjoules, Clock::time_point now);

  FoundPowerSensor sensor_;
  std::optional<std::string> parts_;  ///< PowerReading::parts of the meter's first reading
  std::optional<PowerReading> last_;
  Clock::time_point last_at_{};
  Clock::time_point changed_at_{};
  double joules_ = 0;
  std::size_t readings_ = 0;
  std::string failure_;  ///< reason why the period's energy is unknown; empty: it is known
};

}  // namespace sidecore::gates
