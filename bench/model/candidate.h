// Candidates, which `sidecore split` compares: a stage plan and a number of threads.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "vp9/plan.h"
#include "vp9/stage_clock.h"

namespace sidecore::model {

/// Stages that are the CPU's run on that many threads.
struct Candidate {
  vp9::Plan plan;
  int threads = 1;
  bool operator==(const Candidate&) const = default;
  /// "neon, 2 threads", "loop_filter=qpu:waves, 1 thread".
  [[nodiscard]] std::string label() const;
};

/// Plans of the loop filter alone: NEON's and scalar code's of all stages, and where the QPU has
/// the filter, or divides it with NEON, by either order. A divided one by levels has the edges of
/// the smallest level that is the QPU's still to be set.
[[nodiscard]] vp9::Plan neon_plan();
[[nodiscard]] vp9::Plan scalar_plan();
[[nodiscard]] vp9::Plan filter_plan(vp9::Processor processor,
                                    vp9::FilterOrder order = vp9::FilterOrder::levels);

/// Plans with stages before the loop filter on the QPU, as far as split knows them: all pixel
/// stages, all divided as far as they can be, or one alone.
[[nodiscard]] std::span<const vp9::Plan> reconstruction_plans();

/// Whether the row's time is the QPU's, alone or beside the CPU's.
[[nodiscard]] bool is_on_qpu(const vp9::Plan& plan, vp9::ClockRow row);

/// All candidates of 1 to `threads` threads: powers of two, and `threads` itself. With a QPU those
/// of its filter, by either order, a divided one with `least_edges`; and those of `on_qpu`, which
/// are among reconstruction_plans().
[[nodiscard]] std::vector<Candidate> all_candidates(int threads, bool with_qpu,
                                                    std::size_t least_edges,
                                                    std::span<const vp9::Plan> on_qpu);

/// The candidates that are measured on a sample: NEON and scalar code on one thread and on all and,
/// with `on_qpu`, the QPU's filter beside one thread by either order; with `back_end` as well,
/// reconstruction_plans(), on one thread and on all. All others are predicted from these.
[[nodiscard]] std::vector<Candidate> sampled_candidates(int threads, bool on_qpu, bool back_end);

}  // namespace sidecore::model
