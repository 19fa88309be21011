// Which stage of a VP9 decoder runs where.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
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
  cpu,         ///< the code of the filter: scalar, or else NEON
  qpu,         ///< with the filter the whole back end, a frame in one submission
  divided,     ///< as qpu, but NEON has rows of superblocks of what can be divided
  prediction,  ///< the QPU predicts inter blocks; all else is NEON's, the filter too
  residual,    ///< likewise, it adds the residuals
  intra,       ///< likewise, it predicts intra blocks
};
inline constexpr std::array kReconstructionPlaces{
    ReconstructionPlace::cpu,        ReconstructionPlace::qpu,      ReconstructionPlace::divided,
    ReconstructionPlace::prediction, ReconstructionPlace::residual, ReconstructionPlace::intra};
/// The enumerator's name.
[[nodiscard]] const char* to_string(ReconstructionPlace place);

/// What no QPU has runs on the CPU, on that many threads.
struct Plan {
  FilterPlace filter = FilterPlace::neon;
  int threads = 1;
  qpu::LoopFilterOrder schedule = qpu::LoopFilterOrder::levels;  ///< of a QPU's edges
  ReconstructionPlace reconstruction = ReconstructionPlace::cpu;
  bool operator==(const Plan&) const = default;
  /// "neon filter, 2 threads", "qpu filter in waves, 1 thread", "qpu back end, 1 thread", "qpu
  /// residual, 4 threads".
  [[nodiscard]] std::string label() const;
};

/// With the filter that goes with it. The place is not the CPU (asserted).
[[nodiscard]] Plan back_end_plan(ReconstructionPlace place, int threads);
/// Whether a plan is one of back_end_plan(), of whatever place and threads.
[[nodiscard]] bool is_plan_of_back_end(const Plan& plan);
/// qpu::kBackEndOnQpu, qpu::kDividedBackEnd, or one stage. The place is not the CPU (asserted).
[[nodiscard]] const qpu::DecodePlan& decode_plan(ReconstructionPlace place);

[[nodiscard]] constexpr bool needs_qpu(const Plan& plan) {
  return needs_qpu(plan.filter) || plan.reconstruction != ReconstructionPlace::cpu;
}

/// Of a stage that a plan can give away.
[[nodiscard]] std::optional<qpu::PlannedStage> planned_stage(vp9::Stage stage);

/// Whether a QPU works in the stage's time, alone or beside the CPU.
[[nodiscard]] bool is_on_qpu(const Plan& plan, vp9::Stage stage);

/// What `sidecore decode --plan` and players call it. Empty for what only `decode` can do: a filter
/// in waves, or divided by the price of a step.
[[nodiscard]] std::string_view name_for_players(const Plan& plan);

/// All plans of 1 to `threads` threads: powers of two, and `threads` itself. With a QPU: those of
/// its filter, for either schedule, and those whose place of reconstruction is among `back_ends`,
/// the CPU not one of them (asserted).
[[nodiscard]] std::vector<Plan> all_plans(int threads, bool with_qpu,
                                          std::span<const ReconstructionPlace> back_ends);

}  // namespace sidecore::split
