// Test rig for small hand-assembled programs: an assembler for single instructions, and a GPU with
// 1 MiB of memory.
#pragma once

#include <array>
#include <bit>
#include <cstring>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <vector>

#include "v3dsim/executor.h"
#include "v3dsim/instruction.h"

namespace sidecore::v3dsim::rig {

inline Source rf(unsigned index, Unpack unpack = Unpack::none) {
  return {Source::Kind::register_file, static_cast<std::uint8_t>(index), unpack};
}
/// Returns an operand for a small integer, -16..15, which is allowed as the second operand.
inline Source imm(int value) {
  return {Source::Kind::small_immediate, static_cast<std::uint8_t>(value & 31)};
}
inline Write to(unsigned index) {
  return {false, static_cast<std::uint8_t>(index)};
}
inline Write to_magic(std::uint8_t address) {
  return {true, address};
}
inline constexpr Write kNowhere{};

/// The optional parts of an instruction.
struct With {
  Condition condition = Condition::always;
  FlagUse flags = FlagUse::none;
  std::uint32_t signals = 0;
  Write signal_destination{};
  Pack pack = Pack::none;
};

/// Appends instructions. Throws std::logic_error for an instruction that cannot be encoded.
class Assembler {
 public:
  explicit Assembler(Version version) : version_(version) {}

  void emit(const Instruction& in) {
    const auto word = encode(in, version_);
    if (!word) throw std::logic_error("not encodable: " + disassemble(in, version_));
    words_.push_back(*word);
  }
  void add(AddOp op, Write destination, Source a = {}, Source b = {}, const With& with = {}) {
    Instruction in;
    in.add = {op, a, b, destination, with.pack, with.condition, with.flags};
    in.signals = with.signals;
    if (a.kind == Source::Kind::small_immediate) {
      in.signals |= version_ == Version::v42 ? signal::kSmallB : signal::kSmallA;
    }
    if (b.kind == Source::Kind::small_immediate) in.signals |= signal::kSmallB;
    in.signal_destination = with.signal_destination;
    emit(in);
  }
  void mul(MulOp op, Write destination, Source a = {}, Source b = {}, const With& with = {}) {
    Instruction in;
    in.mul = {op, a, b, destination, with.pack, with.condition, with.flags};
    in.signals = with.signals;
    const bool is42 = version_ == Version::v42;
    if (a.kind == Source::Kind::small_immediate) {
      in.signals |= is42 ? signal::kSmallB : signal::kSmallC;
    }
    if (b.kind == Source::Kind::small_immediate) {
      in.signals |= is42 ? signal::kSmallB : signal::kSmallD;
    }
    in.signal_destination = with.signal_destination;
    emit(in);
  }
  void mov(Write destination, Source a, const With& with = {}) {
    mul(MulOp::mov, destination, a, {}, with);
  }
  void nop(std::uint32_t signals = 0, Write signal_destination = {}) {
    Instruction in;
    in.signals = signals;
    in.signal_destination = signal_destination;
    emit(in);
  }
  /// Loads the next uniform into rf`index`.
  void uniform(unsigned index) { nop(signal::kLdunifrf, to(index)); }
  /// Appends a thread switch and its delay slots.
  void thread_switch() {
    nop(signal::kThrsw);
    nop();
    nop();
  }
  /// Stores rf`data` to the addresses in rf`address`, 32 bits per lane.
  void store(unsigned address, unsigned data, const With& with = {}) {
    mov(to_magic(magic::kTmud), rf(data));
    mov(to_magic(magic::kTmua), rf(address), with);
  }
  void load(unsigned destination, unsigned address) {
    mov(to_magic(magic::kTmua), rf(address));
    nop(signal::kThrsw);
    nop();
    nop();
    nop(signal::kLdtmu, to(destination));
  }
  /// Appends a branch to the instruction `target`, with three nops in its delay slots.
  void branch(BranchCondition condition, LaneFilter lanes, std::size_t target) {
    Instruction in;
    in.is_branch = true;
    in.branch.condition = condition;
    in.branch.lanes = lanes;
    in.branch.offset =
        (static_cast<std::int32_t>(target) - static_cast<std::int32_t>(words_.size()) - 4) * 8;
    emit(in);
    for (int i = 0; i < 3; ++i) nop();
  }
  /// Appends the last thread switch and the end of the thread.
  void end() {
    nop(signal::kThrsw);
    nop(signal::kThrsw);
    nop();
    nop(signal::kThrsw);
    nop();
    nop();
  }
  /// Computes rf`into` = index of the invocation in a one-dimensional grid of workgroups of up to
  /// 64.
  void invocation_index(unsigned into, unsigned workgroup_shift) {
    const unsigned ids = version_ == Version::v42 ? 0 : 3;
    add(AddOp::shl, to(into), rf(ids), imm(-16));
    add(AddOp::shr, to(into), rf(into), imm(-16));
    add(AddOp::shl, to(into), rf(into), imm(static_cast<int>(workgroup_shift)));
    // Shift counts are taken modulo 32, so this shifts by 26.
    add(AddOp::shr, to(into + 1), rf(2), imm(-6));
    add(AddOp::add, to(into), rf(into), rf(into + 1));
  }

  [[nodiscard]] std::size_t here() const { return words_.size(); }
  [[nodiscard]] std::span<const std::uint64_t> words() const { return words_; }
  [[nodiscard]] Version version() const { return version_; }

 private:
  Version version_;
  std::vector<std::uint64_t> words_;
};

inline constexpr std::uint32_t kCode = 0x10000, kUniforms = 0x20000, kData = 0x40000;
inline constexpr std::uint32_t kDataBytes = 0x80000;

/// A simulated GPU with three buffers in 1 MiB: code, uniforms and data.
class Machine1M {
 public:
  explicit Machine1M(Version version)
      : machine(version == Version::v42 ? pi4() : pi5()),
        words_(0x40000),
        memory(reinterpret_cast<std::byte*>(words_.data())) {
    memory.add(kCode, 0x8000);
    memory.add(kUniforms, 0x1000);
    memory.add(kData, kDataBytes);
    shape.groups = {1, 1, 1};
    shape.workgroup_size = 16;
    shape.workgroups_per_supergroup = 1;
    shape.code_address = kCode;
    shape.uniform_address = kUniforms;
    shape.four_threads = false;
  }

  void load(const Assembler& program, std::initializer_list<std::uint32_t> uniforms) {
    std::memcpy(&words_[kCode / 4], program.words().data(), program.words().size_bytes());
    std::copy(uniforms.begin(), uniforms.end(), words_.begin() + kUniforms / 4);
  }
  Statistics run(const Options& options = {}, TraceSink* traces = nullptr) {
    Executor executor(machine, options);
    return executor.run(make_job(shape, machine), memory, traces);
  }
  std::uint32_t& word(std::uint32_t address) { return words_[address / 4]; }
  std::uint32_t& data(std::size_t index) { return words_[kData / 4 + index]; }
  std::span<std::uint32_t> data() { return std::span(words_).subspan(kData / 4, kDataBytes / 4); }

  Machine machine;
  JobShape shape;

 private:
  std::vector<std::uint32_t> words_;

 public:
  MappedMemory memory;
};

/// Returns the fault that `run` throws. Throws std::logic_error if `run` throws none.
template <class Run>
Fault catch_fault(Run run) {
  try {
    run();
  } catch (const Fault& fault) {
    return fault;
  }
  throw std::logic_error("expected a fault, the job ended well");
}

}  // namespace sidecore::v3dsim::rig
