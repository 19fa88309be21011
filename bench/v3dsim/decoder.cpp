#include <bit>

#include "v3dsim/instruction.h"
#include "v3dsim/opcode_table.h"

namespace sidecore::v3dsim {
namespace {

/// Returns `count` bits of the word from bit `low` up.
constexpr unsigned bits(std::uint64_t word, unsigned low, unsigned count) {
  return static_cast<unsigned>((word >> low) & ((std::uint64_t{1} << count) - 1));
}

constexpr std::string_view kBadImmediate = "a small immediate of code 48 or more";

/// Decodes the ALU halves of one word. reason() says why the word is not an instruction.
class AluDecoder {
 public:
  AluDecoder(std::uint64_t word, Version version) : word_(word), version_(version) {}

  Decoded decode() {
    const std::uint32_t pattern = signal_patterns(version_)[bits(word_, 53, 5)];
    if (pattern == kReservedSignal) return {{}, "a reserved signal"};
    instruction_.signals = pattern;
    decode_conditions();
    instruction_.add.destination = {bits(word_, 44, 1) != 0,
                                    static_cast<std::uint8_t>(bits(word_, 32, 6))};
    instruction_.mul.destination = {bits(word_, 45, 1) != 0,
                                    static_cast<std::uint8_t>(bits(word_, 38, 6))};
    decode_add();
    decode_mul();
    if (!reason_.empty()) return {{}, reason_};
    return {instruction_, {}};
  }

 private:
  void fail(std::string_view reason) {
    if (reason_.empty()) reason_ = reason;
  }

  // Functions for fields that hold operands or opcode bits: muxes on 4.2, register addresses on
  // 7.1.
  [[nodiscard]] bool is42() const { return version_ == Version::v42; }
  [[nodiscard]] unsigned add_a() const { return is42() ? bits(word_, 12, 3) : bits(word_, 6, 6); }
  [[nodiscard]] unsigned add_b() const { return is42() ? bits(word_, 15, 3) : bits(word_, 0, 6); }
  [[nodiscard]] unsigned mul_a() const { return is42() ? bits(word_, 18, 3) : bits(word_, 18, 6); }
  [[nodiscard]] unsigned mul_b() const { return is42() ? bits(word_, 21, 3) : bits(word_, 12, 6); }

  Source immediate(unsigned code, Unpack unpack) {
    if (code >= 48) fail(kBadImmediate);
    return {Source::Kind::small_immediate, static_cast<std::uint8_t>(code), unpack};
  }

  /// Decodes an operand; `small` is the signal that makes it an immediate on 7.1.
  Source source(unsigned field, std::uint32_t small, Unpack unpack) {
    using Kind = Source::Kind;
    if (is42()) {
      if (field < 6) return {Kind::accumulator, static_cast<std::uint8_t>(field), unpack};
      const unsigned address = field == 6 ? bits(word_, 6, 6) : bits(word_, 0, 6);
      if (field == 7 && (instruction_.signals & signal::kSmallB) != 0) {
        return immediate(address, unpack);
      }
      return {Kind::register_file, static_cast<std::uint8_t>(address), unpack};
    }
    if ((instruction_.signals & small) != 0) return immediate(field, unpack);
    return {Kind::register_file, static_cast<std::uint8_t>(field), unpack};
  }

  template <class Op>
  void set(Half<Op>& half, Op op, Unpack a = Unpack::none, Unpack b = Unpack::none,
           Pack pack = Pack::none) {
    constexpr bool kIsAdd = std::is_same_v<Op, AddOp>;
    half.op = op;
    half.pack = pack;
    const std::uint8_t sources = info(op).sources;
    if (sources >= 1) {
      half.a = source(kIsAdd ? add_a() : mul_a(), kIsAdd ? signal::kSmallA : signal::kSmallC, a);
    }
    if (sources >= 2) {
      half.b = source(kIsAdd ? add_b() : mul_b(), kIsAdd ? signal::kSmallB : signal::kSmallD, b);
    }
  }

  template <class Op>
  void set_float_group(Half<Op>& half, Op op, unsigned relative) {
    set(half, op, kFloatUnpacks[(relative >> 2) & 3], kFloatUnpacks[relative & 3],
        static_cast<Pack>(relative >> 4));
  }

  /// Returns true if the operands are in falling order, which selects the second of two operations
  /// that share a code.
  [[nodiscard]] bool falling(unsigned relative) const {
    const unsigned a = operand_key(version_, (relative >> 2) & 3, add_a(),
                                   (instruction_.signals & signal::kSmallA) != 0);
    const unsigned b =
        operand_key(version_, relative & 3, add_b(), (instruction_.signals & signal::kSmallB) != 0);
    return a > b;
  }

