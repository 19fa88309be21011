// A proposal, for people and for programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "split/predictor.h"

namespace sidecore::split {

/// From how many edges on a step is the QPU's with FilterPlace::split.
struct LeastEdges {
  std::size_t edges = 1;
  std::string origin;  ///< which price it follows from, for people
};

struct PlanResult {
  Plan plan;
  bool modelled = false;           ///< rests on a model, and says so wherever it is shown
  Estimate predicted;              ///< seconds of the rest
  std::optional<double> measured;  ///< the same; none when it was not run
};

/// Expected seconds a picture of the rest, by stage, under one plan.
struct StageCosts {
  Plan plan;
  bool modelled = false;  ///< as in PlanResult
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
  LeastEdges least_edges;
  double cpu_factor = 1;  ///< by which this machine's times became those of a board's CPU
  Predictor::Misses misses;
  std::vector<StageCosts> stages;
  std::vector<PlanResult> plans;
  std::size_t best = 0;  ///< of `plans`
  /// One of `plans` that a model cannot tell from the best: their intervals meet.
  std::optional<std::size_t> rival;
  std::vector<std::string> assumptions;
};

/// measured / predicted - 1 of pictures a second; none when it was not run.
[[nodiscard]] std::optional<double> error_of(const PlanResult& plan);

[[nodiscard]] std::string to_text(const Proposal& proposal);
/// Schema "sidecore-split", version 1: docs/split.md.
[[nodiscard]] std::string to_json(const Proposal& proposal);

}  // namespace sidecore::split
