// Tests of playing at a fixed rate, with a clock that the tests set.
#include "gates/pace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace sidecore::gates::test_pace {
namespace {

using std::chrono::milliseconds;

class HandClock final : public PaceClock {
 public:
  Clock::time_point now() override { return now_; }
  void wait_until(Clock::time_point time) override { now_ = std::max(now_, time); }
  Nanoseconds cpu_time() override { return cpu_; }

  /// Advances the clock while `threads` threads use the CPU.
  void work(Nanoseconds time, int threads = 1) {
    now_ += time;
    cpu_ += threads * time;
  }
  [[nodiscard]] Nanoseconds since_start() const { return now_ - Clock::time_point{}; }

 private:
  Clock::time_point now_{};
  Nanoseconds cpu_{};
};

TEST(Pace, ReleasesByTheClockAndCountsWorkAlone) {
  HandClock clock;
  Pace pace(100, clock);
  pace.begin(0);
  for (std::size_t picture = 0; picture < 4; ++picture) {
    EXPECT_EQ(pace.release(), picture);
    EXPECT_EQ(clock.since_start(), picture * milliseconds(10));
    clock.work(milliseconds(3), 2);
    pace.show(picture);
  }
  EXPECT_EQ(pace.elapsed(), milliseconds(33));
  pace.end();
  const PacedFigures figures = pace.figures();
  EXPECT_EQ(figures.pictures, 4U);
  EXPECT_EQ(figures.missed, 0U);
  EXPECT_EQ(figures.latency_ns.raw, std::vector<double>(4, 3e6));
  EXPECT_EQ(figures.cpu_ns_per_picture.raw, std::vector<double>{6e6});
}

TEST(Pace, ALatePictureDelaysNoReleaseBehindTheNext) {
  HandClock clock;
  Pace pace(100, clock);
  pace.begin(0);
  for (const int work : {25, 4, 4, 4}) {
    const std::size_t number = pace.release();
    clock.work(milliseconds(work));
    pace.show(number);
  }
  pace.end();
  const PacedFigures figures = pace.figures();
  EXPECT_EQ(figures.latency_ns.raw, (std::vector<double>{25e6, 19e6, 13e6, 7e6}));
  EXPECT_EQ(figures.missed, 3U) << "the fourth is in time again";
}

TEST(Pace, ADeadlineIsAsManyPeriodsLaterAsPicturesAreHeld) {
  for (const auto& [held, missed] : {std::pair{0U, 2U}, std::pair{1U, 1U}, std::pair{2U, 0U}}) {
    HandClock clock;
    Pace pace(100, clock);
    pace.begin(held);
    for (const int latency : {10, 20, 30}) {  // a picture exactly at its deadline is not missed
      const std::size_t number = pace.release();
      const Nanoseconds due = number * milliseconds(10) + milliseconds(latency);
      clock.work(due - clock.since_start());
      pace.show(number);
    }
    pace.end();
    EXPECT_EQ(pace.figures().missed, missed) << held;
  }
}

TEST(Pace, WindowsAddUpAndThe99thPercentileIsOfAllPictures) {
  HandClock clock;
  Pace pace(10, clock);
  double latency = 0;
  for (const std::size_t pictures : {51U, 50U}) {
    clock.work(milliseconds(500));  // work between time windows, which does not count
    pace.begin(0);
    for (std::size_t picture = 0; picture < pictures; ++picture) {
      const std::size_t number = pace.release();
      clock.work(std::chrono::microseconds(static_cast<int>(latency++)));
      pace.show(number);
    }
    pace.end();
  }
  pace.begin(0);
  pace.end();
  const PacedFigures figures = pace.figures();
  EXPECT_EQ(figures.pictures, 101U);
  EXPECT_EQ(figures.latency_ns.p99, 99e3) << "the latencies are 0 to 100 us";
  EXPECT_EQ(figures.cpu_ns_per_picture.raw, (std::vector<double>{25e3, 75.5e3}))
      << "a time window without a picture does not count";
}

}  // namespace
}  // namespace sidecore::gates::test_pace
