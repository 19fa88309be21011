#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "v3dsim/instruction.h"
#include "v3dsim/opcode_table.h"

namespace sidecore::v3dsim {
namespace {

/// Bits that an operation puts into the word besides its operands.
struct Opcode {
  unsigned code = 0;
  int b = -1;  ///< opcode bits in field b; -1 if the field holds an operand
  int a = -1;
};

template <std::size_t N>
std::optional<unsigned> code_of(const Unpack (&table)[N], Unpack unpack) {
  const auto* found = std::find(std::begin(table), std::end(table), unpack);
  if (found == std::end(table)) return std::nullopt;
  return static_cast<unsigned>(found - std::begin(table));
}

std::optional<Opcode> float_group(unsigned base, Unpack a, Unpack b, Pack pack) {
  const auto a_code = code_of(kFloatUnpacks, a), b_code = code_of(kFloatUnpacks, b);
  if (!a_code || !b_code) return std::nullopt;
  return Opcode{base + static_cast<unsigned>(pack) * 16 + *a_code * 4 + *b_code};
}

std::optional<Opcode> pair_group(unsigned base, Unpack a, Unpack b, Pack pack) {
  const int code = static_cast<int>(a) - static_cast<int>(Unpack::pair_0);
  if (code < 0 || code > 4 || b != Unpack::none || pack != Pack::none) return std::nullopt;
  return Opcode{base + static_cast<unsigned>(code)};
}

template <class Op>
std::optional<Opcode> fixed(std::span<const FixedOpcode<Op>> table, const Half<Op>& half) {
  if (half.a.unpack != Unpack::none || half.b.unpack != Unpack::none || half.pack != Pack::none) {
    return std::nullopt;
  }
  for (const auto& row : table) {
    if (row.op == half.op) return Opcode{row.code, row.b, row.a};
  }
  return std::nullopt;
}

/// Encodes the operand field of 7.1's MOV and FMOV.
std::optional<int> move_field(bool real, Unpack unpack, Pack pack) {
  if (!real) {
    const auto code = code_of(kIntegerMoveUnpacks, unpack);
    if (!code || pack != Pack::none) return std::nullopt;
    return static_cast<int>(*code * 4 + 3);
  }
  const auto code = code_of(kFloatMoveUnpacks, unpack);
  if (!code) return std::nullopt;
  return static_cast<int>(*code * 4 + static_cast<unsigned>(pack));
}

/// Returns the group of an operation with one operand: 0..3 for rounding, 4..7 for conversion, 8
/// and 9 for derivatives.
std::optional<unsigned> one_operand_group(AddOp op) {
  static constexpr AddOp kOrder[] = {AddOp::fround, AddOp::ftrunc, AddOp::ffloor, AddOp::fceil,
                                     AddOp::ftoin,  AddOp::ftoiz,  AddOp::ftouz,  AddOp::ftoc,
                                     AddOp::fdx,    AddOp::fdy};
  const auto* found = std::find(std::begin(kOrder), std::end(kOrder), op);
  if (found == std::end(kOrder)) return std::nullopt;
  return static_cast<unsigned>(found - std::begin(kOrder));
}

std::optional<Opcode> one_operand(unsigned group, Version version, Unpack unpack, Pack pack) {
  const auto unpack_code = code_of(kFloatUnpacks, unpack);
  const bool conversion = group >= 4 && group < 8, derivative = group >= 8;
  if (!unpack_code || *unpack_code == 0 || (conversion && pack != Pack::none)) return std::nullopt;
  const unsigned low = conversion ? 3 : static_cast<unsigned>(pack);
  const unsigned index = derivative ? group - 8 : group & 3;
  if (version == Version::v71) {
    return Opcode{derivative ? 246U : 245U, static_cast<int>(index * 16 + *unpack_code * 4 + low)};
  }
  const unsigned family = derivative ? 2 : index >> 1;
  const unsigned code = 240 + *unpack_code * 4 + 1 + family;
  return Opcode{code, static_cast<int>((derivative ? index : index & 1) * 4 + low)};
}

std::optional<Opcode> add_opcode(const Half<AddOp>& half, Version version) {
  const Unpack a = half.a.unpack, b = half.b.unpack;
  switch (half.op) {
    case AddOp::fadd:
    case AddOp::faddnf:
      return float_group(kFaddBase, a, b, half.pack);
    case AddOp::fsub:
      return float_group(kFsubBase, a, b, half.pack);
    case AddOp::fmin:
    case AddOp::fmax:
      return float_group(kFminBase, a, b, half.pack);
    case AddOp::fcmp:
      if (version == Version::v71 && half.pack != Pack::none) return std::nullopt;
      return float_group(kFcmpBase, a, b, half.pack);
    case AddOp::vfpack:
      if (a == Unpack::abs || b == Unpack::abs || half.pack != Pack::none) return std::nullopt;
      return float_group(kVfpackBase, a, b, half.pack);
    case AddOp::vfmin:
      return pair_group(kVfminBase, a, b, half.pack);
    case AddOp::vfmax:
      if (version == Version::v71) return std::nullopt;
      return pair_group(kVfmaxBase, a, b, half.pack);
    case AddOp::mov:
    case AddOp::fmov: {
      const auto field = move_field(half.op == AddOp::fmov, a, half.pack);
      if (version == Version::v42 || !field) return std::nullopt;
      return Opcode{249, *field};
    }
    default:
      if (const auto group = one_operand_group(half.op)) {
        return one_operand(*group, version, a, half.pack);
      }
      return fixed(fixed_add_opcodes(version), half);
  }
}

std::optional<Opcode> mul_opcode(const Half<MulOp>& half, Version version) {
  const Unpack a = half.a.unpack;
  switch (half.op) {
    case MulOp::fmul:
      return float_group(kFmulBase, a, half.b.unpack, half.pack);
    case MulOp::vfmul:
      return pair_group(kVfmulBase, a, half.b.unpack, half.pack);
    case MulOp::mov:
    case MulOp::fmov: {
      if (version == Version::v71) {
        const auto field = move_field(half.op == MulOp::fmov, a, half.pack);
        if (!field) return std::nullopt;
        return Opcode{14, *field};
      }
      if (half.op == MulOp::mov) return fixed(fixed_mul_opcodes(version), half);
      const auto code = code_of(kFloatUnpacks, a);
      if (!code) return std::nullopt;
      const auto pack = static_cast<unsigned>(half.pack);
      return Opcode{14 + (pack >> 1), static_cast<int>((pack & 1) * 4 + *code)};
    }
    default:
      return fixed(fixed_mul_opcodes(version), half);
  }
}

std::optional<unsigned> condition_field(const Instruction& in) {
  const bool add_conditional = in.add.condition != Condition::always;
  const bool mul_conditional = in.mul.condition != Condition::always;
  const unsigned add_code = static_cast<unsigned>(in.add.condition) - 1;
  const unsigned mul_code = static_cast<unsigned>(in.mul.condition) - 1;
  const auto add_flags = static_cast<unsigned>(in.add.flags);
  const auto mul_flags = static_cast<unsigned>(in.mul.flags);
  if ((in.signals & signal::kWithAddress) != 0) {
    if (add_conditional || mul_conditional || add_flags != 0 || mul_flags != 0) return {};
    return (in.signal_destination.magic ? 64U : 0U) | in.signal_destination.address;
  }
  if (add_flags != 0 && mul_flags != 0) return {};
  if (add_conditional && add_flags != 0) return {};
  if (mul_conditional && mul_flags != 0) return {};
  if (add_conditional && mul_conditional) return 0x40 | mul_code << 4 | add_code;
  if (add_conditional) {
    if (mul_flags > 3) return {};
    return 0x20 | add_code << 2 | mul_flags;
  }
  if (mul_conditional) {
    if (add_flags > 3) return 0x40 | mul_code << 4 | add_flags;
    return 0x30 | mul_code << 2 | add_flags;
  }
  return mul_flags != 0 ? 0x10 | mul_flags : add_flags;
}

bool is_first_twin(AddOp op) {
  return op == AddOp::fadd || op == AddOp::fmin;
}
bool is_second_twin(AddOp op) {
  return op == AddOp::faddnf || op == AddOp::fmax;
}

/// Returns true if the operand order selects the wanted one of two operations that share a code.
bool order_fits(const Half<AddOp>& add, Version version, unsigned a_field, unsigned b_field) {
  if (!is_first_twin(add.op) && !is_second_twin(add.op)) return true;
  const auto key = [&](const Source& source, unsigned field) {
    return operand_key(version, code_of(kFloatUnpacks, source.unpack).value_or(0), field,
                       source.kind == Source::Kind::small_immediate);
  };
  return (key(add.a, a_field) > key(add.b, b_field)) == is_second_twin(add.op);
}

/// Values of an instruction's fields: one operand field per source, and for V3D 4.2 the register
/// addresses of its two read ports.
struct Operands {
  std::array<unsigned, 4> fields{};  ///< values of the fields add a, add b, mul a and mul b
  unsigned address_a = 0, address_b = 0;
};

/// Tries one assignment of read ports for 4.2: source i reads through port b if bit i of `choice`
/// is set.
std::optional<Operands> assign_ports(const std::array<const Source*, 4>& sources, unsigned choice,
                                     bool has_immediate) {
  Operands out;
  std::optional<unsigned> port[2];
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const Source& source = *sources[i];
    if (source.kind == Source::Kind::none) continue;
    if (source.kind == Source::Kind::accumulator) {
      if (source.index > 5) return std::nullopt;
      out.fields[i] = source.index;
      continue;
    }
    const bool immediate = source.kind == Source::Kind::small_immediate;
    const unsigned which = immediate ? 1 : (choice >> i) & 1;
    if (immediate != (which == 1 && has_immediate)) return std::nullopt;
    if (port[which] && *port[which] != source.index) return std::nullopt;
    port[which] = source.index;
    out.fields[i] = 6 + which;
  }
  out.address_a = port[0].value_or(0);
  out.address_b = port[1].value_or(0);
  return out;
}

std::optional<Operands> operands_42(const Instruction& in) {
  const std::array<const Source*, 4> sources = {&in.add.a, &in.add.b, &in.mul.a, &in.mul.b};
  const bool has_immediate = (in.signals & signal::kSmallB) != 0;
  // The loop counts upwards, so that the first sources use port a, which makes listings easier to
  // read.
  for (unsigned choice = 0; choice < 16; ++choice) {
    const auto out = assign_ports(sources, choice, has_immediate);
    if (out && order_fits(in.add, Version::v42, out->fields[0], out->fields[1])) return out;
  }
  return std::nullopt;
}

std::optional<Operands> operands_71(const Instruction& in) {
  static constexpr std::uint32_t kSmall[4] = {signal::kSmallA, signal::kSmallB, signal::kSmallC,
                                              signal::kSmallD};
  const std::array<const Source*, 4> sources = {&in.add.a, &in.add.b, &in.mul.a, &in.mul.b};
  Operands out;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const Source& source = *sources[i];
    if (source.kind == Source::Kind::none) continue;
    if (source.kind == Source::Kind::accumulator) return std::nullopt;
    const bool immediate = source.kind == Source::Kind::small_immediate;
    if (immediate != ((in.signals & kSmall[i]) != 0)) return std::nullopt;
    out.fields[i] = source.index;
  }
  if (!order_fits(in.add, Version::v71, out.fields[0], out.fields[1])) return std::nullopt;
  return out;
}

