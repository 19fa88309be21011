#include "split/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace sidecore::split {
namespace {

/// The plan with 1, 2, 4 ... and `threads` threads.
void add_plans(Plan plan, int threads, std::vector<Plan>& plans) {
  for (plan.threads = 1; plan.threads < threads; plan.threads *= 2) plans.push_back(plan);
  plan.threads = threads;
  plans.push_back(plan);
}

/// All stages NEON's, but that one.
constexpr qpu::DecodePlan alone(qpu::PlannedStage stage) {
  qpu::DecodePlan plan;
  plan.processors[static_cast<std::size_t>(stage)] = qpu::Processor::qpu;
  return plan;
}

/// A place of reconstruction that a QPU has part in.
struct BackEnd {
  qpu::DecodePlan plan;
  std::string_view label;
  std::string_view for_players;
};
constexpr BackEnd kQpuBackEnd{qpu::kBackEndOnQpu, "qpu back end", "qpu"};
constexpr BackEnd kSharedBackEnd{qpu::kDividedBackEnd, "divided back end", "divided"};
constexpr BackEnd kQpuPrediction{alone(qpu::PlannedStage::prediction), "qpu prediction",
                                 "prediction=qpu"};
constexpr BackEnd kQpuResidual{alone(qpu::PlannedStage::residual), "qpu residual", "residual=qpu"};
constexpr BackEnd kQpuIntra{alone(qpu::PlannedStage::intra), "qpu intra", "intra=qpu"};

const BackEnd& back_end_of(ReconstructionPlace place) {
  assert(place != ReconstructionPlace::cpu);
  switch (place) {
    case ReconstructionPlace::divided:
      return kSharedBackEnd;
    case ReconstructionPlace::prediction:
      return kQpuPrediction;
    case ReconstructionPlace::residual:
      return kQpuResidual;
    case ReconstructionPlace::intra:
      return kQpuIntra;
    case ReconstructionPlace::cpu:
    case ReconstructionPlace::qpu:
      break;
  }
  return kQpuBackEnd;
}

}  // namespace

const char* to_string(FilterPlace place) {
  switch (place) {
    case FilterPlace::scalar:
      return "scalar";
    case FilterPlace::neon:
      return "neon";
    case FilterPlace::qpu:
      return "qpu";
    case FilterPlace::split:
      return "split";
  }
  return "unknown";
}

const char* to_string(ReconstructionPlace place) {
  switch (place) {
    case ReconstructionPlace::cpu:
      return "cpu";
    case ReconstructionPlace::qpu:
      return "qpu";
    case ReconstructionPlace::divided:
      return "divided";
    case ReconstructionPlace::prediction:
      return "prediction";
    case ReconstructionPlace::residual:
      return "residual";
    case ReconstructionPlace::intra:
      return "intra";
  }
  return "unknown";
}

std::string Plan::label() const {
  std::string what = fmt::format("{} filter", to_string(filter));
  if (reconstruction != ReconstructionPlace::cpu) {
    what = back_end_of(reconstruction).label;
  } else if (needs_qpu(filter) && schedule == qpu::LoopFilterOrder::waves) {
    what += " in waves";
  }
  return fmt::format("{}, {} thread{}", what, threads, threads == 1 ? "" : "s");
}

Plan back_end_plan(ReconstructionPlace place, int threads) {
  const bool filters = decode_plan(place).on_qpu(qpu::PlannedStage::loop_filter);
  return {filters ? FilterPlace::qpu : FilterPlace::neon, threads, qpu::LoopFilterOrder::levels,
          place};
}

bool is_plan_of_back_end(const Plan& plan) {
  return plan.reconstruction != ReconstructionPlace::cpu &&
         plan == back_end_plan(plan.reconstruction, plan.threads);
}

const qpu::DecodePlan& decode_plan(ReconstructionPlace place) {
  return back_end_of(place).plan;
}

std::optional<qpu::PlannedStage> planned_stage(vp9::Stage stage) {
  switch (stage) {
    case vp9::Stage::prediction:
      return qpu::PlannedStage::prediction;
    case vp9::Stage::intra:
      return qpu::PlannedStage::intra;
    case vp9::Stage::residual:
      return qpu::PlannedStage::residual;
    case vp9::Stage::filter:
      return qpu::PlannedStage::loop_filter;
    default:
      return std::nullopt;
  }
}

bool is_on_qpu(const Plan& plan, vp9::Stage stage) {
  if (stage == vp9::Stage::filter) return needs_qpu(plan.filter);
  if (plan.reconstruction == ReconstructionPlace::cpu) return false;
  const std::optional<qpu::PlannedStage> planned = planned_stage(stage);
  return planned ? decode_plan(plan.reconstruction).on_qpu(*planned) : stage == vp9::Stage::waiting;
}

std::string_view name_for_players(const Plan& plan) {
  if (plan.reconstruction != ReconstructionPlace::cpu) {
    return back_end_of(plan.reconstruction).for_players;
  }
  if (!needs_qpu(plan.filter)) return to_string(plan.filter);
  const bool in_waves = plan.schedule == qpu::LoopFilterOrder::waves;
  return plan.filter == FilterPlace::qpu && !in_waves ? "loop_filter=qpu" : "";
}

std::vector<Plan> all_plans(int threads, bool with_qpu,
                            std::span<const ReconstructionPlace> back_ends) {
  std::vector<Plan> plans;
  for (const FilterPlace place : kFilterPlaces) {
    if (needs_qpu(place) && !with_qpu) continue;
    add_plans({place}, threads, plans);
    if (needs_qpu(place)) add_plans({place, 1, qpu::LoopFilterOrder::waves}, threads, plans);
  }
  for (const ReconstructionPlace place : back_ends) {
    add_plans(back_end_plan(place, 1), threads, plans);
  }
  return plans;
}

}  // namespace sidecore::split
