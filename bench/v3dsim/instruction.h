// QPU instructions as fields of a 64-bit word, for V3D 4.2 (Pi 4) and 7.1 (Pi 5).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "v3dsim/operations.h"

namespace sidecore::v3dsim {

enum class Version : std::uint8_t { v42, v71 };

/// Returns "4.2" or "7.1".
[[nodiscard]] constexpr std::string_view version_name(Version version) {
  return version == Version::v42 ? "4.2" : "7.1";
}

/// Modification of an operand before the operation.
enum class Unpack : std::uint8_t {
  none,
  abs,         ///< absolute value; only float operations
  low,         ///< f16 in the low half, widened to f32
  high,        ///< f16 in the high half, widened to f32
  clamp_unit,  ///< clamps to [0, 1]; only FMOV of 7.1 has this mode and the next two
  clamp_sign,  ///< clamps to [-1, 1]
  max_zero,    ///< maximum of x and 0
  u16_low,     ///< low half as u16; only integer MOV of 7.1 has this mode and the next three
  u16_high,
  i16_low,
  i16_high,
  pair_0,  ///< operand modes of the two-halves float operations, by their code; not executed
  pair_1,
  pair_2,
  pair_3,
  pair_4,
};

/// Destination of a float result: the whole word, or one half of it as f16; the other half is kept.
enum class Pack : std::uint8_t { none, low, high };

struct Source {
  enum class Kind : std::uint8_t { none, accumulator, register_file, small_immediate };
  Kind kind = Kind::none;
  /// Number of the accumulator 0..5 or register 0..63, or code 0..47 of the immediate.
  std::uint8_t index = 0;
  Unpack unpack = Unpack::none;
  bool operator==(const Source&) const = default;
};

/// Write address: a register of the file, or one of the "magic" destinations.
struct Write {
  bool magic = true;
  std::uint8_t address = 6;  ///< address 0..63; magic address 6 discards the result
  bool operator==(const Write&) const = default;
};

/// Magic write addresses that this library names.
namespace magic {
/// Broadcasts each quad's first lane to r5 (4.2) or rf0 (7.1).
inline constexpr std::uint8_t kR5 = 5;
inline constexpr std::uint8_t kNop = 6;
inline constexpr std::uint8_t kTlb = 7;
inline constexpr std::uint8_t kTlbu = 8;
inline constexpr std::uint8_t kUnifa = 9;
inline constexpr std::uint8_t kTmud = 11;
inline constexpr std::uint8_t kTmua = 12;
inline constexpr std::uint8_t kTmuau = 13;
inline constexpr std::uint8_t kVpmu = 15;
inline constexpr std::uint8_t kSyncu = 17;
inline constexpr std::uint8_t kSyncb = 18;
inline constexpr std::uint8_t kTmuc = 32;
inline constexpr std::uint8_t kRep = 55;  ///< broadcasts lane 0 to r5 (4.2) or rf0 (7.1)
}  // namespace magic

enum class Condition : std::uint8_t { always, if_a, if_b, if_not_a, if_not_b };

/// Effect of an ALU half on the flags. A push moves A to B and sets A; an update combines into A.
enum class FlagUse : std::uint8_t {
  none,
  push_z,
  push_n,
  push_c,
  and_z,
  and_not_z,
  nor_not_z,
  nor_z,
  and_n,
  and_not_n,
  nor_not_n,
  nor_n,
  and_c,
  and_not_c,
  nor_not_c,
  nor_c,
};

/// Signals of an ALU instruction, as bits.
namespace signal {
inline constexpr std::uint32_t kThrsw = 1U << 0;
inline constexpr std::uint32_t kLdunif = 1U << 1;
inline constexpr std::uint32_t kLdtmu = 1U << 2;
inline constexpr std::uint32_t kLdvary = 1U << 3;
inline constexpr std::uint32_t kLdunifrf = 1U << 4;
inline constexpr std::uint32_t kLdunifa = 1U << 5;
inline constexpr std::uint32_t kLdunifarf = 1U << 6;
inline constexpr std::uint32_t kLdtlb = 1U << 7;
inline constexpr std::uint32_t kLdtlbu = 1U << 8;
inline constexpr std::uint32_t kWrtmuc = 1U << 9;
inline constexpr std::uint32_t kUcb = 1U << 10;
inline constexpr std::uint32_t kRotate = 1U << 11;
inline constexpr std::uint32_t kSmallA = 1U << 12;
inline constexpr std::uint32_t kSmallB = 1U << 13;
inline constexpr std::uint32_t kSmallC = 1U << 14;
inline constexpr std::uint32_t kSmallD = 1U << 15;
/// Signals whose destination is in the condition field.
inline constexpr std::uint32_t kWithAddress =
    kLdtmu | kLdunifrf | kLdunifarf | kLdvary | kLdtlb | kLdtlbu;
inline constexpr std::uint32_t kAnySmall = kSmallA | kSmallB | kSmallC | kSmallD;
}  // namespace signal

/// One of the two ALU halves; Op is AddOp or MulOp.
template <class Op>
struct Half {
  Op op = Op::nop;
  Source a, b;
  Write destination;
  Pack pack = Pack::none;
  Condition condition = Condition::always;
  FlagUse flags = FlagUse::none;
  bool operator==(const Half&) const = default;
};

enum class BranchCondition : std::uint8_t {
  always = 0,
  a0 = 2,
  not_a0 = 3,
  all_a = 4,
  any_not_a = 5,
  any_a = 6,
  all_not_a = 7,
};

/// Lanes that a branch condition reads.
enum class LaneFilter : std::uint8_t { all_lanes, active_lanes, active_quads };

enum class BranchTarget : std::uint8_t { absolute, relative, link_register, register_file };

struct Branch {
  BranchCondition condition = BranchCondition::always;
  LaneFilter lanes = LaneFilter::all_lanes;
  BranchTarget target = BranchTarget::relative;
  bool moves_uniforms = false;  ///< the branch pops one uniform, whether taken or not
  /// Target of the uniform pointer; valid if moves_uniforms is set.
  BranchTarget uniform_target = BranchTarget::absolute;
  std::uint8_t register_a = 0;
  std::int32_t offset = 0;  ///< bytes, a multiple of 8, from the instruction after the delay slots
  bool operator==(const Branch&) const = default;
};

struct Instruction {
  bool is_branch = false;
  Half<AddOp> add;
  Half<MulOp> mul;
  std::uint32_t signals = 0;  ///< bitwise or of the constants in namespace signal
  Write signal_destination;   ///< destination of a signal in signal::kWithAddress
  Branch branch;              ///< valid if is_branch; all other fields are then unused
  bool operator==(const Instruction&) const = default;
};

/// Decoded fields, or the reason why a word is not an instruction that this library knows.
struct Decoded {
  std::optional<Instruction> instruction;
  std::string_view reason;  ///< reason, in static storage; empty if the word is an instruction
  explicit operator bool() const { return instruction.has_value(); }
};

/// Decodes a word by the rules of the assembler's packer. Graphics operations (VPM, coverage) count
/// as unknown.
[[nodiscard]] Decoded decode(std::uint64_t word, Version version);

/// Encodes an instruction; returns nothing if no word represents it. FADD, FADDNF, FMIN and FMAX
/// may get exchanged operands, because the operand order selects the operation.
[[nodiscard]] std::optional<std::uint64_t> encode(const Instruction& instruction, Version version);

/// Returns one line, e.g. `add rf8, rf7, rf6; mov.ifa rf10, 0; thrsw; ldunif`.
[[nodiscard]] std::string disassemble(const Instruction& instruction, Version version);

/// Returns the line of a word, or `invalid (reason)`.
[[nodiscard]] std::string disassemble(std::uint64_t word, Version version);

/// Returns the 32 bits that small-immediate code 0..47 represents.
[[nodiscard]] std::uint32_t small_immediate_bits(std::uint8_t code);

}  // namespace sidecore::v3dsim