  template <class Op>
  bool decode_fixed(Half<Op>& half, std::span<const FixedOpcode<Op>> table, unsigned code,
                    unsigned a, unsigned b) {
    for (const auto& row : table) {
      if (row.code != code) continue;
      if (row.b != FixedOpcode<Op>::kOperand && static_cast<unsigned>(row.b) != b) continue;
      if (row.a != FixedOpcode<Op>::kOperand && static_cast<unsigned>(row.a) != a) continue;
      set(half, row.op);
      return true;
    }
    return false;
  }

  void decode_add() {
    auto& half = instruction_.add;
    const unsigned code = bits(word_, 24, 8);
    if (decode_fixed(half, fixed_add_opcodes(version_), code, add_a(), add_b())) return;
    if (code < kVfpackBase) {
      set_float_group(half, falling(code) ? AddOp::faddnf : AddOp::fadd, code);
    } else if (code < kFsubBase) {
      const unsigned relative = code - kVfpackBase;
      if ((relative & 3) == 0 || relative < 4) return fail("a reserved add opcode");
      set_float_group(half, AddOp::vfpack, relative);
    } else if (code < kFsubBase + 48) {
      set_float_group(half, AddOp::fsub, code - kFsubBase);
    } else if (code >= kFminBase && code < kVfminBase) {
      const unsigned relative = code - kFminBase;
      set_float_group(half, falling(relative) ? AddOp::fmax : AddOp::fmin, relative);
    } else if (code >= kVfminBase && code < kVfminBase + 5) {
      set(half, AddOp::vfmin, pair_unpack(code - kVfminBase));
    } else if (code >= kFcmpBase && code < kFcmpBase + (is42() ? 48 : 16)) {
      set_float_group(half, AddOp::fcmp, code - kFcmpBase);
    } else if (is42()) {
      decode_add_one_operand_42(code);
    } else {
      decode_add_one_operand_71(code);
    }
  }

  static Unpack pair_unpack(unsigned code) {
    return static_cast<Unpack>(static_cast<unsigned>(Unpack::pair_0) + code);
  }

  void decode_add_one_operand_42(unsigned code) {
    auto& half = instruction_.add;
    if (code >= kVfmaxBase && code < kVfmaxBase + 5) {
      return set(half, AddOp::vfmax, pair_unpack(code - kVfmaxBase));
    }
    const unsigned group = code & 3, b = add_b();
    if (code < 245 || group == 0) return fail("an unknown or graphics-only add opcode");
    static constexpr AddOp kRounding[2][2] = {{AddOp::fround, AddOp::ftrunc},
                                              {AddOp::ffloor, AddOp::fceil}};
    static constexpr AddOp kConversion[2][2] = {{AddOp::ftoin, AddOp::ftoiz},
                                                {AddOp::ftouz, AddOp::ftoc}};
    const Unpack unpack = kFloatUnpacks[(code >> 2) & 3];
    const auto pack = static_cast<Pack>(b & 3);
    if (group == 3) {
      if ((b & 3) == 3) return fail("an unknown add opcode");
      return set(half, b < 4 ? AddOp::fdx : AddOp::fdy, unpack, Unpack::none, pack);
    }
    if ((b & 3) == 3) return set(half, kConversion[group - 1][b >> 2], unpack);
    set(half, kRounding[group - 1][b >> 2], unpack, Unpack::none, pack);
  }

  void decode_add_one_operand_71(unsigned code) {
    auto& half = instruction_.add;
    const unsigned b = add_b();
    if (code == 249) return decode_move(half, b, AddOp::mov, AddOp::fmov);
    static constexpr AddOp kRounding[4] = {AddOp::fround, AddOp::ftrunc, AddOp::ffloor,
                                           AddOp::fceil};
    static constexpr AddOp kConversion[4] = {AddOp::ftoin, AddOp::ftoiz, AddOp::ftouz, AddOp::ftoc};
    const bool rounding = code == 245, derivative = code == 246 && b < 32;
    if (!rounding && !derivative) return fail("an unknown or graphics-only add opcode");
    const unsigned group = b >> 4, unpack_code = (b >> 2) & 3, pack = b & 3;
    if (unpack_code == 0) return fail("an absolute-value modifier that cannot be encoded");
    const Unpack unpack = kFloatUnpacks[unpack_code];
    if (rounding && pack == 3) return set(half, kConversion[group], unpack);
    if (pack == 3) return fail("an unknown add opcode");
    const AddOp op = rounding ? kRounding[group] : (group == 0 ? AddOp::fdx : AddOp::fdy);
    set(half, op, unpack, Unpack::none, static_cast<Pack>(pack));
  }

