// Predicts the time of a stream's remaining frames under any candidate from the costs of its
// measured frames.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "model/candidate.h"
#include "model/costs.h"
#include "model/device_memory.h"
#include "model/frame_costs.h"
#include "model/gate_results.h"
#include "model/picture_model.h"
#include "model/sample.h"
#include "model/stream.h"

namespace sidecore::model {

struct Machine {
  int cores = 1;            ///< number of cores that the process may use
  bool cpu_device = false;  ///< true if a Vulkan driver on these cores replaces the QPU
};

/// A cost as an interval, whose ends are equal if the cost was measured.
struct CostRange {
  FrameCosts low;
  FrameCosts expected;
  FrameCosts high;
  [[nodiscard]] Estimate seconds(const FrameTotals& work) const {
    return {low.seconds(work), expected.seconds(work), high.seconds(work)};
  }
};

/// Returns the quantity to which a stage's time is proportional if a kind has too few frames for a
/// line.
[[nodiscard]] ScalesWith scales_with(ClockRow stage);

/// Cost of all stages in one implementation, by ClockRow.
struct StagesCost {
  std::array<CostRange, kClockRows.size()> one_thread;
  /// Time on all threads divided by the time on one. Amdahl's law gives the time for other numbers
  /// of threads.
  std::array<Estimate, kClockRows.size()> all_threads{};
  /// Error of the predicted sum of all stages: the remaining frames take between 1 / (1 + error)
  /// and 1 + error times the expected time.
  double error = 0;
};

/// Cost of the CPU's stages, measured or modelled.
struct CpuCost {
  int threads = 1;  ///< number of threads that StagesCost::all_threads refers to
  StagesCost neon;
  std::optional<StagesCost> scalar{};  ///< cost of scalar code; none if it is not compared
};

/// Returns the cost from the trials of sampled_candidates() on the CPU. Its error combines
/// relative_error() on all threads for `rest` with Sample::unrest, which counts as at least
/// kMinUnrest.
[[nodiscard]] CpuCost measured_cpu_cost(std::span<const FrameWork> work, const Sample& sample,
                                        std::span<const FrameWork> rest);
inline constexpr double kMinUnrest = 0.03;

/// Factor by which the time of QPU and NEON grows while both filter; 1 means no slowdown.
struct Slowdowns {
  double qpu = 1;
  double neon = 1;
};

/// Use of the memory that CPU and QPU of a modelled board share.
struct SharedMemory {
  Board board;
  double neon_bytes = 0;  ///< bytes per second of one NEON thread that filters alone
};

/// Cost of decoding under one of reconstruction_plans(), measured or modelled.
struct ReconstructionCost {
  vp9::Plan plan;
  StagesCost stages;
  CostRange cpu;  ///< CPU seconds on one thread
  /// CPU seconds on all threads divided by those on one. More threads take a greater part of
  /// divided stages. Other numbers of threads follow as in StagesCost::all_threads.
  Estimate cpu_on_all_threads{1, 1, 1};
  /// True if a frame may be parsed while the previous one is reconstructed. The low end is then the
  /// longer of the two times. The expected time is their sum, as with low delay.
  bool parses_ahead = false;
  /// Samples in the GPU's memory that the CPU accesses, mean of the measured frames, on one thread
  /// and on all.
  SampleTraffic traffic_on_one{};
  SampleTraffic traffic_on_all{};
};
/// Cost of NEON's stages if pictures are in the GPU's memory, beside the QPU's loop filter.
struct NeonInGpuMemory {
  StagesCost stages;
  /// Samples that the CPU accesses in each stage, mean of the measured frames.
  vp9::PerStage<SampleTraffic> traffic{};
};

/// Cost of the QPU, measured or modelled: of its loop filter, and of plans that reconstruct on it.
struct QpuCost {
  struct Schedule {
    CostRange all_edges;     ///< cost of all edges of a frame on the QPU, undisturbed
    CostRange shared_edges;  ///< cost of the QPU's edges if the loop filter is divided
    double bytes = 0;        ///< bytes per second that the QPU moves; 0 if unknown
  };
  Schedule levels;
  Schedule waves;
  /// Slowdowns measured while the QPU and all NEON threads worked.
  Slowdowns slowdowns{};
  /// Factor for the CPU's time for prediction and residual if frames are in device memory.
  double memory_factor = 1;
  /// Use of the memory that CPU and QPU share, from which the slowdowns are computed. If there is
  /// none, `slowdowns` applies.
  std::optional<SharedMemory> memory{};
  /// Costs of plans that reconstruct on the QPU; empty if none is known.
  std::vector<ReconstructionCost> reconstruction{};
  /// Modelled cost that takes the place of NEON's own under plans with the QPU's loop filter.
  std::optional<NeonInGpuMemory> neon_in_gpu_memory{};

