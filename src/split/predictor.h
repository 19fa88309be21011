// From the cost of a sample's stages to the time that the rest takes under any plan.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "split/cost_line.h"
#include "split/gate_results.h"
#include "split/picture_model.h"
#include "split/plan.h"
#include "split/stream.h"
#include "split/trial.h"

namespace sidecore::split {

/// Seconds; low <= expected <= high.
struct Estimate {
  double low = 0;
  double expected = 0;
  double high = 0;
};

struct Machine {
  int cores = 1;            ///< that the process may use
  bool cpu_device = false;  ///< the "QPU" is a driver on these cores and competes for them
};

/// A cost of which only bounds may be known: then what is expected lies in their middle.
struct CostRange {
  CostLine low;
  CostLine high;
  [[nodiscard]] Estimate seconds(const PacketWork& work) const {
    const double least = low.seconds(work);
    const double most = high.seconds(work);
    return {least, (least + most) / 2, most};
  }
};

/// What the QPU's filter costs, measured or modelled.
struct QpuCost {
  struct Schedule {
    CostRange all_edges;     ///< a packet's edges on the QPU, alone
    CostRange shared_edges;  ///< only what is the QPU's with FilterPlace::split
  };
  Schedule levels;
  Schedule waves;
  /// When it works beside NEON threads and they beside it; 1 is undisturbed.
  double slowdown = 1;
  double neon_slowdown = 1;
  /// Of reconstruction when frames lie in the device's memory.
  double memory_factor = 1;

  [[nodiscard]] const Schedule& of(qpu::LoopFilterOrder schedule) const {
    return schedule == qpu::LoopFilterOrder::levels ? levels : waves;
  }
};

/// From the sample's trials of FilterPlace::qpu and of NEON, all on one thread: what a dispatch and
/// an edge cost is the least-squares line through the packets.
[[nodiscard]] QpuCost measured_qpu_cost(std::span<const PacketWork> work, const Sample& sample);
/// From the gates' rates and the edges that the sample has.
[[nodiscard]] QpuCost gates_qpu_cost(std::span<const PacketWork> work, const Sample& sample,
                                     const GateRates& rates);

/// From the bounds of the model's dispatches; `memory_factor` is as in QpuCost.
[[nodiscard]] QpuCost modelled_qpu_cost(std::span<const PacketWork> work, const Sample& sample,
                                        const PictureModel& model, double memory_factor);

/// How many times as long as here the NEON filter of the sample takes on a board whose one thread
/// filters at these rates.
[[nodiscard]] double cpu_factor(const Sample& sample, const EdgeRates& neon_edges);
/// All times of the CPU's stages as many times as long.
void scale_seconds(Sample& sample, double factor);

class Predictor {
 public:
  /// `sample` has the trials of sampled_plans(); `qpu` is null where there is no QPU, or none that
  /// anything is known of. `work` is the sample's.
  Predictor(std::span<const PacketWork> work, const Sample& sample, const QpuCost* qpu,
            const Machine& machine);

  /// One stage. For plans that need it there must be a QPU (asserted).
  [[nodiscard]] Estimate stage(const Plan& plan, Stage stage, const PacketWork& work) const;
  /// All stages, widened by the misses that the same model makes within the sample.
  [[nodiscard]] Estimate total(const Plan& plan, std::span<const PacketWork> work) const;

  /// The sample's quarters, each predicted from the other three: measured over predicted, the least
  /// and the greatest, and no nearer to 1 than kLeastMiss.
  struct Misses {
    double low = 1;
    double high = 1;
  };
  [[nodiscard]] const Misses& misses() const { return misses_; }
  static constexpr double kLeastMiss = 0.03;

 private:
  [[nodiscard]] double scale(Stage stage, int threads) const;
  [[nodiscard]] Estimate filter(const Plan& plan, const PacketWork& work) const;
  [[nodiscard]] Estimate shared_filter(const PacketWork& work, const Plan& plan) const;

  std::array<CostLine, kStages.size()> one_thread_;
  /// Time on all threads over that on one.
  std::array<double, kStages.size()> all_threads_{};
  CostLine scalar_filter_;
  int threads_ = 1;
  double luma_share_ = 1;     ///< of all edges
  double large_share_ = 1;    ///< of luma's
  std::vector<QpuCost> qpu_;  ///< none or one
  Machine machine_;
  Misses misses_;
};

/// The first of the plans that is expected to take the least; its index. `estimates` is not empty
/// (asserted).
[[nodiscard]] std::size_t fastest(std::span<const Estimate> estimates);

}  // namespace sidecore::split