bool well_formed(const Source& source, bool wanted) {
  if (wanted != (source.kind != Source::Kind::none)) return false;
  if (source.kind == Source::Kind::small_immediate) return source.index < 48;
  return source.index < 64;
}

std::optional<std::uint64_t> encode_alu(const Instruction& in, Version version) {
  const std::uint8_t add_sources = info(in.add.op).sources, mul_sources = info(in.mul.op).sources;
  if (!well_formed(in.add.a, add_sources >= 1) || !well_formed(in.add.b, add_sources >= 2) ||
      !well_formed(in.mul.a, mul_sources >= 1) || !well_formed(in.mul.b, mul_sources >= 2)) {
    return std::nullopt;
  }
  const auto patterns = signal_patterns(version);
  const auto pattern = std::find(patterns.begin(), patterns.end(), in.signals);
  const auto conditions = condition_field(in);
  const auto add = add_opcode(in.add, version);
  const auto mul = mul_opcode(in.mul, version);
  const auto operands = version == Version::v42 ? operands_42(in) : operands_71(in);
  if (pattern == patterns.end() || in.signals == kReservedSignal || !conditions || !add || !mul ||
      !operands) {
    return std::nullopt;
  }
  std::array<unsigned, 4> fields = operands->fields;
  if (add->a >= 0) fields[0] = static_cast<unsigned>(add->a);
  if (add->b >= 0) fields[1] = static_cast<unsigned>(add->b);
  if (mul->a >= 0) fields[2] = static_cast<unsigned>(mul->a);
  if (mul->b >= 0) fields[3] = static_cast<unsigned>(mul->b);

  const auto at = [](std::uint64_t value, unsigned bit) { return value << bit; };
  std::uint64_t word =
      at(mul->code, 58) | at(static_cast<std::uint64_t>(pattern - patterns.begin()), 53) |
      at(*conditions, 46) | at(in.mul.destination.magic ? 1 : 0, 45) |
      at(in.add.destination.magic ? 1 : 0, 44) | at(in.mul.destination.address, 38) |
      at(in.add.destination.address, 32) | at(add->code, 24);
  if (version == Version::v42) {
    word |= at(fields[3], 21) | at(fields[2], 18) | at(fields[1], 15) | at(fields[0], 12) |
            at(operands->address_a, 6) | operands->address_b;
  } else {
    word |= at(fields[2], 18) | at(fields[3], 12) | at(fields[0], 6) | fields[1];
  }
  return word;
}

