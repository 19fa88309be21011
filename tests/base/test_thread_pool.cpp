// Tests threads that share work: each piece runs once, thread numbers never collide, errors are
// passed on.
// ctest: threads
#include "base/thread_pool.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.h"
#include "error_text.h"

namespace sidecore::test_thread_pool {
namespace {

using ::sidecore::test::error_text;

/// Limits the address space while it exists, so that only one thread can be started: there is no
/// room for a second stack.
class RoomForOneThread {
 public:
  RoomForOneThread() {
    constexpr std::size_t kStack = std::size_t{256} << 20;
    ::pthread_getattr_default_np(&before_);
    pthread_attr_t large;
    ::pthread_getattr_default_np(&large);
    ::pthread_attr_setstacksize(&large, kStack);
    ::pthread_setattr_default_np(&large);
    ::pthread_attr_destroy(&large);

    ::getrlimit(RLIMIT_AS, &limit_);
    rlimit tight = limit_;
    tight.rlim_cur = addresses_in_use() + kStack + kStack / 2;
    ::setrlimit(RLIMIT_AS, &tight);
  }
  ~RoomForOneThread() {
    ::setrlimit(RLIMIT_AS, &limit_);
    ::pthread_setattr_default_np(&before_);
    ::pthread_attr_destroy(&before_);
  }
  RoomForOneThread(const RoomForOneThread&) = delete;
  RoomForOneThread& operator=(const RoomForOneThread&) = delete;

 private:
  static std::size_t addresses_in_use() {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  }

  pthread_attr_t before_{};
  rlimit limit_{};
};

// Signal handlers of an application must run on its own threads, which may hold locks that they
// need.
TEST(ThreadPool, LeavesSignalsToTheApplicationsThreads) {
  sigset_t before;
  sigset_t after;
  ASSERT_EQ(::pthread_sigmask(SIG_SETMASK, nullptr, &before), 0);
  ThreadPool pool(3);
  ASSERT_EQ(::pthread_sigmask(SIG_SETMASK, nullptr, &after), 0);
  std::atomic<int> taking = 0;
  std::atomic<int> broken = 0;
  for (int round = 0; round < 3; ++round) {
    pool.start([&](std::size_t /*worker*/, ThreadTeam& /*team*/) {
          sigset_t own;
          ::pthread_sigmask(SIG_SETMASK, nullptr, &own);
          for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGALRM, SIGCHLD, SIGPIPE}) {
            if (::sigismember(&own, number) != 1) ++taking;
          }
          if (::sigismember(&own, SIGSEGV) != 0) ++broken;
        })
        .wait();
  }
  EXPECT_EQ(taking, 0);
  EXPECT_EQ(broken, 0);
  for (int number = 1; number < SIGRTMIN; ++number) {
    EXPECT_EQ(::sigismember(&after, number), ::sigismember(&before, number)) << number;
  }
}

TEST(CallingThread, RunsPiecesInOrder) {
  CallingThread team;
  EXPECT_EQ(team.threads(), 1U);
  std::vector<std::size_t> seen;
  team.run(5, [&](std::size_t piece, std::size_t thread) {
    EXPECT_EQ(thread, 0U);
    seen.push_back(piece);
  });
  std::vector<std::size_t> expected(5);
  std::iota(expected.begin(), expected.end(), std::size_t{0});
  EXPECT_EQ(seen, expected);
}

class PoolOf : public ::testing::TestWithParam<std::size_t> {};

TEST_P(PoolOf, RunsEveryPieceOnceForTheThreadOutside) {
  ThreadPool pool(GetParam());
  EXPECT_EQ(pool.workers(), GetParam());
  EXPECT_EQ(pool.threads(), GetParam() + 1);
  for (const std::size_t count : {0U, 1U, 2U, 7U, 500U}) {
    std::vector<std::atomic<int>> calls(count);
    const auto in_use = std::make_unique<std::atomic<bool>[]>(pool.threads());
    pool.run(count, [&](std::size_t piece, std::size_t thread) {
      ASSERT_LT(thread, pool.threads());
      EXPECT_FALSE(in_use[thread].exchange(true));
      ++calls[piece];
      in_use[thread] = false;
    });
    for (const std::atomic<int>& of_piece : calls) EXPECT_EQ(of_piece, 1);
  }
}

TEST_P(PoolOf, APieceMayWaitForOneBelowIt) {
  ThreadPool pool(GetParam());
  std::vector<std::atomic<bool>> done(100);
  pool.run(done.size(), [&](std::size_t index) {
    if (index > 0) done[index - 1].wait(false);
    done[index] = true;
    done[index].notify_all();
  });
  EXPECT_TRUE(done.back());
}

