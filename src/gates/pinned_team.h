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
  explicit PinnedTeam(std::span<const int> cpus);
  ~PinnedTeam();
  PinnedTeam(const PinnedTeam&) = delete;
  PinnedTeam& operator=(const PinnedTeam&) = delete;

  [[nodiscard]] std::size_t size() const { return threads_.size(); }

  /// Calls job(index) on every thread; all start together. Returns the time from the first start to
  /// the last end. Rethrows what a thread threw.
  Nanoseconds run(const std::function<void(std::size_t)>& job);

 private:
  void serve(std::size_t index, int cpu);
  void take_part(std::size_t index);

  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void(std::size_t)>* job_ = nullptr;
  std::size_t generation_ = 0;
  std::size_t finished_ = 0;
  bool quitting_ = false;
  std::exception_ptr failure_;
  std::atomic<std::size_t> ready_{0};
  struct Span {
    Clock::time_point first, last;
  };
  std::vector<Span> spans_;
  std::vector<std::thread> threads_;
};

}  // namespace sidecore::gates
