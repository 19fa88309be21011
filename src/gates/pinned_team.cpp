#include "gates/pinned_team.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <system_error>
#include <utility>

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

PinnedTeam::PinnedTeam(std::span<const int> cpus) : workers_(cpus.size()) {
  try {
    for (std::size_t index = 0; index < cpus.size(); ++index) {
      workers_[index].thread = std::thread([this, index, cpu = cpus[index]] { serve(index, cpu); });
    }
  } catch (const std::system_error& error) {
    end();
    throw environment_error("cannot start {} threads: {}", cpus.size(), error.what());
  }
}

PinnedTeam::~PinnedTeam() {
  end();
}

void PinnedTeam::end() {
  {
    const std::lock_guard lock(mutex_);
    quitting_ = true;
  }
  for (Worker& worker : workers_) {
    worker.wake.notify_one();
    if (worker.thread.joinable()) worker.thread.join();
  }
}

Nanoseconds PinnedTeam::run(std::size_t count, const Job& job) {
  const std::span<Worker> called = std::span(workers_).first(count);
  std::unique_lock lock(mutex_);
  job_ = &job;
  count_ = count;
  finished_ = 0;
  ready_ = 0;
  for (Worker& worker : called) {
    worker.called = true;
    worker.wake.notify_one();
  }
  done_.wait(lock, [this] { return finished_ == count_; });
  if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
  Clock::time_point first = called.front().first;
  Clock::time_point last = called.front().last;
  for (const Worker& worker : called) {
    first = std::min(first, worker.first);
    last = std::max(last, worker.last);
  }
  return last - first;
}

void PinnedTeam::serve(std::size_t index, int cpu) {
  Worker& self = workers_[index];
  std::exception_ptr pin_failure;
  try {
    pin_this_thread(cpu);
  } catch (...) {
    pin_failure = std::current_exception();
  }
  std::unique_lock lock(mutex_);
  while (true) {
    self.wake.wait(lock, [&] { return quitting_ || self.called; });
    if (quitting_) return;
    self.called = false;
    if (pin_failure != nullptr) failure_ = pin_failure;
    lock.unlock();
    take_part(index);
    lock.lock();
    if (++finished_ == count_) done_.notify_one();
  }
}

void PinnedTeam::take_part(std::size_t index) {
  // Woken threads arrive at different times; a common start takes a last wait that does not sleep.
  ready_.fetch_add(1);
  while (ready_.load() < count_) std::this_thread::yield();
  Worker& self = workers_[index];
  self.first = Clock::now();
  try {
    (*job_)(index);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
  }
  self.last = Clock::now();
}

}  // namespace sidecore::gates
