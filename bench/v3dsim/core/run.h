// Inner loop, which runs one thread up to its next switch. It is internal and included once per
// variant.
#pragma once

#include "v3dsim/core/add_alu.h"
#include "v3dsim/core/flags.h"
#include "v3dsim/core/mul_alu.h"

namespace sidecore::v3dsim::V3DSIM_CORE {

/// Writes a result into a register, in the lanes that meet the condition, and only one half if
/// packed.
inline void write_register(Lanes& target, const Lanes& result, Pack pack, Condition condition,
                           const Thread& thread) {
  if (pack == Pack::none && condition == Condition::always) {
    target = result;
    return;
  }
  Lanes packed = result, keep;
  if (pack == Pack::low) {
    map(packed, result, target, [](std::uint32_t r, std::uint32_t old) {
      return (old & 0xffff0000U) | half_from_float_bits(r);
    });
  } else if (pack == Pack::high) {
    map(packed, result, target, [](std::uint32_t r, std::uint32_t old) {
      return (old & 0xffffU) | half_from_float_bits(r) << 16;
    });
  }
  condition_lanes(keep, thread, condition);
  for (std::size_t i = 0; i < kLanes; ++i) {
    target.lane[i] = (packed.lane[i] & keep.lane[i]) | (target.lane[i] & ~keep.lane[i]);
  }
}

inline std::uint32_t pop_uniform(Thread& thread, Context& context) {
  const std::uint32_t word = read_uniform(context.stream, thread.uniforms, "uniform stream");
  thread.uniforms += 4;
  return word;
}

template <class Op>
inline void write_quads(Thread& thread, const StepHalf<Op>& half, const Lanes& result) {
  Lanes spread;
  for (std::size_t i = 0; i < kLanes; ++i) {
    spread.lane[i] =
        result.lane[half.target == Target::lane_zero ? std::size_t{0} : i & ~std::size_t{3}];
  }
  write_register(thread.registers[half.index], spread, Pack::none, half.condition, thread);
}

/// Returns the lanes that meet the half's condition.
template <class Op>
inline LaneMask lanes_of(const Thread& thread, const StepHalf<Op>& half) {
  Lanes holds;
  condition_lanes(holds, thread, half.condition);
  return lane_mask(holds);
}

/// Writes a result unless it is a TMU request. Requests come last, because the other half may
/// supply their data.
template <class Op>
inline void write_result(Thread& thread, const StepHalf<Op>& half, const Lanes& result) {
  switch (half.target) {
    case Target::lanes:
      return write_register(thread.registers[half.index], result, half.pack, half.condition,
                            thread);
    case Target::quad_first:
    case Target::lane_zero:
      return write_quads(thread, half, result);
    case Target::unifa:
      thread.unifa = result.lane[0];
      return;
    case Target::tmu_data:
      return tmu_push_data(
          thread.tmu, result,
          half.condition == Condition::always ? kAllLanes : lanes_of(thread, half));
    case Target::tmu_config:
      thread.tmu.config = result.lane[0];
      return;
    case Target::barrier:
      if (thread.pc >= thread.divergent_begin && thread.pc < thread.divergent_end) {
        raise_divergent_barrier(thread);
      }
      thread.barrier_pending = true;
      thread.barrier_at = thread.pc;
      return;
    case Target::none:
    case Target::tmu_address:
    case Target::tmu_address_with_config:
      return;
  }
}

template <class Op>
inline void request(Thread& thread, Context& context, const StepHalf<Op>& half,
                    const Lanes& result) {
  if (half.target != Target::tmu_address && half.target != Target::tmu_address_with_config) return;
  if (half.target == Target::tmu_address_with_config) {
    thread.tmu.config = pop_uniform(thread, context);
  }
  tmu_request(thread, context, result, lanes_of(thread, half));
}

inline void run_signals(Thread& thread, Context& context, const Step& step, std::uint32_t unifa) {
  const std::uint32_t signals = step.signals;
  if ((signals & signal::kLdtmu) != 0) {
    if (thread.may_wait) ++context.counters.waits;
    thread.may_wait = false;
    thread.note(TraceEvent::Kind::take);
    const Lanes& word = tmu_pop(thread.tmu);
    if (step.signal_to_register) thread.registers[step.signal_index] = word;
  }
  if ((signals & (signal::kLdunif | signal::kLdunifrf)) != 0) {
    const std::uint32_t word = pop_uniform(thread, context);
    if ((signals & signal::kLdunif) != 0) {
      broadcast(thread.registers[step.uniform_index], word);
    } else if (step.signal_to_register) {
      broadcast(thread.registers[step.signal_index], word);
    } else if (step.signal_to_unifa) {
      thread.unifa = word;
    }
  }
  if ((signals & (signal::kLdunifa | signal::kLdunifarf)) != 0) {
    // A UNIFA write in the same instruction takes effect after the read.
    const std::uint32_t word = read_uniform(context.auxiliary, unifa, "auxiliary uniform stream");
    const bool rewritten = step.add.target == Target::unifa || step.mul.target == Target::unifa;
    if (!rewritten) thread.unifa = unifa + 4;
    if ((signals & signal::kLdunifa) != 0) {
      broadcast(thread.registers[step.uniform_index], word);
    } else if (step.signal_to_register) {
      broadcast(thread.registers[step.signal_index], word);
    }
  }
}

inline void run_alu(Thread& thread, Context& context, const Step& step) {
  Lanes add_a_space, add_b_space, mul_a_space, mul_b_space;
  Lanes add_result, mul_result, add_flag, mul_flag;
  const std::uint32_t unifa = thread.unifa;
  const auto& add = step.add;
  const auto& mul = step.mul;
  if (add.runs) {
    const Lanes& a = operand(thread, add.a, add.a_unpack, add_a_space);
    const Lanes& b = operand(thread, add.b, add.b_unpack, add_b_space);
    add_operation(add_result, thread, context, add, a, b);
    if (add.flag_mode != FlagMode::none) result_flag(add_flag, add, a, b, add_result);
    if (add.op == AddOp::tmuwt) {
      if (thread.may_wait) ++context.counters.waits;
      thread.may_wait = false;
      thread.note(TraceEvent::Kind::drain);
      ++thread.progress.drains;
    }
  }
  if (mul.runs) {
    const Lanes& a = operand(thread, mul.a, mul.a_unpack, mul_a_space);
    const Lanes& b = operand(thread, mul.b, mul.b_unpack, mul_b_space);
    mul_operation(mul_result, thread, mul, a, b);
    if (mul.flag_mode != FlagMode::none) result_flag(mul_flag, mul, a, b, mul_result);
  }
  if (add.runs) write_result(thread, add, add_result);
  if (mul.runs) write_result(thread, mul, mul_result);
  if (add.runs) request(thread, context, add, add_result);
  if (mul.runs) request(thread, context, mul, mul_result);
  if (add.runs) apply_flag(thread, add.flag_mode, add_flag);
  if (mul.runs) apply_flag(thread, mul.flag_mode, mul_flag);
  if ((step.signals & ~signal::kAnySmall) != 0) run_signals(thread, context, step, unifa);
}

/// Returns the lanes that a branch condition reads.
inline LaneMask considered_lanes(const Thread& thread, LaneFilter filter) {
  switch (filter) {
    case LaneFilter::all_lanes:
      return kAllLanes;
    case LaneFilter::active_lanes:
      return thread.active_mask;
    case LaneFilter::active_quads: {
      LaneMask quads = thread.active_mask | thread.active_mask >> 1;
      quads = (quads | quads >> 2) & 0x1111U;
      return quads * 0xf;
    }
  }
  return kAllLanes;
}

inline bool branch_taken(const Branch& branch, LaneMask a, LaneMask lanes) {
  switch (branch.condition) {
    case BranchCondition::always:
      return true;
    case BranchCondition::a0:
      return (a & 1U) != 0;
    case BranchCondition::not_a0:
      return (a & 1U) == 0;
    case BranchCondition::all_a:
      return (~a & lanes) == 0;
    case BranchCondition::any_not_a:
      return (~a & lanes) != 0;
    case BranchCondition::any_a:
      return (a & lanes) != 0;
    case BranchCondition::all_not_a:
      return (a & lanes) == 0;
  }
  return false;
}

/// Notes the code in which lanes diverge. This code is either a region that only some lanes skip by
/// a forward branch, or a loop that only some lanes repeat. The driver emits structured code, in
/// which an inner region ends before the outer one. Therefore only the outer region is remembered.
inline void note_divergence(Thread& thread, const Branch& branch, bool diverges, bool taken) {
  const std::uint32_t after = thread.pc + 32;
  const std::uint32_t target = after + static_cast<std::uint32_t>(branch.offset);
  const bool within = thread.pc >= thread.divergent_begin && thread.pc < thread.divergent_end;
  if (within && thread.pc != thread.divergent_branch) return;
  thread.divergent_end = 0;
  if (!diverges || taken != (target <= thread.pc)) return;
  thread.divergent_branch = thread.pc;
  thread.divergent_begin = taken ? target : thread.pc;
  thread.divergent_end = taken ? after : target;
}

inline void run_branch(Thread& thread, Context& context, const Step& step) {
  if (thread.branch_delay != 0) raise(FaultKind::bad_code, "a branch in a branch's delay slots");
  const Branch& branch = step.branch;
  const LaneMask a = lane_mask(thread.a);
  const bool taken = branch_taken(branch, a, considered_lanes(thread, branch.lanes));
  if (branch.condition != BranchCondition::always) {
    const LaneMask mixed = a & thread.active_mask;
    const bool diverges = mixed != 0 && mixed != thread.active_mask;
    if (diverges) ++context.counters.branches_divergent;
    note_divergence(thread, branch, diverges, taken);
  }
  const std::uint32_t uniform_offset = branch.moves_uniforms ? pop_uniform(thread, context) : 0;
  if (!taken) return;
  ++context.counters.branches_taken;
  thread.uniforms += uniform_offset;
  thread.branch_target = thread.pc + 32 + static_cast<std::uint32_t>(branch.offset);
  thread.branch_delay = 4;
}

inline void begin_switch(Thread& thread) {
  if (thread.switch_delay == 2 && !thread.ending) {
    thread.last_section = true;  // two consecutive switches begin the last section
    return;
  }
  if (thread.switch_delay != 0)
    raise(FaultKind::bad_code, "thrsw in the delay slots of another thrsw");
  thread.switch_delay = 3;
  thread.ending = thread.last_section;
}

inline Stop end_switch(Thread& thread, Context& context) {
  if (thread.ending) {
    tmu_check_empty(thread.tmu);
    if (thread.barrier_pending) raise(FaultKind::barrier, "the thread ends at a barrier");
    thread.note(TraceEvent::Kind::end);
    return Stop::ended;
  }
  ++context.counters.thread_switches;
  thread.may_wait = true;
  thread.written.accumulators = 0;
  if (context.options->poison) poison_after_switch(thread);
  thread.note(thread.barrier_pending ? TraceEvent::Kind::barrier : TraceEvent::Kind::thread_switch);
  if (!thread.barrier_pending) return Stop::thread_switch;
  thread.barrier_pending = false;
  ++context.counters.barriers;
  return Stop::barrier;
}

inline Stop run_to_switch(Thread& thread, Context& context) {
  const std::span<const Step> steps = context.program->steps();
  const std::uint32_t first = context.program->first();
  for (;;) {
    const std::size_t index = (thread.pc - first) / 8;
    if (index >= steps.size()) raise(FaultKind::bad_code, "execution left the program");
    const Step& step = steps[index];
    if (++thread.instructions > context.options->instruction_limit) {
      raise(FaultKind::runaway,
            "the thread ran past the instruction limit: an endless loop, or a wait for the host");
    }
    ++context.counters.executed[index];
    if (((step.reads.file & ~thread.written.file) |
         (step.reads.accumulators & ~thread.written.accumulators)) != 0) {
      ++context.counters.uninitialised_reads;
    }
    if (step.kind == Step::Kind::alu) {
      run_alu(thread, context, step);
      if ((step.signals & signal::kThrsw) != 0) begin_switch(thread);
    } else if (step.kind == Step::Kind::branch) {
      run_branch(thread, context, step);
    } else {
      raise(FaultKind::bad_code, step.reason);
    }
    thread.written.file |= step.writes.file;
    thread.written.accumulators |= step.writes.accumulators;

    std::uint32_t next = thread.pc + 8;
    if (thread.branch_delay != 0 && --thread.branch_delay == 0) next = thread.branch_target;
    if (thread.switch_delay != 0 && --thread.switch_delay == 0) {
      const Stop stop = end_switch(thread, context);
      thread.pc = next;
      return stop;
    }
    thread.pc = next;
  }
}

}  // namespace sidecore::v3dsim::V3DSIM_CORE
