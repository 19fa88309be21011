// The time that a core takes for a sequence of instructions: decode in order, issue to pipes out of
// order (or in order), caches, branch prediction. As simple as explains the published figures
// (docs/armsim.md); a model, not a simulation of what Arm built.
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

/// Groups of pipes that take the same micro-operations.
enum class Pipes : std::uint8_t {
  integer,     ///< single-cycle
  multicycle,  ///< also what `integer` may use, where the core says so
  branch,
  load,
  store,
  vector,    ///< either vector pipe
  vector_0,  ///< multiplications
  vector_1,  ///< shifts
};
inline constexpr std::size_t kPipes = 8;

/// What an instruction takes: micro-operations to one group of pipes, or to two.
struct Cost {
  std::uint8_t latency = 1;
  Pipes pipes = Pipes::integer;
  std::uint8_t operations = 1;
  std::uint8_t busy = 1;  ///< cycles a pipe is taken by one operation
  std::uint8_t more_operations = 0;
  Pipes more_pipes = Pipes::vector;
};

struct CoreModel {
  std::string_view name;
  int decode_width;  ///< instructions a cycle
  int window;        ///< instructions between decode and retirement
  int queue;         ///< micro-operations that wait for one group's pipes
  bool in_order;
  bool integer_on_multicycle;
  std::uint8_t integer_pipes;
  std::uint8_t load_pipes;
  int accumulate_latency;  ///< from a sum to the next sum of its kind
  int mispredict_cycles;   ///< from the branch's result to the next instruction's decode
  CacheModel cache;
};

[[nodiscard]] const CoreModel& cortex_a72();
[[nodiscard]] const CoreModel& cortex_a76();
[[nodiscard]] const CoreModel& cortex_a53();

/// The cost of an instruction on a core.
[[nodiscard]] Cost cost_of(const CoreModel& core, const Instruction& instruction);

/// An access of the instruction at `index` of a block.
struct Access {
  std::uint64_t address;
  std::uint16_t index;
  bool store;
};

/// Instructions that are executed one after the other, with their costs.
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
  /// `clock_hz` only says how long memory takes in cycles.
  Pipeline(const CoreModel& core, double clock_hz);

  /// Executes a block whose end leads to `next`. Calls each(index, cycles) with what every
  /// instruction added to the time, in order.
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

  /// Lets accesses go by that cost no time: what is in the caches then is what would be.
  void pass(std::span<const Access> accesses) {
    for (const Access& access : accesses) cache_->pass(access.address, access.store);
  }

  /// Waits until nothing is under way.
  void drain() { decode_ = retired_; }

  [[nodiscard]] std::uint64_t cycles() const { return retired_; }
  [[nodiscard]] std::uint64_t mispredicted() const { return mispredicted_; }
  [[nodiscard]] const Cache& cache() const { return *cache_; }
  /// As long as this is set, every access hits the first cache.
  void set_ideal_memory(bool ideal) { ideal_memory_ = ideal; }

 private:
  static constexpr std::size_t kStores = 16;          // that wait for their lines
  static constexpr std::size_t kHorizon = 1U << 11U;  // cycles within which pipes are booked
  struct Booked {
    std::uint64_t cycle = 0;
    std::array<std::uint8_t, kPipes> used{};
  };

  void step(const Block::Step& step, std::span<const Access> accesses, std::uint64_t address,
            std::uint64_t next);
  std::uint64_t book(Pipes pipes, std::uint64_t earliest, int busy);
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
  std::array<std::uint64_t, 256> window_{};  // when the last instructions retired
  std::array<std::array<std::uint64_t, 128>, kPipes> queues_{};
  std::array<std::size_t, kPipes> queued_{};
  std::array<std::uint64_t, kStores> stores_{};
  std::size_t stored_ = 0;
  std::size_t count_ = 0;
  std::uint64_t decode_ = 0;
  int decoded_in_cycle_ = 0;
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