std::optional<std::uint64_t> encode_branch(const Branch& branch) {
  const auto offset = std::bit_cast<std::uint32_t>(branch.offset);
  if ((offset & 7) != 0 || branch.register_a > 63) return std::nullopt;
  const auto at = [](std::uint64_t value, unsigned bit) { return value << bit; };
  std::uint64_t word = at(2, 56) | at((offset >> 3) & 0x1fffff, 35) |
                       at(static_cast<std::uint64_t>(branch.condition), 32) | at(offset >> 24, 24) |
                       at(static_cast<std::uint64_t>(branch.lanes), 21) |
                       at(static_cast<std::uint64_t>(branch.target), 12) | at(branch.register_a, 6);
  if (branch.moves_uniforms) {
    word |= at(1, 14) | at(static_cast<std::uint64_t>(branch.uniform_target), 15);
  }
  return word;
}

}  // namespace

std::optional<std::uint64_t> encode(const Instruction& instruction, Version version) {
  if (instruction.is_branch) return encode_branch(instruction.branch);
  if (const auto word = encode_alu(instruction, version)) return word;
  if (!is_first_twin(instruction.add.op) && !is_second_twin(instruction.add.op)) return {};
  Instruction exchanged = instruction;
  std::swap(exchanged.add.a, exchanged.add.b);
  // The signal that makes an operand an immediate also selects the operand on 7.1.
  const bool small_a = (instruction.signals & signal::kSmallA) != 0;
  const bool small_b = (instruction.signals & signal::kSmallB) != 0;
  if (version == Version::v71 && small_a != small_b) {
    exchanged.signals ^= signal::kSmallA | signal::kSmallB;
  }
  return encode_alu(exchanged, version);
}

}  // namespace sidecore::v3dsim
