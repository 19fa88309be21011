#include "model/candidate.h"

#include <fmt/format.h>

#include <array>

namespace sidecore::model {
namespace {

using vp9::Processor;
using vp9::Stage;

/// Adds candidates: the plan on 1, 2, 4 ... and `threads` threads.
void add_candidates(const vp9::Plan& plan, int threads, std::vector<Candidate>& candidates) {
  for (int count = 1; count < threads; count *= 2) candidates.push_back({plan, count});
  candidates.push_back({plan, threads});
}

}  // namespace

std::string Candidate::label() const {
  return fmt::format("{}, {} thread{}", to_text(plan), threads, threads == 1 ? "" : "s");
}

vp9::Plan neon_plan() {
  return {};
}

vp9::Plan scalar_plan() {
  return {vp9::PerStage<Processor>::all(Processor::scalar)};
}

vp9::Plan filter_plan(Processor processor, vp9::FilterOrder order) {
  vp9::Plan plan = vp9::make_single_stage_plan(Stage::loop_filter, processor);
  plan.filter_order = order;
  return plan;
}

std::span<const vp9::Plan> reconstruction_plans() {
  static const std::array plans{vp9::kBackEndOnQpu, vp9::kDividedBackEnd,
                                vp9::make_single_stage_plan(Stage::prediction, Processor::qpu),
                                vp9::make_single_stage_plan(Stage::residual, Processor::qpu),
                                vp9::make_single_stage_plan(Stage::intra, Processor::qpu)};
  return plans;
}

bool is_on_qpu(const vp9::Plan& plan, vp9::ClockRow row) {
  if (const auto stage = vp9::stage_of(row)) return plan.on_qpu(*stage);
  return row == vp9::ClockRow::waiting && plan.reconstructs_on_qpu();
}

std::vector<Candidate> all_candidates(int threads, bool with_qpu, std::size_t least_edges,
                                      std::span<const vp9::Plan> on_qpu) {
  std::vector<Candidate> candidates;
  add_candidates(scalar_plan(), threads, candidates);
  add_candidates(neon_plan(), threads, candidates);
  for (const Processor processor : {Processor::qpu, Processor::divided}) {
    if (!with_qpu) break;
    for (const vp9::FilterOrder order : vp9::kFilterOrders) {
      vp9::Plan plan = filter_plan(processor, order);
      if (processor == Processor::divided && order == vp9::FilterOrder::levels) {
        plan.least_edges = least_edges;
      }
      add_candidates(plan, threads, candidates);
    }
  }
  for (const vp9::Plan& plan : on_qpu) add_candidates(plan, threads, candidates);
  return candidates;
}

std::vector<Candidate> sampled_candidates(int threads, bool on_qpu, bool back_end) {
  std::vector<Candidate> candidates;
  const auto on_one_and_all = [&](const vp9::Plan& plan) {
    candidates.push_back({plan, 1});
    if (threads > 1) candidates.push_back({plan, threads});
  };
  on_one_and_all(neon_plan());
  on_one_and_all(scalar_plan());
  if (!on_qpu) return candidates;
  for (const vp9::FilterOrder order : vp9::kFilterOrders) {
    candidates.push_back({filter_plan(vp9::Processor::qpu, order), 1});
  }
  if (!back_end) return candidates;
  for (const vp9::Plan& plan : reconstruction_plans()) on_one_and_all(plan);
  return candidates;
}

}  // namespace sidecore::model
