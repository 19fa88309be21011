#include "gates/energy_meter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"

namespace sidecore::gates {
namespace {

namespace fs = std::filesystem;

std::string line_in(const fs::path& path) {
  std::ifstream file(path);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

// The number is read as a signed one, because a stream reads "-5" into an unsigned number as 2^64 -
// 5.
std::optional<std::int64_t> signed_number_in(const fs::path& path) {
  std::ifstream file(path);
  std::int64_t number = 0;
  if (!(file >> number)) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> count_in(const fs::path& path) {
  const auto number = signed_number_in(path);
  if (!number || *number < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

/// Returns the entries of `parent` whose names begin with `prefix`, sorted by name.
std::vector<fs::path> entries(const fs::path& parent, std::string_view prefix) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().filename().native().starts_with(prefix)) found.push_back(entry->path());
  }
  std::ranges::sort(found);
  return found;
}

/// Runs a text command of the firmware through its property interface and returns the text answer.
std::optional<std::string> ask_firmware(const fs::path& mailbox, const FirmwareExchange& exchange,
                                        std::string_view command) {
  constexpr std::uint32_t kCommand = 0x00030080;
  constexpr std::size_t kTextBytes = 1024;
  // Number of words: size, state, tag, its size, its state, the result.
  constexpr std::size_t kHead = 6;
  std::array<std::uint32_t, kHead + kTextBytes / 4 + 1> message{};  // 1: the end tag
  message[0] = sizeof message;
  message[2] = kCommand;
  message[3] = kTextBytes;
  std::memcpy(message.data() + kHead, command.data(), command.size());
  if (!exchange(mailbox, message)) return std::nullopt;
  if (message[1] != kFirmwareAnswered || message[5] != 0) return std::nullopt;
  std::array<char, kTextBytes> text{};
  std::memcpy(text.data(), message.data() + kHead, kTextBytes);
  text.back() = 0;
  return std::string(text.data());
}

/// The Raspberry Pi 5's power chip. It reports each rail by two lines: "3V3_SYS_A current(1)=0.05A"
/// and "3V3_SYS_V volt(9)=3.31V".
class PmicSensor final : public PowerSensor {
 public:
  PmicSensor(fs::path mailbox, FirmwareExchange exchange)
      : mailbox_(std::move(mailbox)), exchange_(std::move(exchange)) {}

  [[nodiscard]] std::string description() const override {
    return fmt::format(
        "the board's power chip (sum of {} rails, without the chip's own loss and the consumers of "
        "5 V)",
        rails_);
  }

  [[nodiscard]] std::optional<PowerReading> read() override {
    const auto text = ask_firmware(mailbox_, exchange_, "pmic_read_adc");
    if (!text) return std::nullopt;
    std::map<std::string, double, std::less<>> amperes;
    std::map<std::string, double, std::less<>> volts;
    std::string_view rest = *text;
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      take_line(line, amperes, volts);
    }
    PowerReading reading;
    reading.raw = *text;
    std::size_t rails = 0;
    for (const auto& [rail, current] : amperes) {
      const auto voltage = volts.find(rail);
      if (voltage == volts.end()) continue;
      reading.watts += current * voltage->second;
      reading.parts += (rails == 0 ? "" : ", ") + rail;
      ++rails;
    }
    if (rails == 0) return std::nullopt;
    if (rails_ == 0) rails_ = rails;
    return reading;
  }

 private:
  static void take_line(std::string_view line, std::map<std::string, double, std::less<>>& amperes,
                        std::map<std::string, double, std::less<>>& volts) {
    const std::size_t begin = line.find_first_not_of(" \t");
    const std::size_t equals = line.find('=');
    if (begin == std::string_view::npos || equals == std::string_view::npos) return;
    const std::string_view name = line.substr(begin, line.find(' ', begin) - begin);
    if (name.size() < 3) return;
    const std::string rail(name.substr(0, name.size() - 2));
    const double value = std::strtod(std::string(line.substr(equals + 1)).c_str(), nullptr);
    if (name.ends_with("_A")) amperes[rail] = value;
    if (name.ends_with("_V")) volts[rail] = value;
  }

  fs::path mailbox_;
  FirmwareExchange exchange_;
  std::size_t rails_ = 0;  // number of power rails in the first reading
};

/// An energy counter in microjoules, read from a file.
class CounterSensor final : public PowerSensor {
 public:
  CounterSensor(fs::path file, std::uint64_t range, std::string description)
      : file_(std::move(file)), range_(range), description_(std::move(description)) {}