TEST_P(PoolOf, ThrowsWhatTheLowestPieceThrewAndIsUsableAfterwards) {
  ThreadPool pool(GetParam());
  for (int round = 0; round < 20; ++round) {
    const std::string text = error_text([&] {
      pool.run(50, [](std::size_t piece) {
        if (piece % 10 == 3) throw usage_error("piece {}", piece);
      });
    });
    EXPECT_EQ(text, "piece 3");
  }
  std::atomic<int> calls = 0;
  pool.run(10, [&](std::size_t) { ++calls; });
  EXPECT_EQ(calls, 10);
}

TEST_P(PoolOf, LeavesOutPiecesThatHadNotBegunWhenOneThrew) {
  ThreadPool pool(GetParam());
  std::atomic<std::size_t> calls = 0;
  EXPECT_THROW(pool.run(1000000,
                        [&](std::size_t) {
                          ++calls;
                          throw usage_error("none");
                        }),
               Error);
  EXPECT_LE(calls, pool.threads());
}

TEST_P(PoolOf, EachThreadTakesItsPartOnce) {
  ThreadPool pool(GetParam());
  for (int round = 0; round < 50; ++round) {
    std::vector<int> calls(pool.threads());
    const Nanoseconds elapsed = run_on_each(pool, [&](std::size_t thread) { ++calls[thread]; });
    EXPECT_EQ(calls, std::vector<int>(pool.threads(), 1));
    EXPECT_GE(elapsed.count(), 0);
  }
  EXPECT_THROW(run_on_each(pool, [](std::size_t) { throw usage_error("broken"); }), Error);
}

// Models frames in flight: a piece waits for pieces of its batch and of the previous one, with any
// number of threads. Meanwhile the outside thread divides other work.
TEST_P(PoolOf, BatchesBeginInOrderBesideOtherWork) {
  constexpr std::size_t kPieces = 20;
  constexpr std::size_t kBatches = 10;
  ThreadPool pool(GetParam());
  std::vector<std::vector<std::atomic<bool>>> done(kBatches);
  std::vector<std::function<void(std::size_t, ThreadTeam&)>> tasks;
  for (std::size_t index = 0; index < kBatches; ++index) {
    done[index] = std::vector<std::atomic<bool>>(kPieces);
    tasks.emplace_back([&, index](std::size_t piece, ThreadTeam& team) {
      if (piece > 0) done[index][piece - 1].wait(false);
      if (index > 0) done[index - 1][kPieces - 1 - piece].wait(false);
      std::atomic<int> calls = 0;
      team.run(3, [&](std::size_t) { ++calls; });
      EXPECT_EQ(calls, 3);
      EXPECT_FALSE(done[index][piece].exchange(true));
      done[index][piece].notify_all();
    });
  }
  std::vector<ThreadPool::Batch> batches(kBatches);
  for (std::size_t index = 0; index < kBatches; ++index) {
    pool.begin(batches[index], kPieces, tasks[index]);
    std::atomic<int> calls = 0;
    pool.run(50, [&](std::size_t) { ++calls; });
    EXPECT_EQ(calls, 50);
    if (index >= 3) pool.finish(batches[index - 3]);
  }
  pool.wait(batches.back());
  for (const auto& of_batch : done) {
    for (const std::atomic<bool>& piece : of_batch) EXPECT_TRUE(piece);
  }
}

TEST_P(PoolOf, ABatchThrowsWhatItsLowestPieceThrewAndCanBeginAgain) {
  ThreadPool pool(GetParam());
  ThreadPool::Batch batch;
  ThreadPool::Batch next;
  std::atomic<int> calls = 0;
  auto breaks = [](std::size_t piece, ThreadTeam& /*team*/) {
    if (piece % 10 == 3) throw usage_error("piece {}", piece);
  };
  auto counts = [&](std::size_t /*piece*/, ThreadTeam& /*team*/) { ++calls; };
  for (int round = 0; round < 20; ++round) {
    pool.begin(batch, 50, breaks);
    pool.begin(next, 10, counts);
    EXPECT_EQ(error_text([&] { pool.finish(batch); }), "piece 3");
    pool.finish(batch);  // finish() throws an error only once
    pool.finish(next);
    EXPECT_EQ(calls.exchange(0), 10);
  }
  pool.begin(batch, 0, breaks);
  pool.finish(batch);
}

TEST_P(PoolOf, BatchesThatHaveNotBegunEndWithThePool) {
  std::atomic<int> calls = 0;
  std::atomic<int> ended = 0;
  ThreadPool::Batch batch;
  auto task = [&](std::size_t /*piece*/, ThreadTeam& /*team*/) {
    ++calls;
    ++ended;
  };
  {
    ThreadPool pool(GetParam());
    pool.begin(batch, 1000, task);
  }
  EXPECT_EQ(calls, ended);
}

INSTANTIATE_TEST_SUITE_P(Workers, PoolOf, ::testing::Values(0, 1, 2, 5),
                         [](const auto& workers) { return std::to_string(workers.param); });

