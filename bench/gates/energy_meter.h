// What a stretch of work took in energy, where the machine has a sensor that tells.
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

/// A sensor's reading: of energy since some beginning, or of power now.
struct PowerReading {
  std::optional<std::uint64_t> microjoules;  ///< a counter
  double watts = 0;                          ///< where there is no counter
  std::string raw;         ///< all that was read: two that are equal to the last digit are one
  std::string parts = {};  ///< names of what it is the sum of; empty: of one thing
};

class PowerSensor {
 public:
  virtual ~PowerSensor() = default;
  /// What it measures, for a table's note.
  [[nodiscard]] virtual std::string description() const = 0;
  /// Nothing when it does not answer; throws nothing.
  [[nodiscard]] virtual std::optional<PowerReading> read() = 0;
  /// The value at which the counter begins anew, where that is known; else 0.
  [[nodiscard]] virtual std::uint64_t counter_range() const { return 0; }
};

using FoundPowerSensor = Outcome<std::unique_ptr<PowerSensor>>;  ///< a value is not null

/// The first of these that answers: the power chip of a Raspberry Pi 5 through the firmware's
/// mailbox (all rails that it gives volts and amperes of), a counter or a power sensor below
/// sys/class/hwmon, or volts and amperes there, the package's counter below sys/class/powercap.
/// The reason for none, a sentence without its full stop: a file of one is there and may be
/// another user's, or there is no such file. `root` is "/" except in tests.
[[nodiscard]] FoundPowerSensor find_power_sensor(const std::filesystem::path& root,
                                                 const FirmwareExchange& exchange);

/// Adds up a sensor's readings. What cannot be right makes a stretch unknown: a sensor that stops
/// answering, that adds up other parts than in the meter's first reading, that repeats its reading
/// for three seconds, or a counter that does not move at all, that goes back where nobody said at
/// which value it begins anew, that is beyond that value, or that may have begun anew more than
/// once between two readings.
class EnergyMeter {
 public:
  /// Between two readings.
  static constexpr Nanoseconds kPause{100'000'000};
  /// As long as that a reading may stay the same.
  static constexpr Nanoseconds kLongestRepetition{3'000'000'000};
  /// More than what any machine of interest takes: how soon a counter may begin anew follows.
  static constexpr double kMostWatts = 1000;

  /// Looks for a sensor once.
  explicit EnergyMeter(const std::filesystem::path& root = "/");
  explicit EnergyMeter(FoundPowerSensor sensor);

  /// What is measured, or why there is no sensor.
  [[nodiscard]] Outcome<std::string> description() const;

  /// Begins a stretch with a first reading.
  void begin(Clock::time_point now);
  void sample(Clock::time_point now);
  /// Samples after every kPause, until the thread is stopped and joined (which its end does).
  /// Throws Error (environment) when it cannot be started.
  [[nodiscard]] std::jthread watch();
  /// Ends the stretch with a last reading. Returns its joules, or why they are not known: a
  /// sentence without its full stop.
  [[nodiscard]] Outcome<double> end(Clock::time_point now);

 private:
  void fail(std::string why);
  /// What a counter has counted since the last reading.
  void add_counted(std::uint64_t microjoules, Clock::time_point now);

  FoundPowerSensor sensor_;
  std::optional<std::string> parts_;  ///< of the first reading of all stretches
  std::optional<PowerReading> last_;
  Clock::time_point last_at_{};
  Clock::time_point changed_at_{};
  double joules_ = 0;
  std::size_t readings_ = 0;
  std::string failure_;  ///< empty: none
};

}  // namespace sidecore::gates