  [[nodiscard]] std::string description() const override { return description_; }
  [[nodiscard]] std::uint64_t counter_range() const override { return range_; }
  [[nodiscard]] std::optional<PowerReading> read() override {
    const auto value = count_in(file_);
    if (!value) return std::nullopt;
    return PowerReading{.microjoules = *value, .watts = 0, .raw = std::to_string(*value)};
  }

 private:
  fs::path file_;
  std::uint64_t range_;
  std::string description_;
};

/// A power sensor of hwmon: one file in microwatts, or two in milliamperes and millivolts.
class HwmonSensor final : public PowerSensor {
 public:
  HwmonSensor(fs::path power, std::string description)
      : power_(std::move(power)), description_(std::move(description)) {}
  HwmonSensor(fs::path current, fs::path voltage, std::string description)
      : current_(std::move(current)),
        voltage_(std::move(voltage)),
        description_(std::move(description)) {}

  [[nodiscard]] std::string description() const override { return description_; }
  [[nodiscard]] std::optional<PowerReading> read() override {
    if (!power_.empty()) {
      const auto microwatts = count_in(power_);
      if (!microwatts) return std::nullopt;
      return PowerReading{.microjoules = {},
                          .watts = static_cast<double>(*microwatts) * 1e-6,
                          .raw = std::to_string(*microwatts)};
    }
    // The current is read as signed, because a shunt resistor wired in reverse gives a negative
    // one.
    const auto milliamperes = signed_number_in(current_);
    const auto millivolts = signed_number_in(voltage_);
    if (!milliamperes || !millivolts) return std::nullopt;
    return PowerReading{
        .microjoules = {},
        .watts =
            std::abs(static_cast<double>(*milliamperes) * static_cast<double>(*millivolts)) * 1e-6,
        .raw = fmt::format("{} {}", *milliamperes, *millivolts)};
  }

