// Which stage of a VP9 decoder runs where.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "qpu/vp9/loop_filter_stage.h"
#include "vp9/stage_clock.h"

namespace sidecore::split {

/// Who filters the edges. The CPU runs the other stages, on that many threads.
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

struct Plan {
  FilterPlace filter = FilterPlace::neon;
  int threads = 1;
  qpu::LoopFilterOrder schedule = qpu::LoopFilterOrder::levels;  ///< of a QPU's edges
  bool operator==(const Plan&) const = default;
  /// "neon filter, 2 threads", "qpu filter in waves, 1 thread".
  [[nodiscard]] std::string label() const;
};

/// Whether a QPU works on the stage, alone or beside the CPU. Of the stages only the filter has a
/// place of its own in a plan so far; whoever adds another one's asks here.
[[nodiscard]] constexpr bool is_on_qpu(const Plan& plan, vp9::Stage stage) {
  return stage == vp9::Stage::filter && needs_qpu(plan.filter);
}

/// All plans of 1 to `threads` threads: powers of two, and `threads` itself; with a QPU for either
/// schedule.
[[nodiscard]] std::vector<Plan> all_plans(int threads, bool with_qpu);

}  // namespace sidecore::split
