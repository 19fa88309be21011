// What `sidecore split` found: plans, what they are predicted to take, what they took.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/outcome.h"
#include "gates/environment.h"
#include "model/predictor.h"
#include "split/trial.h"

namespace sidecore::split {

/// Edges of the smallest dependency level that is the QPU's where the loop filter is divided.
struct LeastEdges {
  std::size_t edges = 1;
  std::string origin;  ///< which price it follows from, for people
};

/// What a proposal is to be the best at. All but `speed` are at a rate of pictures.
enum class Aim : std::uint8_t {
  speed,
  cpu,     ///< the least time of all CPUs a picture
  energy,  ///< the least energy a picture
};
inline constexpr std::array kAims{Aim::speed, Aim::cpu, Aim::energy};
/// "speed", "cpu", "energy".
[[nodiscard]] const char* to_string(Aim aim);

struct PlanResult {
  model::Candidate candidate;
  bool modelled = false;       ///< rests on a model, and says so wherever it is shown
  model::Estimate predicted;   ///< seconds of the rest
  Outcome<double> measured{};  ///< seconds of the rest, or why the plan was not run
  model::Estimate cpu{};       ///< seconds of the rest that CPUs work, all together
  std::optional<PlayedPlan> played{};
};

/// Expected seconds a picture of the rest, by stage, under one plan.
struct StageCosts {
  model::Candidate candidate;
  bool modelled = false;  ///< as in PlanResult
  model::StageSeconds seconds{};
};

struct Proposal {
  gates::RunRecord run;  ///< the command line is for who calls propose() to fill in
  std::string stream;
  std::size_t packets = 0;
  std::size_t sample = 0;  ///< of the packets
  double pictures = 0;     ///< shown by the rest
  std::string cpu;         ///< whose it is, of a model; empty: this machine's, measured
  /// Device or files that the QPU's costs are from, or why there are no plans with a QPU.
  Outcome<std::string> qpu;
  model::EdgeMix mix;
  LeastEdges least_edges;
  double cpu_factor = 1;  ///< by which this machine's times became those of a board's CPU
  /// Of the plans, the greatest model::StagesCost::error.
  double error = 0;
  double unrest = 0;  ///< of the sample, and 0 where nothing was timed
  std::vector<StageCosts> stages;
  Aim aim = Aim::speed;
  double fps = 0;             ///< of the aim, above 0 but for `speed`
  std::string energy_sensor;  ///< what PlayedPlan::joules measures; empty: there is none
  std::string off_aim;        ///< why the best plan is only the fastest; empty: it serves the aim
  std::vector<PlanResult> plans;  ///< one at least
  std::size_t best = 0;           ///< of `plans`
  /// One of `plans` that a model cannot tell from the best: their intervals meet.
  std::optional<std::size_t> rival;
  std::vector<std::string> assumptions;
};

/// Whether any plan was run.
[[nodiscard]] bool was_run(const Proposal& proposal);
/// Returns why plans were not run; empty if all were.
[[nodiscard]] std::string why_not_run(const Proposal& proposal);
/// Returns why a plan that played has no joules; empty if all have, or no sensor was asked.
[[nodiscard]] std::string why_no_energy(const Proposal& proposal);
/// measured / predicted - 1 of pictures a second; none when it was not run.
[[nodiscard]] std::optional<double> error_of(const PlanResult& plan);
/// A plan keeps a rate if it misses no more of its deadlines.
inline constexpr double kMostMissed = 0.01;
/// Whether it keeps the aim's rate: as it played, else as it was measured or predicted.
[[nodiscard]] bool keeps_rate(const Proposal& proposal, const PlanResult& plan);
/// Chooses the best of the plans for the aim, or the fastest where none serves it.
void choose_for_aim(Proposal& proposal);
/// The plan that came out best for the aim, as plans ran, among those that players can follow
/// (those without Plan::has_filter_options()). None where none ran, or none of them serves the aim.
[[nodiscard]] std::optional<std::size_t> best_for_players(const Proposal& proposal);
/// Pictures a second of the rest when it takes `seconds`; 0 for 0.
[[nodiscard]] double frame_rate(const Proposal& proposal, double seconds);

/// Those in which any plan takes time.
[[nodiscard]] std::vector<vp9::ClockRow> stage_columns(const Proposal& proposal);

/// The plan, and that it is a model's where it is.
[[nodiscard]] std::string label_of(const PlanResult& plan);
[[nodiscard]] std::string label_of(const StageCosts& costs);
/// The best plan and its rates, in a sentence; likewise its rival, empty where there is none.
[[nodiscard]] std::string best_sentence(const Proposal& proposal);
[[nodiscard]] std::string rival_sentence(const Proposal& proposal);
[[nodiscard]] std::string to_text(const Proposal& proposal);

/// One JSON document: "schema": "sidecore-split", and its "version".
[[nodiscard]] std::string to_json(const Proposal& proposal);
/// Reads what to_json() wrote; `origin` is the text's file, for messages. Throws Error (usage) when
/// it is no whole document of this kind, or of another version.
[[nodiscard]] Proposal parse_proposal(const std::string& text, const std::string& origin);
/// The JSON Schema (draft 7) of what to_json() writes.
[[nodiscard]] std::string proposal_schema();

}  // namespace sidecore::split
