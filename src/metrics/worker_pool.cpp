#include "metrics/worker_pool.h"

#include <algorithm>
#include <atomic>
#include <exception>

namespace sidecore::metrics {

// An exception travels by moves, and whoever waits frees it: the thread sanitizer does not see the
// reference count that would let any other thread do so.

/// A task and what came of it; `done` and `error` are under the pool's mutex.
struct WorkerPool::Started {
  Task task;
  bool done = false;
  std::exception_ptr error = nullptr;
};

/// Pieces of one RowTeam::run().
struct WorkerPool::Shared {
  std::function<void(std::size_t piece, std::size_t thread)> task;
  std::size_t pieces = 0;
  std::atomic<std::size_t> next = 0;
  // Under the pool's mutex:
  std::size_t helpers = 0;
  std::exception_ptr error = nullptr;

  [[nodiscard]] bool begun() const { return next.load(std::memory_order_relaxed) >= pieces; }

  /// Runs pieces until all have begun.
  void run(std::size_t thread) {
    for (std::size_t piece = next++; piece < pieces; piece = next++) task(piece, thread);
  }
};

/// What a task on `worker` runs its rows on.
class WorkerPool::Rows final : public RowTeam {
 public:
  Rows(WorkerPool& pool, std::size_t worker) : pool_(pool), worker_(worker) {}

  [[nodiscard]] std::size_t threads() const override { return pool_.size_; }

 protected:
  void run_pieces(std::size_t pieces, PieceTask task) override {
    if (pieces < 2 || pool_.size_ == 1) {
      for (std::size_t piece = 0; piece < pieces; ++piece) task(piece, worker_);
      return;
    }
    Shared shared{.task = task, .pieces = pieces};
    {
      const std::lock_guard lock(pool_.mutex_);
      pool_.shared_.push_back(&shared);
    }
    pool_.changed_.notify_all();
    std::exception_ptr error;
    try {
      shared.run(worker_);
    } catch (...) {
      error = std::current_exception();
      shared.next = pieces;
    }
    std::unique_lock lock(pool_.mutex_);
    std::erase(pool_.shared_, &shared);
    pool_.changed_.wait(lock, [&] { return shared.helpers == 0; });
    if (!error) error = std::move(shared.error);
    if (error) std::rethrow_exception(std::move(error));
  }

 private:
  WorkerPool& pool_;
  std::size_t worker_;
};

WorkerPool::WorkerPool(std::size_t threads) : size_(std::max<std::size_t>(threads, 1)) {
  for (std::size_t worker = 0; worker < size_; ++worker) {
    threads_.emplace_back([this, worker](const std::stop_token& stop) { work(stop, worker); });
  }
}

WorkerPool::~WorkerPool() = default;

WorkerPool::Pending WorkerPool::start(Task task) {
  auto started = std::make_shared<Started>();
  started->task = std::move(task);
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(started);
  }
  changed_.notify_all();
  return {*this, std::move(started)};
}

void WorkerPool::Pending::wait() {
  std::exception_ptr error;
  {
    std::unique_lock lock(pool_->mutex_);
    pool_->changed_.wait(lock, [&] { return started_->done; });
    error = std::move(started_->error);
  }
  if (error) std::rethrow_exception(std::move(error));
}

bool WorkerPool::Pending::done() const {
  const std::lock_guard lock(pool_->mutex_);
  return started_->done;
}

WorkerPool::Shared* WorkerPool::unfinished() const {
  const auto found =
      std::ranges::find_if(shared_, [](const Shared* shared) { return !shared->begun(); });
  return found == shared_.end() ? nullptr : *found;
}

void WorkerPool::help(std::unique_lock<std::mutex>& lock, Shared& shared, std::size_t worker) {
  ++shared.helpers;
  lock.unlock();
  std::exception_ptr error;
  try {
    shared.run(worker);
  } catch (...) {
    error = std::current_exception();
    shared.next = shared.pieces;
  }
  lock.lock();
  if (error) shared.error = std::move(error);
  if (--shared.helpers == 0) changed_.notify_all();
}

void WorkerPool::work(const std::stop_token& stop, std::size_t worker) {
  Rows rows(*this, worker);
  std::unique_lock lock(mutex_);
  const auto has_work = [this] { return !waiting_.empty() || unfinished() != nullptr; };
  while (changed_.wait(lock, stop, has_work)) {
    if (stop.stop_requested()) return;
    if (waiting_.empty()) {
      // Pieces begin without the lock: what was unfinished a moment ago may not be any more.
      if (Shared* const shared = unfinished()) help(lock, *shared, worker);
      continue;
    }
    const std::shared_ptr<Started> started = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    std::exception_ptr error;
    try {
      started->task(worker, rows);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    started->error = std::move(error);
    started->done = true;
    changed_.notify_all();
  }
}

}  // namespace sidecore::metrics
