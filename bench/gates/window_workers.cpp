#include "gates/window_workers.h"

#include <algorithm>
#include <utility>

namespace sidecore::gates {

double WorkerResult::passes_per_second() const {
  return elapsed.count() > 0 ? static_cast<double>(passes) / seconds(elapsed) : 0.0;
}

WorkerResult work_on_neon(const std::vector<HeapPicture*>& pictures, Nanoseconds window) {
  WorkerResult tally;
  const Clock::time_point start = Clock::now();
  do {
    for (HeapPicture* picture : pictures) {
      picture->workload->run_neon(picture->memory.bytes(), {0, picture->workload->units()});
    }
    ++tally.passes;
    tally.elapsed = Clock::now() - start;
  } while (tally.elapsed < window);
  return tally;
}

QpuWorker::QpuWorker(qpu::Device& device, std::shared_ptr<const Workload> workload,
                     const std::string& variant)
    : device_(device), workload_(std::move(workload)) {
  for (Slot& slot : slots_) {
    slot.memory = device_.create_buffer(workload_->bytes());
    slot.list = workload_->record(device_, *slot.memory, variant);
  }
}

void QpuWorker::restore() {
  for (Slot& slot : slots_) workload_->reset(slot.memory->bytes());
}

WorkerResult QpuWorker::work(Nanoseconds window) {
  WorkerResult tally;
  std::array<qpu::Ticket, kInFlight> tickets;
  const Clock::time_point start = Clock::now();
  for (std::size_t i = 0; i < kInFlight; ++i) tickets[i] = device_.submit(*slots_[i].list);
  std::size_t oldest = 0;
  while (true) {
    tickets[oldest].wait();
    ++tally.passes;
    tally.elapsed = Clock::now() - start;
    if (tally.elapsed >= window) break;
    tickets[oldest] = device_.submit(*slots_[oldest].list);
    oldest = (oldest + 1) % kInFlight;
  }
  for (std::size_t behind = 1; behind < kInFlight; ++behind) {
    tickets[(oldest + behind) % kInFlight].wait();
    ++tally.passes;
    tally.elapsed = Clock::now() - start;
  }
  return tally;
}

std::vector<BranchRate> QpuWorker::branch_rates() const {
  // A copy in the heap, because mapped GPU memory is slow to read on a Pi.
  HeapBlock copy(slots_[0].memory->size());
  std::ranges::copy(slots_[0].memory->bytes(), copy.bytes().begin());
  return workload_->branch_rates(copy.bytes());
}

}  // namespace sidecore::gates
