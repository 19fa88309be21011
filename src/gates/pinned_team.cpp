#include "gates/pinned_team.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "base/error.h"

namespace sidecore::gates {

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

UnitRange share_of(std::size_t units, std::size_t index, std::size_t parts) {
  return {units * index / parts, units * (index + 1) / parts};
}

HeapBlock::HeapBlock(std::size_t bytes) : size_(bytes) {
  const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  memory_.reset(static_cast<std::byte*>(std::aligned_alloc(kAlignment, rounded)));
  if (memory_ == nullptr) throw std::bad_alloc();
  std::fill_n(memory_.get(), size_, std::byte{0});
}

void HeapBlock::Free::operator()(std::byte* memory) const {
  std::free(memory);
}

PinnedTeam::PinnedTeam(std::span<const int> cpus) : spans_(cpus.size()) {
  threads_.reserve(cpus.size());
  for (std::size_t index = 0; index < cpus.size(); ++index) {
    threads_.emplace_back([this, index, cpu = cpus[index]] { serve(index, cpu); });
  }
}

PinnedTeam::~PinnedTeam() {
  {
    const std::lock_guard lock(mutex_);
    quitting_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

Nanoseconds PinnedTeam::run(const std::function<void(std::size_t)>& job) {
  std::unique_lock lock(mutex_);
  job_ = &job;
  finished_ = 0;
  ready_ = 0;
  ++generation_;
  changed_.notify_all();
  changed_.wait(lock, [this] { return finished_ == threads_.size(); });
  job_ = nullptr;
  if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
  Span whole = spans_.front();
  for (const Span& span : spans_) {
    whole.first = std::min(whole.first, span.first);
    whole.last = std::max(whole.last, span.last);
  }
  return whole.last - whole.first;
}

void PinnedTeam::serve(std::size_t index, int cpu) {
  std::exception_ptr pin_failure;
  try {
    pin_this_thread(cpu);
  } catch (...) {
    pin_failure = std::current_exception();
  }
  std::size_t seen = 0;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return quitting_ || generation_ != seen; });
      if (quitting_) return;
      seen = generation_;
      if (pin_failure != nullptr) failure_ = pin_failure;
    }
    take_part(index);
    {
      const std::lock_guard lock(mutex_);
      ++finished_;
    }
    changed_.notify_all();
  }
}

void PinnedTeam::take_part(std::size_t index) {
  // Woken threads arrive at different times; a common start takes a last wait that does not sleep.
  ready_.fetch_add(1);
  while (ready_.load() < threads_.size()) std::this_thread::yield();
  spans_[index].first = Clock::now();
  try {
    (*job_)(index);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
  }
  spans_[index].last = Clock::now();
}

}  // namespace sidecore::gates
