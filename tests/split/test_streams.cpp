// Several streams on one machine: which plan each gets, which fit, and how many. All values are
// computed by hand.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/some_work.h"
#include "split/proposal.h"
#include "split/streams.h"

namespace sidecore::split::test_streams {
namespace {

using model::Estimate;

/// Returns a plan that takes these milliseconds per picture, half of them at the low end and twice
/// as many at the high end.
StreamPlan plan_of(const char* plan, double cpu, double qpu, double memory_bytes = 0) {
  const auto around = [](double ms) { return Estimate{ms * 0.5e-3, ms * 1e-3, ms * 2e-3}; };
  return {model::candidate(plan), true, around(cpu), around(qpu), memory_bytes};
}

/// Returns a stream that takes 20 ms of CPU time per picture, or 4 ms and 30 of the QPU.
StreamChoices some_stream(const std::string& name) {
  return {name, plan_of("neon", 20, 0), plan_of("qpu", 4, 30)};
}

std::vector<std::string> plans_of(const std::vector<StreamShare>& shares) {
  std::vector<std::string> plans;
  for (const StreamShare& share : shares) plans.push_back(vp9::to_text(share.plan.candidate.plan));
  return plans;
}

TEST(Streams, GetTheQpuWhereItSavesMostAsLongAsItHasTime) {
  const Capacity capacity{.cores = 4, .qpu = 1};
  // At 15 pictures per second a stream takes 45 % of the QPU, so it serves two.
  std::vector<StreamChoices> streams{some_stream("a"), some_stream("b"), some_stream("c")};
  EXPECT_EQ(plans_of(share_out(streams, 15, capacity, &Estimate::expected)),
            (std::vector<std::string>{"qpu", "qpu", "neon"}));
  // c saves 26 ms of the CPU for 30 of the QPU, the others 16.
  streams[2].without_qpu.cpu.expected = 30e-3;
  EXPECT_EQ(plans_of(share_out(streams, 15, capacity, &Estimate::expected)),
            (std::vector<std::string>{"qpu", "neon", "qpu"}));
  streams[0].on_qpu.reset();
  EXPECT_EQ(plans_of(share_out(streams, 15, capacity, &Estimate::expected)),
            (std::vector<std::string>{"neon", "qpu", "qpu"}));
}

TEST(Streams, StayOnNeonWhereTheQpuWouldMoveTooManyBytes) {
  std::vector<StreamChoices> streams(2, some_stream("a"));
  for (StreamChoices& stream : streams) {
    stream.without_qpu.memory_bytes = 10e6;
    stream.on_qpu->memory_bytes = 50e6;
  }
  // Two streams move 300 MB per second with both on NEON, 900 with one on the QPU, 1500 with both.
  const auto shares = [&](double bytes) {
    return share_out(streams, 15, {.cores = 4, .qpu = 1, .memory_bytes_per_second = bytes},
                     &Estimate::expected);
  };
  EXPECT_EQ(plans_of(shares(1000e6)), (std::vector<std::string>{"qpu", "neon"}));
  EXPECT_TRUE(shares(1000e6)[1].fits);
  EXPECT_EQ(plans_of(shares(1500e6)), (std::vector<std::string>{"qpu", "qpu"}));
  EXPECT_EQ(plans_of(shares(800e6)), (std::vector<std::string>{"neon", "neon"}));
}

TEST(Streams, FitAsLongAsEveryResourceIsEnough) {
  const std::vector<StreamChoices> streams(3, {"a", plan_of("neon", 20, 0, 1e6), {}});
  const auto fitting = [&](const Capacity& capacity, double fps) {
    std::vector<bool> fits;
    for (const StreamShare& share : share_out(streams, fps, capacity, &Estimate::expected)) {
      fits.push_back(share.fits);
    }
    return fits;
  };
  using Fits = std::vector<bool>;
  // A stream takes 0.5 cores at 25 pictures per second.
  EXPECT_EQ(fitting({.cores = 1.5, .qpu = 0}, 25), (Fits{true, true, true}));
  EXPECT_EQ(fitting({.cores = 1.4, .qpu = 0}, 25), (Fits{true, true, false}));
  EXPECT_EQ(fitting({.cores = 0.4, .qpu = 0}, 25), (Fits{false, false, false}));
  // Each moves 25 MB per second.
  EXPECT_EQ(fitting({.cores = 4, .qpu = 0, .memory_bytes_per_second = 60e6}, 25),
            (Fits{true, true, false}));
  // A cheap stream still fits after one that does not.
  std::vector<StreamChoices> mixed{{"a", plan_of("neon", 30, 0), {}},
                                   {"b", plan_of("neon", 20, 0), {}},
                                   {"c", plan_of("neon", 4, 0), {}}};
  const auto shares = share_out(mixed, 25, {.cores = 1, .qpu = 0}, &Estimate::expected);
  EXPECT_TRUE(shares[0].fits);
  EXPECT_FALSE(shares[1].fits) << "0.75 and 0.5 cores";
  EXPECT_TRUE(shares[2].fits) << "0.75 and 0.1 cores";
  mixed[2].without_qpu.keeps_rate = false;
  EXPECT_FALSE(share_out(mixed, 25, {.cores = 1, .qpu = 0}, &Estimate::expected)[2].fits);
}

TEST(Streams, AreCountedInTurnAtBothEndsOfTheirCosts) {
  const std::vector<StreamChoices> one{some_stream("a")};
  const Capacity capacity{.cores = 4, .qpu = 1};
  // Two streams on the QPU take 0.12 cores. Each other one takes 0.3: 3.88 / 0.3 = 12.9.
  const StreamsAnswer answer = answer_for(one, 15, capacity);
  EXPECT_EQ(answer.expected, 14U);
  // Low end: 4 on the QPU (22.5 % each) take 0.12, others 0.15: 3.88 / 0.15 = 25.9.
  EXPECT_EQ(answer.most, 29U);
  // High end: one on the QPU (90 %) takes 0.12, others 0.6: 3.88 / 0.6 = 6.5.
  EXPECT_EQ(answer.fewest, 7U);
  EXPECT_EQ(answer.limit, "the CPU");
  EXPECT_NEAR(answer.sum(&StreamPlan::cpu).expected, 0.06, 1e-9);
  EXPECT_NEAR(answer.sum(&StreamPlan::qpu).high, 0.9, 1e-9);
  // A cheap and an expensive stream in turn, 0.1 and 0.9 cores: after three rounds, a cheap one.
  const std::vector<StreamChoices> two{{"a", plan_of("neon", 4, 0), {}},
                                       {"b", plan_of("neon", 36, 0), {}}};
  EXPECT_EQ(count_fitting(two, 25, {.cores = 3.5, .qpu = 0}, &Estimate::expected), 7U);
  EXPECT_EQ(answer_for(two, 25, {.cores = 3.5, .qpu = 0}).limit, "the CPU");
  const std::vector<StreamChoices> moving{{"a", plan_of("neon", 4, 0, 1e6), {}}};
  const Capacity slow{.cores = 4, .qpu = 0, .memory_bytes_per_second = 60e6};
  EXPECT_EQ(answer_for(moving, 25, slow).limit, "the memory");
  EXPECT_EQ(answer_for(moving, 25, slow).expected, 2U);
  const std::vector<StreamChoices> none{{"a", plan_of("neon", 0, 0), {}}};
  EXPECT_EQ(count_fitting(none, 25, {.cores = 1, .qpu = 0}, &Estimate::expected), kMaxStreams);
  EXPECT_EQ(answer_for(none, 25, {.cores = 1, .qpu = 0}).limit, "nothing");
}

TEST(Streams, ChooseFromAProposalsPlansThatKeepTheRate) {
  Proposal proposal;
  proposal.stream = "'a.webm'";
  proposal.pictures = 100;
  proposal.aim = Aim::cpu;
  proposal.fps = 30;
  const auto add = [&](const char* plan, int threads, double seconds, double cpu, double qpu) {
    PlanResult& result = proposal.plans.emplace_back();
    result.candidate = model::candidate(plan, threads);
    result.predicted = {seconds, seconds, seconds};
    result.cpu = {cpu / 2, cpu, 2 * cpu};
    result.qpu = {qpu, qpu, qpu};
  };
  add("neon", 1, 4, 2, 0);  // 25 pictures per second
  add("neon", 2, 2, 2.5, 0);
  add("qpu", 1, 3, 1, 2.5);
  StreamChoices choices = choices_of(proposal);
  EXPECT_EQ(choices.without_qpu.candidate, model::candidate("neon", 2));
  EXPECT_EQ(choices.without_qpu.cpu, (Estimate{12.5e-3, 25e-3, 50e-3}));
  ASSERT_TRUE(choices.on_qpu);
  EXPECT_NEAR(choices.on_qpu->qpu.expected, 25e-3, 1e-12);
  // A plan on the QPU that saves nothing is no choice.
  proposal.plans[2].cpu.expected = 2.6;
  EXPECT_FALSE(choices_of(proposal).on_qpu);
  // If no plan keeps the rate, the fastest one is named.
  proposal.fps = 80;
  choices = choices_of(proposal);
  EXPECT_EQ(choices.without_qpu.candidate, model::candidate("neon", 2));
  EXPECT_FALSE(choices.without_qpu.keeps_rate);
  EXPECT_FALSE(choices.on_qpu);
  EXPECT_EQ(answer_for(std::vector{choices}, 80, {.cores = 4, .qpu = 1}).limit,
            "the rate of one stream");
}

TEST(Streams, AreShownWithWhatIsLeftAndWithWhatPlayed) {
  StreamsAnswer answer = answer_for(std::vector(2, some_stream("'a'")), 15,
                                    {.cores = 4, .qpu = 1, .memory_bytes_per_second = 8e9});
  const auto rows = stream_table(answer);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[1],
            (std::vector<std::string>{"'a'", "qpu, 1 thread (model, not measured)", "4.00", "2.00",
                                      "8.00", "30.00", "6.0", "45.0", "yes", "-"}));
  EXPECT_EQ(streams_sentence(answer),
            "2 of 2 streams fit at 15 pictures/s by prediction: all take 0.12 (0.06 to 0.24) of 4 "
            "cores and 90 (45 to 180) % of the QPU and 0 % of the memory's 8.0 GB/s, which leaves "
            "3.88 cores and 10 % of the QPU; at most 14 such streams fit (7 to 29), limited by "
            "the CPU");
  answer.streams[0].pictures = answer.streams[1].pictures = 10;
  answer.streams[0].missed = 0;
  answer.streams[1].missed = 3;
  answer.played_cpu = 5e-3;
  EXPECT_NE(streams_sentence(answer).find(
                "played at once, they missed 3 of 20 deadlines and took 5.00 ms of CPU time per "
                "picture, predicted 4.00 (2.00 to 8.00)"),
            std::string::npos)
      << streams_sentence(answer);
}

}  // namespace
}  // namespace sidecore::split::test_streams
