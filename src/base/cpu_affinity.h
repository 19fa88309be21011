// Which CPUs threads run on.
#pragma once

#include <sched.h>

#include <vector>

namespace sidecore {

/// The CPUs that the calling thread may run on, ascending; of a thread that nobody pinned, those of
/// the process.
[[nodiscard]] std::vector<int> allowed_cpus();

/// Keeps the calling thread on one CPU. Throws Error (environment) when the kernel refuses.
void pin_this_thread(int cpu);

/// Keeps the thread that makes it on one CPU, until that thread destroys it.
class CpuPin {
 public:
  /// As pin_this_thread().
  explicit CpuPin(int cpu);
  ~CpuPin();
  CpuPin(const CpuPin&) = delete;
  CpuPin& operator=(const CpuPin&) = delete;

 private:
  cpu_set_t before_;
};

}  // namespace sidecore
