// Candidates that `sidecore split` compares: a stage plan and a number of threads.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "vp9/plan.h"
#include "vp9/stage_clock.h"

namespace sidecore::model {

/// A stage plan, and the number of threads for the stages on the CPU.
struct Candidate {
  vp9::Plan plan;
  int threads = 1;
  bool operator==(const Candidate&) const = default;
  /// Returns the candidate in words: "neon, 2 threads" or "loop_filter=qpu:waves, 1 thread".
  [[nodiscard]] std::string label() const;
};

/// Returns the plan with all pixel stages on NEON.
[[nodiscard]] vp9::Plan neon_plan();
/// Returns the plan with all pixel stages in scalar code.
[[nodiscard]] vp9::Plan scalar_plan();
/// Returns the plan with the loop filter by `processor` (qpu or divided) and all other stages on
/// NEON. The caller must set Plan::least_edges of a filter that is divided by levels.
[[nodiscard]] vp9::Plan filter_plan(vp9::Processor processor,
                                    vp9::FilterOrder order = vp9::FilterOrder::levels);

/// Returns the plans with pixel stages before the loop filter on the QPU that split models: all
/// pixel stages; all, with prediction and residual divided; each single stage.
[[nodiscard]] std::span<const vp9::Plan> reconstruction_plans();

/// Returns true if the row's time is time of the QPU, alone or divided with the CPU.
[[nodiscard]] bool is_on_qpu(const vp9::Plan& plan, vp9::ClockRow row);

/// Returns all candidates, each with 1, 2, 4 ... and `threads` threads: the plans of scalar code
/// and NEON; if `with_qpu`, those with the QPU's or a divided loop filter in both orders (divided
/// by levels with `least_edges`); and `on_qpu`, which are plans of reconstruction_plans().
[[nodiscard]] std::vector<Candidate> all_candidates(int threads, bool with_qpu,
                                                    std::size_t least_edges,
                                                    std::span<const vp9::Plan> on_qpu);

/// Returns the candidates that are measured; all others are predicted from them. NEON and scalar
/// code run on one thread and on all threads. With `on_qpu`, the QPU's loop filter runs in both
/// orders beside one thread. With `back_end` too, reconstruction_plans() run on one thread and on
/// all threads.
[[nodiscard]] std::vector<Candidate> sampled_candidates(int threads, bool on_qpu, bool back_end);

}  // namespace sidecore::model
