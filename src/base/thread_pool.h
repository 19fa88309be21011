// The threads of a program part: they run tasks of their own, and pieces of what others run.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "base/cpu_affinity.h"
#include "base/thread_team.h"

namespace sidecore {

/// Workers, started once, for two kinds of work:
///  - tasks, which start in the order they came, one on each worker (pictures of a metric);
///  - pieces of a ThreadTeam::run(), by a task or by one thread outside (rows of a frame). A worker
///    without a task takes such pieces, so that all have work even with fewer tasks than workers.
/// As a ThreadTeam the pool is that of the thread outside: the workers, numbered from 0, and after
/// them that thread itself.
class ThreadPool final : public ThreadTeam {
 public:
  /// `worker` numbers the thread, below workers(); `team` is all workers.
  using Task = std::function<void(std::size_t worker, ThreadTeam& team)>;

  /// None is allowed; then only run() does anything. Throws Error (environment) when the threads
  /// cannot be started.
  explicit ThreadPool(std::size_t workers);
  /// A thread on each of these CPUs, the caller's on the last one: it is pinned there as long as
  /// the pool lives, and ends the pool. Throws Error (environment) also when a CPU is refused.
  explicit ThreadPool(std::span<const int> cpus);
  /// Waits for tasks that have begun and drops those that have not.
  ~ThreadPool() override;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  [[nodiscard]] std::size_t workers() const { return workers_.size(); }
  [[nodiscard]] std::size_t threads() const override { return workers() + 1; }

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
    friend ThreadPool;
    Pending(ThreadPool& pool, std::shared_ptr<Started> started)
        : pool_(&pool), started_(std::move(started)) {}

    ThreadPool* pool_ = nullptr;
    std::shared_ptr<Started> started_;
  };

  /// Needs a worker.
  [[nodiscard]] Pending start(Task task);

 protected:
  void run_pieces(std::size_t pieces, PieceTask task) override;

 private:
  class TaskTeam;

  /// Runs pieces on `thread`, which is the calling one, and on up to `others` helpers.
  void share(std::size_t pieces, PieceTask task, std::size_t thread, std::size_t others);
  void take_pieces(Shared& shared, std::size_t thread);
  void work(std::size_t worker);
  /// Of what runs at the moment, something with pieces not begun; null when there is none.
  [[nodiscard]] Shared* unfinished() const;
  void stop();

  std::mutex mutex_;
  std::condition_variable work_to_do_;
  std::condition_variable ended_;  ///< a task, or the last helper's part of some pieces
  std::deque<std::shared_ptr<Started>> waiting_;
  std::vector<Shared*> shared_;
  bool stop_ = false;
  std::optional<CpuPin> caller_;
  std::vector<std::thread> workers_;
};

}  // namespace sidecore
