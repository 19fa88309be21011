#include "v3dsim/supergroup.h"

#include <fmt/format.h>

#include <algorithm>

#include "v3dsim/noise.h"

namespace sidecore::v3dsim {

SlotPlan plan_slots(const JobShape& shape, const Machine& machine, bool indirect, unsigned wanted) {
  SlotPlan plan;
  const std::uint32_t all_threads = machine.qpus * (shape.four_threads ? 4U : 2U);
  const std::uint32_t needed = std::min(shape.full_batches(), all_threads);
  const std::uint32_t limit = shape.slot_limit();
  std::uint64_t workers =
      std::min<std::uint64_t>({wanted, all_threads / needed, shape.supergroups});
  // Each workgroup has its own slot if the driver sized the shared memory for all of them, as in a
  // direct job. Slots and TIDX are used in turn, so that neighbours differ and the race checker can
  // distinguish them.
  const bool every_workgroup_has_its_own = !indirect && shape.workgroups <= limit;
  const std::uint32_t per_supergroup = shape.workgroups_per_supergroup;
  if (!every_workgroup_has_its_own) {
    const auto slots =
        indirect ? per_supergroup
                 : static_cast<std::uint32_t>(std::min<std::uint64_t>(limit, shape.workgroups));
    workers = std::max<std::uint64_t>(1, std::min<std::uint64_t>(workers, slots / per_supergroup));
    plan.memory_slots =
        std::max(1U, slots / static_cast<std::uint32_t>(workers) / per_supergroup) * per_supergroup;
  }
  plan.workers = static_cast<unsigned>(std::max<std::uint64_t>(workers, 1));
  plan.thread_slots = all_threads / plan.workers;
  return plan;
}

Payload make_payload(const JobShape& shape, std::uint64_t supergroup, std::uint32_t batch,
                     std::uint32_t first_slot) {
  Payload payload{};
  const std::uint32_t invocations = shape.invocations_in(supergroup);
  const std::uint32_t groups = shape.workgroups_in(supergroup);
  for (std::uint32_t i = 0; i < kLanes; ++i) {
    const auto index = static_cast<std::uint32_t>(batch * kLanes + i);
    const std::uint32_t group = std::min(index / shape.workgroup_size, groups - 1);
    const std::uint32_t local = index - group * shape.workgroup_size;
    const auto id = shape.group_id(supergroup * shape.workgroups_per_supergroup + group);
    payload.ids_xy.lane[i] = id[0] | id[1] << 16;
    payload.z_and_local.lane[i] = id[2] | ((first_slot + group) & (shape.slot_limit() - 1)) << 16 |
                                  local << (32 - shape.local_bits());
    if (index < invocations) payload.active |= 1U << i;
  }
  return payload;
}

SupergroupRunner::SupergroupRunner(const Options& options, const JobShape& shape,
                                   const Memory& memory, const Program& program,
                                   const SlotPlan& plan, unsigned worker, RaceChecker* races,
                                   TraceSink* sink)
    : options_(options),
      shape_(shape),
      plan_(plan),
      worker_(worker),
      run_(run_function()),
      context_(program, options, memory, shape.four_threads ? 4 : 8, races),
      threads_(std::min(plan.thread_slots, shape.full_batches())),
      live_(threads_.size()),
      sink_(sink) {
  if (sink_ != nullptr) context_.counters.follow_cache();
}

void SupergroupRunner::poison_start(Thread& thread) const {
  for (Lanes& lanes : thread.registers) fill_with_noise(lanes, thread.noise_key);
  fill_with_noise(thread.rtop, thread.noise_key);
  for (Lanes* flags : {&thread.a, &thread.b}) {
    fill_with_noise(*flags, thread.noise_key);
    for (std::uint32_t& flag : flags->lane) flag = (flag & 1) != 0 ? ~0U : 0;
  }
}

void SupergroupRunner::start(Thread& thread, std::uint64_t supergroup, std::uint32_t batch,
                             std::size_t slot) {
  thread = {};
  thread.index = static_cast<std::uint32_t>(supergroup * shape_.full_batches() + batch);
  thread.noise_key = mix(options_.seed ^ mix(thread.index));
  if (options_.poison) poison_start(thread);
  const std::uint64_t first_group = supergroup * shape_.workgroups_per_supergroup;
  const Payload payload =
      make_payload(shape_, supergroup, batch, plan_.memory_slot(worker_, first_group));
  const bool is42 = context_.version == Version::v42;
  const std::uint8_t first_register = is42 ? 0 : 3;
  thread.registers[first_register] = payload.ids_xy;
  thread.registers[2] = payload.z_and_local;
  thread.written.insert(first_register);
  thread.written.insert(2);
  thread.active_mask = payload.active;
  for (std::uint32_t i = 0; i < kLanes; ++i) {
    thread.active.lane[i] = (payload.active >> i & 1) != 0 ? ~0U : 0;
  }
  thread.pc = shape_.code_address;
  thread.uniforms = shape_.uniform_address;
  thread.last_section = shape_.single_segment;
  // The number of slots is at most thread_slots, so using TIDX in turn keeps live threads distinct.
  const std::uint64_t turn = supergroup * shape_.full_batches() + slot;
  thread.tidx =
      static_cast<std::uint32_t>(worker_ * plan_.thread_slots + turn % plan_.thread_slots);
  if (context_.races != nullptr) context_.races->start_thread(thread.index, thread.tidx);
  thread.first_invocation =
      static_cast<std::uint32_t>(first_group * shape_.workgroup_size + batch * kLanes);
}

void SupergroupRunner::admit(std::uint64_t supergroup, std::uint32_t batch, std::size_t slot) {
  start(threads_[slot], supergroup, batch, slot);
  if (sink_ != nullptr) threads_[slot].trace = &traces_[batch];
  live_[slot] = {State::runnable, batch};
  ++runnable_;
}

Fault SupergroupRunner::placed(const Fault& fault, std::uint64_t supergroup, const Thread& thread,
                               std::uint32_t batch) const {
  const Program& program = *context_.program;
  const std::uint32_t index = (thread.pc - program.first()) / 8;
  const std::uint64_t word = index < program.steps().size() ? program.word(index) : 0;
  return fault.at(fmt::format("in supergroup {}, batch {}, at {:#x}: {:016x} {}", supergroup, batch,
                              thread.pc, word, disassemble(word, context_.version)),
                  thread.pc, word);
}

void SupergroupRunner::step(std::uint64_t supergroup, std::size_t slot) {
  Thread& thread = threads_[slot];
  Stop stop = Stop::thread_switch;
  try {
    do {
      stop = run_(thread, context_);
    } while (stop == Stop::thread_switch && options_.order == Order::in_order);
  } catch (const Fault& fault) {
    throw placed(fault, supergroup, thread, live_[slot].batch);
  }
  if (stop == Stop::thread_switch) return;
  --runnable_;
  if (stop == Stop::barrier) {
    live_[slot].state = State::at_barrier;
    ++waiting_;
    return;
  }
  live_[slot].state = State::free;
  ++ended_;
  if (next_batch_ < shape_.batches_in(supergroup)) admit(supergroup, next_batch_++, slot);
}

void SupergroupRunner::release_barrier(std::uint64_t supergroup) {
  if (next_batch_ < shape_.batches_in(supergroup)) {
    throw Fault(
        FaultKind::barrier,
        fmt::format("supergroup {}: a barrier needs all {} threads alive, but only {} can be",
                    supergroup, shape_.batches_in(supergroup), live_.size()));
  }
  if (ended_ != 0) {
    throw Fault(FaultKind::barrier,
                fmt::format("supergroup {}: {} of its threads wait at a barrier that {} ended "
                            "without reaching",
                            supergroup, waiting_, ended_));
  }
  std::uint32_t where = 0;
  for (std::size_t slot = 0; slot < live_.size(); ++slot) {
    if (live_[slot].state != State::at_barrier) continue;
    const std::uint32_t barrier = threads_[slot].barrier_at;
    if (where != 0 && barrier != where) {
      throw Fault(FaultKind::barrier,
                  fmt::format("supergroup {}: some of its threads wait at the barrier at {:#x}, "
                              "others at the one at {:#x}",
                              supergroup, where, barrier));
    }
    where = barrier;
    live_[slot].state = State::runnable;
    ++threads_[slot].progress.barriers;
    ++runnable_;
  }
  waiting_ = 0;
}

std::size_t SupergroupRunner::pick() const {
  std::uint64_t skip =
      options_.order == Order::random ? mix(options_.seed ^ mix(picks_)) % runnable_ : 0;
  for (std::size_t slot = 0; slot < live_.size(); ++slot) {
    if (live_[slot].state != State::runnable) continue;
    if (skip-- == 0) return slot;
  }
  return 0;
}

void SupergroupRunner::run(std::uint64_t supergroup) {
  next_batch_ = ended_ = waiting_ = runnable_ = 0;
  const std::uint32_t batches = shape_.batches_in(supergroup);
  const auto at_once = std::min<std::uint32_t>(batches, static_cast<std::uint32_t>(live_.size()));
  std::fill(live_.begin(), live_.end(), Live{});
  if (sink_ != nullptr) traces_.assign(batches, {});
  while (next_batch_ < at_once) {
    const std::uint32_t batch = next_batch_++;
    admit(supergroup, batch, batch);
  }
  while (ended_ < batches) {
    if (runnable_ == 0) release_barrier(supergroup);
    ++picks_;
    step(supergroup, pick());
  }
  context_.counters.end_supergroup();
  if (sink_ != nullptr) sink_->supergroup(traces_);
}

}  // namespace sidecore::v3dsim
