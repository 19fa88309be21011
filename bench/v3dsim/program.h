// A shader's code, decoded once into steps that the executor runs.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "v3dsim/instruction.h"
#include "v3dsim/lanes.h"
#include "v3dsim/memory.h"

namespace sidecore::v3dsim {

/// Index ranges of a step's operands: registers of the file, then accumulators, then constants.
inline constexpr std::uint8_t kFirstAccumulator = 64;
inline constexpr std::uint8_t kRegisters = 70;
inline constexpr std::uint8_t kFirstImmediate = kRegisters;
inline constexpr std::uint8_t kR5 = kFirstAccumulator + 5;

/// Returns the 48 small immediates by code, each in all lanes.
[[nodiscard]] const Lanes* immediate_table();

/// Destination of a result.
enum class Target : std::uint8_t {
  none,
  lanes,       ///< writes a register, in the lanes that meet the condition
  quad_first,  ///< writes a register; each quad gets its first lane's value
  lane_zero,   ///< writes a register; all lanes get lane 0's value
  unifa,
  tmu_data,
  tmu_address,
  tmu_address_with_config,
  tmu_config,
  barrier,
};

/// Flag of the result, and the way it is combined into flag A.
enum class FlagSource : std::uint8_t { z, n, c };
enum class FlagMode : std::uint8_t { none, push, and_, and_not, nor, nor_not };

template <class Op>
struct StepHalf {
  Op op = Op::nop;
  bool runs = false;  ///< false if neither the operation's result nor a flag of it can be observed
  std::uint8_t a = 0, b = 0;
  Unpack a_unpack = Unpack::none, b_unpack = Unpack::none;
  Pack pack = Pack::none;
  Condition condition = Condition::always;
  FlagSource flag = FlagSource::z;
  FlagMode flag_mode = FlagMode::none;
  Target target = Target::none;
  std::uint8_t index = 0;
};

/// Set of registers: rf0..63 in `file`, accumulators from bit 0 of `accumulators`.
struct RegisterSet {
  std::uint64_t file = 0;
  std::uint64_t accumulators = 0;
  void insert(std::uint8_t index) {
    (index < kFirstAccumulator ? file : accumulators) |= std::uint64_t{1} << (index & 63);
  }
};

struct Step {
  enum class Kind : std::uint8_t { stop, alu, branch };
  Kind kind = Kind::stop;
  bool pops_uniform = false;  ///< takes one 32-bit word from the uniform stream
  /// True if ldtmu, ldunifrf or ldunifarf writes a register; false if the result is discarded.
  bool signal_to_register = false;
  /// True if ldunifrf writes UNIFA, as for a buffer at a constant address.
  bool signal_to_unifa = false;
  /// True if the instruction pushes a flag that no source defines for its operation.
  bool unproven_flag = false;
  /// True if the step reads a special function's result one instruction early.
  bool after_special = false;
  std::uint8_t signal_index = 0;
  std::uint8_t uniform_index = 0;  ///< register that ldunif and ldunifa write
  std::uint32_t signals = 0;
  StepHalf<AddOp> add;
  StepHalf<MulOp> mul;
  Branch branch;
  RegisterSet reads, writes;
  /// Fault that the job reports if it reaches this step; used only if no thread may execute the
  /// step.
  std::string_view reason = "the code is not reachable from the program's entry";
};

/// All code that is reachable from one entry point.
class Program {
 public:
  /// Decodes all code reachable from `entry` through branches up to the thread ends. Words that no
  /// thread may execute become stops, which fault only when reached. Throws Fault if code is
  /// outside the memory or spans more than 8 MiB.
  Program(const Memory& memory, std::uint32_t entry, Version version, bool four_threads,
          bool single_segment);

  [[nodiscard]] Version version() const { return version_; }
  [[nodiscard]] std::uint32_t entry() const { return entry_; }
  [[nodiscard]] std::uint32_t first() const { return first_; }
  [[nodiscard]] std::span<const Step> steps() const { return steps_; }
  /// Returns the number of reachable instructions.
  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] std::uint64_t word(std::uint32_t index) const { return words_[index]; }
  /// Returns true if the memory still holds the same words.
  [[nodiscard]] bool matches(const Memory& memory) const;
  [[nodiscard]] bool is(std::uint32_t entry, Version version, bool four_threads,
                        bool single_segment) const {
    return entry == entry_ && version == version_ && four_threads == four_threads_ &&
           single_segment == single_segment_;
  }

 private:
  std::uint32_t entry_;
  Version version_;
  bool four_threads_, single_segment_;
  std::uint32_t first_ = 0;
  std::uint32_t size_ = 0;
  std::vector<std::uint64_t> words_;
  std::vector<Step> steps_;
};

/// Cache of the decoded programs that were used last. A program is found by its address and decoded
/// again if the words there have changed. Thread-safe.
class ProgramCache {
 public:
  [[nodiscard]] std::shared_ptr<const Program> get(const Memory& memory, std::uint32_t entry,
                                                   Version version, bool four_threads,
                                                   bool single_segment);

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<const Program>> programs_;
};

/// Resolves one instruction into a step; a stop if it cannot be executed.
[[nodiscard]] Step make_step(const Instruction& instruction, Version version, bool four_threads);

}  // namespace sidecore::v3dsim
