#include "base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <system_error>

#include "base/blocked_signals.h"
#include "base/error.h"

namespace sidecore {

// Exceptions are moved and freed by the waiting thread. The thread sanitizer does not see the
// reference count that would allow other threads to free them.

/// A task and its result. `done` and `error` are protected by the pool's mutex.
struct ThreadPool::Started {
  Task task;
  bool done = false;
  std::exception_ptr error = nullptr;
};

/// Pieces of one ThreadTeam::run() call.
struct ThreadPool::Shared {
  PieceTask task;
  std::size_t pieces = 0;
  std::atomic<std::size_t> next = 0;
  // The pool's mutex guards the members from here on.
  std::size_t helpers = 0;
  std::size_t failed = 0;  ///< index of the piece that threw `error`
  std::exception_ptr error = nullptr;

  [[nodiscard]] bool begun() const { return next.load(std::memory_order_relaxed) >= pieces; }
};

/// Team of a task, which runs the task's pieces.
class ThreadPool::TaskTeam final : public ThreadTeam {
 public:
  TaskTeam(ThreadPool& pool, std::size_t worker) : pool_(pool), worker_(worker) {}

  [[nodiscard]] std::size_t threads() const override { return pool_.workers(); }

 protected:
  void run_pieces(std::size_t pieces, PieceTask task) override {
    pool_.share(pieces, task, worker_, pool_.workers() - 1);
  }

 private:
  ThreadPool& pool_;
  std::size_t worker_;
};

ThreadPool::ThreadPool(std::size_t workers) {
  shared_.reserve(workers + 1);
  batches_.reserve(workers + 1);
  workers_.reserve(workers);
  try {
    const BlockedSignals blocked;
    for (std::size_t worker = 0; worker < workers; ++worker) {
      workers_.emplace_back([this, worker] { work(worker); });
    }
  } catch (const std::system_error& error) {
    stop();
    throw environment_error("cannot start {} threads: {}", workers, error.what());
  } catch (...) {
    stop();
    throw;
  }
}

ThreadPool::ThreadPool(std::span<const int> cpus) : ThreadPool(cpus.size() - 1) {
  caller_.emplace(cpus.back());
  run_on_each(*this, [&](std::size_t thread) {
    if (thread < workers()) pin_this_thread(cpus[thread]);
  });
}

ThreadPool::~ThreadPool() {
  stop();
}

void ThreadPool::stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  work_to_do_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

ThreadPool::Pending ThreadPool::start(Task task) {
  auto started = std::make_shared<Started>();
  started->task = std::move(task);
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(started);
  }
  work_to_do_.notify_one();
  return {*this, std::move(started)};
}

void ThreadPool::Pending::wait() {
  std::exception_ptr error;
  {
    std::unique_lock lock(pool_->mutex_);
    pool_->ended_.wait(lock, [&] { return started_->done; });
    error = std::move(started_->error);
  }
  if (error) std::rethrow_exception(std::move(error));
}

void ThreadPool::run_pieces(std::size_t pieces, PieceTask task) {
  share(pieces, task, workers(), workers());
}

void ThreadPool::share(std::size_t pieces, PieceTask task, std::size_t thread, std::size_t others) {
  if (pieces < 2 || others == 0) {
    for (std::size_t piece = 0; piece < pieces; ++piece) task(piece, thread);
    return;
  }
  Shared shared{.task = task, .pieces = pieces};
  {
    const std::lock_guard lock(mutex_);
    shared_.push_back(&shared);
  }
  work_to_do_.notify_all();
  take_pieces(shared, thread);
  std::unique_lock lock(mutex_);
  std::erase(shared_, &shared);
  ended_.wait(lock, [&] { return shared.helpers == 0; });
  if (shared.error) std::rethrow_exception(std::move(shared.error));
}

void ThreadPool::take_pieces(Shared& shared, std::size_t thread) {
  std::size_t piece = 0;
  std::exception_ptr error;
  try {
    while ((piece = shared.next++) < shared.pieces) shared.task(piece, thread);
    return;
  } catch (...) {
    error = std::current_exception();
  }
  shared.next = shared.pieces;
  const std::lock_guard lock(mutex_);
  if (shared.error && shared.failed < piece) return;
  shared.failed = piece;
  shared.error = std::move(error);
}

void ThreadPool::begin_batch(Batch& batch, std::size_t pieces) {
  {
    const std::lock_guard lock(mutex_);
    batch.pieces_ = pieces;
    batch.begun_ = batch.ended_ = 0;
    batch.error_ = nullptr;
    if (pieces > 0) batches_.push_back(&batch);
  }
  work_to_do_.notify_all();
}

void ThreadPool::wait(const Batch& batch) {
  std::unique_lock lock(mutex_);
  while (batch.ended_ < batch.pieces_) {
    if (Batch* const first = unbegun()) {
      run_piece(*first, *this, lock);
    } else {
      ended_.wait(lock);
    }
  }
}

void ThreadPool::finish(Batch& batch) {
  wait(batch);
  // No lock is needed, because the batch has ended and no other thread accesses it.
  if (batch.error_) std::rethrow_exception(std::exchange(batch.error_, nullptr));
}

ThreadPool::Batch* ThreadPool::unbegun() const {
  const auto found = std::ranges::find_if(
      batches_, [](const Batch* batch) { return batch->begun_ < batch->pieces_; });
  return found == batches_.end() ? nullptr : *found;
}

void ThreadPool::run_piece(Batch& batch, ThreadTeam& team, std::unique_lock<std::mutex>& lock) {
  const std::size_t piece = batch.begun_++;
  std::exception_ptr error;
  lock.unlock();
  try {
    batch.call_(batch.self_, piece, team);
  } catch (...) {
    error = std::current_exception();
  }
  lock.lock();
  if (error) {
    batch.pieces_ = batch.begun_;
    if (!batch.error_ || piece < batch.failed_) {
      batch.failed_ = piece;
      batch.error_ = std::move(error);
    }
  }
  if (++batch.ended_ < batch.pieces_) return;
  std::erase(batches_, &batch);
  ended_.notify_all();
}

bool ThreadPool::Pending::done() const {
  const std::lock_guard lock(pool_->mutex_);
  return started_->done;
}

ThreadPool::Shared* ThreadPool::unfinished() const {
  const auto found =
      std::ranges::find_if(shared_, [](const Shared* shared) { return !shared->begun(); });
  return found == shared_.end() ? nullptr : *found;
}

void ThreadPool::work(std::size_t worker) {
  TaskTeam team(*this, worker);
  std::unique_lock lock(mutex_);
  while (true) {
    Shared* shared = nullptr;
    Batch* batch = nullptr;
    work_to_do_.wait(lock, [&] {
      return stop_ || (shared = unfinished()) != nullptr || (batch = unbegun()) != nullptr ||
             !waiting_.empty();
    });
    if (stop_) return;
    if (shared != nullptr) {
      ++shared->helpers;
      lock.unlock();
      take_pieces(*shared, worker);
      lock.lock();
      if (--shared->helpers == 0) ended_.notify_all();
      continue;
    }
    if (batch != nullptr) {
      run_piece(*batch, team, lock);
      continue;
    }
    const std::shared_ptr<Started> started = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    std::exception_ptr error;
    try {
      started->task(worker, team);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    started->error = std::move(error);
    started->done = true;
    ended_.notify_all();
  }
}

}  // namespace sidecore
