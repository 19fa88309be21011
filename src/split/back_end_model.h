// The whole back end on a modelled QPU: what decoding costs when CPUs parse and the QPU does
// everything behind the parser. Nothing in it was measured, on no board.
#pragma once

#include <span>
#include <vector>

#include "split/board_model.h"
#include "split/picture_model.h"
#include "split/predictor.h"

namespace sidecore::split {

/// What drives a frame's time in the QPU's stages, by BackEndStage: samples that inter prediction
/// makes (those of compound blocks twice), samples of transformed blocks, intra predicted blocks,
/// edges.
using BackEndDrivers = std::array<double, kBackEndStages.size()>;
[[nodiscard]] BackEndDrivers drivers_of(const KernelCounts& counts);

/// Seconds of each of the sample's frames on one thread of the CPU, by Stage: of them `parsing`,
/// `edges` and `other` are the CPU's beside a back end, and `submission`: what it takes to write a
/// frame's arrays for the QPU. Modelled, and as measured by NEON's trial on one thread, in which
/// nothing is known of those arrays.
[[nodiscard]] std::vector<ModelledStages> modelled_host_stages(const Stream& stream,
                                                               std::span<const CountedFrame> frames,
                                                               const BoardCosts& costs);
[[nodiscard]] std::vector<ModelledStages> measured_host_stages(const Sample& sample);

/// A stage of a frame costs the QPU so much a driver as in the model's pictures of its kind, intra
/// or not (of either, where there is none of its kind), in the stage of its name; what a submission
/// and its dispatches cost is in Stage::waiting. `host` are the CPU's seconds, and `cpu` says how
/// threads help with parsing. The model has a back end (asserted).
[[nodiscard]] BackEndCost modelled_back_end_cost(const Stream& stream,
                                                 std::span<const CountedFrame> frames,
                                                 std::span<const ModelledStages> host,
                                                 const StagesCost& cpu, const PictureModel& model);

}  // namespace sidecore::split
