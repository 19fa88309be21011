// Tests of power sensors and of EnergyMeter with simulated sensors: the sensor that is found, the
// sums, the faults.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gates/energy_meter.h"
#include "temporary_directory.h"

namespace sidecore::gates::test_energy_meter {
namespace {

namespace fs = std::filesystem;

bool no_firmware(const fs::path& /*device*/, std::span<std::uint32_t> /*message*/) {
  return false;
}

/// Returns a firmware that answers the power chip's command with this text.
FirmwareExchange firmware(const std::string& text) {
  return [text](const fs::path& /*device*/, std::span<std::uint32_t> message) {
    const auto* const command = reinterpret_cast<const char*>(message.data() + 6);
    if (message[2] != 0x00030080 || message[3] != 1024 || message[0] != message.size_bytes() ||
        std::string(command) != "pmic_read_adc") {
      return false;
    }
    message[1] = kFirmwareAnswered;
    std::memcpy(message.data() + 6, text.c_str(), text.size() + 1);
    return true;
  };
}

class PowerSensors : public ::testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    const fs::path file = root_.path() / path;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text << "\n";
  }
  FoundPowerSensor look(const FirmwareExchange& exchange = no_firmware) {
    return find_power_sensor(root_.path(), exchange);
  }
  std::unique_ptr<PowerSensor> find(const FirmwareExchange& exchange = no_firmware) {
    return look(exchange).value.value_or(nullptr);
  }
  test::TemporaryDirectory root_;
};

TEST_F(PowerSensors, AreNoneOnMostMachines) {
  EXPECT_EQ(find(), nullptr);
  write("sys/class/hwmon/hwmon0/name", "cpu_thermal");
  write("sys/class/hwmon/hwmon0/temp1_input", "51000");
  write("sys/class/hwmon/hwmon1/name", "rpi_volt");
  write("sys/class/hwmon/hwmon1/in0_lcrit_alarm", "0");
  EXPECT_EQ(find(), nullptr);
}

TEST_F(PowerSensors, AreNamedWhereTheyAreThereAndTellNothing) {
  EXPECT_EQ(look().reason, "no power sensor was found that this program can read");
  write("sys/class/powercap/intel-rapl:0/name", "package-0");
  write("sys/class/powercap/intel-rapl:0/energy_uj", "");
  EXPECT_NE(look().reason.find("intel-rapl:0/energy_uj exists, but this user cannot read"),
            std::string::npos);
  write("dev/vcio", "");
  EXPECT_NE(look().reason.find("dev/vcio exists, but this user cannot read"), std::string::npos);
  EnergyMeter meter(root_.path());
  meter.begin({});
  EXPECT_EQ(meter.end({}).reason, look().reason);
}

TEST_F(PowerSensors, ThePowerChipsRailsAreVoltsTimesAmperes) {
  const auto sensor =
      find(firmware(" 3V3_SYS_A current(1)=0.50000000A\n VDD_CORE_A current(7)=2.00000000A\n"
                    " LONELY_A current(9)=7.00000000A\n 3V3_SYS_V volt(9)=3.30000000V\n"
                    " VDD_CORE_V volt(15)=0.90000000V\n EXT5V_V volt(24)=5.10000000V\n"));
  ASSERT_NE(sensor, nullptr);
  const auto reading = sensor->read();
  ASSERT_TRUE(reading.has_value());
  EXPECT_FALSE(reading->microjoules.has_value());
  EXPECT_NEAR(reading->watts, 0.5 * 3.3 + 2.0 * 0.9, 1e-9);
  EXPECT_NE(sensor->description().find("2 rails"), std::string::npos);
  EXPECT_EQ(find(firmware("error=1 error_msg=\"Command not registered\"")), nullptr);
}

