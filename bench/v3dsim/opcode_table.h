// Opcodes selected by one fixed pattern. Decoder and encoder compute the float groups and the codes
// with modifiers themselves. Only they include this file.
#pragma once

#include <cstdint>
#include <span>

#include "v3dsim/instruction.h"

namespace sidecore::v3dsim {

/// Operation whose unused operand fields hold opcode bits. The fields are the muxes on 4.2, and
/// raddr_b (add) or raddr_d (mul) on 7.1. kOperand marks a field with a real operand.
template <class Op>
struct FixedOpcode {
  static constexpr std::int8_t kOperand = -1;
  Op op;
  std::uint8_t code;
  std::int8_t b = kOperand;
  std::int8_t a = kOperand;  ///< operand field a; used only on 4.2
};

[[nodiscard]] std::span<const FixedOpcode<AddOp>> fixed_add_opcodes(Version version);
[[nodiscard]] std::span<const FixedOpcode<MulOp>> fixed_mul_opcodes(Version version);

/// Value for a signal pattern that a version does not define. signal_patterns() returns the 32
/// patterns.
inline constexpr std::uint32_t kReservedSignal = 0xffffffffU;
[[nodiscard]] std::span<const std::uint32_t, 32> signal_patterns(Version version);

/// Operand modifiers of binary float operations, in code order.
inline constexpr Unpack kFloatUnpacks[4] = {Unpack::abs, Unpack::none, Unpack::low, Unpack::high};
/// Operand modifiers of 7.1's FMOV and of its integer MOV, in code order.
inline constexpr Unpack kFloatMoveUnpacks[7] = {
    Unpack::abs,        Unpack::none,       Unpack::low,     Unpack::high,
    Unpack::clamp_unit, Unpack::clamp_sign, Unpack::max_zero};
inline constexpr Unpack kIntegerMoveUnpacks[5] = {Unpack::none, Unpack::u16_low, Unpack::u16_high,
                                                  Unpack::i16_low, Unpack::i16_high};

/// Base codes of the float groups. A code has the pack in bits 5:4, the modifier of a in bits 3:2
/// and that of b in bits 1:0.
inline constexpr unsigned kFaddBase = 0;
inline constexpr unsigned kVfpackBase = 48;
inline constexpr unsigned kFsubBase = 64;
inline constexpr unsigned kFminBase = 128;
inline constexpr unsigned kVfminBase = 176;
inline constexpr unsigned kFcmpBase = 192;
inline constexpr unsigned kVfmaxBase = 240;
inline constexpr unsigned kFmulBase = 16;
inline constexpr unsigned kVfmulBase = 4;

/// Returns the key that selects the operation where FADD and FADDNF, or FMIN and FMAX, share a
/// code: falling operand keys select the second one. `field` is the operand's mux (4.2) or register
/// field (7.1).
[[nodiscard]] constexpr unsigned operand_key(Version version, unsigned unpack_code, unsigned field,
                                             bool immediate) {
  return version == Version::v42 ? unpack_code * 8 + field
                                 : (immediate ? 256U : 0U) + unpack_code * 64 + field;
}

}  // namespace sidecore::v3dsim
