// Threads that share rows: every piece once, thread numbers that never collide, errors that arrive.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <mutex>
#include <numeric>
#include <vector>

#include "base/error.h"
#include "error_text.h"
#include "metrics/worker_pool.h"

namespace sidecore::metrics {
namespace {

using ::sidecore::test::error_text;

class WorkerPoolOf : public ::testing::TestWithParam<std::size_t> {};

TEST_P(WorkerPoolOf, RunsEveryPieceOnceWithoutTwoOnOneThreadNumber) {
  constexpr std::size_t kPieces = 200;
  WorkerPool pool(GetParam());
  std::vector<WorkerPool::Pending> tasks;
  std::vector<std::vector<int>> runs(6, std::vector<int>(kPieces));
  tasks.reserve(runs.size());
  for (std::vector<int>& counts : runs) {
    tasks.push_back(pool.start([&](std::size_t worker, RowTeam& rows) {
      EXPECT_LT(worker, pool.threads());
      EXPECT_EQ(rows.threads(), pool.threads());
      const auto in_use = std::make_unique<std::atomic<bool>[]>(pool.threads());
      for (int pass = 0; pass < 3; ++pass) {
        rows.run(kPieces, [&](std::size_t piece, std::size_t thread) {
          EXPECT_FALSE(in_use[thread].exchange(true));
          ++counts[piece];
          in_use[thread] = false;
        });
      }
    }));
  }
  for (WorkerPool::Pending& task : tasks) task.wait();
  for (const std::vector<int>& counts : runs) EXPECT_EQ(counts, std::vector<int>(kPieces, 3));
}

TEST_P(WorkerPoolOf, AnErrorInAPieceReachesTheTasksOwner) {
  WorkerPool pool(GetParam());
  for (std::size_t bad = 0; bad < 50; bad += 7) {
    auto task = pool.start([&](std::size_t, RowTeam& rows) {
      rows.run(50, [&](std::size_t piece, std::size_t) {
        if (piece == bad) throw usage_error("piece {}", piece);
      });
    });
    EXPECT_EQ(error_text([&] { task.wait(); }), "piece " + std::to_string(bad));
  }
}

TEST_P(WorkerPoolOf, EndsWithTasksStillWaiting) {
  std::atomic<int> begun = 0;
  {
    WorkerPool pool(GetParam());
    for (int i = 0; i < 100; ++i) {
      (void)pool.start([&](std::size_t, RowTeam& rows) {
        rows.run(4, [&](std::size_t, std::size_t) { ++begun; });
      });
    }
  }
  EXPECT_EQ(begun % 4, 0) << "a task that has begun is finished";
}

INSTANTIATE_TEST_SUITE_P(Threads, WorkerPoolOf, ::testing::Values(1, 2, 5),
                         [](const auto& threads) { return std::to_string(threads.param); });

TEST(WorkerPool, AThreadWithoutATaskHelpsWithTheRowsOfAnother) {
  WorkerPool pool(2);
  std::promise<void> helped;
  const std::shared_future<void> help = helped.get_future().share();
  std::once_flag once;
  auto task = pool.start([&](std::size_t worker, RowTeam& rows) {
    // The first piece of the task's own thread ends only when the other thread has taken a piece.
    rows.run(2, [&](std::size_t, std::size_t thread) {
      if (thread == worker) {
        help.wait();
      } else {
        std::call_once(once, [&] { helped.set_value(); });
      }
    });
  });
  task.wait();
}

TEST(CallingThread, RunsPiecesInOrder) {
  CallingThread rows;
  std::vector<std::size_t> seen;
  rows.run(5, [&](std::size_t piece, std::size_t thread) {
    EXPECT_EQ(thread, 0U);
    seen.push_back(piece);
  });
  std::vector<std::size_t> expected(5);
  std::iota(expected.begin(), expected.end(), std::size_t{0});
  EXPECT_EQ(seen, expected);
}

}  // namespace
}  // namespace sidecore::metrics
