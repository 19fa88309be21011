#include "v3dsim/executor.h"

#include <atomic>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>
#include <vector>

#include "v3dsim/noise.h"
#include "v3dsim/program.h"
#include "v3dsim/supergroup.h"

namespace sidecore::v3dsim {
namespace {

/// Returns the shuffled order in which supergroups start.
std::vector<std::uint32_t> shuffled(std::uint64_t count, std::uint64_t seed) {
  if (count > std::numeric_limits<std::uint32_t>::max()) {
    throw Fault(FaultKind::bad_job, "too many supergroups for a random order");
  }
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[mix(seed ^ mix(i)) % i]);
  }
  return order;
}

/// Keeps the fault of the lowest supergroup, independent of the order in which host threads report
/// faults.
class FirstFault {
 public:
  void offer(std::uint64_t supergroup, std::exception_ptr fault) {
    const std::lock_guard lock(mutex_);
    if (supergroup >= supergroup_) return;
    supergroup_ = supergroup;
    fault_ = std::move(fault);
    any_.store(true, std::memory_order_relaxed);
  }
  [[nodiscard]] bool any() const { return any_.load(std::memory_order_relaxed); }
  void rethrow() const {
    if (fault_) std::rethrow_exception(fault_);
  }

 private:
  std::mutex mutex_;
  std::atomic<bool> any_{false};
  std::uint64_t supergroup_ = std::numeric_limits<std::uint64_t>::max();
  std::exception_ptr fault_;
};

Statistics describe(const JobShape& shape, const Program& program) {
  Statistics out;
  out.version = program.version();
  out.grid = shape.groups;
  out.workgroup_size = shape.workgroup_size;
  out.workgroups_per_supergroup = shape.workgroups_per_supergroup;
  out.supergroups = shape.supergroups;
  out.threads = shape.batches;
  out.idle_lanes = shape.batches * kLanes - shape.workgroups * shape.workgroup_size;
  out.threads_per_qpu = shape.four_threads ? 4 : 2;
  out.program_address = program.entry();
  out.program_size = program.size();
  return out;
}

/// One dispatch: its workers and the state that they share.
class Dispatch {
 public:
  Dispatch(const Machine& machine, const Options& options, const Job& job, const Memory& memory,
           const Program& program, const JobShape& shape, TraceSink* traces)
      : options_(options), shape_(shape) {
    const unsigned wanted = options.host_threads;
    const bool alone =
        job.indirect || options.check_races || options.order == Order::random || traces != nullptr;
    const SlotPlan plan =
        plan_slots(shape, machine, job.indirect, alone || wanted == 0 ? 1 : wanted);
    if (options.check_races) races_.emplace(shape, plan.memory_slots, options.lanes_are_ordered);
    for (unsigned i = 0; i < plan.workers; ++i) {
      workers_.push_back(std::make_unique<SupergroupRunner>(
          options_, shape_, memory, program, plan, i, races_ ? &*races_ : nullptr, traces));
    }
    if (options.order == Order::random) order_ = shuffled(shape.supergroups, options.seed);
  }

  void run() {
    if (workers_.size() == 1) {
      drain(*workers_.front());
    } else {
      std::vector<std::jthread> threads;
      for (auto& worker : workers_) threads.emplace_back([this, &worker] { drain(*worker); });
    }
    fault_.rethrow();
  }

  [[nodiscard]] Statistics statistics(const Program& program) const {
    Statistics out = describe(shape_, program);
    Counters sum = workers_.front()->counters();
    for (std::size_t i = 1; i < workers_.size(); ++i) sum.add(workers_[i]->counters());
    sum.write_to(out, program);
    return out;
  }

 private:
  void drain(SupergroupRunner& worker) {
    while (!fault_.any()) {
      const std::uint64_t turn = next_.fetch_add(1, std::memory_order_relaxed);
      if (turn >= shape_.supergroups) return;
      const std::uint64_t supergroup = order_.empty() ? turn : order_[turn];
      try {
        worker.run(supergroup);
      } catch (...) {
        fault_.offer(supergroup, std::current_exception());
      }
    }
  }

  const Options& options_;
  const JobShape& shape_;
  std::optional<RaceChecker> races_;
  std::vector<std::unique_ptr<SupergroupRunner>> workers_;
  std::vector<std::uint32_t> order_;
  std::atomic<std::uint64_t> next_{0};
  FirstFault fault_;
};

}  // namespace

Executor::Executor(const Machine& machine, const Options& options)
    : machine_(machine), options_(options), programs_(std::make_unique<ProgramCache>()) {}

Executor::~Executor() = default;

Statistics Executor::run(const Job& job, const Memory& memory, TraceSink* traces) {
  const JobShape shape = read_job(job, machine_);
  const auto program = programs_->get(memory, shape.code_address, machine_.version,
                                      shape.four_threads, shape.single_segment);
  Dispatch dispatch(machine_, options_, job, memory, *program, shape, traces);
  dispatch.run();
  return dispatch.statistics(*program);
}

}  // namespace sidecore::v3dsim
