#include "armsim/pipeline.h"

#include <algorithm>

namespace sidecore::armsim {
namespace {

// Costs of instructions: latency, pipes, operations, and cycles per operation. Sources: "Cortex-A72
// Software Optimization Guide" (Arm, UAN 0016A) and "Cortex-A76 Software Optimization Guide" (Arm,
// PJDOC-466751330-7215). Arm publishes no guide for Cortex-A53; its figures come from compilers'
// scheduling models.

using enum Pipes;

constexpr std::uint64_t kFetchBytes = 16;  // a group of instructions that is fetched at once

Cost a72(const Instruction& in) {
  const std::uint8_t n = in.units;
  const auto twice = static_cast<std::uint8_t>(in.wide ? 2 : 1);
  switch (in.kind) {
    case Kind::none:
      return {.latency = 0, .operations = 0};
    case Kind::alu:
      return {};
    case Kind::alu_shift:
    case Kind::insert:
      return {.latency = 2, .pipes = multicycle};
    case Kind::extract:
      return {.latency = 3, .pipes = multicycle, .more_operations = 1, .more_pipes = integer};
    case Kind::multiply:
      return {.latency = 3, .pipes = multicycle};
    case Kind::multiply_64:
      return {.latency = 5, .pipes = multicycle, .busy = 3};
    case Kind::multiply_high:
      return {.latency = 6, .pipes = multicycle, .busy = 4};
    case Kind::divide_32:
      return {.latency = 8, .pipes = multicycle, .busy = 8};
    case Kind::divide_64:
      return {.latency = 12, .pipes = multicycle, .busy = 12};
    case Kind::branch:
      return {.pipes = branch};
    case Kind::branch_link:
      return {.pipes = branch, .more_operations = 1, .more_pipes = integer};
    case Kind::system:
      return {.latency = 5, .pipes = integer};
    case Kind::load:
    case Kind::load_pair:
      return {.latency = 4, .pipes = load};
    case Kind::store:
      return {.pipes = store};
    case Kind::store_pair:
      return {.pipes = store, .operations = twice};
    case Kind::vector:
      return {.latency = 3, .pipes = vector, .operations = twice};
    case Kind::vector_zip_wide:
      return {.latency = 6, .pipes = vector, .operations = 3};
    case Kind::vector_multiply:
      return {.latency = 4, .pipes = vector_0};
    case Kind::vector_multiply_wide:
      return {.latency = 5, .pipes = vector_0, .operations = 2};
    case Kind::vector_shift:
      return {.latency = 3, .pipes = vector_1};
    case Kind::vector_shift_complex:
    case Kind::vector_shift_accumulate:
      return {.latency = 4, .pipes = vector_1};
    case Kind::vector_shift_by_register:
      return {.latency = static_cast<std::uint8_t>(in.wide ? 4 : 3),
              .pipes = vector_1,
              .operations = twice};
    case Kind::vector_shift_by_register_complex:
      return {.latency = static_cast<std::uint8_t>(in.wide ? 5 : 4),
              .pipes = vector_1,
              .operations = twice};
    case Kind::vector_narrow_saturating:
    case Kind::vector_accumulate:
      return {.latency = 4, .pipes = vector_1, .operations = twice};
    case Kind::vector_reduce:
      return {.latency = 4, .pipes = vector_1};
    case Kind::vector_reduce_wide:
      return {.latency = 8, .pipes = vector_1, .operations = 2};
    case Kind::vector_table:
      return {.latency = static_cast<std::uint8_t>(3 * n + (in.wide ? 3 : 0)),
              .pipes = vector,
              .operations = static_cast<std::uint8_t>(n * twice)};
    case Kind::vector_from_general:
      return {.latency = 8, .pipes = load, .more_operations = 1, .more_pipes = vector};
    case Kind::vector_to_general:
      return {.latency = 6, .pipes = load, .more_operations = 1, .more_pipes = integer};
    case Kind::float_add:
      return {.latency = 4, .pipes = vector, .operations = twice};
    case Kind::float_compare:
      return {.latency = 3, .pipes = vector_1};
    case Kind::float_multiply:
      return {.latency = 4, .pipes = vector, .operations = twice};
    case Kind::float_fused:
      return {.latency = 7, .pipes = vector, .operations = twice};
    case Kind::float_divide:
      return {.latency = 11, .pipes = vector_0, .busy = 9};
    case Kind::float_convert:
      return {.latency = 3, .pipes = vector_0};
    case Kind::vector_load:
      return {.latency = static_cast<std::uint8_t>(n < 2 ? 5 : (in.wide ? 4 + n : 6)),
              .pipes = load,
              .operations = static_cast<std::uint8_t>(in.wide ? n : (n + 1) / 2)};
    case Kind::vector_load_lane:
      if (in.half != Half::none) return {.latency = 5, .pipes = load};
      return {.latency = 8, .pipes = load, .more_operations = n};
    case Kind::vector_load_weave:
      return {.latency = 9,
              .pipes = load,
              .operations = static_cast<std::uint8_t>(in.wide ? n : (n + 1) / 2),
              .more_operations = n};
    case Kind::vector_store:
      return {.pipes = store, .operations = static_cast<std::uint8_t>(n * twice)};
    case Kind::vector_store_lane:
      return {.latency = 3,
              .pipes = store,
              .more_operations = static_cast<std::uint8_t>(n > 1 ? n : 0)};
    case Kind::vector_store_weave:
      return {.latency = 3,
              .pipes = store,
              .operations = static_cast<std::uint8_t>(n * twice),
              .more_operations = n};
  }
  return {};
}

Cost a76(const Instruction& in) {
  const std::uint8_t n = in.units;
  const auto twice = static_cast<std::uint8_t>(in.wide ? 2 : 1);
  switch (in.kind) {
    case Kind::alu_shift:
      if (n == 0) return {};
      return {.latency = 2, .pipes = multicycle};
    case Kind::multiply:
      return {.latency = 2, .pipes = multicycle};
    case Kind::multiply_64:
      return {.latency = 4, .pipes = multicycle, .busy = 3};
    case Kind::multiply_high:
      return {.latency = 5, .pipes = multicycle, .busy = 3};
    case Kind::divide_32:
      return {.latency = 8, .pipes = multicycle, .busy = 5};
    case Kind::divide_64:
      return {.latency = 12, .pipes = multicycle, .busy = 8};
    case Kind::store:
      return {.pipes = load, .more_operations = 1, .more_pipes = store};
    case Kind::store_pair:
      return {.pipes = load, .operations = twice, .more_operations = 1, .more_pipes = store};
    case Kind::vector:
    case Kind::vector_zip_wide:
      return {.latency = 2, .pipes = vector};
    case Kind::vector_shift:
    case Kind::vector_shift_by_register:
      return {.latency = 2, .pipes = vector_1};
    case Kind::vector_shift_complex:
    case Kind::vector_shift_by_register_complex:
    case Kind::vector_shift_accumulate:
    case Kind::vector_narrow_saturating:
    case Kind::vector_accumulate:
    case Kind::vector_reduce:
      return {.latency = 4, .pipes = vector_1};
    case Kind::vector_reduce_wide:
      return {.latency = 6, .pipes = vector_1, .operations = 2};
    case Kind::vector_table:
      return {.latency = static_cast<std::uint8_t>(n < 3 ? 2 : 4),
              .pipes = vector,
              .operations = static_cast<std::uint8_t>(n < 3 ? 1 : 4)};
    case Kind::vector_from_general:
      return {.latency = 3, .pipes = multicycle};
    case Kind::vector_to_general:
      return {.latency = 2, .pipes = vector_1};
    case Kind::float_add:
      return {.latency = 2, .pipes = vector};
    case Kind::float_compare:
      return {.latency = 2, .pipes = vector_0};
    case Kind::float_multiply:
      return {.latency = 3, .pipes = vector};
    case Kind::float_fused:
      return {.latency = 4, .pipes = vector};
    case Kind::float_divide:
      return {.latency = 10, .pipes = vector_0, .busy = 7};
    case Kind::float_convert:
      return {.latency = 3, .pipes = vector_0};
    case Kind::vector_load:
      return {.latency = static_cast<std::uint8_t>(n < 2 ? 5 : (in.wide ? 5 + n / 2 : 5)),
              .pipes = load,
              .operations = static_cast<std::uint8_t>(in.wide ? n : (n + 1) / 2)};
    case Kind::vector_load_lane:
      return {.latency = 7, .pipes = load, .more_operations = n};
    case Kind::vector_load_weave:
      return {.latency = 8,
              .pipes = load,
              .operations = static_cast<std::uint8_t>(in.wide ? n : (n + 1) / 2),
              .more_operations = n};
    case Kind::vector_store:
      return {.latency = 2,
              .pipes = load,
              .operations = static_cast<std::uint8_t>(in.wide ? n : (n + 1) / 2),
              .more_operations = static_cast<std::uint8_t>(in.wide ? n : (n + 1) / 2)};
    case Kind::vector_store_lane:
      return {.latency = 4, .pipes = load, .more_operations = n};
    case Kind::vector_store_weave:
      return {.latency = 5,
              .pipes = load,
              .operations = n,
              .more_operations = static_cast<std::uint8_t>(n * twice)};
    default:
      return a72(in);  // A72 and A76 have equal costs for this kind
  }
}

Cost a53(const Instruction& in) {
  const std::uint8_t n = in.units;
  const auto twice = static_cast<std::uint8_t>(in.wide ? 2 : 1);
  switch (in.kind) {
    case Kind::alu_shift:
    case Kind::insert:
      return {.latency = 2};
    case Kind::branch:
    case Kind::branch_link:
      return {.pipes = branch};
    case Kind::load:
      return {.latency = 3, .pipes = load};
    case Kind::load_pair:
      return {.latency = 4, .pipes = load, .busy = twice};
    case Kind::store:
      return {.pipes = load};
    case Kind::store_pair:
      return {.pipes = load, .busy = twice};
    case Kind::vector:
    case Kind::vector_zip_wide:
    case Kind::vector_table:
    case Kind::vector_shift:
    case Kind::vector_shift_by_register:
      return {.latency = 2, .pipes = vector, .operations = twice};
    case Kind::vector_shift_complex:
    case Kind::vector_shift_by_register_complex:
    case Kind::vector_shift_accumulate:
    case Kind::vector_narrow_saturating:
    case Kind::vector_accumulate:
    case Kind::vector_reduce:
    case Kind::vector_reduce_wide:
      return {.latency = 4, .pipes = vector, .operations = twice};
    case Kind::vector_multiply:
    case Kind::vector_multiply_wide:
      return {.latency = 4, .pipes = vector, .operations = 2};
    case Kind::vector_from_general:
    case Kind::vector_to_general:
      return {.latency = 4, .pipes = vector};
    case Kind::vector_load:
      return {.latency = static_cast<std::uint8_t>(3 + n * twice),
              .pipes = load,
              .busy = static_cast<std::uint8_t>(n * twice)};
    case Kind::vector_load_lane:
      if (in.half != Half::none) return {.latency = 3, .pipes = load};
      return {.latency = 5, .pipes = load, .more_operations = 1};
    case Kind::vector_load_weave:
      return {.latency = static_cast<std::uint8_t>(4 + n * twice),
              .pipes = load,
              .busy = static_cast<std::uint8_t>(n * twice + 1)};
    case Kind::vector_store_lane:
      return {.pipes = load, .busy = n};
    case Kind::vector_store:
    case Kind::vector_store_weave:
      return {.pipes = load, .busy = static_cast<std::uint8_t>(n * twice)};
    default:
      return a72(in);
  }
}

}  // namespace

// Widths, pipes, windows and penalties are from the guides and from Arm's technical reference
// manuals. The guide of A72 states the limits of dispatch (section 4.1). The depth of a queue
// before a pipe is 8 on A57 and A72; that on A76 was chosen by published cycles. Caches are those
// of the boards' processors (BCM2711, BCM2712). The bytes per second of a core are those of
// tinymembench's plain copy on the boards, read and written together. The latency of memory is an
// assumption; it has the same order of magnitude on all boards.

const CoreModel& cortex_a72() {
  static constexpr CoreModel kModel{
      .name = "cortex-a72",
      .decode_width = 3,
      .dispatch = {.all = 3, .branches = 1, .integer = 2, .accesses = 2, .vector_pipe = 1},
      .window = 128,
      .queue = 8,
      .in_order = false,
      .integer_on_multicycle = false,
      .integer_pipes = 2,
      .load_pipes = 1,
      .vector_pipe_bytes = 8,
      .lane_merge_latency = 3,
      .taken_branch_cycles = 2,
      .accumulate_latency = 1,
      .mispredict_cycles = 15,
      .history_bits = 8,
      .cache = {.levels = {{32 << 10, 2, 0}, {1 << 20, 16, 17}, {0, 0, 0}},
                .memory_seconds = 150e-9,
                .memory_bytes_per_second = 5.6e9}};
  return kModel;
}

const CoreModel& cortex_a76() {
  static constexpr CoreModel kModel{
      .name = "cortex-a76",
      .decode_width = 4,
      .dispatch = {.all = 8},
      .window = 128,
      .queue = 8,
      .in_order = false,
      .integer_on_multicycle = true,
      .integer_pipes = 2,
      .load_pipes = 2,
      .vector_pipe_bytes = 16,
      .lane_merge_latency = 2,
      .taken_branch_cycles = 2,
      .accumulate_latency = 1,
      .mispredict_cycles = 11,
      .history_bits = 16,
      .cache = {.levels = {{64 << 10, 4, 0}, {512 << 10, 8, 5}, {2 << 20, 16, 30}},
                .memory_seconds = 120e-9,
                .memory_bytes_per_second = 11.1e9}};
  return kModel;
}

const CoreModel& cortex_a53() {
  static constexpr CoreModel kModel{
      .name = "cortex-a53",
      .decode_width = 2,
      .dispatch = {.all = 2},
      .window = 16,
      .queue = 16,
      .in_order = true,
      .integer_on_multicycle = false,
      .integer_pipes = 2,
      .load_pipes = 1,
      .vector_pipe_bytes = 8,
      .lane_merge_latency = 2,
      .taken_branch_cycles = 1,
      .accumulate_latency = 1,
      .mispredict_cycles = 7,
      .history_bits = 8,
      .cache = {.levels = {{32 << 10, 4, 0}, {512 << 10, 16, 12}, {0, 0, 0}},
                .memory_seconds = 150e-9,
                .memory_bytes_per_second = 3e9}};
  return kModel;
}

Cost cost_of(const CoreModel& core, const Instruction& instruction) {
  if (core.in_order) return a53(instruction);
  return core.decode_width == 3 ? a72(instruction) : a76(instruction);
}

Pipeline::Pipeline(const CoreModel& core, double clock_hz)
    : core_(&core),
      cache_(std::make_unique<Cache>(core.cache, clock_hz)),
      booked_(std::make_unique<std::array<Booked, kHorizon>>()) {}

Pipeline::Booked& Pipeline::booked(std::uint64_t cycle) {
  Booked& at = (*booked_)[cycle % kHorizon];
  if (at.cycle != cycle) at = {.cycle = cycle, .used = {}};
  return at;
}

bool Pipeline::has_room(Booked& at, Pipes pipes) const {
  const auto used = [&](Pipes which) { return at.used[static_cast<std::size_t>(which)]; };
  switch (pipes) {
    case integer:
      return used(integer) < core_->integer_pipes ||
             (core_->integer_on_multicycle && used(multicycle) == 0);
    case load:
      return used(load) < core_->load_pipes;
    case store:
      return used(store) < core_->load_pipes;
    case vector:
      return used(vector_0) == 0 || used(vector_1) == 0;
    default:
      return used(pipes) == 0;
  }
}

void Pipeline::take(Booked& at, Pipes pipes) {
  const auto used = [&](Pipes which) -> std::uint8_t& {
    return at.used[static_cast<std::size_t>(which)];
  };
  switch (pipes) {
    case integer:
      ++used(used(integer) < core_->integer_pipes ? integer : multicycle);
      break;
    case vector: {
      // The best pipe would be the one that fewer other instructions need. The model alternates
      // instead.
      const bool first = used(vector_0) == 0 && (used(vector_1) != 0 || (at.cycle & 1) != 0);
      ++used(first ? vector_0 : vector_1);
      break;
    }
    default:
      ++used(pipes);
      break;
  }
}

std::uint64_t Pipeline::book(Pipes pipes, std::uint64_t earliest, int busy) {
  std::uint64_t cycle = earliest;
  while (!has_room(booked(cycle), pipes)) ++cycle;
  for (int index = 0; index < busy; ++index) {
    take(booked(cycle + static_cast<std::uint64_t>(index)), pipes);
  }
  return cycle;
}

bool Pipeline::predicts(const Instruction& branch, std::uint64_t address, std::uint64_t next) {
  if (branch.indirect) {
    std::uint64_t& target = targets_[((address >> 2U) ^ history_) % targets_.size()];
    const bool right = target == next;
    target = next;
    return right;
  }
  if (!branch.conditional) return true;
  const bool taken = next != address + 4;
  std::uint8_t& local = by_address_[(address >> 2U) % by_address_.size()];
  std::uint8_t& global = by_history_[((address >> 2U) ^ (history_ * 7919U)) % by_history_.size()];
  std::uint8_t& choice = choice_[(address >> 2U) % choice_.size()];
  const bool local_right = (local >= 2) == taken;
  const bool global_right = (global >= 2) == taken;
  const bool right = choice >= 2 ? global_right : local_right;
  const auto train = [](std::uint8_t& counter, bool up) {
    if (up && counter < 3) ++counter;
    if (!up && counter > 0) --counter;
  };
  train(local, taken);
  train(global, taken);
  if (local_right != global_right) train(choice, global_right);
  history_ = ((history_ << 1U) | (taken ? 1U : 0U)) &
             ((1U << static_cast<unsigned>(core_->history_bits)) - 1);
  return right;
}

void Pipeline::begin_cycle(std::uint64_t cycle) {
  decode_ = cycle;
  decoded_in_cycle_ = 0;
  dispatched_in_cycle_ = 0;
  dispatched_to_ = {};
}

std::uint64_t Pipeline::fetch(std::uint64_t address) {
  const std::uint64_t group = address / kFetchBytes;
  if (redirected_ || group != fetched_group_) {
    if (!redirected_) ++fetch_;
    fetch_ = std::max(fetch_, decoded_[(count_ - kFetchedAhead) % decoded_.size()]);
    fetched_group_ = group;
    redirected_ = false;
  }
  return fetch_;
}

void Pipeline::dispatch(Pipes pipes) {
  const DispatchLimits& limits = core_->dispatch;
  const auto to = [this](Pipes which) { return dispatched_to_[static_cast<std::size_t>(which)]; };
  const auto has_place = [&] {
    if (dispatched_in_cycle_ >= limits.all) return false;
    switch (pipes) {
      case branch:
        return to(branch) < limits.branches;
      case integer:
      case multicycle:
        return to(pipes) < limits.integer;
      case load:
      case store:
        return to(load) + to(store) < limits.accesses;
      default:
        return to(vector) + to(vector_0) + to(vector_1) < 2 * limits.vector_pipe &&
               (pipes == vector || to(pipes) < limits.vector_pipe);
    }
  };
  if (!has_place()) {
    begin_cycle(decode_ + 1);
    decoded_in_cycle_ = 1;
  }
  ++dispatched_in_cycle_;
  ++dispatched_to_[static_cast<std::size_t>(pipes)];
}

void Pipeline::decode(const Cost& cost, std::uint64_t fetched) {
  // Instructions are decoded in order, a limited number per cycle, while the window and the queues
  // have room.
  const std::size_t queue = static_cast<std::size_t>(std::min(cost.pipes, vector));
  const std::size_t depth =
      static_cast<std::size_t>(core_->queue) * (cost.pipes >= vector    ? 2
                                                : cost.pipes == integer ? core_->integer_pipes
                                                : cost.pipes == load    ? core_->load_pipes
                                                                        : 1);
  const std::uint64_t earliest =
      std::max({decode_, fetched + 1, queues_[queue][(queued_[queue] - depth) % 128],
                window_[(count_ - static_cast<std::size_t>(core_->window)) % 256]});
  if (earliest > decode_) begin_cycle(earliest);
  if (decoded_in_cycle_ >= core_->decode_width) begin_cycle(decode_ + 1);
  ++decoded_in_cycle_;
  for (int index = 0; index < cost.operations; ++index) dispatch(cost.pipes);
  for (int index = 0; index < cost.more_operations; ++index) dispatch(cost.more_pipes);
  decoded_[count_ % decoded_.size()] = decode_;
}

void Pipeline::follow(const Instruction& branch, std::uint64_t address, std::uint64_t next,
                      std::uint64_t resolved) {
  if (!predicts(branch, address, next)) {
    ++mispredicted_;
    begin_cycle(std::max(decode_, resolved + static_cast<std::uint64_t>(core_->mispredict_cycles)));
    fetch_ = decode_ - 1;
    redirected_ = true;
  } else if (next != address + 4) {
    fetch_ += static_cast<std::uint64_t>(core_->taken_branch_cycles);
    redirected_ = true;
  }
}

std::uint64_t Pipeline::book_assigned(Pipes pipes, std::uint64_t earliest, int busy) {
  if (pipes < vector || core_->in_order) return book(pipes, earliest, busy);
  if (pipes == vector) {
    const auto waiting = [this](std::size_t pipe) {
      return std::ranges::count_if(vector_queues_[pipe],
                                   [this](std::uint64_t begins) { return begins > decode_; });
    };
    const auto first = waiting(0), second = waiting(1);
    if (first == second) second_pipe_next_ = !second_pipe_next_;
    const bool take_second = first == second ? second_pipe_next_ : second < first;
    pipes = take_second ? vector_1 : vector_0;
  }
  const std::size_t pipe = pipes == vector_1 ? 1 : 0;
  const std::uint64_t begins = book(pipes, earliest, busy);
  vector_queues_[pipe][vector_queued_[pipe]++ % kVectorQueue] = begins;
  return begins;
}

void Pipeline::step(const Block::Step& step, std::span<const Access> accesses,
                    std::uint64_t address, std::uint64_t next) {
  const Instruction& in = step.instruction;
  const Cost& cost = step.cost;
  decode(cost, fetch(address));
  const bool loads_lane = in.kind == Kind::vector_load_lane;
  const bool needs_data_later = loads_lane || (in.is_store() && !core_->in_order);
  std::uint64_t start = decode_ + 1;
  std::uint64_t data = 0;  // cycle in which a store's data or a lane's neighbours are ready
  for (std::size_t index = 0; index < in.read_count; ++index) {
    const Register which = in.reads[index];
    std::uint64_t ready = ready_[which];
    if (needs_data_later && index >= in.address_reads) {
      data = std::max(data, ready);
      continue;
    }
    if (index == 0 && in.accumulates && made_by_[which] == in.kind && ready > 0) {
      ready -= std::min<std::uint64_t>(
          ready, static_cast<std::uint64_t>(cost.latency - core_->accumulate_latency));
    }
    start = std::max(start, ready);
  }
  if (core_->in_order) start = std::max(start, last_issue_);
  std::uint64_t& oldest_store = stores_[stored_ % kStores];
  if (in.is_store()) start = std::max(start, oldest_store);
  std::uint64_t issued = start;
  std::uint64_t last = start;
  for (int index = 0; index < cost.operations; ++index) {
    last = book_assigned(cost.pipes, last, cost.busy);
    if (index == 0) issued = last;
  }
  // Operations of the second kind put a loaded lane into its register, or bring a store's data.
  const bool halves = core_->vector_pipe_bytes == 8 && in.half != Half::none;
  const auto merge = static_cast<std::uint64_t>(
      loads_lane && !halves && cost.more_operations > 0 ? core_->lane_merge_latency : 0);
  std::uint64_t more = std::max(start, data);
  if (merge != 0) more = std::max(data, last + cost.latency - merge);
  for (int index = 0; index < cost.more_operations; ++index) {
    more = book_assigned(cost.more_pipes, more, 1);
  }
  if (!needs_data_later) last = std::max(last, more);
  last_issue_ = issued;
  if (core_->in_order && issued > decode_ + 1) {
    begin_cycle(issued - 1);
    decoded_in_cycle_ = 1;
  }
  if (cost.operations != 0) {
    const std::size_t queue = static_cast<std::size_t>(std::min(cost.pipes, vector));
    queues_[queue][queued_[queue]++ % 128] = last;
  }

  std::uint64_t late = 0;
  if (!ideal_memory_) {
    std::uint64_t line = ~std::uint64_t{0};
    for (const Access& access : accesses) {
      if (access.address / kLineBytes == line) continue;
      line = access.address / kLineBytes;
      late = std::max(late, cache_->access(access.address, access.store, last));
    }
    if (in.prefetches) late = 0;
  }
  std::uint64_t done = last + cost.latency + late;
  if (merge != 0) done = std::max(done, more + merge);
  // A register is filled by two 8-byte loads, and its reader waits for both.
  if (halves && in.half == Half::high) done = std::max(done, data);
  if (needs_data_later && !loads_lane) done = std::max(done, more + cost.latency + late);
  if (in.is_store()) {  // a store retires before its line has arrived
    oldest_store = done;
    ++stored_;
    done -= late;
  }
  std::size_t results = in.write_count;
  if (in.base_written) {
    // The addition to the base is an operation that takes no place at dispatch.
    const std::uint64_t added = core_->in_order ? issued : book(integer, start, 1);
    ready_[in.writes[--results]] = added + 1;
    made_by_[in.writes[results]] = Kind::alu;
  }
  for (std::size_t index = 0; index < results; ++index) {
    ready_[in.writes[index]] = done;
    made_by_[in.writes[index]] = in.kind;
  }
  if (next != 0 && in.is_branch()) follow(in, address, next, last);
  retired_ = std::max(retired_, done);
  window_[count_++ % 256] = retired_;
}

}  // namespace sidecore::armsim