  /// Decodes MOV and FMOV of 7.1: the modifier is in bits 4:2 of the unused operand field, the pack
  /// in bits 1:0.
  template <class Op>
  void decode_move(Half<Op>& half, unsigned field, Op mov, Op fmov) {
    const unsigned unpack = field >> 2, pack = field & 3;
    if (field >= 32 || (pack == 3 && unpack >= std::size(kIntegerMoveUnpacks)) ||
        (pack != 3 && unpack >= std::size(kFloatMoveUnpacks))) {
      return fail("an unknown form of mov");
    }
    if (pack == 3) return set(half, mov, kIntegerMoveUnpacks[unpack]);
    set(half, fmov, kFloatMoveUnpacks[unpack], Unpack::none, static_cast<Pack>(pack));
  }

  void decode_mul() {
    auto& half = instruction_.mul;
    const unsigned code = bits(word_, 58, 6);
    if (code >= kFmulBase) return set_float_group(half, MulOp::fmul, code - kFmulBase);
    if (decode_fixed(half, fixed_mul_opcodes(version_), code, mul_a(), mul_b())) return;
    if (code >= kVfmulBase && code < kVfmulBase + 5) {
      return set(half, MulOp::vfmul, pair_unpack(code - kVfmulBase));
    }
    const unsigned b = mul_b();
    if (is42() && (code == 14 || (code == 15 && b < 4))) {
      const auto pack = static_cast<Pack>(2 * (code & 1) + (b >> 2));
      return set(half, MulOp::fmov, kFloatUnpacks[b & 3], Unpack::none, pack);
    }
    if (!is42() && code == 14) return decode_move(half, b, MulOp::mov, MulOp::fmov);
    fail("an unknown mul opcode");
  }

  static FlagUse push(unsigned code) { return static_cast<FlagUse>(code); }
  static FlagUse update(unsigned code) {
    return static_cast<FlagUse>(static_cast<unsigned>(FlagUse::and_z) + code);
  }
  static Condition condition(unsigned code) {
    return static_cast<Condition>(static_cast<unsigned>(Condition::if_a) + code);
  }

  void decode_conditions() {
    const unsigned field = bits(word_, 46, 7);
    auto& add = instruction_.add;
    auto& mul = instruction_.mul;
    if ((instruction_.signals & signal::kWithAddress) != 0) {
      instruction_.signal_destination = {(field & 64) != 0, static_cast<std::uint8_t>(field & 63)};
    } else if (field < 0x10) {
      add.flags = field < 4 ? push(field) : update(field - 4);
    } else if (field < 0x20) {
      if (field == 0x10) return fail("a reserved condition");
      mul.flags = field < 0x14 ? push(field & 3) : update((field & 15) - 4);
    } else if (field < 0x30) {
      add.condition = condition((field >> 2) & 3);
      mul.flags = push(field & 3);
    } else if (field < 0x40) {
      mul.condition = condition((field >> 2) & 3);
      add.flags = push(field & 3);
    } else {
      mul.condition = condition((field >> 4) & 3);
      if ((field & 12) == 0) {
        add.condition = condition(field & 3);
      } else {
        add.flags = update((field & 15) - 4);
      }
    }
  }

  std::uint64_t word_;
  Version version_;
  Instruction instruction_;
  std::string_view reason_;
};

Decoded decode_branch(std::uint64_t word) {
  Instruction instruction;
  instruction.is_branch = true;
  Branch& branch = instruction.branch;
  const unsigned condition = bits(word, 32, 3), lanes = bits(word, 21, 2);
  if (condition == 1) return {{}, "a reserved branch condition"};
  if (lanes == 3) return {{}, "a reserved branch lane filter"};
  branch.condition = static_cast<BranchCondition>(condition);
  branch.lanes = static_cast<LaneFilter>(lanes);
  branch.target = static_cast<BranchTarget>(bits(word, 12, 2));
  branch.moves_uniforms = bits(word, 14, 1) != 0;
  if (branch.moves_uniforms) {
    if (bits(word, 15, 3) > 3) return {{}, "a reserved uniform branch"};
    branch.uniform_target = static_cast<BranchTarget>(bits(word, 15, 3));
  }
  branch.register_a = static_cast<std::uint8_t>(bits(word, 6, 6));
  branch.offset =
      std::bit_cast<std::int32_t>((bits(word, 24, 8) << 24) | (bits(word, 35, 21) << 3));
  return {instruction, {}};
}

}  // namespace

Decoded decode(std::uint64_t word, Version version) {
  if (bits(word, 58, 6) != 0) return AluDecoder(word, version).decode();
  if (bits(word, 56, 2) == 2) return decode_branch(word);
  return {{}, "neither an ALU instruction nor a branch"};
}

}  // namespace sidecore::v3dsim
