// The requirements of a 64-bit ARM instruction: its kind, and the registers it reads and writes.
// The decoder covers the ARMv8.0-A instructions that compilers and libraries use. Kinds follow the
// rows of Arm's software optimization guides.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace sidecore::armsim {

enum class Kind : std::uint8_t {
  none,  ///< nop, hint or barrier: takes a place in the window, but no pipe
  alu,
  alu_shift,  ///< integer operation with an operand that is shifted or extended at a cost
  insert,     ///< bit-field insert
  extract,    ///< bits from two registers
  multiply,   ///< multiplication of 32 bits, or of 32 x 32 to 64 bits
  multiply_64,
  multiply_high,
  divide_32,
  divide_64,
  branch,
  branch_link,
  system,
  load,
  load_pair,
  store,
  store_pair,
  vector,           ///< integer arithmetic, logic, comparison, moves between lanes
  vector_zip_wide,  ///< zip and unzip of 16-byte registers
  vector_multiply,  ///< multiplication of 8 bytes, or to twice the width
  vector_multiply_wide,
  vector_shift,
  vector_shift_complex,  ///< rounding and saturating shifts
  vector_shift_by_register,
  vector_shift_by_register_complex,
  vector_shift_accumulate,
  vector_accumulate,  ///< sums of differences or of pairs
  vector_narrow_saturating,
  vector_reduce,
  vector_reduce_wide,
  vector_table,  ///< table lookup; `units` is the number of table registers
  vector_from_general,
  vector_to_general,
  float_add,
  float_compare,
  float_multiply,
  float_fused,
  float_divide,
  float_convert,
  vector_load,        ///< `units` is the number of registers
  vector_load_lane,   ///< load of one lane, or of one element to all lanes
  vector_load_weave,  ///< load of structures of 2 to 4 elements
  vector_store,
  vector_store_lane,
  vector_store_weave,
};
inline constexpr std::size_t kKinds = static_cast<std::size_t>(Kind::vector_store_weave) + 1;

/// Half of a vector register that a load of one 8-byte lane replaces.
enum class Half : std::uint8_t { none, low, high };

/// Number of a register: 0 to 30 general, 31 the stack pointer, 32 to 63 the vectors, 64 the flags.
using Register = std::uint8_t;
inline constexpr Register kVectors = 32;
inline constexpr Register kFlags = 64;
inline constexpr std::size_t kRegisters = 65;

struct Instruction {
  Kind kind = Kind::none;
  std::uint8_t units = 1;  ///< number of registers of a load, store or table lookup
  /// True for registers of 16 bytes, except if the operands or the result are half of a register.
  bool wide = false;
  /// True if the first register read is a sum to which the result is added; the core may need it
  /// later than the other operands.
  bool accumulates = false;
  bool conditional = false;  ///< true for a branch that may not be taken
  bool indirect = false;     ///< true for a branch to an address in a register, except a return
  /// True if the address register is also written (pre- or post-index); it is ready after an
  /// addition.
  bool base_written = false;
  /// True for a load to the zero register: it stands for a prefetch (base/prefetch.h), so nothing
  /// waits for its data.
  bool prefetches = false;
  Half half = Half::none;
  /// Number of registers at the front of `reads` that form the address of a load or store. The
  /// others are a store's data, or the register whose other lanes a load of one lane keeps.
  std::uint8_t address_reads = 0;
  std::uint8_t read_count = 0;
  std::uint8_t write_count = 0;
  std::array<Register, 6> reads{};
  /// Registers written; the base register, if written, comes last.
  std::array<Register, 5> writes{};

  [[nodiscard]] bool is_branch() const { return kind == Kind::branch || kind == Kind::branch_link; }
  [[nodiscard]] bool is_load() const {
    return kind == Kind::load || kind == Kind::load_pair ||
           (kind >= Kind::vector_load && kind <= Kind::vector_load_weave);
  }
  [[nodiscard]] bool is_store() const {
    return kind == Kind::store || kind == Kind::store_pair || kind >= Kind::vector_store;
  }
};

[[nodiscard]] Instruction decode(std::uint32_t word);

}  // namespace sidecore::armsim
