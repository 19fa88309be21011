// Pool of implementations with their own memory, for threads that divide a workload.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace sidecore::bench {

/// Pool of implementations. It makes an implementation on demand and reuses it; no two threads use
/// one at the same time.
template <class Summer>
class SummerPool {
 public:
  /// Calls task(summer) with a free implementation; make() makes one if none is free.
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
