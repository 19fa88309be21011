// Tests proposals for the least CPU time or energy at a picture rate: the choice of the plan, and
// the figures from playing a clip, with files in place of power sensors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "error_text.h"
#include "gates/energy_meter.h"
#include "model/some_work.h"
#include "qpu/device.h"
#include "split/propose.h"
#include "split/trial.h"
#include "temporary_directory.h"

namespace sidecore::split::test_split_aim {
namespace {

/// Returns a plan with `threads` threads that takes `seconds`, and `cpu` CPU seconds, for 100
/// pictures.
PlanResult plan_of(int threads, double seconds, double cpu) {
  return {
      model::candidate("neon", threads), false, {seconds, seconds, seconds}, {}, {cpu, cpu, cpu}};
}
Proposal proposal_for(Aim aim, double fps) {
  Proposal proposal;
  proposal.pictures = 100;
  proposal.aim = aim;
  proposal.fps = fps;
  return proposal;
}

TEST(SplitAim, TheLeastCpuTimeAmongPlansThatKeepTheRateIsProposed) {
  Proposal proposal = proposal_for(Aim::cpu, 30);
  proposal.plans = {plan_of(1, 4.0, 2.0), plan_of(2, 3.0, 3.0), plan_of(4, 2.0, 3.5)};
  choose_for_aim(proposal);
  EXPECT_EQ(proposal.best, 1U) << "one thread reaches 25 pictures/s";
  EXPECT_EQ(proposal.off_aim, "");
  EXPECT_NE(
      best_sentence(proposal).find("the least CPU time at 30 pictures/s: 30.00 ms per picture"),
      std::string::npos);
  proposal.plans[0].measured.value = 3.2;
  choose_for_aim(proposal);
  EXPECT_EQ(proposal.best, 0U) << "one thread was measured at 31 pictures/s";
}

TEST(SplitAim, WhatPlayedCountsAlone) {
  Proposal proposal = proposal_for(Aim::cpu, 30);
  proposal.plans = {plan_of(1, 2.0, 1.0), plan_of(2, 2.0, 2.0), plan_of(4, 2.0, 3.0)};
  proposal.plans[1].played = {.cpu_seconds = 0.02, .joules = {}, .pictures = 100, .missed = 2};
  proposal.plans[2].played = {.cpu_seconds = 0.03, .joules = {0.5}, .pictures = 100, .missed = 1};
  choose_for_aim(proposal);
  EXPECT_EQ(proposal.best, 2U) << "plan 1 misses too many deadlines";
  proposal.aim = Aim::energy;
  proposal.plans[1].played->missed = 0;
  choose_for_aim(proposal);
  EXPECT_EQ(proposal.best, 2U) << "only plan 2 has joules";
  proposal.plans[1].played->joules.value = 0.25;
  choose_for_aim(proposal);
  EXPECT_EQ(proposal.best, 1U);
  EXPECT_NE(best_sentence(proposal).find("the least energy at 30 pictures/s: 250.0 mJ"),
            std::string::npos);
}

TEST(SplitAim, WithoutAPlanForItTheFastestStaysAndSaysWhy) {
  Proposal proposal = proposal_for(Aim::cpu, 60);
  proposal.plans = {plan_of(1, 4.0, 2.0), plan_of(2, 3.0, 3.0)};
  proposal.best = 1;
  choose_for_aim(proposal);
  EXPECT_EQ(proposal.best, 1U);
  EXPECT_EQ(proposal.off_aim, "no plan keeps 60 pictures/s");
  EXPECT_NE(best_sentence(proposal).find("; this is only the fastest plan: no plan keeps"),
            std::string::npos);
}

class SplitAtARate : public ::testing::Test {
 protected:
  SplitAtARate() {
    std::filesystem::create_directories(root_ / "sys/class/hwmon/hwmon0");
    root_.write("sys/class/hwmon/hwmon0/name", "stand-in");
    root_.write("sys/class/hwmon/hwmon0/power1_input", "3000000");
  }
  Proposal propose_for(Aim aim, gates::EnergyMeter& meter) {
    const model::Stream stream =
        model::read_stream(std::string(SIDECORE_VP9_CORPUS) + "/alt-ref.ivf", 12, 0.5);
    ProposeOptions options;
    options.device.reason = "--no-qpu";
    options.aim = aim;
    options.fps = 20;  // a picture rate that these plans reach on any machine
    options.meter = &meter;
    return propose(stream, options);
  }
  test::TemporaryDirectory root_;
};

TEST(PlayTogether, StreamsPlayAtOnceAndThoseOnTheQpuHaveADeviceEach) {
  const model::Stream stream =
      model::read_stream(std::string(SIDECORE_VP9_CORPUS) + "/alt-ref.ivf", 12, 0.5);
  int opened = 0;
  const auto open_device = [&] {
    ++opened;
    qpu::DeviceOptions options = qpu::DeviceOptions::from_environment();
    options.selector = "cpu";
    return qpu::Device::open(options);
  };
  const std::vector<StreamPlayer> players{{&stream, model::candidate("neon")},
                                          {&stream, model::candidate("qpu")},
                                          {&stream, model::candidate("qpu")}};
  const PlayedTogether played = play_together(players, 20, open_device);
  EXPECT_EQ(opened, 2);
  ASSERT_EQ(played.streams.size(), 3U);
  const double pictures = model::totals_of(stream.rest_work()).shown;
  for (const PlayedTogether::Stream& one : played.streams) {
    EXPECT_EQ(static_cast<double>(one.pictures), pictures);
    EXPECT_LE(one.missed, one.pictures);
  }
  EXPECT_GT(played.cpu_seconds, 0);
  model::Stream damaged = stream;
  damaged.name = "'damaged.ivf'";
  std::ranges::fill(damaged.packets.back(), std::uint8_t{0});
  const std::vector<StreamPlayer> with_damage{{&stream, model::candidate("neon")},
                                              {&damaged, model::candidate("neon")}};
  const std::string error =
      test::error_text([&] { static_cast<void>(play_together(with_damage, 1000, open_device)); });
  EXPECT_TRUE(error.starts_with("'damaged.ivf': ")) << error;
}

TEST_F(SplitAtARate, PlansPlayAndTellWhatASensorSays) {
  gates::EnergyMeter meter(root_.path());
  const Proposal proposal = propose_for(Aim::energy, meter);
  EXPECT_EQ(proposal.energy_sensor, "the sensor 'stand-in' (power1_input)");
  ASSERT_EQ(proposal.plans.size(), 2U);
  for (const PlanResult& plan : proposal.plans) {
    EXPECT_GT(plan.cpu.expected, 0);
    ASSERT_TRUE(plan.played.has_value());
    EXPECT_EQ(plan.played->pictures, static_cast<std::uint64_t>(proposal.pictures));
    EXPECT_GT(plan.played->cpu_seconds, 0);
    EXPECT_GT(plan.played->joules.value.value_or(0), 0);
  }
  const Proposal read = parse_proposal(to_json(proposal), "split.json");
  EXPECT_EQ(read.aim, Aim::energy);
  EXPECT_EQ(read.fps, 20);
  EXPECT_EQ(read.energy_sensor, proposal.energy_sensor);
  EXPECT_EQ(read.off_aim, proposal.off_aim);
  ASSERT_EQ(read.plans.size(), proposal.plans.size());
  for (std::size_t index = 0; index < read.plans.size(); ++index) {
    const PlanResult& plan = proposal.plans[index];
    EXPECT_NEAR(read.plans[index].cpu.expected, plan.cpu.expected, 1e-9);
    ASSERT_EQ(read.plans[index].played.has_value(), plan.played.has_value());
    if (plan.played) {
      EXPECT_EQ(read.plans[index].played->joules.value, plan.played->joules.value);
      EXPECT_EQ(read.plans[index].played->missed, plan.played->missed);
    }
  }
}

TEST_F(SplitAtARate, ASensorThatVanishedIsNoticed) {
  gates::EnergyMeter meter(root_.path());
  std::filesystem::remove(root_ / "sys/class/hwmon/hwmon0/power1_input");
  const Proposal proposal = propose_for(Aim::energy, meter);
  for (const PlanResult& plan : proposal.plans) {
    ASSERT_TRUE(plan.played.has_value());
    EXPECT_FALSE(plan.played->joules);
  }
  EXPECT_NE(why_no_energy(proposal).find("stopped answering"), std::string::npos);
  EXPECT_NE(proposal.off_aim, "");
}

TEST(BestForPlayers, IsWhatRanBestOfWhatTheyCanFollow) {
  Proposal proposal;
  proposal.pictures = 10;
  const auto ran = [&](const model::Candidate& which, std::optional<double> seconds) {
    proposal.plans.push_back({.candidate = which, .predicted = {1, 1, 1}, .measured = {seconds}});
  };
  ran(model::candidate("neon", 2), std::nullopt);
  EXPECT_FALSE(find_best_for_players(proposal)) << "no plan ran";
  ran(model::candidate("loop_filter=divided:200", 2), 1.0);
  ran(model::candidate("loop_filter=qpu:waves", 2), 1.1);
  EXPECT_FALSE(find_best_for_players(proposal)) << "players do not accept these";
  ran(model::candidate("neon", 4), 1.5);
  ran(model::candidate("divided", 2), 1.3);
  ran(model::candidate("scalar", 4), 3.0);
  EXPECT_EQ(find_best_for_players(proposal), 4U);
  proposal.aim = Aim::cpu;
  proposal.fps = 5;
  EXPECT_FALSE(find_best_for_players(proposal)) << "no plan played";
  proposal.plans[3].played = {.cpu_seconds = 0.2, .joules = {}, .pictures = 10, .missed = 0};
  proposal.plans[4].played = {.cpu_seconds = 0.1, .joules = {}, .pictures = 10, .missed = 5};
  EXPECT_EQ(find_best_for_players(proposal), 3U) << "plan 4 misses deadlines";
}

}  // namespace
}  // namespace sidecore::split::test_split_aim
