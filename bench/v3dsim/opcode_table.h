// Opcodes that one fixed pattern selects; the float groups and the modifier-carrying codes are
// computed in the decoder and the encoder instead. Internal to those two.
#pragma once

#include <cstdint>
#include <span>

#include "v3dsim/instruction.h"

namespace sidecore::v3dsim {

/// An operation whose unused operand fields carry opcode bits. The fields are the muxes on 4.2 and
/// raddr_b (add) or raddr_d (mul) on 7.1; kOperand marks a field that holds a real operand.
template <class Op>
struct FixedOpcode {
  static constexpr std::int8_t kOperand = -1;
  Op op;
  std::uint8_t code;
  std::int8_t b = kOperand;
  std::int8_t a = kOperand;  ///< 4.2 only
};

[[nodiscard]] std::span<const FixedOpcode<AddOp>> fixed_add_opcodes(Version version);
[[nodiscard]] std::span<const FixedOpcode<MulOp>> fixed_mul_opcodes(Version version);

/// The 32 signal patterns; kReservedSignal where a version defines none.
inline constexpr std::uint32_t kReservedSignal = 0xffffffffU;
[[nodiscard]] std::span<const std::uint32_t, 32> signal_patterns(Version version);

/// The four operand modifiers of binary float operations, in code order.
inline constexpr Unpack kFloatUnpacks[4] = {Unpack::abs, Unpack::none, Unpack::low, Unpack::high};
/// The seven of FMOV on 7.1, and the five of its integer MOV.
inline constexpr Unpack kFloatMoveUnpacks[7] = {
    Unpack::abs,        Unpack::none,       Unpack::low,     Unpack::high,
    Unpack::clamp_unit, Unpack::clamp_sign, Unpack::max_zero};
inline constexpr Unpack kIntegerMoveUnpacks[5] = {Unpack::none, Unpack::u16_low, Unpack::u16_high,
                                                  Unpack::i16_low, Unpack::i16_high};

/// Base codes of the float groups: pack in bits 5:4, modifiers of a in 3:2 and of b in 1:0.
inline constexpr unsigned kFaddBase = 0;
inline constexpr unsigned kVfpackBase = 48;
inline constexpr unsigned kFsubBase = 64;
inline constexpr unsigned kFminBase = 128;
inline constexpr unsigned kVfminBase = 176;
inline constexpr unsigned kFcmpBase = 192;
inline constexpr unsigned kVfmaxBase = 240;
inline constexpr unsigned kFmulBase = 16;
inline constexpr unsigned kVfmulBase = 4;

/// FADD and FADDNF, FMIN and FMAX share codes: the one whose operand keys are in falling order is
/// the second. `field` is the mux (4.2) or the register field (7.1) of the operand.
[[nodiscard]] constexpr unsigned operand_key(Version version, unsigned unpack_code, unsigned field,
                                             bool immediate) {
  return version == Version::v42 ? unpack_code * 8 + field
                                 : (immediate ? 256U : 0U) + unpack_code * 64 + field;
}

}  // namespace sidecore::v3dsim
