#include "base/cpu_affinity.h"

#include <pthread.h>

#include <algorithm>

#include "base/error.h"

namespace sidecore {

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (::sched_getaffinity(0, sizeof(set), &set) == 0) {
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
    }
  }
  if (cpus.empty()) cpus.push_back(0);
  return cpus;
}

int default_threads() {
  return static_cast<int>(std::min<std::size_t>(allowed_cpus().size(), kMaxThreads));
}

void pin_this_thread(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  const int error = ::pthread_setaffinity_np(::pthread_self(), sizeof(set), &set);
  if (error != 0) {
    throw errno_error(ErrorKind::environment, fmt::format("cannot pin a thread to CPU {}", cpu),
                      error);
  }
}

CpuPin::CpuPin(int cpu) {
  CPU_ZERO(&before_);
  ::pthread_getaffinity_np(::pthread_self(), sizeof(before_), &before_);
  pin_this_thread(cpu);
}

CpuPin::~CpuPin() {
  ::pthread_setaffinity_np(::pthread_self(), sizeof(before_), &before_);
}

}  // namespace sidecore
