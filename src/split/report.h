// A proposal, for people and for programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "split/predictor.h"

namespace sidecore::split {

struct PlanResult {
  Plan plan;
  Estimate predicted;              ///< seconds of the rest
  std::optional<double> measured;  ///< the same; none when it was not run
};

/// Expected seconds a picture of the rest, by stage, under one plan.
struct StageCosts {
  Plan plan;
  StageSeconds seconds{};
};

struct Proposal {
  std::string stream;
  std::size_t packets = 0;
  std::size_t sample = 0;  ///< of the packets
  double pictures = 0;     ///< shown by the rest
  std::string qpu;         ///< device or result files that its costs are from; empty: none
  std::string no_qpu;      ///< why there are no plans with a QPU; empty when there are
  std::string not_run;     ///< why plans were not run; empty when all were
  EdgeMix mix;
  Predictor::Misses misses;
  std::vector<StageCosts> stages;
  std::vector<PlanResult> plans;
  std::size_t best = 0;  ///< of `plans`
  std::vector<std::string> assumptions;
};

/// measured / predicted - 1 of pictures a second; none when it was not run.
[[nodiscard]] std::optional<double> error_of(const PlanResult& plan);

[[nodiscard]] std::string to_text(const Proposal& proposal);
/// Schema "sidecore-split", version 1: docs/split.md.
[[nodiscard]] std::string to_json(const Proposal& proposal);

}  // namespace sidecore::split