 private:
  fs::path power_, current_, voltage_;
  std::string description_;
};

std::unique_ptr<PowerSensor> in_hwmon(const fs::path& device) {
  const std::string name = line_in(device / "name");
  const auto about = [&](const fs::path& file) {
    return fmt::format("the sensor '{}' ({})", name, file.filename().native());
  };
  std::error_code error;
  for (const fs::path& file : entries(device, "energy")) {
    if (file.native().ends_with("_input") && count_in(file)) {
      return std::make_unique<CounterSensor>(file, 0, about(file));
    }
  }
  for (const char* const suffix : {"_input", "_average"}) {
    for (const fs::path& file : entries(device, "power")) {
      if (file.native().ends_with(suffix) && count_in(file)) {
        return std::make_unique<HwmonSensor>(file, about(file));
      }
    }
  }
  const fs::path current = device / "curr1_input";
  const fs::path voltage = device / "in1_input";
  if (signed_number_in(current) && signed_number_in(voltage)) {
    return std::make_unique<HwmonSensor>(current, voltage,
                                         fmt::format("the sensor '{}' (curr1 times in1)", name));
  }
  return nullptr;
}

std::string why_no_power_sensor(const fs::path& root) {
  std::vector<fs::path> silent{root / "dev/vcio"};
  for (const fs::path& zone : entries(root / "sys/class/powercap", "")) {
    if (line_in(zone / "name") == "package-0") silent.push_back(zone / "energy_uj");
  }
  for (const fs::path& file : silent) {
    std::error_code error;
    if (!fs::exists(file, error)) continue;
    return fmt::format(
        "{} exists, but this user cannot read energy or power from it; root may be able to",
        file.native());
  }
  return "no power sensor was found that this program can read";
}

}  // namespace

FoundPowerSensor find_power_sensor(const fs::path& root, const FirmwareExchange& exchange) {
  auto pmic = std::make_unique<PmicSensor>(root / "dev/vcio", exchange);
  if (pmic->read()) return {std::move(pmic)};
  for (const fs::path& device : entries(root / "sys/class/hwmon", "hwmon")) {
    if (auto sensor = in_hwmon(device)) return {std::move(sensor)};
  }
  for (const fs::path& zone : entries(root / "sys/class/powercap", "")) {
    if (line_in(zone / "name") != "package-0" || !count_in(zone / "energy_uj")) continue;
    return {std::make_unique<CounterSensor>(zone / "energy_uj",
                                            count_in(zone / "max_energy_range_uj").value_or(0),
                                            "the processor's package")};
  }
  return FoundPowerSensor::none(why_no_power_sensor(root));
}

EnergyMeter::EnergyMeter(const fs::path& root)
    : EnergyMeter(find_power_sensor(root, exchange_with_firmware)) {}

EnergyMeter::EnergyMeter(FoundPowerSensor sensor) : sensor_(std::move(sensor)) {}

Outcome<std::string> EnergyMeter::description() const {
  if (!sensor_) return Outcome<std::string>::none(sensor_.reason);
  return {(*sensor_)->description()};
}

void EnergyMeter::fail(std::string why) {
  if (failure_.empty()) failure_ = std::move(why);
}

void EnergyMeter::begin(Clock::time_point now) {
  joules_ = 0;
  readings_ = 0;
  failure_.clear();
  last_.reset();
  if (!sensor_) return fail(sensor_.reason);
  sample(now);
}

void EnergyMeter::sample(Clock::time_point now) {
  if (!sensor_ || !failure_.empty()) return;
  std::optional<PowerReading> reading = (*sensor_)->read();
  if (!reading) {
    return fail(fmt::format("{} stopped answering after {} readings", (*sensor_)->description(),
                            readings_));
  }
  ++readings_;
  // The set of rails must not change, because a missing rail would look like saved power.
  if (!parts_) parts_ = reading->parts;
  if (reading->parts != *parts_) {
    return fail(fmt::format("{} changed: it now sums the rails {}, before {}",
                            (*sensor_)->description(), reading->parts, *parts_));
  }
  if (last_) {
    if (reading->microjoules) {
      add_counted(*reading->microjoules, now);
      if (!failure_.empty()) return;
    } else {
      joules_ += (last_->watts + reading->watts) / 2 * seconds(now - last_at_);
    }
    if (reading->raw != last_->raw) {
      changed_at_ = now;
    } else if (now - changed_at_ > kLongestRepetition) {
      return fail(fmt::format("{} has repeated one reading for {:.1f} s", (*sensor_)->description(),
                              seconds(now - changed_at_)));
    }
  } else {
    changed_at_ = now;
  }
  last_ = std::move(reading);
  last_at_ = now;
}

void EnergyMeter::add_counted(std::uint64_t microjoules, Clock::time_point now) {
  const std::uint64_t range = (*sensor_)->counter_range();
  const std::uint64_t last = *last_->microjoules;
  if (range != 0) {
    if (std::max(microjoules, last) > range) {
      return fail(fmt::format("the energy counter of {} exceeds its wrap-around value",
                              (*sensor_)->description()));
    }
    const double shortest_turn = static_cast<double>(range) * 1e-6 / kMaxWatts;
    const double apart = seconds(now - last_at_);
    if (apart >= shortest_turn) {
      return fail(fmt::format(
          "the energy counter of {} may have wrapped around more than once in the {:.1f} s "
          "between two readings",
          (*sensor_)->description(), apart));
    }
  } else if (microjoules < last) {
    return fail(
        fmt::format("the energy counter of {} decreased, and its wrap-around value is unknown",
                    (*sensor_)->description()));
  }
  const std::uint64_t more = microjoules >= last ? microjoules - last : range - last + microjoules;
  joules_ += static_cast<double>(more) * 1e-6;
}

std::jthread EnergyMeter::watch() {
  try {
    return std::jthread([this](const std::stop_token& stop) {
      std::mutex mutex;
      std::condition_variable_any stopped;
      std::unique_lock lock(mutex);
      while (!stop.stop_requested()) {
        stopped.wait_for(lock, stop, kPause, [] { return false; });
        sample(Clock::now());
      }
    });
  } catch (const std::system_error& error) {
    throw environment_error("cannot start a thread: {}", error.what());
  }
}

Outcome<double> EnergyMeter::end(Clock::time_point now) {
  sample(now);
  // The counter must change, because every period takes energy. A counter that does not change is
  // not incremented by hardware, as in a virtual machine. Without this check a period shorter than
  // kLongestRepetition would take 0 J.
  if (failure_.empty() && last_->microjoules && joules_ == 0) {
    fail(fmt::format("the energy counter of {} did not change", (*sensor_)->description()));
  }
  if (!failure_.empty()) return Outcome<double>::none(failure_);
  return {joules_};
}

}  // namespace sidecore::gates
