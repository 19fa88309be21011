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
  }
  return "unknown";
}

std::string Plan::label() const {
  std::string what = fmt::format("{} filter", to_string(filter));
  if (reconstruction != ReconstructionPlace::cpu) {
    what = fmt::format("{} back end", to_string(reconstruction));
  } else if (needs_qpu(filter) && schedule == qpu::LoopFilterOrder::waves) {
    what += " in waves";
  }
  return fmt::format("{}, {} thread{}", what, threads, threads == 1 ? "" : "s");
}

Plan back_end_plan(int threads) {
  return {FilterPlace::qpu, threads, qpu::LoopFilterOrder::levels, ReconstructionPlace::qpu};
}

Plan divided_plan(int threads) {
  return {FilterPlace::qpu, threads, qpu::LoopFilterOrder::levels, ReconstructionPlace::divided};
}

bool is_plan_of_back_end(const Plan& plan) {
  return plan == back_end_plan(plan.threads) || plan == divided_plan(plan.threads);
}

const qpu::DecodePlan& decode_plan(const Plan& plan) {
  assert(is_plan_of_back_end(plan));
  return plan.reconstruction == ReconstructionPlace::qpu ? qpu::kBackEndOnQpu
                                                         : qpu::kDividedBackEnd;
}

std::string_view name_for_players(const Plan& plan) {
  switch (plan.reconstruction) {
    case ReconstructionPlace::qpu:
      return "qpu";
    case ReconstructionPlace::divided:
      return "divided";
    case ReconstructionPlace::cpu:
      break;
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
    if (place == ReconstructionPlace::qpu) add_plans(back_end_plan(1), threads, plans);
    if (place == ReconstructionPlace::divided) add_plans(divided_plan(1), threads, plans);
  }
  return plans;
}

}  // namespace sidecore::split
