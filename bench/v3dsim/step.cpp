#include "v3dsim/program.h"

namespace sidecore::v3dsim {
namespace {

/// Resolves one instruction into a step. The first property that the executor does not support
/// becomes the reason.
class StepBuilder {
 public:
  StepBuilder(Version version, bool four_threads)
      : version_(version), registers_(four_threads ? 32 : 64) {}

  Step build(const Instruction& in) {
    if (in.is_branch) {
      build_branch(in.branch);
    } else {
      build_alu(in);
    }
    if (reason_.empty()) return step_;
    Step stop;
    stop.reason = reason_;
    return stop;
  }

 private:
  void fail(std::string_view reason) {
    if (reason_.empty()) reason_ = reason;
  }

  void build_branch(const Branch& branch) {
    step_.kind = Step::Kind::branch;
    step_.branch = branch;
    step_.pops_uniform = branch.moves_uniforms;
    if (branch.target != BranchTarget::relative) fail("a branch that is not relative");
    if (branch.moves_uniforms && branch.uniform_target != BranchTarget::relative) {
      fail("a uniform branch that is not relative");
    }
  }

  void build_alu(const Instruction& in) {
    step_.kind = Step::Kind::alu;
    step_.signals = in.signals;
    build_half(in.add, step_.add);
    build_half(in.mul, step_.mul);
    build_signals(in);
    const bool add_barrier = step_.add.target == Target::barrier;
    if (step_.mul.target == Target::barrier || (add_barrier && in.add.op != AddOp::barrierid)) {
      fail("a write to SYNCB that is not BARRIERID");
    }
    if (is_tmu_request(step_.add.target) && is_tmu_request(step_.mul.target)) {
      fail("two TMU requests in one instruction");
    }
    if (step_.add.target == Target::tmu_data && step_.mul.target == Target::tmu_data) {
      fail("two TMU data words in one instruction");
    }
  }

  static bool is_tmu_request(Target target) {
    return target == Target::tmu_address || target == Target::tmu_address_with_config;
  }

  void build_signals(const Instruction& in) {
    constexpr std::uint32_t kExecuted = signal::kThrsw | signal::kLdunif | signal::kLdtmu |
                                        signal::kLdunifrf | signal::kLdunifa | signal::kLdunifarf |
                                        signal::kAnySmall;
    if ((in.signals & ~kExecuted) != 0) fail("a graphics or texture signal");
    step_.uniform_index = version_ == Version::v42 ? kR5 : 0;
    if ((in.signals & (signal::kLdunif | signal::kLdunifa)) != 0) {
      step_.writes.insert(step_.uniform_index);
    }
    if ((in.signals & (signal::kLdunif | signal::kLdunifrf)) != 0) pop_uniform();
    if ((in.signals & signal::kWithAddress) == 0) return;
    const Write& write = in.signal_destination;
    if (write.magic && write.address == magic::kNop) return;
    if (write.magic && write.address == magic::kUnifa && (in.signals & signal::kLdunifrf) != 0) {
      step_.signal_to_unifa = true;
      return;
    }
    if (write.magic && (version_ == Version::v71 || write.address > 4)) {
      return fail("a signal that loads into a special register (magic address)");
    }
    step_.signal_to_register = true;
    step_.signal_index = write.magic ? static_cast<std::uint8_t>(kFirstAccumulator + write.address)
                                     : file_register(write.address);
    step_.writes.insert(step_.signal_index);
  }

  void pop_uniform() {
    if (step_.pops_uniform) fail("two uniform pops in one instruction");
    step_.pops_uniform = true;
  }

  std::uint8_t file_register(std::uint8_t address) {
    if (address >= registers_)
      fail("a register beyond rf31 in a program with four threads per QPU");
    return address;
  }

  template <class Op>
  void build_half(const Half<Op>& in, StepHalf<Op>& out) {
    const OpInfo& operation = info(in.op);
    out.op = in.op;
    if (in.op == Op::nop) {
      if (in.flags != FlagUse::none) fail("a nop that sets flags");
      return;
    }
    if (!operation.executed) return fail("an operation whose behaviour is unknown");
    out.a = operand(in.a, out.a_unpack);
    out.b = operand(in.b, out.b_unpack);
    out.pack = in.pack;
    out.condition = in.condition;
    build_flags(in, out);
    build_target(in.destination, out);
    if (out.pack != Pack::none && out.target != Target::lanes && out.target != Target::none) {
      fail("half a word written to a magic address");
    }
    const bool sees_condition = out.target == Target::lanes || out.target == Target::none ||
                                out.target == Target::quad_first ||
                                out.target == Target::lane_zero || out.target == Target::tmu_data ||
                                is_tmu_request(out.target);
    if (out.condition != Condition::always && !sees_condition) {
      fail("a conditional write to UNIFA, TMUC or SYNCB");
    }
    out.runs = out.target != Target::none || out.flag_mode != FlagMode::none || keeps_state(in.op);
  }

