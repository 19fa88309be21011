// Threads that score pictures, and help with the rows of each other's pictures.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "metrics/row_team.h"

namespace sidecore::metrics {

/// Tasks start in the order they came, one on each thread. A thread that finds none waiting takes
/// pieces of what the others' tasks run on their RowTeam, so that all threads have work even when
/// there are fewer tasks than threads.
class WorkerPool {
 public:
  /// `worker` numbers the thread; `rows` is the pool as seen from it.
  using Task = std::function<void(std::size_t worker, RowTeam& rows)>;

  /// At least one thread.
  explicit WorkerPool(std::size_t threads);
  /// Waits for tasks that have begun and drops those that have not.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  [[nodiscard]] std::size_t threads() const { return size_; }

 private:
  struct Started;
  struct Shared;

 public:
  /// A task that was started. Must not be waited for once the pool is gone.
  class Pending {
   public:
    Pending() = default;
    /// Returns when the task has ended, and throws what it threw. Once.
    void wait();
    /// Whether the task has ended, so that wait() returns at once.
    [[nodiscard]] bool done() const;

   private:
    friend WorkerPool;
    Pending(WorkerPool& pool, std::shared_ptr<Started> started)
        : pool_(&pool), started_(std::move(started)) {}

    WorkerPool* pool_ = nullptr;
    std::shared_ptr<Started> started_;
  };

  [[nodiscard]] Pending start(Task task);

 private:
  class Rows;

  void work(const std::stop_token& stop, std::size_t worker);
  void help(std::unique_lock<std::mutex>& lock, Shared& shared, std::size_t worker);
  /// Of what tasks run at the moment, something with pieces not begun; null when there is none.
  [[nodiscard]] Shared* unfinished() const;

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::shared_ptr<Started>> waiting_;
  std::vector<Shared*> shared_;
  std::size_t size_;
  std::vector<std::jthread> threads_;  // last: joined before what they use goes
};

}  // namespace sidecore::metrics
