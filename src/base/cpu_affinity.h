// The CPUs that threads run on, and how many threads they suit.
#pragma once

#include <sched.h>

#include <vector>

namespace sidecore {

/// Returns the CPUs that the calling thread may run on, in ascending order. For a thread that was
/// not pinned these are the CPUs of the process.
[[nodiscard]] std::vector<int> allowed_cpus();

/// Largest number of threads that a user may set.
inline constexpr int kMaxThreads = 256;
/// Returns the default number of threads: one per allowed CPU, but at most kMaxThreads.
[[nodiscard]] int default_threads();

/// Pins the calling thread to one CPU. Throws Error (environment) if the kernel refuses.
void pin_this_thread(int cpu);

/// Pins the thread that creates it to one CPU, until the same thread destroys it.
class CpuPin {
 public:
  /// Throws as pin_this_thread() does.
  explicit CpuPin(int cpu);
  ~CpuPin();
  CpuPin(const CpuPin&) = delete;
  CpuPin& operator=(const CpuPin&) = delete;

 private:
  cpu_set_t before_;
};

}  // namespace sidecore
