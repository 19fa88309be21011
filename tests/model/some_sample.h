// A sample whose costs are known, and a predictor made from it.
#pragma once

#include <vector>

#include "model/predictor.h"
#include "model/sample.h"
#include "model/some_work.h"

namespace sidecore::model {

/// Costs of the stages under the plans of the sample.
struct TrialCosts {
  double neon_filter = 2e-3;
  double scalar_filter = 4e-3;
  double threads_factor = 0.6;  ///< time on all threads divided by the time on one
  double qpu_step = 1e-4;
  double qpu_edge = 1e-6;
};

inline constexpr EdgeMix kMix{.edges = 3000,
                              .luma_edges = 2000,
                              .large_edges = 1500,
                              .steps = 8,
                              .large_steps = 4,
                              .waves = 6,
                              .luma_waves = 6};

inline FrameCost frame_cost(const Candidate& candidate, const TrialCosts& costs,
                            const FrameWork& work, double edges) {
  const vp9::Plan& plan = candidate.plan;
  const double threads = candidate.threads > 1 ? costs.threads_factor : 1;
  double filter = costs.neon_filter * threads;
  if (plan == scalar_plan()) filter = costs.scalar_filter;
  if (plan.of(vp9::Stage::loop_filter) == vp9::Processor::qpu) {
    filter = kMix.all(plan.filter_order).dispatches * costs.qpu_step + edges * costs.qpu_edge;
  }
  FrameCost cost;
  cost.seconds = {work.bytes * 1e-6 * threads,
                  2e-3 * threads,
                  4e-4 * threads,
                  6e-4 * threads,
                  1e-4 * threads,
                  filter,
                  0,
                  0,
                  0};
  cost.edges[0][0] = edges;
  return cost;
}

inline Sample sample_of(const TrialCosts& costs, int threads, bool qpu) {
  Sample sample;
  const std::vector<FrameWork> work = some_work();
  for (const Candidate& plan : sampled_candidates(threads, qpu, true)) {
    Trial trial{plan, {}};
    for (std::size_t frame = 0; frame < work.size(); ++frame) {
      const double edges = frame % 2 == 0 ? 2500 : 3500;
      trial.frames.push_back(frame_cost(plan, costs, work[frame], edges));
    }
    sample.trials.push_back(trial);
  }
  sample.mixes.assign(work.size(), kMix);
  return sample;
}

/// Returns a predictor made from the sample.
inline Predictor predictor_of(const Sample& sample, const QpuCost* qpu, const Machine& machine) {
  return {measured_cpu_cost(some_work(), sample, some_work()), mean(sample.mixes, some_work()), qpu,
          machine};
}

}  // namespace sidecore::model
