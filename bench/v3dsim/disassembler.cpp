#include <fmt/format.h>

#include <bit>

#include "v3dsim/instruction.h"

namespace sidecore::v3dsim {
namespace {

std::string_view condition_suffix(Condition condition) {
  static constexpr std::string_view kNames[] = {"", ".ifa", ".ifb", ".ifna", ".ifnb"};
  return kNames[static_cast<std::size_t>(condition)];
}

std::string_view flag_suffix(FlagUse use) {
  static constexpr std::string_view kNames[] = {
      "",      ".pushz", ".pushn", ".pushc", ".andz", ".andnz", ".nornz", ".norz",
      ".andn", ".andnn", ".nornn", ".norn",  ".andc", ".andnc", ".nornc", ".norc"};
  return kNames[static_cast<std::size_t>(use)];
}

std::string_view unpack_suffix(Unpack unpack) {
  static constexpr std::string_view kNames[] = {"",      ".abs", ".l",  ".h",  ".sat", ".nsat",
                                                ".max0", ".ul",  ".uh", ".il", ".ih",  ".p0",
                                                ".p1",   ".p2",  ".p3", ".p4"};
  return kNames[static_cast<std::size_t>(unpack)];
}

std::string_view pack_suffix(Pack pack) {
  static constexpr std::string_view kNames[] = {"", ".l", ".h"};
  return kNames[static_cast<std::size_t>(pack)];
}

std::string immediate_text(std::uint8_t code) {
  if (code < 32) return fmt::format("{}", std::bit_cast<std::int32_t>(small_immediate_bits(code)));
  return fmt::format("{}", std::bit_cast<float>(small_immediate_bits(code)));
}

std::string source_text(const Source& source) {
  std::string text;
  switch (source.kind) {
    case Source::Kind::none:
      break;
    case Source::Kind::accumulator:
      text = fmt::format("r{}", source.index);
      break;
    case Source::Kind::register_file:
      text = fmt::format("rf{}", source.index);
      break;
    case Source::Kind::small_immediate:
      text = immediate_text(source.index);
      break;
  }
  return text.append(unpack_suffix(source.unpack));
}

std::string write_text(const Write& write, Version version) {
  if (!write.magic) return fmt::format("rf{}", write.address);
  static constexpr std::string_view kLow[] = {
      "r0",    "r1",    "r2",    "r3",   "r4",    "r5",  "-",     "tlb",  "tlbu",
      "unifa", "tmul",  "tmud",  "tmua", "tmuau", "vpm", "vpmu",  "sync", "syncu",
      "syncb", "recip", "rsqrt", "exp",  "log",   "sin", "rsqrt2"};
  static constexpr std::string_view kTexture[] = {
      "tmuc",   "tmus",  "tmut",    "tmur",  "tmui",    "tmub",   "tmudref", "tmuoff",
      "tmuscm", "tmusf", "tmuslod", "tmuhs", "tmuhscm", "tmuhsf", "tmuhslod"};
  if (write.address == magic::kR5) return version == Version::v42 ? "r5" : "quad";
  if (write.address == magic::kRep) return version == Version::v42 ? "r5rep" : "rep";
  if (write.address < std::size(kLow)) return std::string(kLow[write.address]);
  if (write.address >= magic::kTmuc && write.address < magic::kTmuc + std::size(kTexture)) {
    return std::string(kTexture[write.address - magic::kTmuc]);
  }
  return fmt::format("magic{}", write.address);
}

template <class Op>
std::string half_text(const Half<Op>& half, Version version) {
  std::string text(info(half.op).name);
  text.append(condition_suffix(half.condition)).append(flag_suffix(half.flags));
  if (half.op == Op::nop) return text;
  text.append(" ").append(write_text(half.destination, version)).append(pack_suffix(half.pack));
  if (half.a.kind != Source::Kind::none) text.append(", ").append(source_text(half.a));
  if (half.b.kind != Source::Kind::none) text.append(", ").append(source_text(half.b));
  return text;
}

std::string signal_text(const Instruction& in, Version version) {
  struct Name {
    std::uint32_t bit;
    std::string_view text;
  };
  static constexpr Name kNames[] = {{signal::kThrsw, "thrsw"},
                                    {signal::kLdvary, "ldvary"},
                                    {signal::kLdtmu, "ldtmu"},
                                    {signal::kLdtlb, "ldtlb"},
                                    {signal::kLdtlbu, "ldtlbu"},
                                    {signal::kLdunif, "ldunif"},
                                    {signal::kLdunifrf, "ldunifrf"},
                                    {signal::kLdunifa, "ldunifa"},
                                    {signal::kLdunifarf, "ldunifarf"},
                                    {signal::kWrtmuc, "wrtmuc"},
                                    {signal::kUcb, "ucb"},
                                    {signal::kRotate, "rot"}};
  std::string text;
  for (const Name& name : kNames) {
    if ((in.signals & name.bit) == 0) continue;
    text.append("; ").append(name.text);
    if ((name.bit & signal::kWithAddress) != 0) {
      text.append(".").append(write_text(in.signal_destination, version));
    }
  }
  return text;
}

std::string branch_text(const Branch& branch) {
  static constexpr std::string_view kConditions[] = {"",      "",       ".a0",   ".na0",
                                                     ".alla", ".anyna", ".anya", ".allna"};
  static constexpr std::string_view kFilters[] = {"", "p", "q"};
  std::string text = branch.moves_uniforms ? "bu" : "b";
  text.append(kConditions[static_cast<std::size_t>(branch.condition)]);
  text.append(kFilters[static_cast<std::size_t>(branch.lanes)]);
  const auto target = [&](BranchTarget kind) -> std::string {
    switch (kind) {
      case BranchTarget::absolute:
        return fmt::format("{:#x}", std::bit_cast<std::uint32_t>(branch.offset));
      case BranchTarget::relative:
        return fmt::format("{:+}", branch.offset);
      case BranchTarget::link_register:
        return "lr";
      case BranchTarget::register_file:
        return fmt::format("rf{}", branch.register_a);
    }
    return {};
  };
  text.append(" ").append(target(branch.target));
  if (!branch.moves_uniforms) return text;
  static constexpr std::string_view kUniforms[] = {"a:unif", "r:unif", "lr", "rf"};
  return text.append(", ").append(kUniforms[static_cast<std::size_t>(branch.uniform_target)]);
}

}  // namespace

std::string disassemble(const Instruction& in, Version version) {
  if (in.is_branch) return branch_text(in.branch);
  return half_text(in.add, version) + "; " + half_text(in.mul, version) + signal_text(in, version);
}

std::string disassemble(std::uint64_t word, Version version) {
  const Decoded decoded = decode(word, version);
  if (!decoded) return fmt::format("invalid ({})", decoded.reason);
  return disassemble(*decoded.instruction, version);
}

std::uint32_t small_immediate_bits(std::uint8_t code) {
  if (code < 16) return code;
  if (code < 32) return static_cast<std::uint32_t>(code) - 32U;
  return static_cast<std::uint32_t>(127 + code - 40) << 23;
}

}  // namespace sidecore::v3dsim
