// The threads of a program part: they run tasks of their own, pieces of what others run, and
// batches of pieces beside the thread that started them.
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

/// Workers, started once, for three kinds of work:
///  - tasks, which start in the order they came, one on each worker (pictures of a metric);
///  - pieces of a ThreadTeam::run(), by a task or by one thread outside (rows of a frame). A worker
///    without a task takes such pieces, so that all have work even with fewer tasks than workers;
///  - batches of pieces, while the thread outside goes on with something else (frames in flight).
/// A worker that has ended something takes what comes first: such pieces, batches, tasks.
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

  /// Pieces of work with an order among batches: those of an earlier batch begin before those of a
  /// later one, and those of one batch in ascending order. So a piece may wait for what any piece
  /// before it in that order does: that one has begun, and waits for earlier ones only. Belongs to
  /// one pool, and ends before what it works on does, or with the pool.
  class Batch {
   public:
    Batch() = default;
    Batch(const Batch&) = delete;
    Batch& operator=(const Batch&) = delete;

   private:
    friend ThreadPool;
    void* self_ = nullptr;
    void (*call_)(void* self, std::size_t piece, ThreadTeam& team) = nullptr;
    // Under the pool's mutex:
    std::size_t pieces_ = 0;
    std::size_t begun_ = 0;
    std::size_t ended_ = 0;
    std::size_t failed_ = 0;  ///< the piece that threw `error_`
    std::exception_ptr error_ = nullptr;
  };

  /// Starts a batch that has ended, or never began: task(piece, team) for every piece below
  /// `pieces`, on the workers and, while it waits for a batch, on the thread outside, which is the
  /// one that calls this. `team` is the workers, and on the thread outside that one as well. When a
  /// piece throws, those of its batch that have not begun are left out. The task is not copied.
  /// Allocates only for more batches at a time than ever before.
  template <class Task>
  void begin(Batch& batch, std::size_t pieces, Task& task) {
    batch.self_ = &task;
    batch.call_ = [](void* self, std::size_t piece, ThreadTeam& team) {
      (*static_cast<Task*>(self))(piece, team);
    };
    begin_batch(batch, pieces);
  }
  /// Takes part in the batches until this one has ended. For the thread outside.
  void wait(const Batch& batch);
  /// As wait(), and throws the exception of the lowest piece that threw. Once.
  void finish(Batch& batch);

 protected:
  void run_pieces(std::size_t pieces, PieceTask task) override;

 private:
  class TaskTeam;

  /// Runs pieces on `thread`, which is the calling one, and on up to `others` helpers.
  void share(std::size_t pieces, PieceTask task, std::size_t thread, std::size_t others);
  void take_pieces(Shared& shared, std::size_t thread);
  void begin_batch(Batch& batch, std::size_t pieces);
  /// The first batch of which a piece has not begun; null when there is none.
  [[nodiscard]] Batch* unbegun() const;
  /// Runs a piece of a batch that has one, unlocked meanwhile.
  void run_piece(Batch& batch, ThreadTeam& team, std::unique_lock<std::mutex>& lock);
  void work(std::size_t worker);
  /// Of what runs at the moment, something with pieces not begun; null when there is none.
  [[nodiscard]] Shared* unfinished() const;
  void stop();

  std::mutex mutex_;
  std::condition_variable work_to_do_;
  std::condition_variable ended_;  ///< a task, a batch, or the last helper's part of some pieces
  std::deque<std::shared_ptr<Started>> waiting_;
  std::vector<Shared*> shared_;
  std::vector<Batch*> batches_;  ///< that have not ended, in the order of their start
  bool stop_ = false;
  std::optional<CpuPin> caller_;
  std::vector<std::thread> workers_;
};

}  // namespace sidecore
