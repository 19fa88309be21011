// Implementations with memory of their own, for threads that share a workload.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace sidecore::bench {

/// Implementations made as threads ask for them, and kept: none can be used by two at once.
template <class Summer>
class Summers {
 public:
  /// Calls task(summer); make() gives a new one.
  template <class Make, class Task>
  void use(const Make& make, const Task& task) {
    std::unique_ptr<Summer> summer = take();
    if (!summer) summer = make();
    task(*summer);
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(summer));
  }

 private:
  std::unique_ptr<Summer> take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return nullptr;
    std::unique_ptr<Summer> summer = std::move(idle_.back());
    idle_.pop_back();
    return summer;
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Summer>> idle_;
};

}  // namespace sidecore::bench
