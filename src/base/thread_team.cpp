#include "base/thread_team.h"

#include <system_error>
#include <utility>

#include "base/error.h"

namespace sidecore {

ThreadTeam::ThreadTeam(int threads) {
  try {
    for (int index = 1; index < threads; ++index) workers_.emplace_back([this] { work(); });
  } catch (const std::system_error& error) {
    {
      const std::scoped_lock lock(mutex_);
      stop_ = true;
    }
    work_to_do_.notify_all();
    for (std::thread& worker : workers_) worker.join();
    throw environment_error("cannot start {} threads: {}", threads, error.what());
  }
}

ThreadTeam::~ThreadTeam() {
  {
    const std::scoped_lock lock(mutex_);
    stop_ = true;
  }
  work_to_do_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadTeam::run_erased(std::size_t count, const void* task, Call call) {
  if (workers_.empty() || count <= 1) {
    for (std::size_t index = 0; index < count; ++index) call(task, index);
    return;
  }
  std::unique_lock lock(mutex_);
  task_ = task;
  call_ = call;
  count_ = count;
  next_ = 0;
  error_ = nullptr;
  work_to_do_.notify_all();
  run_tasks(lock);
  all_done_.wait(lock, [this] { return running_ == 0; });
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void ThreadTeam::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    work_to_do_.wait(lock, [this] { return stop_ || next_ < count_; });
    if (stop_) return;
    run_tasks(lock);
  }
}

void ThreadTeam::run_tasks(std::unique_lock<std::mutex>& lock) {
  while (next_ < count_) {
    const std::size_t index = next_++;
    ++running_;
    lock.unlock();
    std::exception_ptr error;
    try {
      call_(task_, index);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    --running_;
    if (error && (!error_ || index < error_index_)) {
      error_ = error;
      error_index_ = index;
    }
  }
  if (running_ == 0) all_done_.notify_one();
}

}  // namespace sidecore
