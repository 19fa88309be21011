// A pool of worker threads. They run tasks, pieces of work that other threads divide, and batches
// of pieces in the background.
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

/// Worker threads, started once, for three kinds of work:
/// - Tasks (pictures of a metric): they start in the order of start(), and one worker runs each.
/// - Pieces of a ThreadTeam::run() (rows of a frame), called by a task or by the outside thread. A
///   worker without a task takes such pieces, so that no worker is idle if there are fewer tasks
///   than workers.
/// - Batches of pieces (frames in flight), while the outside thread continues with other work. The
///   outside thread is the one that uses the pool. An idle worker takes the first available of:
///   pieces of a run(), batches, tasks. As a ThreadTeam the pool consists of the workers, numbered
///   from 0, and then the outside thread.
class ThreadPool final : public ThreadTeam {
 public:
  /// A task. `worker` is the number of the thread, below workers(); `team` consists of all workers.
  using Task = std::function<void(std::size_t worker, ThreadTeam& team)>;

  /// Starts the workers. With 0 workers, only run(), wait() and finish() may be used. Throws Error
  /// (environment) if the threads cannot be started.
  explicit ThreadPool(std::size_t workers);
  /// Starts a pool with one thread pinned to each of these CPUs. The calling thread is pinned to
  /// the last one until it destroys the pool. Throws Error (environment) also if the kernel refuses
  /// a CPU.
  explicit ThreadPool(std::span<const int> cpus);
  /// Destroys the pool. Waits for tasks that have begun and drops all other tasks.
  ~ThreadPool() override;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  [[nodiscard]] std::size_t workers() const { return workers_.size(); }
  [[nodiscard]] std::size_t threads() const override { return workers() + 1; }

 private:
  struct Started;
  struct Shared;

 public:
  /// Handle of a started task. wait() must not be called after the pool is destroyed.
  class Pending {
   public:
    Pending() = default;
    /// Waits until the task has ended and throws what it threw. Call it only once.
    void wait();
    /// Returns true if the task has ended, so that wait() returns at once.
    [[nodiscard]] bool done() const;

   private:
    friend ThreadPool;
    Pending(ThreadPool& pool, std::shared_ptr<Started> started)
        : pool_(&pool), started_(std::move(started)) {}

    ThreadPool* pool_ = nullptr;
    std::shared_ptr<Started> started_;
  };

  /// Starts a task. The pool must have at least one worker.
  [[nodiscard]] Pending start(Task task);

  /// Pieces of work that begin in order. Pieces of an earlier batch begin before those of a later
  /// one, and pieces of one batch begin in ascending order. A piece may therefore wait for any
  /// earlier piece: that piece has begun and waits only for still earlier ones. A batch belongs to
  /// one pool. It must end before the objects that it works on are destroyed, or with the pool.
  class Batch {
   public:
    Batch() = default;
    Batch(const Batch&) = delete;
    Batch& operator=(const Batch&) = delete;

   private:
    friend ThreadPool;
    void* self_ = nullptr;
    void (*call_)(void* self, std::size_t piece, ThreadTeam& team) = nullptr;
    // Members that the pool's mutex protects.
    std::size_t pieces_ = 0;
    std::size_t begun_ = 0;
    std::size_t ended_ = 0;
    std::size_t failed_ = 0;  ///< index of the piece that threw `error_`
    std::exception_ptr error_ = nullptr;
  };

  /// Starts a batch, which must have ended or never begun. Calls task(piece, team) for every piece
  /// below `pieces`, on the workers. The outside thread, which calls this function, takes part
  /// while it waits for a batch. `team` consists of the workers, on the outside thread also of that
  /// thread. If a piece throws, the pieces of its batch that have not begun are dropped. `task` is
  /// not copied. Allocates only if there are more batches at a time than ever before.
  template <class Task>
  void begin(Batch& batch, std::size_t pieces, Task& task) {
    batch.self_ = &task;
    batch.call_ = [](void* self, std::size_t piece, ThreadTeam& team) {
      (*static_cast<Task*>(self))(piece, team);
    };
    begin_batch(batch, pieces);
  }
  /// Works on batches until `batch` has ended. Only the outside thread may call it.
  void wait(const Batch& batch);
  /// Waits like wait(), then throws the exception of the lowest piece that threw. Call it only once
  /// per batch.
  void finish(Batch& batch);

 protected:
  void run_pieces(std::size_t pieces, PieceTask task) override;

 private:
  class TaskTeam;

  /// Runs pieces on the calling thread, whose number is `thread`, and on up to `others` helpers.
  void share(std::size_t pieces, PieceTask task, std::size_t thread, std::size_t others);
  void take_pieces(Shared& shared, std::size_t thread);
  void begin_batch(Batch& batch, std::size_t pieces);
  /// Returns the first batch with a piece that has not begun; null if there is none.
  [[nodiscard]] Batch* unbegun() const;
  /// Runs the next piece of `batch`, which must have one; the mutex is unlocked meanwhile.
  void run_piece(Batch& batch, ThreadTeam& team, std::unique_lock<std::mutex>& lock);
  void work(std::size_t worker);
  /// Returns work of a run() with pieces that have not begun; null if there is none.
  [[nodiscard]] Shared* unfinished() const;
  void stop();

  std::mutex mutex_;
  std::condition_variable work_to_do_;
  /// Signals the end of a task, of a batch, or of the last helper of a run().
  std::condition_variable ended_;
  std::deque<std::shared_ptr<Started>> waiting_;
  std::vector<Shared*> shared_;
  std::vector<Batch*> batches_;  ///< batches that have not ended, in starting order
  bool stop_ = false;
  std::optional<CpuPin> caller_;
  std::vector<std::thread> workers_;
};

}  // namespace sidecore