class TasksOn : public ::testing::TestWithParam<std::size_t> {};

TEST_P(TasksOn, RunEveryPieceOnceWithoutTwoOnOneThreadNumber) {
  constexpr std::size_t kPieces = 200;
  ThreadPool pool(GetParam());
  std::vector<ThreadPool::Pending> tasks;
  std::vector<std::vector<int>> runs(6, std::vector<int>(kPieces));
  tasks.reserve(runs.size());
  for (std::vector<int>& counts : runs) {
    tasks.push_back(pool.start([&](std::size_t worker, ThreadTeam& team) {
      EXPECT_LT(worker, pool.workers());
      EXPECT_EQ(team.threads(), pool.workers());
      const auto in_use = std::make_unique<std::atomic<bool>[]>(team.threads());
      for (int pass = 0; pass < 3; ++pass) {
        team.run(kPieces, [&](std::size_t piece, std::size_t thread) {
          EXPECT_FALSE(in_use[thread].exchange(true));
          ++counts[piece];
          in_use[thread] = false;
        });
      }
    }));
  }
  // The outside thread divides other work meanwhile.
  std::vector<std::atomic<int>> own(kPieces);
  pool.run(kPieces, [&](std::size_t piece) { ++own[piece]; });
  for (const std::atomic<int>& of_piece : own) EXPECT_EQ(of_piece, 1);
  for (ThreadPool::Pending& task : tasks) task.wait();
  for (const std::vector<int>& counts : runs) EXPECT_EQ(counts, std::vector<int>(kPieces, 3));
}

TEST_P(TasksOn, PassAnErrorInAPieceToWhoWaits) {
  ThreadPool pool(GetParam());
  for (std::size_t bad = 0; bad < 50; bad += 7) {
    auto task = pool.start([&](std::size_t, ThreadTeam& team) {
      team.run(50, [&](std::size_t piece, std::size_t) {
        if (piece == bad) throw usage_error("piece {}", piece);
      });
    });
    EXPECT_EQ(error_text([&] { task.wait(); }), "piece " + std::to_string(bad));
  }
}

TEST_P(TasksOn, ThatHaveBegunEndBeforeThePoolDoes) {
  std::atomic<int> begun = 0;
  {
    ThreadPool pool(GetParam());
    for (int i = 0; i < 100; ++i) {
      (void)pool.start([&](std::size_t, ThreadTeam& team) {
        team.run(4, [&](std::size_t, std::size_t) { ++begun; });
      });
    }
  }
  EXPECT_EQ(begun % 4, 0) << "every task that has begun must end";
}

INSTANTIATE_TEST_SUITE_P(Workers, TasksOn, ::testing::Values(1, 2, 5),
                         [](const auto& workers) { return std::to_string(workers.param); });

TEST(ThreadPool, AWorkerWithoutATaskHelpsAnother) {
  ThreadPool pool(2);
  std::promise<void> helped;
  const std::shared_future<void> help = helped.get_future().share();
  std::once_flag once;
  auto task = pool.start([&](std::size_t worker, ThreadTeam& team) {
    // The first piece ends only after the other thread has taken a piece.
    team.run(2, [&](std::size_t, std::size_t thread) {
      if (thread == worker) {
        help.wait();
      } else {
        std::call_once(once, [&] { helped.set_value(); });
      }
    });
  });
  task.wait();
}

TEST(ThreadPool, SaysWhenItsThreadsCannotBeStarted) {
  const RoomForOneThread tight;
  EXPECT_EQ(error_text([&] { const ThreadPool pool(3); }),
            "cannot start 3 threads: Resource temporarily unavailable");
}

TEST(PinnedPool, KeepsItsThreadsOnTheirCpusAndLetsTheCallersGo) {
  const std::vector<int> cpus = allowed_cpus();
  {
    ThreadPool pool(cpus);
    EXPECT_EQ(pool.threads(), cpus.size());
    std::vector<std::vector<int>> allowed(cpus.size());
    run_on_each(pool, [&](std::size_t thread) { allowed[thread] = allowed_cpus(); });
    for (std::size_t thread = 0; thread < cpus.size(); ++thread) {
      EXPECT_EQ(allowed[thread], std::vector<int>{cpus[thread]});
    }
  }
  EXPECT_EQ(allowed_cpus(), cpus);
}

TEST(PinnedPool, RefusesACpuThatIsNotThere) {
  const std::vector<int> cpus = allowed_cpus();
  const std::vector<int> wrong{CPU_SETSIZE - 1, cpus.front()};
  EXPECT_EQ(error_text([&] { const ThreadPool pool(wrong); }),
            "cannot pin a thread to CPU 1023: Invalid argument");
  EXPECT_EQ(allowed_cpus(), cpus);
}

}  // namespace
}  // namespace sidecore::test_thread_pool
