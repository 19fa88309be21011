// Model of the time that a core takes for a sequence of instructions: decoding in order, issue to
// pipes out of order (or in order), caches, branch prediction. It is only as detailed as the
// published figures require (docs/armsim.md), and does not simulate Arm's design.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "armsim/cache.h"
#include "armsim/instruction.h"

namespace sidecore::armsim {

/// Groups of pipes that accept the same micro-operations.
enum class Pipes : std::uint8_t {
  integer,  ///< multi-cycle integer operations; with integer_on_multicycle, all integer operations
  multicycle,  ///< multi-cycle integer operations, and with integer_on_multicycle all integer ones
  branch,
  load,
  store,
  vector,    ///< any vector pipe
  vector_0,  ///< vector pipe for multiplications
  vector_1,  ///< vector pipe for shifts
};
inline constexpr std::size_t kPipes = 8;

/// Cost of an instruction: micro-operations for one group of pipes, or for two.
struct Cost {
  std::uint8_t latency = 1;
  Pipes pipes = Pipes::integer;
  std::uint8_t operations = 1;
  std::uint8_t busy = 1;  ///< cycles for which one operation occupies a pipe
  std::uint8_t more_operations = 0;
  Pipes more_pipes = Pipes::vector;
};

/// Largest numbers of micro-operations that a core passes to the queues per cycle.
struct DispatchLimits {
  static constexpr int kNone = 8;
  int all;
  int branches = kNone;
  int integer = kNone;      ///< limit of single-cycle and of multi-cycle operations, each
  int accesses = kNone;     ///< loads and stores together
  int vector_pipe = kNone;  ///< limit of operations for each vector pipe
};

struct CoreModel {
  std::string_view name;
  int decode_width;  ///< instructions decoded per cycle
  DispatchLimits dispatch;
  int window;  ///< largest number of instructions between decode and retirement
  int queue;   ///< largest number of micro-operations that wait for each pipe of a group
  bool in_order;
  bool integer_on_multicycle;
  std::uint8_t integer_pipes;
  std::uint8_t load_pipes;
  /// Number of bytes that a vector pipe processes at once. With 8, an operation on 16 bytes takes
  /// two places, and the halves of a vector register become ready independently.
  std::uint8_t vector_pipe_bytes;
  /// Number of last cycles of a load of one lane that also need the other lanes.
  int lane_merge_latency;
  /// Number of cycles from fetching a predicted taken branch to fetching its target.
  int taken_branch_cycles;
  int accumulate_latency;  ///< number of cycles from a sum to the next sum of its kind
  /// Number of cycles from the branch's result to the decoding of the next instruction.
  int mispredict_cycles;
  int history_bits;  ///< number of last branches by which the predictor tells cases apart
  CacheModel cache;
};

[[nodiscard]] const CoreModel& cortex_a72();
[[nodiscard]] const CoreModel& cortex_a76();
[[nodiscard]] const CoreModel& cortex_a53();

/// Returns the cost of an instruction on a core.
[[nodiscard]] Cost cost_of(const CoreModel& core, const Instruction& instruction);

/// A memory access by the instruction at `index` of a block.
struct Access {
  std::uint64_t address;
  std::uint16_t index;
  bool store;
};

/// A sequence of instructions that are executed one after the other, with their costs.
struct Block {
  struct Step {
    Instruction instruction;
    Cost cost;
  };
  std::uint64_t address = 0;
  std::span<const Step> steps;
};

class Pipeline {
 public:
  /// Creates a pipeline; `clock_hz` converts the memory's times to cycles.
  Pipeline(const CoreModel& core, double clock_hz);

  /// Executes a block; `next` is the address of the next block. Calls each(index, cycles) for every
  /// instruction in order, with the cycles that it added to the time.
  template <class Each>
  void run(const Block& block, std::span<const Access> accesses, std::uint64_t next,
           const Each& each) {
    std::size_t access = 0;
    for (std::size_t index = 0; index < block.steps.size(); ++index) {
      const std::size_t first = access;
      while (access < accesses.size() && accesses[access].index <= index) ++access;
      const std::uint64_t before = retired_;
      step(block.steps[index], accesses.subspan(first, access - first), block.address + 4 * index,
           index + 1 == block.steps.size() ? next : 0);
      each(index, retired_ - before);
    }
  }

  /// Updates the caches for accesses that take no time. Calls each(access) after each of them.
  template <class Each>
  void pass(std::span<const Access> accesses, const Each& each) {
    for (const Access& access : accesses) {
      cache_->pass(access.address, access.store);
      each(access);
    }
  }

