#include "v3dsim/counters.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

namespace sidecore::v3dsim {
namespace {

/// Finds the distinct 64-byte lines of one request, in order of first touch.
unsigned distinct_lines(const Lanes& address, LaneMask lanes, unsigned width,
                        std::uint32_t (&lines)[kMaxLines]) {
  unsigned count = 0;
  const auto touch = [&](std::uint32_t line) {
    // The search starts at the last line, because neighbouring lanes usually share a line.
    for (unsigned i = count; i-- > 0;) {
      if (lines[i] == line) return;
    }
    lines[count++] = line;
  };
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const std::uint32_t begin = address.lane[std::countr_zero(rest)];
    touch(begin >> 6);
    if ((begin >> 6) != ((begin + width - 1) >> 6)) touch((begin + width - 1) >> 6);
  }
  return count;
}

}  // namespace

std::uint64_t TmuStatistics::total(TmuKind kind) const {
  const auto& row = requests[static_cast<std::size_t>(kind)];
  return std::accumulate(row.begin(), row.end(), std::uint64_t{0});
}

double Statistics::per_thread(std::uint64_t total) const {
  return threads == 0 ? 0.0 : static_cast<double>(total) / static_cast<double>(threads);
}

LineCache::Moved Counters::count_request(TmuKind kind, unsigned type, unsigned words,
                                         const Lanes& address, LaneMask lanes, unsigned width) {
  const auto count = static_cast<unsigned>(std::popcount(lanes));
  ++tmu_.requests[static_cast<std::size_t>(kind)][type];
  tmu_.lanes += count;
  tmu_.bytes += std::uint64_t{count} * width;
  tmu_.words += words;
  if (!count_lines_) return {};
  std::uint32_t lines[kMaxLines];
  const unsigned distinct = distinct_lines(address, lanes, width, lines);
  ++tmu_.lines_per_request[distinct];
  supergroup_touches_ += distinct;
  LineCache::Moved moved;
  for (unsigned i = 0; i < distinct; ++i) {
    supergroup_lines_.insert(lines[i]);
    if (!cache_) continue;
    const LineCache::Moved of_line = cache_->touch(lines[i], kind != TmuKind::load);
    moved.fetched += of_line.fetched;
    moved.written += of_line.written;
  }
  return moved;
}

void Counters::end_supergroup() {
  if (!count_lines_) return;
  tmu_.retouched_lines += supergroup_touches_ - supergroup_lines_.size();
  dispatch_lines_.merge(supergroup_lines_);
  supergroup_lines_.clear();
  supergroup_touches_ = 0;
}

void Counters::add(const Counters& other) {
  const auto plus = [](auto& into, const auto& from) {
    std::transform(into.begin(), into.end(), from.begin(), into.begin(), std::plus<>());
  };
  plus(executed, other.executed);
  branches_taken += other.branches_taken;
  branches_divergent += other.branches_divergent;
  thread_switches += other.thread_switches;
  barriers += other.barriers;
  waits += other.waits;
  uninitialised_reads += other.uninitialised_reads;
  for (std::size_t kind = 0; kind < kTmuKinds; ++kind) {
    plus(tmu_.requests[kind], other.tmu_.requests[kind]);
  }
  plus(tmu_.lines_per_request, other.tmu_.lines_per_request);
  tmu_.lanes += other.tmu_.lanes;
  tmu_.bytes += other.tmu_.bytes;
  tmu_.words += other.tmu_.words;
  tmu_.retouched_lines += other.tmu_.retouched_lines;
  dispatch_lines_.merge(other.dispatch_lines_);
}

void Counters::write_to(Statistics& out, const Program& program) const {
  for (std::size_t i = 0; i < executed.size(); ++i) {
    const std::uint64_t times = executed[i];
    const Step& step = program.steps()[i];
    const auto when = [times](bool condition) { return condition ? times : 0; };
    out.instructions += times;
    if (step.pops_uniform) out.uniforms += times;
    if (step.kind == Step::Kind::branch) {
      out.branches += times;
      out.conditional += when(step.branch.condition != BranchCondition::always);
      continue;
    }
    const bool add = step.add.op != AddOp::nop, mul = step.mul.op != MulOp::nop;
    out.add_used += when(add);
    out.mul_used += when(mul);
    out.both_used += when(add && mul);
    out.nops += when(!add && !mul);
    out.conditional +=
        when(step.add.condition != Condition::always || step.mul.condition != Condition::always);
    out.special_functions += when(is_special_function(step.add.op));
    out.special_function_stalls += when(step.after_special);
    out.auxiliary_uniforms += when((step.signals & (signal::kLdunifa | signal::kLdunifarf)) != 0);
    out.unproven_flags += when(step.unproven_flag);
  }
  out.branches_taken = branches_taken;
  out.branches_divergent = branches_divergent;
  out.thread_switches = thread_switches;
  out.barriers = barriers;
  out.waits = waits;
  out.uninitialised_reads = uninitialised_reads;
  out.tmu = tmu_;
  out.tmu.unique_lines = dispatch_lines_.size();
  out.executed = executed;
  out.first_address = program.first();
}

}  // namespace sidecore::v3dsim
