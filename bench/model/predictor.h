// From the cost of a sample's stages to the time that the rest takes under any plan.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "model/candidate.h"
#include "model/costs.h"
#include "model/frame_costs.h"
#include "model/gate_results.h"
#include "model/picture_model.h"
#include "model/sample.h"
#include "model/stream.h"

namespace sidecore::model {

struct Machine {
  int cores = 1;            ///< that the process may use
  bool cpu_device = false;  ///< the "QPU" is a driver on these cores and competes for them
};

/// A cost of which an interval may be all that is known.
struct CostRange {
  FrameCosts low;
  FrameCosts expected;
  FrameCosts high;
  [[nodiscard]] Estimate seconds(const FrameTotals& work) const {
    return {low.seconds(work), expected.seconds(work), high.seconds(work)};
  }
};

/// What a stage's time follows from frame to frame where a kind has too few frames for a line.
[[nodiscard]] Follows followed_by(ClockRow stage);

/// The cost of the CPU's stages in one implementation, by ClockRow.
struct StagesCost {
  std::array<CostRange, kClockRows.size()> one_thread;
  /// What remains on all threads of a second on one. In between Amdahl's law holds.
  std::array<Estimate, kClockRows.size()> all_threads{};
  /// Of the sum of all stages of the rest: it lies between 1 / (1 + error) and 1 + error times what
  /// is expected.
  double error = 0;
};

/// What the CPU's stages cost, measured or modelled.
struct CpuCost {
  int threads = 1;  ///< all
  StagesCost neon;
  std::optional<StagesCost> scalar{};  ///< none: no plan of scalar code
};

/// From the sample's trials of sampled_candidates() on the CPU. The error is
/// relative_error() on all threads, for `rest`, with what the machine did besides: the sample's
/// unrest, and at least kLeastUnrest.
[[nodiscard]] CpuCost measured_cpu_cost(std::span<const FrameWork> work, const Sample& sample,
                                        std::span<const FrameWork> rest);
inline constexpr double kLeastUnrest = 0.03;

/// How many times as long each side takes while both filter; 1 is undisturbed.
struct Slowdowns {
  double qpu = 1;
  double neon = 1;
};

/// The memory that CPU and QPU of a modelled board share.
struct SharedMemory {
  Board board;
  double neon_bytes = 0;  ///< that a NEON thread which filters moves in a second, if it can
};

/// The cost of decoding under one of reconstruction_plans(), measured or modelled.
struct ReconstructionCost {
  vp9::Plan plan;
  StagesCost stages;
  CostRange cpu;  ///< seconds that CPUs work, on one thread
  /// What CPUs work on all threads, of that on one: more threads take a greater part of what is
  /// divided. In between as StagesCost::all_threads.
  Estimate cpu_on_all_threads{1, 1, 1};
  /// Whether a frame may be parsed while the one before is reconstructed: so the low ends are those
  /// of the longer of the two. What is expected has one after the other, as with low delay.
  bool parses_ahead = false;
};
/// What the QPU costs, measured or modelled: its filter, and where it has more than that.
struct QpuCost {
  struct Schedule {
    CostRange all_edges;     ///< a frame's edges on the QPU, alone
    CostRange shared_edges;  ///< only what is the QPU's where the loop filter is divided
    double bytes = 0;        ///< that it moves in a second; 0 where nobody knows
  };
  Schedule levels;
  Schedule waves;
  /// As measured at full width.
  Slowdowns slowdowns{};
  /// Of reconstruction when frames lie in the device's memory.
  double memory_factor = 1;
  /// Slowdowns follow from it where it is known.
  std::optional<SharedMemory> memory{};
  /// Empty where nothing is known of any.
  std::vector<ReconstructionCost> reconstruction{};

  /// Beside so many threads that filter, at least one.
  [[nodiscard]] Slowdowns beside(vp9::FilterOrder schedule, int threads) const;

  [[nodiscard]] const Schedule& of(vp9::FilterOrder schedule) const {
    return schedule == vp9::FilterOrder::levels ? levels : waves;
  }
};

/// From the sample's trials of the QPU's filter and of NEON, all on one thread: what a dispatch and
/// an edge cost is the least-squares line through the frames. Those of reconstruction_plans(),
/// where the sample has their trials, are as those of measured_cpu_cost().
[[nodiscard]] QpuCost measured_qpu_cost(std::span<const FrameWork> work, const Sample& sample,
                                        std::span<const FrameWork> rest);
/// From the gates' rates and the edges that the sample has.
[[nodiscard]] QpuCost gates_qpu_cost(std::span<const FrameWork> work, const Sample& sample,
                                     const GateRates& rates);

/// From the bounds of the model's dispatches, as much wider as its pictures lie from the lines
/// through them (greatest_miss()); `memory_factor` is as in QpuCost.
[[nodiscard]] QpuCost modelled_qpu_cost(std::span<const FrameWork> work, const Sample& sample,
                                        const PictureModel& model, double memory_factor);

/// How many times as long as here the NEON filter of the sample takes on a board whose one thread
/// filters at these rates.
[[nodiscard]] double cpu_factor(const Sample& sample, const EdgeRates& neon_edges);
/// All times of the CPU's stages as many times as long.
void scale_seconds(Sample& sample, double factor);

class Predictor {
 public:
  /// `mix` is the mean of the sample's frames; `qpu` is null where there is no QPU, or none that
  /// anything is known of.
  Predictor(const CpuCost& cpu, const EdgeMix& mix, const QpuCost* qpu, const Machine& machine);

  /// One stage. For plans that need it there must be a QPU, or scalar code's cost (asserted).
  [[nodiscard]] Estimate stage(const Candidate& candidate, ClockRow row,
                               const FrameTotals& work) const;
  /// All stages, as much wider as StagesCost::error says.
  [[nodiscard]] Estimate total(const Candidate& candidate, const FrameTotals& work) const;
  /// The work of the CPUs, all threads together, with the same error. Waiting for a QPU is no work.
  [[nodiscard]] Estimate cpu_time(const Candidate& candidate, const FrameTotals& work) const;

 private:
  /// Returns the cost of the code that the candidate's threads run: its plan's reconstruction where
  /// the QPU reconstructs, else the scalar or the NEON decoder.
  [[nodiscard]] const StagesCost& code_of(const Candidate& candidate) const;
  /// Null where all stages before the loop filter are the CPU's. What is known of the QPU has
  /// the plan (asserted).
  [[nodiscard]] const ReconstructionCost* reconstruction_of(const Candidate& candidate) const;
  [[nodiscard]] Estimate on_cpu(const Candidate& candidate, ClockRow row,
                                const FrameTotals& work) const;
  /// What takes so long on one thread takes on so many, by Amdahl's law through one and all.
  [[nodiscard]] Estimate on_threads(int threads, const Estimate& one,
                                    const Estimate& all_threads) const;
  [[nodiscard]] Estimate shared_filter(const Candidate& candidate, const FrameTotals& work) const;

  CpuCost cpu_;
  double luma_share_ = 1;   ///< of all edges
  double large_share_ = 1;  ///< of luma's
  std::optional<QpuCost> qpu_;
  Machine machine_;
};

/// The first of the plans that is expected to take the least; its index. `estimates` is not empty
/// (asserted).
[[nodiscard]] std::size_t fastest(std::span<const Estimate> estimates);

}  // namespace sidecore::model