TEST_F(PowerSensors, ARailThatVanishesOrComesIsNoticed) {
  const std::string core = "VDD_CORE_A current(7)=2.0A\nVDD_CORE_V volt(15)=0.9V\n";
  const std::string both = core + "3V3_SYS_A current(1)=0.5A\n3V3_SYS_V volt(9)=3.3V\n";
  for (const auto& [first, second, because] :
       {std::array{both, core,
                   std::string("sum of 2 rails, without the chip's own loss and the consumers of 5 "
                               "V) changed: it now sums the rails VDD_CORE, before "
                               "3V3_SYS, VDD_CORE")},
        std::array{core, both,
                   std::string("now sums the rails 3V3_SYS, VDD_CORE, before VDD_CORE")},
        // A rail without its voltage counts as missing.
        std::array{both, core + "3V3_SYS_A current(1)=0.5A\n",
                   std::string("sums the rails VDD_CORE,")}}) {
    auto text = std::make_shared<std::string>(first);
    EnergyMeter meter(look([text](const fs::path& device, std::span<std::uint32_t> message) {
      return firmware(*text)(device, message);
    }));
    meter.begin(Clock::time_point{});
    EXPECT_TRUE(meter.end(Clock::time_point(std::chrono::seconds(1))));
    meter.begin(Clock::time_point(std::chrono::seconds(2)));
    *text = second;
    const Outcome<double> energy = meter.end(Clock::time_point(std::chrono::seconds(3)));
    EXPECT_FALSE(energy);
    EXPECT_NE(energy.reason.find(because), std::string::npos) << energy.reason;
    // A period that starts after the change is not comparable either.
    meter.begin(Clock::time_point(std::chrono::seconds(4)));
    EXPECT_FALSE(meter.end(Clock::time_point(std::chrono::seconds(5))));
  }
}

TEST_F(PowerSensors, OfSeveralTheFirstByNameIsReadAndNamed) {
  for (const char* const device : {"hwmon1", "hwmon3"}) {
    const std::string folder = std::string("sys/class/hwmon/") + device;
    write(folder + "/name", std::string("of ") + device);
    write(folder + "/power1_input", "1000000");
  }
  EXPECT_EQ(find()->description(), "the sensor 'of hwmon1' (power1_input)");
  write("sys/class/hwmon/hwmon3/energy1_input", "7");
  EXPECT_EQ(find()->description(), "the sensor 'of hwmon1' (power1_input)");
}

TEST_F(PowerSensors, HwmonIsReadAsWhatItsFilesSay) {
  write("sys/class/powercap/intel-rapl:0/name", "package-0");
  write("sys/class/powercap/intel-rapl:0/energy_uj", "1000");
  write("sys/class/powercap/intel-rapl:0/max_energy_range_uj", "262143328850");
  EXPECT_EQ(find()->counter_range(), 262143328850U);
  EXPECT_EQ(find()->read()->microjoules, 1000U);
  write("sys/class/hwmon/hwmon2/name", "ina219");
  write("sys/class/hwmon/hwmon2/curr1_input", "800");
  write("sys/class/hwmon/hwmon2/in1_input", "5100");
  EXPECT_NEAR(find()->read()->watts, 0.8 * 5.1, 1e-9);
  write("sys/class/hwmon/hwmon2/curr1_input", "-800");
  EXPECT_NEAR(find()->read()->watts, 0.8 * 5.1, 1e-9) << "a shunt resistor wired in reverse";
  write("sys/class/hwmon/hwmon2/power1_input", "4100000");
  EXPECT_NEAR(find()->read()->watts, 4.1, 1e-9);
  write("sys/class/hwmon/hwmon2/energy1_input", "77");
  EXPECT_EQ(find()->read()->microjoules, 77U);
  EXPECT_EQ(find()->description(), "the sensor 'ina219' (energy1_input)");
}

/// Returns the given readings, then none.
class Scripted final : public PowerSensor {
 public:
  Scripted(std::vector<PowerReading> readings, std::uint64_t range)
      : readings_(std::move(readings)), range_(range) {}
  [[nodiscard]] std::string description() const override { return "the stand-in"; }
  [[nodiscard]] std::uint64_t counter_range() const override { return range_; }
  [[nodiscard]] std::optional<PowerReading> read() override {
    if (next_ == readings_.size()) return std::nullopt;
    return readings_[next_++];
  }

 private:
  std::vector<PowerReading> readings_;
  std::uint64_t range_;
  std::size_t next_ = 0;
};

PowerReading watts(double power) {
  return {.microjoules = {}, .watts = power, .raw = fmt::format("{}", power)};
}
PowerReading counted(std::uint64_t microjoules) {
  return {.microjoules = microjoules, .watts = 0, .raw = std::to_string(microjoules)};
}

/// Measures a period with a reading every half second; end() takes the last one.
Outcome<double> measure(std::vector<PowerReading> readings, std::size_t taken,
                        std::uint64_t range = 0) {
  EnergyMeter meter(FoundPowerSensor{std::make_unique<Scripted>(std::move(readings), range)});
  Clock::time_point now{};
  meter.begin(now);
  for (std::size_t index = 2; index < taken; ++index) {
    meter.sample(now += std::chrono::milliseconds(500));
  }
  return meter.end(now + std::chrono::milliseconds(500));
}

