// Costs of frames by kind and bytes, and the error of predictions from them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "base/random.h"
#include "model/cost_line.h"
#include "model/frame_costs.h"
#include "model/some_work.h"
#include "model/stream.h"

namespace sidecore::model::test_frame_costs {
namespace {

std::vector<Load> some_loads() {
  std::vector<Load> loads;
  for (const FrameWork& frame : some_work()) loads.push_back({1, frame.bytes});
  return loads;
}

template <class Cost>
std::vector<double> seconds_of(const std::vector<Load>& loads, Cost cost) {
  std::vector<double> seconds(loads.size());
  std::ranges::transform(loads, seconds.begin(), cost);
  return seconds;
}

TEST(CostLine, FindsTheLineThroughExactLoads) {
  std::vector<Load> loads = some_loads();
  loads[3].parts = 2;
  const std::vector<double> seconds =
      seconds_of(loads, [](const Load& load) { return load.parts * 2e-3 + load.size * 3e-7; });
  const CostLine line = fit_cost(loads, seconds);
  EXPECT_NEAR(line.per_part, 2e-3, kSmall);
  EXPECT_NEAR(line.per_size, 3e-7, 1e-12);
}

TEST(CostLine, NeverFallsWithMoreWorkAndKeepsTheSum) {
  const std::vector<Load> loads = some_loads();
  // Larger loads take less time in this test.
  const std::vector<double> seconds =
      seconds_of(loads, [](const Load& load) { return 1e-2 - load.size * 1e-6; });
  const CostLine line = fit_cost(loads, seconds);
  EXPECT_GE(line.per_part, 0);
  EXPECT_GE(line.per_size, 0);
  double measured = 0;
  double fitted = 0;
  for (std::size_t index = 0; index < loads.size(); ++index) {
    measured += seconds[index];
    fitted += line.seconds(loads[index]);
  }
  EXPECT_NEAR(fitted, measured, kSmall);
}

TEST(CostLine, NothingCostsNothing) {
  const std::vector<Load> none(4);
  const std::vector<double> seconds(4, 0.0);
  EXPECT_EQ(fit_cost(none, seconds).seconds({1, 1000}), 0);
}

/// A synthetic stream like those of encoders: kinds, bytes and costs of its frames. Costs lie on a
/// line per kind, and scatter relative to it by frame and by scene.
struct SyntheticStream {
  std::vector<FrameWork> work;
  std::vector<double> seconds;

  SyntheticStream(std::size_t count, double scatter, double scenes, Random& random) {
    double scene = 1;
    for (std::size_t index = 0; index < count; ++index) {
      const auto drawn = [&] { return static_cast<double>(random.below(1U << 16)) / (1U << 16); };
      FrameWork frame{FrameKind::inter, 1000 + 9000 * drawn() * drawn()};
      double cost = 30 + frame.bytes * 1e-3;
      if (index % 24 == 0) {
        frame = {FrameKind::intra, 300e3 + 50e3 * drawn()};
        cost = 20 + frame.bytes * 1e-4;
      } else if (index % 8 == 5) {
        frame = {FrameKind::hidden, 20e3 + 20e3 * drawn(), false};
        cost = 60 + frame.bytes * 5e-4;
      }
      // The sum of four uniform numbers is nearly normal; its standard deviation is sqrt(1 / 3).
      const auto normal = [&] {
        return (drawn() + drawn() + drawn() + drawn() - 2) * std::sqrt(3.0);
      };
      if (frame.kind == FrameKind::intra) scene = 1 + scenes * normal();
      work.push_back(frame);
      seconds.push_back(cost * scene * (1 + scatter * normal()));
    }
  }

  /// Returns the time of the last two thirds divided by its prediction from the first third,
  /// minus 1.
  [[nodiscard]] double miss() const {
    const FrameCosts costs(sample(), sampled(), ScalesWith::bytes);
    const auto others = std::span<const double>(seconds).subspan(work.size() / 3);
    return std::accumulate(others.begin(), others.end(), 0.0) / costs.seconds(totals_of(rest())) -
           1;
  }
  [[nodiscard]] double error() const { return relative_error(sample(), sampled(), rest()); }

