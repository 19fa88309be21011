#include "qpu/vp9/plan_segments.h"

#include <algorithm>

namespace sidecore::qpu {
namespace {

PlanSegment::Side side_of(const vp9::Plan& plan, vp9::Stage stage, bool intra_frame) {
  if (!plan.on_qpu(stage)) return PlanSegment::Side::cpu;
  return plan.is_divided(stage) && !intra_frame ? PlanSegment::Side::both : PlanSegment::Side::qpu;
}

/// Returns true if a segment has this stage and at least one other.
bool shares_segment(const std::vector<PlanSegment>& segments, vp9::Stage stage) {
  return std::ranges::any_of(segments, [&](const PlanSegment& segment) {
    return segment.stages[stage] && std::ranges::count_if(vp9::kStages, [&](vp9::Stage other) {
                                      return segment.stages[other];
                                    }) > 1;
  });
}

}  // namespace

std::vector<PlanSegment> make_segments(const vp9::Plan& plan, bool intra_frame) {
  std::vector<PlanSegment> segments;
  for (const vp9::Stage stage : vp9::kStages) {
    if (intra_frame && stage == vp9::Stage::prediction) continue;
    const PlanSegment::Side side = side_of(plan, stage, intra_frame);
    if (segments.empty() || segments.back().side != side) segments.push_back({side, {}});
    segments.back().stages[stage] = true;
  }
  return segments;
}

vp9::PerStage<bool> find_stages_alone(const vp9::Plan& plan) {
  const std::vector<PlanSegment> of_inter = make_segments(plan, false);
  const std::vector<PlanSegment> of_intra = make_segments(plan, true);
  vp9::PerStage<bool> alone;
  for (const vp9::Stage stage : vp9::kStages) {
    alone[stage] =
        plan.on_qpu(stage) && !shares_segment(of_inter, stage) && !shares_segment(of_intra, stage);
  }
  return alone;
}

}  // namespace sidecore::qpu