  /// Waits until all instructions have retired.
  void drain() { decode_ = fetch_ = retired_; }

  [[nodiscard]] std::uint64_t cycles() const { return retired_; }
  [[nodiscard]] std::uint64_t mispredicted() const { return mispredicted_; }
  [[nodiscard]] const Cache& cache() const { return *cache_; }
  /// While set, every access hits the first cache level.
  void set_ideal_memory(bool ideal) { ideal_memory_ = ideal; }

 private:
  // Number of operations that can wait for a vector pipe.
  static constexpr std::size_t kVectorQueue = 8;
  static constexpr std::size_t kStores = 16;  // largest number of stores that wait for their lines
  // Number of fetched instructions that can wait to be decoded.
  static constexpr std::size_t kFetchedAhead = 16;
  // Number of cycles ahead for which pipes can be booked.
  static constexpr std::size_t kHorizon = 1U << 11U;
  struct Booked {
    std::uint64_t cycle = 0;
    std::array<std::uint8_t, kPipes> used{};
  };

  void step(const Block::Step& step, std::span<const Access> accesses, std::uint64_t address,
            std::uint64_t next);
  /// Sets the cycle in which the next instruction is decoded.
  void begin_cycle(std::uint64_t cycle);
  /// Returns the cycle in which the instruction at `address` is fetched.
  std::uint64_t fetch(std::uint64_t address);
  /// Sets decode_ to the first cycle in which the instruction can be decoded, and takes its places
  /// in the decoder and at dispatch.
  void decode(const Cost& cost, std::uint64_t fetched);
  /// Takes a place at dispatch, from decode_ on.
  void dispatch(Pipes pipes);
  /// Fetches the next instruction where a branch leads.
  void follow(const Instruction& branch, std::uint64_t address, std::uint64_t next,
              std::uint64_t resolved);
  /// Returns the earliest cycle in which an operation can begin, and takes its pipe.
  std::uint64_t book(Pipes pipes, std::uint64_t earliest, int busy);
  /// Does the same as book() for an operation that is assigned to a pipe when it is dispatched.
  std::uint64_t book_assigned(Pipes pipes, std::uint64_t earliest, int busy);
  [[nodiscard]] bool has_room(Booked& at, Pipes pipes) const;
  void take(Booked& at, Pipes pipes);
  Booked& booked(std::uint64_t cycle);
  [[nodiscard]] bool predicts(const Instruction& branch, std::uint64_t address, std::uint64_t next);

  const CoreModel* core_;
  std::unique_ptr<Cache> cache_;
  bool ideal_memory_ = false;
  std::array<std::uint64_t, kRegisters> ready_{};
  std::array<Kind, kRegisters> made_by_{};
  std::unique_ptr<std::array<Booked, kHorizon>> booked_;
  std::array<std::uint64_t, 256> window_{};  // retirement cycles of the last instructions
  std::array<std::array<std::uint64_t, 128>, kPipes> queues_{};
  std::array<std::size_t, kPipes> queued_{};
  std::array<std::uint64_t, kStores> stores_{};
  std::size_t stored_ = 0;
  std::size_t count_ = 0;
  std::uint64_t fetch_ = 0;  ///< cycle in which the last group of instructions was fetched
  std::uint64_t fetched_group_ = 0;
  bool redirected_ = false;  ///< true if fetch_ is already the cycle of the next group
  std::array<std::uint64_t, 256> decoded_{};  // decoding cycles of the last instructions
  std::uint64_t decode_ = 0;
  int decoded_in_cycle_ = 0;
  int dispatched_in_cycle_ = 0;
  std::array<int, kPipes> dispatched_to_{};  // number dispatched in this cycle, by Pipes
  /// Cycles in which the last operations that wait for each vector pipe begin.
  std::array<std::array<std::uint64_t, kVectorQueue>, 2> vector_queues_{};
  std::array<std::size_t, 2> vector_queued_{};
  bool second_pipe_next_ = false;
  std::uint64_t last_issue_ = 0;
  std::uint64_t retired_ = 0;
  std::uint64_t mispredicted_ = 0;
  std::uint32_t history_ = 0;
  std::array<std::uint8_t, 1U << 14U> by_address_{};
  std::array<std::uint8_t, 1U << 16U> by_history_{};
  std::array<std::uint8_t, 1U << 14U> choice_{};
  std::array<std::uint64_t, 1U << 12U> targets_{};
};

}  // namespace sidecore::armsim