 private:
  [[nodiscard]] std::span<const FrameWork> sample() const {
    return std::span<const FrameWork>(work).first(work.size() / 3);
  }
  [[nodiscard]] std::span<const double> sampled() const {
    return std::span<const double>(seconds).first(work.size() / 3);
  }
  [[nodiscard]] std::span<const FrameWork> rest() const {
    return std::span<const FrameWork>(work).subspan(work.size() / 3);
  }
};

TEST(FrameCosts, GiveEachKindItsOwnLine) {
  Random random(1);
  const SyntheticStream stream(144, 0, 0, random);
  EXPECT_NEAR(stream.miss(), 0, 0.02);  // two key frames determine no line, only a ratio
}

TEST(FrameCosts, OneLineThroughAllKindsWouldMissByFar) {
  Random random(1);
  const SyntheticStream apart(23, 0, 0, random);
  SyntheticStream together = apart;
  for (FrameWork& frame : together.work) frame.kind = FrameKind::inter;
  EXPECT_GT(together.error(), 2 * apart.error());
}

TEST(FrameCosts, TheIntervalHoldsNineteenOfTwentySums) {
  Random random(2);
  constexpr int kStreams = 400;
  for (const std::size_t frames : {48U, 144U}) {
    int held = 0;
    for (int stream = 0; stream < kStreams; ++stream) {
      // The difference of two scenes has sqrt(2) times the deviation of one.
      const SyntheticStream one(frames, 0.1, kSceneDeviation / std::sqrt(2.0), random);
      const double miss = 1 + one.miss();
      held += miss <= 1 + one.error() && miss >= 1 / (1 + one.error()) ? 1 : 0;
    }
    EXPECT_GE(held, kStreams * 93 / 100) << frames;
    EXPECT_LE(held, kStreams * 995 / 1000) << "the interval is too wide: " << frames;
  }
}

TEST(FrameCosts, ScenesThatTheSampleHasNotSeenWidenTheInterval) {
  const std::vector<FrameWork> sample(16, {FrameKind::inter, 1000});
  const std::vector<double> seconds(sample.size(), 1e-3);
  std::vector<FrameWork> rest = sample;
  EXPECT_NEAR(relative_error(sample, seconds, rest), 0, kSmall);
  rest[8].kind = FrameKind::intra;
  const double half = relative_error(sample, seconds, rest);
  rest[0].kind = FrameKind::intra;
  EXPECT_GT(half, 1.96 * kSceneDeviation / 2 - kSmall);
  // The mean of two scenes is known better than that of one, but it applies to all remaining frames
  // instead of half of them.
  EXPECT_GT(relative_error(sample, seconds, rest), half);
}

TEST(FrameCosts, ResemblingNeighboursWidenTheInterval) {
  Random random(3);
  SyntheticStream apart(144, 0.1, 0, random);
  SyntheticStream alike = apart;
  for (SyntheticStream* const stream : {&apart, &alike}) {
    std::ranges::fill(stream->work, FrameWork{FrameKind::inter, 1000});
  }
  for (std::size_t index = 0; index < apart.work.size(); ++index) {
    apart.seconds[index] = index % 2 == 0 ? 10 : 12;
    alike.seconds[index] = index / 12 % 2 == 0 ? 10 : 12;  // like scenes
  }
  EXPECT_GT(alike.error(), 2 * apart.error());
}

TEST(FrameCosts, AKindThatTheSampleLacksIsUncertain) {
  std::vector<FrameWork> work = some_work();
  std::vector<double> seconds(work.size(), 1e-3);
  std::vector<FrameWork> rest = work;
  EXPECT_NEAR(relative_error(work, seconds, rest), 0, kSmall);
  rest.insert(rest.end(), work.size(), {FrameKind::hidden, 1000, false});
  // Half of the cost has a deviation of 50 %, at about two standard deviations.
  EXPECT_GT(relative_error(work, seconds, rest), 0.45);
}

TEST(FrameWork, IsReadFromTheFirstBits) {
  // Bits of the first byte: frame marker 2, profile 0, show_existing_frame, frame_type (0: key
  // frame), show_frame, error_resilient_mode. The second byte begins with intra_only.
  const auto work = [](const std::vector<std::uint8_t>& frame) { return parse_frame_work(frame); };
  EXPECT_EQ(work({0b10000010, 0, 0}).kind, FrameKind::intra);
  EXPECT_EQ(work({0b10000110, 0, 0}).kind, FrameKind::inter);
  EXPECT_TRUE(work({0b10000110, 0, 0}).shown);
  EXPECT_EQ(work({0b10000110, 0, 0}).bytes, 3);
  EXPECT_EQ(work({0b10000100, 0, 0}).kind, FrameKind::hidden);
  EXPECT_FALSE(work({0b10000100, 0, 0}).shown);
  EXPECT_EQ(work({0b10000100, 0b10000000, 0}).kind, FrameKind::intra);  // intra_only
  EXPECT_EQ(work({0b10000110, 0b10000000, 0}).kind, FrameKind::inter)
      << "a shown frame has no intra_only";
  EXPECT_TRUE(work({0b10001000}).repeated);
  EXPECT_TRUE(work({0b10001000}).shown);
  EXPECT_FALSE(work({0b01000110, 0}).shown) << "not a frame";
  // Profile 3 has a reserved bit before show_existing_frame.
  EXPECT_EQ(work({0b10110011, 0, 0}).kind, FrameKind::inter);
  EXPECT_TRUE(work({0b10110011, 0, 0}).shown);
  EXPECT_EQ(work({0b10110010, 0b01000000, 0}).kind, FrameKind::intra);
  EXPECT_TRUE(work({0b10110100}).repeated);
}

TEST(FrameCosts, FramesWithoutAFilterDoNotPullTheOthersDown) {
  std::vector<FrameWork> sample = some_work();
  std::vector<double> seconds(sample.size(), 4e-3);
  sample[1].kind = FrameKind::unfiltered;
  seconds[1] = 1e-3;
  const FrameCosts costs(sample, seconds, ScalesWith::pictures);
  EXPECT_NEAR(costs.seconds(frames(10, 20000)), 40e-3, kSmall);
  EXPECT_NEAR(relative_error(sample, seconds, some_work()), 0, kSmall);
}

TEST(FrameTotals, CountWhatIsDecodedAndWhatIsShown) {
  const std::vector<FrameWork> work{{FrameKind::intra, 100},
                                    {FrameKind::hidden, 50, false},
                                    {FrameKind::inter, 10},
                                    {FrameKind::inter, 1, true, true}};
  const FrameTotals totals = totals_of(work);
  EXPECT_EQ(totals.of(FrameKind::inter).parts, 1);
  EXPECT_EQ(totals.of(FrameKind::hidden).size, 50);
  EXPECT_EQ(totals.frames(), 3);
  EXPECT_EQ(totals.shown, 3);
}

}  // namespace
}  // namespace sidecore::model::test_frame_costs
