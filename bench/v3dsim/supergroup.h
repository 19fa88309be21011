// Runs supergroups one at a time: threads, payloads and barriers. Only the executor includes this
// file.
#pragma once

#include <cstdint>
#include <vector>

#include "v3dsim/job.h"
#include "v3dsim/thread.h"

namespace sidecore::v3dsim {

/// Division of shared-memory slots (payload 1) and thread numbers (TIDX) between host workers. Both
/// must be unique among concurrent work.
struct SlotPlan {
  unsigned workers = 1;
  /// Shared-memory slots per worker, a multiple of S; workgroups use them in turn. If 0, the slot
  /// is the workgroup's linear index.
  std::uint32_t memory_slots = 0;
  std::uint32_t thread_slots = 0;  ///< number of TIDX values per worker, used in turn

  /// Returns the slot of a workgroup that this worker runs.
  [[nodiscard]] std::uint32_t memory_slot(unsigned worker, std::uint64_t workgroup) const {
    if (memory_slots == 0) return static_cast<std::uint32_t>(workgroup);
    return worker * memory_slots + static_cast<std::uint32_t>(workgroup % memory_slots);
  }
};

/// Chooses at most `wanted` workers such that slots and TIDX suffice. Throws Fault if the threads
/// of one supergroup cannot all be alive at once.
[[nodiscard]] SlotPlan plan_slots(const JobShape& shape, const Machine& machine, bool indirect,
                                  unsigned wanted);

/// Payload registers and active lanes of one batch, as the hardware passes them to a new thread.
struct Payload {
  Lanes ids_xy;  ///< workgroup id: x in bits 15:0, y in 31:16
  /// Workgroup id z in bits 15:0, then the slot, then the local index in the top bits.
  Lanes z_and_local;
  LaneMask active = 0;
};
/// Makes the payload of a batch. `first_slot` is the slot of the supergroup's first workgroup.
/// Lanes after the supergroup's last invocation are idle and continue the last workgroup.
[[nodiscard]] Payload make_payload(const JobShape& shape, std::uint64_t supergroup,
                                   std::uint32_t batch, std::uint32_t first_slot);

/// Runs supergroups for one host worker.
class SupergroupRunner {
 public:
  SupergroupRunner(const Options& options, const JobShape& shape, const Memory& memory,
                   const Program& program, const SlotPlan& plan, unsigned worker,
                   RaceChecker* races, TraceSink* sink);

  /// Runs one supergroup. Throws Fault with its place: supergroup, batch, code address and
  /// instruction.
  void run(std::uint64_t supergroup);
  [[nodiscard]] const Counters& counters() const { return context_.counters; }

 private:
  enum class State : std::uint8_t { free, runnable, at_barrier };
  struct Live {
    State state = State::free;
    std::uint32_t batch = 0;
  };

  void admit(std::uint64_t supergroup, std::uint32_t batch, std::size_t slot);
  void start(Thread& thread, std::uint64_t supergroup, std::uint32_t batch, std::size_t slot);
  void poison_start(Thread& thread) const;
  void step(std::uint64_t supergroup, std::size_t slot);
  void release_barrier(std::uint64_t supergroup);
  [[nodiscard]] std::size_t pick() const;
  [[nodiscard]] Fault placed(const Fault& fault, std::uint64_t supergroup, const Thread& thread,
                             std::uint32_t batch) const;

  const Options& options_;
  const JobShape& shape_;
  SlotPlan plan_;
  unsigned worker_;
  RunFunction run_;
  Context context_;
  std::vector<Thread> threads_;  ///< states of the threads, by slot
  std::vector<Live> live_;
  std::uint32_t next_batch_ = 0, ended_ = 0, waiting_ = 0, runnable_ = 0;
  std::uint64_t picks_ = 0;  ///< key of the random interleaving
  TraceSink* sink_;
  std::vector<Trace> traces_;  ///< traces of the supergroup's batches
};

}  // namespace sidecore::v3dsim
