// A shader's code, decoded once: what the executor steps through.
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

/// Where a step finds an operand: registers of the file, then accumulators, then the constants.
inline constexpr std::uint8_t kFirstAccumulator = 64;
inline constexpr std::uint8_t kRegisters = 70;
inline constexpr std::uint8_t kFirstImmediate = kRegisters;
inline constexpr std::uint8_t kR5 = kFirstAccumulator + 5;

/// The 48 small immediates, each in all lanes; index = code.
[[nodiscard]] const Lanes* immediate_table();

/// What happens to a result.
enum class Target : std::uint8_t {
  none,
  lanes,       ///< a register, under the condition
  quad_first,  ///< a register, every quad's first lane
  lane_zero,   ///< a register, lane 0 in all lanes
  unifa,
  tmu_data,
  tmu_address,
  tmu_address_with_config,
  tmu_config,
  barrier,
};

/// Which flag of the result, and how it enters A.
enum class FlagSource : std::uint8_t { z, n, c };
enum class FlagMode : std::uint8_t { none, push, and_, and_not, nor, nor_not };

template <class Op>
struct StepHalf {
  Op op = Op::nop;
  bool runs = false;  ///< false when neither a result nor a flag of it can be seen
  std::uint8_t a = 0, b = 0;
  Unpack a_unpack = Unpack::none, b_unpack = Unpack::none;
  Pack pack = Pack::none;
  Condition condition = Condition::always;
  FlagSource flag = FlagSource::z;
  FlagMode flag_mode = FlagMode::none;
  Target target = Target::none;
  std::uint8_t index = 0;
};

/// A set of registers: rf0..63 in the first word, accumulators from bit 0 of the second.
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
  bool pops_uniform = false;        ///< one 32-bit word of the uniform stream
  bool signal_to_register = false;  ///< ldtmu, ldunifrf, ldunifarf: false when discarded
  bool signal_to_unifa = false;     ///< ldunifrf into UNIFA, as for a buffer at a constant address
  bool unproven_flag = false;       ///< pushes a flag that no source defines for the operation
  bool after_special = false;       ///< reads a special function's result one instruction early
  std::uint8_t signal_index = 0;
  std::uint8_t uniform_index = 0;  ///< where ldunif and ldunifa go
  std::uint32_t signals = 0;
  StepHalf<AddOp> add;
  StepHalf<MulOp> mul;
  Branch branch;
  RegisterSet reads, writes;
  std::string_view reason = "outside the code that can be reached";  ///< of a stop
};

/// Everything reachable from one entry point.
class Program {
 public:
  /// Follows the code from `entry` through every branch to the thread ends. Words that no thread
  /// may execute become stops, which fault when they are reached and not before. Throws Fault when
  /// code lies outside the memory or spreads over more than 8 MiB.
  Program(const Memory& memory, std::uint32_t entry, Version version, bool four_threads,
          bool single_segment);

  [[nodiscard]] Version version() const { return version_; }
  [[nodiscard]] std::uint32_t entry() const { return entry_; }
  [[nodiscard]] std::uint32_t first() const { return first_; }
  [[nodiscard]] std::span<const Step> steps() const { return steps_; }
  /// Number of reachable instructions.
  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] std::uint64_t word(std::uint32_t index) const { return words_[index]; }
  /// Whether the memory still holds the same words.
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

/// The last programs, found again by address and content. Safe to use from several threads.
class ProgramCache {
 public:
  [[nodiscard]] std::shared_ptr<const Program> get(const Memory& memory, std::uint32_t entry,
                                                   Version version, bool four_threads,
                                                   bool single_segment);

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<const Program>> programs_;
};

/// The step of one instruction; a stop when it cannot be executed.
[[nodiscard]] Step make_step(const Instruction& instruction, Version version, bool four_threads);

}  // namespace sidecore::v3dsim
