// The result of `sidecore split`: stage plans with their predicted and measured times.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/outcome.h"
#include "gates/environment.h"
#include "model/predictor.h"
#include "split/streams.h"
#include "split/trial.h"

namespace sidecore::split {

/// Smallest number of edges of a dependency level that the QPU filters, if the loop filter is
/// divided.
struct LeastEdges {
  std::size_t edges = 1;
  std::string origin;  ///< text about the costs from which `edges` follows
};

/// Criterion by which the best plan is chosen. `cpu` and `energy` hold at a fixed picture rate.
enum class Aim : std::uint8_t {
  speed,
  cpu,     ///< least CPU time per picture, summed over all threads
  energy,  ///< least energy per picture
};
inline constexpr std::array kAims{Aim::speed, Aim::cpu, Aim::energy};
/// Returns "speed", "cpu" or "energy".
[[nodiscard]] const char* to_string(Aim aim);

struct PlanResult {
  model::Candidate candidate;
  bool modelled = false;      ///< true if the times rest on a model; every text then says so
  model::Estimate predicted;  ///< seconds for the remaining frames
  /// Seconds for the remaining frames, or the reason why the plan was not run.
  Outcome<double> measured{};
  model::Estimate cpu{};  ///< CPU seconds for the remaining frames, summed over all threads
  std::optional<PlayedPlan> played{};
  model::Estimate qpu{};  ///< seconds of the QPU for the remaining frames, submissions included
  /// Bytes per picture that CPU and QPU move from and to memory; 0 unless a board is modelled.
  double memory_bytes = 0;
};

/// Accesses of the CPU to samples in the memory of a modelled board's GPU, which no cache holds.
struct GpuMemoryUse {
  model::SampleTraffic traffic;
  model::Estimate seconds;  ///< CPU seconds of these accesses, all threads together
};

/// Expected seconds per picture of the remaining frames, by stage, under one plan.
struct StageCosts {
  model::Candidate candidate;
  bool modelled = false;  ///< true if the times rest on a model
  model::StageSeconds seconds{};
  /// Per frame, mean of the first frames. The stages' seconds include it. None for a plan without
  /// the QPU and if the CPU is not modelled.
  std::optional<GpuMemoryUse> gpu_memory{};
};

struct Proposal {
  gates::RunRecord run;  ///< record of the run; the caller of propose() fills in the command line
  std::string stream;
  std::size_t packets = 0;  ///< number of packets read
  std::size_t sample = 0;   ///< number of leading packets that were measured or modelled
  double pictures = 0;      ///< number of pictures that the remaining packets show
  std::string cpu;  ///< name of the modelled CPU; empty if the CPU of this machine was measured
  /// Device or files that the QPU's costs come from, or the reason why there are no plans with a
  /// QPU.
  Outcome<std::string> qpu;
  model::EdgeMix mix;
  LeastEdges least_edges;
  double cpu_factor = 1;  ///< CPU times of a board divided by those of this machine
  /// The greater model::StagesCost::error of NEON and scalar code.
  double error = 0;
  double unrest = 0;  ///< value of model::Sample::unrest; 0 if nothing was timed
  std::vector<StageCosts> stages;
  /// Copying one picture out of the GPU's memory. No plan's time includes it. None if the CPU is
  /// not modelled.
  std::optional<GpuMemoryUse> picture_copy;
  Aim aim = Aim::speed;
  double fps = 0;  ///< picture rate of the aim, in pictures per second; 0 only for `speed`
  /// Quantity that PlayedPlan::joules measures; empty if there is no sensor.
  std::string energy_sensor;
  /// Reason why the best plan is only the fastest; empty if it serves the aim.
  std::string off_aim;
  std::vector<PlanResult> plans;  ///< results of all plans, at least one
  std::size_t best = 0;           ///< index of the best plan in `plans`
  /// Index in `plans` of a plan that a model cannot tell from the best: their intervals overlap.
  std::optional<std::size_t> rival;
  std::vector<std::string> assumptions;
  /// Answer for several streams at once, of which this proposal is for the first.
  std::optional<StreamsAnswer> streams{};
};

/// Returns true if any plan was run.
[[nodiscard]] bool was_run(const Proposal& proposal);
/// Returns the reason why plans were not run; empty if all were.
[[nodiscard]] std::string why_not_run(const Proposal& proposal);
/// Returns the reason why a plan that played has no joules; empty if all have, or if no sensor was
/// asked.
[[nodiscard]] std::string why_no_energy(const Proposal& proposal);
/// Returns the measured rate divided by the predicted rate, minus 1; none if the plan was not run.
[[nodiscard]] std::optional<double> prediction_error(const PlanResult& plan);
/// Greatest share of deadlines that a plan may miss and still keep a picture rate.
inline constexpr double kMaxMissed = 0.01;
/// Returns true if the plan keeps the aim's rate. Playing decides; else the measured time, else the
/// predicted time.
[[nodiscard]] bool keeps_rate(const Proposal& proposal, const PlanResult& plan);
/// Sets the best plan for the aim. If no plan serves the aim, keeps the fastest and sets off_aim.
void choose_for_aim(Proposal& proposal);
/// Returns the index of the plan that ran best for the aim, among the plans that players accept
/// (those without Plan::has_filter_options()). None if none of them ran or serves the aim.
[[nodiscard]] std::optional<std::size_t> find_best_for_players(const Proposal& proposal);
/// Returns pictures per second if the remaining frames take `seconds`; 0 for 0 seconds.
[[nodiscard]] double frame_rate(const Proposal& proposal, double seconds);

/// Cells of a table. The header is first; each other row has a plan's label, then figures.
using TableRows = std::vector<std::vector<std::string>>;
/// Returns the pictures per second of all plans under a header of six cells: label, predicted,
/// least, most, measured, prediction_error(). The last two cells are left out if no plan was run.
[[nodiscard]] TableRows plan_rows(const Proposal& proposal, std::vector<std::string> header);
/// Returns the plans that keep the aim's rate or were played, under a header of eight cells: label,
/// CPU milliseconds per picture predicted, least, most; of playback the CPU milliseconds and
/// millijoules per picture, the missed deadlines, and the latency.
[[nodiscard]] TableRows aim_rows(const Proposal& proposal, std::vector<std::string> header);
/// Returns the predicted milliseconds per picture of all stages that take time.
[[nodiscard]] TableRows stage_rows(const Proposal& proposal);

/// Returns what the CPU accesses in the GPU's memory under a header of seven cells: label,
/// megabytes read, thousands of loads, megabytes written, milliseconds, least, most. There is one
/// row per plan on one thread, and one for copying a picture. Empty if nothing is modelled.
[[nodiscard]] TableRows gpu_memory_rows(const Proposal& proposal);

/// Returns the candidate's label, followed by "model, not measured" if the result rests on a model.
[[nodiscard]] std::string label_of(const PlanResult& plan);
[[nodiscard]] std::string label_of(const StageCosts& costs);
/// Returns a sentence with the best plan and its rates.
[[nodiscard]] std::string best_sentence(const Proposal& proposal);
/// Returns a sentence with the rival and its rates; empty if there is no rival.
[[nodiscard]] std::string rival_sentence(const Proposal& proposal);
[[nodiscard]] std::string to_text(const Proposal& proposal);

/// Returns a JSON document with "schema": "sidecore-split" and its "version".
[[nodiscard]] std::string to_json(const Proposal& proposal);
/// Reads a document that to_json() wrote; `origin` is its file, for messages. Throws Error (usage)
/// if the text is not a complete document of this kind and version.
[[nodiscard]] Proposal parse_proposal(const std::string& text, const std::string& origin);
/// Returns the JSON Schema (draft 7) of the documents that to_json() writes.
[[nodiscard]] std::string proposal_schema();

}  // namespace sidecore::split
