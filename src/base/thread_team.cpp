#include "base/thread_team.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

namespace sidecore {

Nanoseconds run_on_each(ThreadTeam& team, const std::function<void(std::size_t thread)>& task) {
  const std::size_t threads = team.threads();
  std::atomic<std::size_t> arrived = 0;
  std::mutex mutex;
  Clock::time_point first = Clock::time_point::max();
  Clock::time_point last = Clock::time_point::min();
  // Each thread takes one piece and waits until every other thread has one. The thread waits
  // without sleeping, because sleeping threads are woken at different times.
  team.run(threads, [&](std::size_t, std::size_t thread) {
    arrived.fetch_add(1);
    while (arrived.load() < threads) std::this_thread::yield();
    const Clock::time_point start = Clock::now();
    task(thread);
    const Clock::time_point end = Clock::now();
    const std::lock_guard lock(mutex);
    first = std::min(first, start);
    last = std::max(last, end);
  });
  return last - first;
}

}  // namespace sidecore
