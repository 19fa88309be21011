// Stages behind the parser on a modelled QPU: what decoding costs when the QPU does all of them,
// one of them, or shares them with CPUs. Nothing in it was measured, on no board.
#pragma once

#include <span>
#include <vector>

#include "model/board_model.h"
#include "model/picture_model.h"
#include "model/predictor.h"

namespace sidecore::model {

/// The figures that drive a frame's time in the QPU's stages, by stage: samples that inter
/// prediction makes (those of compound blocks twice), samples of transformed blocks, intra
/// predicted blocks, edges.
using BackEndDrivers = vp9::PerStage<double>;
[[nodiscard]] BackEndDrivers drivers_of(const KernelCounts& counts);

/// Seconds of each of the sample's frames on one thread of NEON, by ClockRow.
[[nodiscard]] std::vector<ModelledStages> modelled_neon_stages(const Stream& stream,
                                                               std::span<const CountedFrame> frames,
                                                               const BoardCosts& costs);
[[nodiscard]] std::vector<ModelledStages> measured_neon_stages(const Sample& sample);

/// The CPU beside the modelled QPU.
struct ModelledHost {
  std::vector<ModelledStages> neon;  ///< of each of the sample's frames, on one thread
  StagesCost threads;                ///< how they help, and the error
  double memory_factor = 1;          ///< as in QpuCost
  /// The board's costs, for a frame's arrays for the QPU; null: nothing is known of them, and they
  /// count nothing.
  const BoardCosts* board = nullptr;
};

/// For each of reconstruction_plans(), as qpu::PictureReconstruction goes about it. A stage of a
/// frame costs the QPU so much a driver as in the model's pictures of its kind, intra or not (of
/// either, where there is none of its kind), in the stage of its name. What a submission and its
/// dispatches cost, and what the arrays do, is in ClockRow::waiting and ClockRow::submission, or
/// the stage's that is the QPU's alone. What is divided ends on both sides at once: what is
/// expected has each side at its expected speed, and the high end is the faster side's alone.
/// Whoever predicts intra blocks adds their residual; of frames that are not intra all residual is
/// taken for inter blocks'. The model has a back end (asserted).
[[nodiscard]] std::vector<ReconstructionCost> modelled_back_end_costs(
    const Stream& stream, std::span<const CountedFrame> frames, const ModelledHost& host,
    const PictureModel& model);

}  // namespace sidecore::model
