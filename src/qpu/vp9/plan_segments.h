// In which order QPU and CPU have their stages of a frame, by its plan.
#pragma once

#include <cstdint>
#include <vector>

#include "vp9/plan.h"

namespace sidecore::qpu {

/// Stages of a frame that one side runs, or both at the same time, before the next ones begin.
struct PlanSegment {
  enum class Side : std::uint8_t { cpu, qpu, both };
  Side side = Side::cpu;
  vp9::PerStage<bool> stages;
  bool operator==(const PlanSegment&) const = default;
};

/// The segments of a frame: stages that follow one another on the same side are one, of the QPU one
/// submission. An intra frame has no inter prediction, and no part of a division: the QPU has its
/// divided stages whole.
[[nodiscard]] std::vector<PlanSegment> segments_of(const vp9::Plan& plan, bool intra_frame);

/// Which stages on the QPU share no submission with another, whatever the frame.
[[nodiscard]] vp9::PerStage<bool> stages_alone(const vp9::Plan& plan);

}  // namespace sidecore::qpu
