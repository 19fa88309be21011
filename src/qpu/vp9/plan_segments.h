// Order in which QPU and CPU run a frame's stages, derived from the plan.
#pragma once

#include <cstdint>
#include <vector>

#include "vp9/plan.h"

namespace sidecore::qpu {

/// Consecutive stages of a frame that the CPU or the QPU runs, or both at the same time, before the
/// next segment begins.
struct PlanSegment {
  enum class Side : std::uint8_t { cpu, qpu, both };
  Side side = Side::cpu;
  vp9::PerStage<bool> stages;
  bool operator==(const PlanSegment&) const = default;
};

/// Returns the segments of a frame. Consecutive stages on the same processor (CPU or QPU) form one
/// segment; one on the QPU is one submission. An intra frame has no inter prediction and divides no
/// stage: the QPU runs all of its divided stages.
[[nodiscard]] std::vector<PlanSegment> make_segments(const vp9::Plan& plan, bool intra_frame);

/// Returns the QPU stages that never share a submission with another stage.
[[nodiscard]] vp9::PerStage<bool> find_stages_alone(const vp9::Plan& plan);

}  // namespace sidecore::qpu
