// Pixel stages on a modelled QPU: costs of decoding if the QPU runs all of these stages, one of
// them, or a part of each. All costs are modelled; none was measured on a board.
#pragma once

#include <span>
#include <vector>

#include "model/board_model.h"
#include "model/picture_model.h"
#include "model/predictor.h"

namespace sidecore::model {

/// Amounts of work in a frame to which the time of the QPU's stages is proportional: samples of
/// inter prediction (those of compound blocks count twice), samples of transformed blocks, blocks
/// of intra prediction, edges of the loop filter.
using BackEndDrivers = vp9::PerStage<double>;
/// Returns the amounts of work in a frame with these counts.
[[nodiscard]] BackEndDrivers count_drivers(const KernelCounts& counts);

/// Returns the seconds of each measured frame on one thread of NEON, by ClockRow.
[[nodiscard]] std::vector<ModelledStages> modelled_neon_stages(const Stream& stream,
                                                               std::span<const CountedFrame> frames,
                                                               const BoardCosts& costs,
                                                               PictureMemory pictures);
[[nodiscard]] std::vector<ModelledStages> measured_neon_stages(const Sample& sample);

/// CPU that works at the same time as the modelled QPU.
struct ModelledHost {
  std::vector<ModelledStages> neon;  ///< seconds on one thread, one element per measured frame
  /// Seconds on one thread with pictures in the GPU's memory, one element per measured frame. Empty
  /// if they are unknown; then the seconds are those of `neon` times `memory_factor`.
  std::vector<ModelledStages> neon_in_gpu_memory{};
  StagesCost threads;        ///< cost of NEON; only all_threads and error are used
  double memory_factor = 1;  ///< factor as in QpuCost::memory_factor
  /// Costs of the board, for writing the QPU's lists of a frame's work. Null if they are unknown;
  /// writing the lists then counts as 0 seconds.
  const BoardCosts* board = nullptr;
};

/// Returns the cost of each of reconstruction_plans(), with the order of work that
/// qpu::PictureReconstruction has.
///   - A stage on the QPU takes seconds in proportion to its BackEndDrivers, at the rate of the
///     model's pictures of the same kind (intra or not); of all pictures if none is of that kind.
///   - The fixed cost of submissions and dispatches is in ClockRow::waiting, and writing the lists
///     in ClockRow::submission. If only one stage is on the QPU, they are in that stage's row.
///   - QPU and NEON finish a divided stage at the same time, each at its expected speed. At the
///     high end the faster one does the stage alone.
///   - Pictures are in the GPU's memory, but transforms that only make a residual for the QPU's
///     intra prediction work on the stack.
///   - The implementation that predicts intra blocks also adds their residual. In frames that are
///     not intra, all residual counts as that of inter blocks.
/// The model must have pictures of a back end (asserted).
[[nodiscard]] std::vector<ReconstructionCost> modelled_back_end_costs(
    const Stream& stream, std::span<const CountedFrame> frames, const ModelledHost& host,
    const PictureModel& model);

}  // namespace sidecore::model