  static bool keeps_state(AddOp op) { return op == AddOp::tmuwt; }
  static bool keeps_state(MulOp op) { return op == MulOp::multop || op == MulOp::umul24; }

  std::uint8_t operand(const Source& source, Unpack& unpack) {
    unpack = source.unpack;
    switch (source.kind) {
      case Source::Kind::none:
        return kFirstImmediate;
      case Source::Kind::small_immediate:
        return static_cast<std::uint8_t>(kFirstImmediate + source.index);
      case Source::Kind::accumulator: {
        const auto index = static_cast<std::uint8_t>(kFirstAccumulator + source.index);
        step_.reads.insert(index);
        return index;
      }
      case Source::Kind::register_file:
        step_.reads.insert(source.index);
        return file_register(source.index);
    }
    return 0;
  }

  template <class Op>
  void build_flags(const Half<Op>& in, StepHalf<Op>& out) {
    if (in.flags == FlagUse::none) return;
    const auto code = static_cast<unsigned>(in.flags) - static_cast<unsigned>(FlagUse::push_z);
    if (code < 3) {
      out.flag_mode = FlagMode::push;
      out.flag = static_cast<FlagSource>(code);
    } else {
      static constexpr FlagMode kModes[] = {FlagMode::and_, FlagMode::and_not, FlagMode::nor_not,
                                            FlagMode::nor};
      out.flag_mode = kModes[(code - 3) & 3];
      out.flag = static_cast<FlagSource>((code - 3) >> 2);
    }
    if (out.flag == FlagSource::c && !carry_is_defined(in.op)) step_.unproven_flag = true;
    if (out.pack != Pack::none) step_.unproven_flag = true;
  }

  static bool carry_is_defined(AddOp op) {
    return op == AddOp::add || op == AddOp::sub || op == AddOp::min || op == AddOp::max ||
           op == AddOp::umin || op == AddOp::umax || op == AddOp::fcmp;
  }
  static bool carry_is_defined(MulOp op) { return op == MulOp::add || op == MulOp::sub; }

  template <class Op>
  void build_target(const Write& write, StepHalf<Op>& out) {
    const std::uint8_t broadcast = version_ == Version::v42 ? kR5 : 0;
    out.target = Target::lanes;
    if (!write.magic) {
      out.index = file_register(write.address);
      step_.writes.insert(out.index);
      return;
    }
    if (write.address < 5) {
      if (version_ == Version::v71) return fail("a write to an accumulator, which 7.1 lacks");
      out.index = static_cast<std::uint8_t>(kFirstAccumulator + write.address);
      step_.writes.insert(out.index);
      return;
    }
    switch (write.address) {
      case magic::kNop:
        out.target = Target::none;
        break;
      case magic::kR5:
      case magic::kRep:
        out.target = write.address == magic::kR5 ? Target::quad_first : Target::lane_zero;
        out.index = broadcast;
        step_.writes.insert(broadcast);
        break;
      case magic::kUnifa:
        out.target = Target::unifa;
        break;
      case magic::kTmud:
        out.target = Target::tmu_data;
        break;
      case magic::kTmua:
        out.target = Target::tmu_address;
        break;
      case magic::kTmuau:
        out.target = Target::tmu_address_with_config;
        pop_uniform();
        break;
      case magic::kTmuc:
        out.target = Target::tmu_config;
        break;
      case magic::kSyncb:
        out.target = Target::barrier;
        break;
      default:
        fail("a write to a graphics, texture or legacy magic address");
    }
  }

  Version version_;
  std::uint8_t registers_;
  Step step_;
  std::string_view reason_;
};

}  // namespace

Step make_step(const Instruction& instruction, Version version, bool four_threads) {
  return StepBuilder(version, four_threads).build(instruction);
}

}  // namespace sidecore::v3dsim