TEST(EnergyMeter, AddsUpPowerOverTime) {
  const Outcome<double> energy = measure({watts(2), watts(4), watts(3)}, 3);
  ASSERT_TRUE(energy) << energy.reason;
  EXPECT_NEAR(*energy, 0.5 * 3 + 0.5 * 3.5, 1e-12);
}

TEST(EnergyMeter, TakesDifferencesOfCountersAlsoWhereTheyBeginAnew) {
  EXPECT_NEAR(*measure({counted(100), counted(700), counted(1'000'100)}, 3), 1.0, 1e-12);
  const Outcome<double> wrapped =
      measure({counted(999'999'900), counted(999'999'990), counted(40)}, 3, 1'000'000'000);
  ASSERT_TRUE(wrapped) << wrapped.reason;
  EXPECT_NEAR(*wrapped, 140e-6, 1e-12);
  const Outcome<double> back = measure({counted(900), counted(40)}, 2);
  EXPECT_FALSE(back);
  EXPECT_NE(back.reason.find("decreased"), std::string::npos);
}

TEST(EnergyMeter, NoticesACounterThatMayHaveBegunAnewMoreThanOnce) {
  // The limit is exceeded, because half a second at 1000 W is only 500 J.
  const std::vector<PowerReading> readings{counted(900), counted(990)};
  EXPECT_TRUE(measure(readings, 2, 500'000'001));
  const Outcome<double> energy = measure(readings, 2, 500'000'000);
  EXPECT_FALSE(energy);
  EXPECT_EQ(energy.reason,
            "the energy counter of the stand-in may have wrapped around more than once in the 0.5 "
            "s between two readings");
}

TEST(EnergyMeter, NoticesACounterBeyondItsRange) {
  for (const auto& readings : {std::vector{counted(1'000'000'001), counted(40)},
                               std::vector{counted(40), counted(1'000'000'001)}}) {
    const Outcome<double> energy = measure(readings, 2, 1'000'000'000);
    EXPECT_FALSE(energy);
    EXPECT_EQ(energy.reason, "the energy counter of the stand-in exceeds its wrap-around value");
  }
}

TEST(EnergyMeter, NoticesACounterThatNobodyCounts) {
  const Outcome<double> energy = measure({counted(0), counted(0), counted(0)}, 3, 1'000'000'000);
  EXPECT_FALSE(energy);
  EXPECT_EQ(energy.reason, "the energy counter of the stand-in did not change");
}

TEST(EnergyMeter, NoticesASensorThatVanishes) {
  const Outcome<double> energy = measure({watts(2), watts(3)}, 4);
  EXPECT_FALSE(energy);
  EXPECT_EQ(energy.reason, "the stand-in stopped answering after 2 readings");
}

TEST(EnergyMeter, NoticesASensorThatRepeatsItself) {
  std::vector<PowerReading> readings(7, watts(2));
  EXPECT_TRUE(measure(readings, 7)) << "three seconds are allowed";
  readings.push_back(watts(2));
  const Outcome<double> stuck = measure(readings, 8);
  EXPECT_FALSE(stuck);
  EXPECT_EQ(stuck.reason, "the stand-in has repeated one reading for 3.5 s");
  readings[4] = watts(2.5);
  EXPECT_TRUE(measure(readings, 8));
}

TEST(EnergyMeter, SaysThatThereIsNoSensorAndBeginsAnew) {
  EnergyMeter none(FoundPowerSensor::none("there is no sensor"));
  none.begin({});
  EXPECT_EQ(none.end({}).reason, "there is no sensor");
  EnergyMeter meter(FoundPowerSensor{std::make_unique<Scripted>(
      std::vector{counted(9), counted(5), counted(10), counted(20)}, 0)});
  meter.begin({});
  EXPECT_FALSE(meter.end(Clock::time_point(std::chrono::seconds(1))));
  meter.begin(Clock::time_point(std::chrono::seconds(2)));
  EXPECT_NEAR(*meter.end(Clock::time_point(std::chrono::seconds(3))), 10e-6, 1e-15);
}

}  // namespace
}  // namespace sidecore::gates::test_energy_meter
