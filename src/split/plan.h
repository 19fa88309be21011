// Which stage of a VP9 decoder runs where.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "qpu/vp9/decode_plan.h"
#include "qpu/vp9/loop_filter_stage.h"
#include "vp9/stage_clock.h"

namespace sidecore::split {

/// Who filters the edges.
enum class FilterPlace : std::uint8_t {
  scalar,
  neon,
  qpu,    ///< all edges; the CPU waits
  split,  ///< the QPU luma's large steps or all of its waves, NEON chroma meanwhile and the rest
          ///< afterwards
};
inline constexpr std::array kFilterPlaces{FilterPlace::scalar, FilterPlace::neon, FilterPlace::qpu,
                                          FilterPlace::split};
/// The name that `sidecore decode --loop-filter` takes.
[[nodiscard]] const char* to_string(FilterPlace place);
[[nodiscard]] constexpr bool needs_qpu(FilterPlace place) {
  return place == FilterPlace::qpu || place == FilterPlace::split;
}

/// Who predicts and adds the residuals.
enum class ReconstructionPlace : std::uint8_t {
  cpu,      ///< the code of the filter: scalar, or else NEON
  qpu,      ///< with the filter the whole back end, a frame in one submission
  divided,  ///< as qpu, but NEON has rows of superblocks of what can be divided
};
inline constexpr std::array kReconstructionPlaces{
    ReconstructionPlace::cpu, ReconstructionPlace::qpu, ReconstructionPlace::divided};
/// The enumerator's name.
[[nodiscard]] const char* to_string(ReconstructionPlace place);

/// What no QPU has runs on the CPU, on that many threads.
struct Plan {
  FilterPlace filter = FilterPlace::neon;
  int threads = 1;
  qpu::LoopFilterOrder schedule = qpu::LoopFilterOrder::levels;  ///< of a QPU's edges
  ReconstructionPlace reconstruction = ReconstructionPlace::cpu;
  bool operator==(const Plan&) const = default;
  /// "neon filter, 2 threads", "qpu filter in waves, 1 thread", "qpu back end, 1 thread".
  [[nodiscard]] std::string label() const;
};

/// qpu::kBackEndOnQpu and qpu::kDividedBackEnd.
[[nodiscard]] Plan back_end_plan(int threads);
[[nodiscard]] Plan divided_plan(int threads);
/// Whether a plan is one of back_end_plan() or divided_plan(), of whatever threads.
[[nodiscard]] bool is_plan_of_back_end(const Plan& plan);

[[nodiscard]] constexpr bool needs_qpu(const Plan& plan) {
  return needs_qpu(plan.filter) || plan.reconstruction != ReconstructionPlace::cpu;
}

/// Whether a QPU works in the stage's time, alone or beside the CPU.
[[nodiscard]] constexpr bool is_on_qpu(const Plan& plan, vp9::Stage stage) {
  if (stage == vp9::Stage::filter) return needs_qpu(plan.filter);
  return plan.reconstruction != ReconstructionPlace::cpu &&
         (stage == vp9::Stage::prediction || stage == vp9::Stage::intra ||
          stage == vp9::Stage::residual || stage == vp9::Stage::waiting);
}

/// The same as users of `sidecore decode --plan` say it. The plan is one of the back end
/// (asserted).
[[nodiscard]] const qpu::DecodePlan& decode_plan(const Plan& plan);

/// What `sidecore decode --plan` and players call it. Empty for what only `decode` can do: a filter
/// in waves, or divided by the price of a step.
[[nodiscard]] std::string_view name_for_players(const Plan& plan);

/// All plans of 1 to `threads` threads: powers of two, and `threads` itself. With a QPU: those of
/// its filter, for either schedule, and those whose place of reconstruction is among `back_ends`.
[[nodiscard]] std::vector<Plan> all_plans(int threads, bool with_qpu,
                                          std::span<const ReconstructionPlace> back_ends);

}  // namespace sidecore::split
