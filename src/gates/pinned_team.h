// Threads that stay on their cores, and memory for them to work on.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "gates/kernel.h"

namespace sidecore::gates {

/// The CPUs that this process may run on, ascending.
[[nodiscard]] std::vector<int> allowed_cpus();

/// Keeps the calling thread on one CPU. Throws Error (environment) when the kernel refuses.
void pin_this_thread(int cpu);

/// Part `index` of `parts` equal shares of `units`.
[[nodiscard]] UnitRange share_of(std::size_t units, std::size_t index, std::size_t parts);

/// A block of ordinary memory, aligned as device memory is.
class HeapBlock {
 public:
  static constexpr std::size_t kAlignment = 4096;

  explicit HeapBlock(std::size_t bytes);
  [[nodiscard]] std::span<std::byte> bytes() { return {memory_.get(), size_}; }

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  std::unique_ptr<std::byte[], Free> memory_;
  std::size_t size_ = 0;
};

/// Threads, one pinned to each of `cpus`, that do a job together again and again.
class PinnedTeam {
 public:
  using Job = std::function<void(std::size_t)>;

  /// Throws Error (environment) when they cannot be started.
  explicit PinnedTeam(std::span<const int> cpus);
  ~PinnedTeam();
  PinnedTeam(const PinnedTeam&) = delete;
  PinnedTeam& operator=(const PinnedTeam&) = delete;

  [[nodiscard]] std::size_t size() const { return workers_.size(); }

  /// Calls job(index) on the first `count` threads, 1 to size(), which start together; the others
  /// sleep on. Returns the time from the first start to the last end. Rethrows what a thread threw.
  Nanoseconds run(std::size_t count, const Job& job);
  /// On every thread.
  Nanoseconds run(const Job& job) { return run(size(), job); }

 private:
  struct Worker {
    std::condition_variable wake;
    bool called = false;
    Clock::time_point first, last;
    std::thread thread;
  };
  void serve(std::size_t index, int cpu);
  void take_part(std::size_t index);
  void end();

  std::mutex mutex_;
  std::condition_variable done_;
  // Of the current run.
  const Job* job_ = nullptr;
  std::size_t count_ = 0;
  std::size_t finished_ = 0;
  std::exception_ptr failure_;
  std::atomic<std::size_t> ready_{0};
  bool quitting_ = false;
  std::vector<Worker> workers_;
};

}  // namespace sidecore::gates