  /// Returns the slowdowns while `threads` NEON threads filter too, at least one.
  [[nodiscard]] Slowdowns beside(vp9::FilterOrder schedule, int threads) const;

  [[nodiscard]] const Schedule& of(vp9::FilterOrder schedule) const {
    return schedule == vp9::FilterOrder::levels ? levels : waves;
  }
};

/// Returns the cost from the trials of the QPU's loop filter and of NEON on one thread. The costs
/// of a dispatch and of an edge are the coefficients of the least-squares line through the frames.
/// If there are trials of reconstruction_plans(), their costs are computed as in
/// measured_cpu_cost().
[[nodiscard]] QpuCost measured_qpu_cost(std::span<const FrameWork> work, const Sample& sample,
                                        std::span<const FrameWork> rest);
/// Returns the cost from the gates' rates and the edges of the measured frames.
[[nodiscard]] QpuCost gates_qpu_cost(std::span<const FrameWork> work, const Sample& sample,
                                     const GateRates& rates);

/// Returns the cost from lines through the model's dispatches. The interval is widened by the
/// greatest error of these lines (greatest_line_error()). `memory_factor` becomes
/// QpuCost::memory_factor.
[[nodiscard]] QpuCost modelled_qpu_cost(std::span<const FrameWork> work, const Sample& sample,
                                        const PictureModel& model, double memory_factor);

/// Returns the time of NEON's loop filter on the measured frames at these rates of one thread,
/// divided by its measured time on this machine.
[[nodiscard]] double cpu_factor(const Sample& sample, const EdgeRates& neon_edges);
/// Multiplies all times in `sample` by the factor.
void scale_seconds(Sample& sample, double factor);

class Predictor {
 public:
  /// Creates a predictor. `mix` is the mean over the measured frames. `qpu` is null if there is no
  /// QPU or its cost is unknown.
  Predictor(const CpuCost& cpu, const EdgeMix& mix, const QpuCost* qpu, const Machine& machine);

  /// Predicts the time of one clock row. The costs of the QPU or of scalar code must be known
  /// (asserted) if the plan needs them.
  [[nodiscard]] Estimate stage(const Candidate& candidate, ClockRow row,
                               const FrameTotals& work) const;
  /// Predicts the time of all stages, with the interval widened by StagesCost::error.
  [[nodiscard]] Estimate total(const Candidate& candidate, const FrameTotals& work) const;
  /// Predicts the CPU time of all threads together, with the same error. Waiting for the QPU does
  /// not count.
  [[nodiscard]] Estimate cpu_time(const Candidate& candidate, const FrameTotals& work) const;
  /// Returns the samples in the GPU's memory that the CPU accesses per frame, mean of the measured
  /// frames. Returns nothing if the plan does not use the QPU or no such memory is modelled.
  [[nodiscard]] std::optional<SampleTraffic> gpu_memory_traffic(const Candidate& candidate) const;

 private:
  /// Returns the cost of the code that the candidate's threads run: the plan's reconstruction if
  /// the QPU reconstructs, otherwise the scalar or the NEON decoder. This decoder works in the
  /// GPU's memory if the QPU filters.
  [[nodiscard]] const StagesCost& code_of(const Candidate& candidate) const;
  /// Returns the cost of the plan's reconstruction on the QPU; null if the CPU runs all stages
  /// before the loop filter. QpuCost::reconstruction must have the plan (asserted).
  [[nodiscard]] const ReconstructionCost* reconstruction_of(const Candidate& candidate) const;
  [[nodiscard]] Estimate on_cpu(const Candidate& candidate, ClockRow row,
                                const FrameTotals& work) const;
  /// Returns the time on `threads` threads, by Amdahl's law from the times on one thread and on all
  /// threads.
  [[nodiscard]] Estimate on_threads(int threads, const Estimate& one,
                                    const Estimate& all_threads) const;
  [[nodiscard]] Estimate shared_filter(const Candidate& candidate, const FrameTotals& work) const;
  /// Returns the QPU's share of the edges of a loop filter that is on the QPU or divided.
  [[nodiscard]] double filter_share_of_qpu(const vp9::Plan& plan) const;

  CpuCost cpu_;
  double luma_share_ = 1;   ///< fraction of all edges that are luma edges
  double large_share_ = 1;  ///< fraction of luma edges that are in large levels
  std::optional<QpuCost> qpu_;
  Machine machine_;
};

/// Returns the index of the first estimate with the least expected time. `estimates` must not be
/// empty (asserted).
[[nodiscard]] std::size_t fastest(std::span<const Estimate> estimates);

}  // namespace sidecore::model
