#include "gates/together.h"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/error.h"

namespace sidecore::gates {
namespace {

/// Counts threads that have ended, for one that does something else meanwhile.
class Ends {
 public:
  void add() {
    const std::lock_guard lock(mutex_);
    ++count_;
    changed_.notify_one();
  }
  /// Whether `count` have, after waiting for it so long.
  bool reached(std::size_t count, Nanoseconds patience) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, [&] { return count_ >= count; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t count_ = 0;
};

}  // namespace

void run_together(const std::vector<std::function<void()>>& parts, BoardWatch* watch) {
  std::atomic<std::size_t> ready{0};
  std::atomic<bool> abandoned{false};
  Ends ends;
  std::vector<std::exception_ptr> failures(parts.size());
  std::vector<std::thread> threads;
  threads.reserve(parts.size());
  const auto run_part = [&](std::size_t i) {
    ready.fetch_add(1);
    while (ready.load() < parts.size()) {
      if (abandoned.load()) return;
      std::this_thread::yield();
    }
    try {
      parts[i]();
    } catch (...) {
      failures[i] = std::current_exception();
    }
    ends.add();
  };
  try {
    for (std::size_t i = 0; i < parts.size(); ++i) threads.emplace_back(run_part, i);
  } catch (const std::system_error& error) {
    abandoned = true;
    for (std::thread& thread : threads) thread.join();
    throw environment_error("cannot start {} threads: {}", parts.size(), error.what());
  }
  if (watch != nullptr) {
    do watch->sample();
    while (!ends.reached(parts.size(), BoardWatch::kPause));
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure != nullptr) std::rethrow_exception(failure);
  }
}

}  // namespace sidecore::gates
