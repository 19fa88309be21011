// Tests the timing model: its answers, its refusals, and its label.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "v3dsim/line_cache.h"
#include "v3dsim/model.h"
#include "v3dsim/unproven_points.h"

namespace sidecore::v3dsim::test_v3dsim_model {
namespace {

using Kind = TraceEvent::Kind;

/// GPU with one QPU and one memory unit.
Machine small_machine() {
  Machine machine = pi5();
  machine.qpus = machine.slices = 1;
  return machine;
}

/// Constants that make the expected sums simple.
ScheduleConstants round_constants() {
  ScheduleConstants constants;
  constants.request = 10;
  constants.word = 5;
  constants.line = 1;
  constants.latency = 100;
  constants.start = 0;
  constants.memory_queue = 0;
  return constants;
}

double cycles(const Machine& machine, const ScheduleConstants& constants,
              const std::vector<std::vector<Trace>>& supergroups) {
  Schedule schedule(machine, constants, 2);
  for (std::vector<Trace> threads : supergroups) schedule.supergroup(threads);
  return schedule.finish();
}

const Trace kArithmetic = {{50, Kind::end}};
/// Trace of 10 instructions with a load as the last, then a thread switch, a use of the loaded
/// word, and 20 more instructions.
const Trace kLoad = {
    {10, Kind::load, 1, 1}, {1, Kind::thread_switch}, {1, Kind::take}, {20, Kind::end}};

TEST(V3dSchedule, AQpuIssuesInFourCyclesWhateverTheThreads) {
  EXPECT_EQ(cycles(small_machine(), round_constants(), {{kArithmetic}}), 200);
  EXPECT_EQ(cycles(small_machine(), round_constants(), {{kArithmetic, kArithmetic}}), 400);
  EXPECT_EQ(cycles(small_machine(), round_constants(), {{kArithmetic, kArithmetic, kArithmetic}}),
            600)
      << "the third thread waits for a slot";
  EXPECT_EQ(cycles(pi5(), round_constants(), {{kArithmetic, kArithmetic}}), 200);
}

TEST(V3dSchedule, ALoadIsWaitedForAndAnotherThreadFillsTheTime) {
  // The word arrives 15 + 100 cycles after the request at 40, because its line is fetched. The
  // thread then issues the instruction that takes the word, and 20 more.
  EXPECT_EQ(cycles(small_machine(), round_constants(), {{kLoad}}), 40 + 115 + 4 + 80);
  // The second thread requests at 84 and has its word at 199, before the first thread ends at 239.
  EXPECT_EQ(cycles(small_machine(), round_constants(), {{kLoad, kLoad}}), 239 + 84);
  Trace cached = kLoad;
  cached.front().fetched = 0;
  EXPECT_EQ(cycles(small_machine(), round_constants(), {{cached}}), 40 + 15 + 4 + 80);
}

TEST(V3dSchedule, AMemoryUnitServesOneRequestAfterAnother) {
  const Trace stores = {
      {1, Kind::store, 4, 4}, {1, Kind::store, 4, 4}, {1, Kind::drain}, {1, Kind::end}};
  // Two stores take 10 + 4 * 5 cycles each from 4 on; the thread ends one instruction after the
  // last.
  EXPECT_EQ(cycles(small_machine(), round_constants(), {{stores}}), 4 + 30 + 30 + 4);
  ScheduleConstants slow_memory = round_constants();
  slow_memory.line = 50;
  EXPECT_EQ(cycles(small_machine(), slow_memory, {{stores}}), 4 + 200 + 200 + 4);
  // Lines that a store evicts take the memory as long as lines that it fetches.
  const Trace pushing = {{1, Kind::store, 4, 2, 2}, {1, Kind::drain}, {1, Kind::end}};
  EXPECT_EQ(cycles(small_machine(), slow_memory, {{pushing}}), 4 + 200 + 4);
  // If the queue has room for four lines, the unit accepts the second store at once.
  slow_memory.memory_queue = 4;
  EXPECT_EQ(cycles(small_machine(), slow_memory, {{stores}}), 4 + 30 + 170 + 4);
}

TEST(V3dSchedule, ThreadsAreGivenToTheSlicesInTurn) {
  Machine machine = pi5();
  machine.qpus = 4;
  machine.slices = 2;
  const Trace store = {{1, Kind::store, 4}, {1, Kind::drain}, {1, Kind::end}};
  EXPECT_EQ(cycles(machine, round_constants(), {{store, store}}), 4 + 30 + 4)
      << "each store has its own memory unit";
  EXPECT_EQ(cycles(machine, round_constants(), {{store, store, store}}), 4 + 30 + 30 + 4);
}

TEST(V3dSchedule, AFullQueueHoldsTheQpu) {
  Trace stores(5, {1, Kind::store, 1, 1});
  stores.push_back({0, Kind::end});
  EXPECT_EQ(cycles(small_machine(), round_constants(), {{stores}}), 5 * 4);
  ScheduleConstants short_queue = round_constants();
  short_queue.queue = 1;
  // The second store waits in the queue from cycle 8 on. The third store enters the queue when the
  // second leaves it at cycle 19, the fourth at 34, and the fifth at 49.
  EXPECT_EQ(cycles(small_machine(), short_queue, {{stores}}), 49);
}

TEST(V3dSchedule, SupergroupsTakeTurnsAndBarriersHoldTheirThreads) {
  EXPECT_EQ(cycles(pi5(), round_constants(), {{kArithmetic}, {kArithmetic}, {kArithmetic}}), 600);
  ScheduleConstants two = round_constants();
  two.supergroups = 2;
  EXPECT_EQ(cycles(pi5(), two, {{kArithmetic}, {kArithmetic}, {kArithmetic}}), 400);
  ScheduleConstants slow_start = round_constants();
  slow_start.start = 50;
  EXPECT_EQ(cycles(pi5(), slow_start, {{kArithmetic}, {kArithmetic}}), 2 * (50 + 200));
  const Trace late = {{100, Kind::barrier}, {1, Kind::end}};
  const Trace early = {{1, Kind::barrier}, {50, Kind::end}};
  EXPECT_EQ(cycles(pi5(), round_constants(), {{late, early}}), 400 + 200);
}

TEST(V3dModel, GivesAnIntervalAroundTheScheduleThatSaysModel) {
  Machine machine = pi5();
  machine.clock_hz = 1e9;
  const ModelConstants constants = model_constants(machine);
  Schedule schedule(machine, constants.schedule, 4);
  std::vector<Trace> threads(16, kLoad);
  schedule.supergroup(threads);
  const ModelTime time = model_time(schedule, machine, constants);
  const auto bound = [&](Bound which) { return time.bounds[static_cast<std::size_t>(which)]; };
  EXPECT_NEAR(bound(Bound::issue).low, 16 * 32 * 4 / 12.0 * 1e-9, 1e-12);
  EXPECT_NEAR(bound(Bound::tmu).high, 16 * 13 / 3.0 * 1e-9, 1e-12);
  EXPECT_NEAR(bound(Bound::memory).high, 16 * 5.2e-9, 1e-12);
  EXPECT_NEAR(bound(Bound::schedule).high / bound(Bound::schedule).low,
              constants.high_factor / constants.low_factor, 1e-9);
  EXPECT_GT(bound(Bound::schedule).high, bound(Bound::issue).high);
  EXPECT_NEAR(time.seconds.low - bound(Bound::schedule).low, 33e-6, 1e-9);
  EXPECT_EQ(describe(time).rfind("model: ", 0), 0U);
}

TEST(V3dModel, DispatchCostsMoreOnAPi4) {
  EXPECT_DOUBLE_EQ(model_constants(pi5()).dispatch_overhead_seconds, 33e-6);
  EXPECT_DOUBLE_EQ(model_constants(pi4()).dispatch_overhead_seconds, 68e-6);
}

TEST(V3dModel, GreatestBoundIsTheSchedulesUnlessAnotherOneIsGreater) {
  const Machine machine = pi5();
  const ModelConstants constants = model_constants(machine);
  ScheduleConstants two = constants.schedule;
  two.supergroups = 2;
  Schedule one(machine, constants.schedule, 4), both(machine, two, 4);
  for (int i = 0; i < 4; ++i) {
    for (Schedule* const schedule : {&one, &both}) {
      std::vector<Trace> threads(4, kLoad);
      schedule->supergroup(threads);
    }
  }
  ModelTime time = model_time(one, machine, constants);
  const Interval faster = greatest_bound(both, time, machine, constants);
  EXPECT_LT(faster.high, time.bounds[static_cast<std::size_t>(Bound::schedule)].high);
  EXPECT_GT(faster.low, 0);
  time.bounds[static_cast<std::size_t>(Bound::memory)] = {1, 2};
  Schedule nothing(machine, two, 4);
  EXPECT_EQ(greatest_bound(nothing, time, machine, constants).low, 1);
  EXPECT_EQ(greatest_bound(nothing, time, machine, constants).high, 2);
}

TEST(V3dModel, HasAnswersForDispatchesOfAnySizeAndBothBoards) {
  for (const Machine& machine : {pi5(), pi4()}) {
    const ModelConstants constants = model_constants(machine);
    EXPECT_LE(constants.high_factor, 2.5 * constants.low_factor);
    double before = 0;
    for (const std::size_t supergroups : {0U, 1U, 2U, 1000U}) {
      Schedule schedule(machine, constants.schedule, 4);
      for (std::size_t i = 0; i < supergroups; ++i) {
        std::vector<Trace> threads(1, kLoad);
        schedule.supergroup(threads);
      }
      const ModelTime time = model_time(schedule, machine, constants);
      EXPECT_GE(time.seconds.low, constants.dispatch_overhead_seconds);
      if (supergroups != 0) {
        EXPECT_GT(time.seconds.low, before);
        EXPECT_GT(time.seconds.high, time.seconds.low);
      }
      before = time.seconds.low;
    }
  }
}

TEST(V3dLineCache, KeepsWhatWasTouchedLastAndWritesBackWhatWasStored) {
  LineCache cache(2);  // a cache with two sets of 16 lines
  EXPECT_EQ(cache.touch(0, true).fetched, 1U) << "a store fetches the rest of its line";
  EXPECT_EQ(cache.touch(0, false).fetched, 0U);
  for (std::uint32_t i = 1; i < 16; ++i) EXPECT_EQ(cache.touch(2 * i, false).written, 0U);
  EXPECT_EQ(cache.touch(1, true).written, 0U) << "line 1 is in another set";
  EXPECT_EQ(cache.touch(0, false).fetched, 0U) << "line 0 is now the most recently used one";
  EXPECT_EQ(cache.touch(32, false).written, 0U) << "line 2 is evicted, and had no store";
  for (std::uint32_t i = 2; i < 16; ++i) EXPECT_EQ(cache.touch(32 + 2 * i, false).written, 0U);
  const LineCache::Moved moved = cache.touch(64, false);
  EXPECT_EQ(moved.fetched, 1U);
  EXPECT_EQ(moved.written, 1U) << "line 0 is evicted";
}

TEST(V3dUnprovenPoints, EachHasATopicAndAnAssumption) {
  EXPECT_GT(unproven_points().size(), 15U);
  std::set<std::string_view> topics;
  for (const UnprovenPoint& point : unproven_points()) {
    EXPECT_TRUE(topics.insert(point.topic).second) << point.topic;
    EXPECT_FALSE(point.assumption.empty());
  }
}

/// Returns the file's text with every sequence of blanks and line ends as one blank.
std::string flowing(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  for (std::string word; file >> word;) text += word + " ";
  return text;
}

TEST(V3dUnprovenPoints, StandInTheReadmeAndNoOthersDo) {
  const std::string readme = flowing(SIDECORE_ROOT "/bench/v3dsim/README.md");
  std::size_t listed = 0;
  for (std::size_t at = readme.find("- **"); at != std::string::npos;
       at = readme.find("- **", at + 1)) {
    ++listed;
  }
  EXPECT_EQ(listed, unproven_points().size());
  for (const UnprovenPoint& point : unproven_points()) {
    const std::string entry = fmt::format("- **{}**: {} ", point.topic, point.assumption);
    EXPECT_NE(readme.find(entry), std::string::npos) << entry;
  }
}

TEST(V3dUnprovenPoints, AreWhatTheProbesProbe) {
  std::set<std::string> topics;
  for (const UnprovenPoint& point : unproven_points()) topics.emplace(point.topic);
  std::size_t probes = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(SIDECORE_ROOT "/tests/v3dsim/probes")) {
    std::ifstream file(entry.path());
    std::string line;
    std::getline(file, line);
    const std::string prefix = "// probes: ";
    ASSERT_TRUE(line.starts_with(prefix)) << entry.path();
    EXPECT_TRUE(topics.contains(line.substr(prefix.size()))) << entry.path();
    ++probes;
  }
  EXPECT_GE(probes, 8U);
}

}  // namespace
}  // namespace sidecore::v3dsim::test_v3dsim_model
