// Threads that wait for work and share it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace sidecore {

/// A fixed number of threads, the caller's among them. Used by one caller at a time.
class ThreadTeam {
 public:
  /// `threads` >= 1; one starts no thread. Throws Error (environment) when they cannot be started.
  explicit ThreadTeam(int threads);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  [[nodiscard]] int threads() const { return static_cast<int>(workers_.size()) + 1; }

  /// Calls task(0) ... task(count - 1), each once, in any order, started in ascending order;
  /// returns when all are done. Throws what the lowest of those that threw threw. Allocates
  /// nothing.
  template <class Task>
  void run(std::size_t count, const Task& task) {
    run_erased(count, &task, [](const void* erased, std::size_t index) {
      (*static_cast<const Task*>(erased))(index);
    });
  }

 private:
  using Call = void (*)(const void*, std::size_t);
  void run_erased(std::size_t count, const void* task, Call call);
  void work();
  void run_tasks(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable work_to_do_;
  std::condition_variable all_done_;
  // Of the current run, guarded by mutex_.
  const void* task_ = nullptr;
  Call call_ = nullptr;
  std::size_t count_ = 0;
  std::size_t next_ = 0;
  std::size_t running_ = 0;
  std::exception_ptr error_;
  std::size_t error_index_ = 0;
  bool stop_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace sidecore
