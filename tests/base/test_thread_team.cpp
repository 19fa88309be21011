#include "base/thread_team.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "base/error.h"
#include "error_text.h"

namespace sidecore {
namespace {

TEST(ThreadTeam, RunsEveryTaskOnce) {
  for (const int threads : {1, 2, 5}) {
    ThreadTeam team(threads);
    EXPECT_EQ(team.threads(), threads);
    for (const std::size_t count : {0U, 1U, 2U, 7U, 500U}) {
      std::vector<std::atomic<int>> calls(count);
      team.run(count, [&](std::size_t index) { ++calls[index]; });
      for (const std::atomic<int>& of_task : calls) EXPECT_EQ(of_task, 1);
    }
  }
}

TEST(ThreadTeam, ATaskMayWaitForOneThatStartedBefore) {
  ThreadTeam team(3);
  std::vector<std::atomic<bool>> done(100);
  team.run(done.size(), [&](std::size_t index) {
    if (index > 0) done[index - 1].wait(false);
    done[index] = true;
    done[index].notify_all();
  });
  EXPECT_TRUE(done.back());
}

TEST(ThreadTeam, ThrowsWhatTheLowestTaskThrewAndIsUsableAfterwards) {
  ThreadTeam team(4);
  for (int round = 0; round < 20; ++round) {
    const std::string text = test::error_text([&] {
      team.run(50, [](std::size_t index) {
        if (index % 10 == 3) throw usage_error("task {}", index);
      });
    });
    EXPECT_EQ(text, "task 3");
  }
  std::atomic<int> calls = 0;
  team.run(10, [&](std::size_t) { ++calls; });
  EXPECT_EQ(calls, 10);
}

}  // namespace
}  // namespace sidecore
