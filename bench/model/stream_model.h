// The simulated V3D filters and reconstructs a stream's pictures; the timing model turns its counts
// into times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/picture_model.h"
#include "qpu/device.h"
#include "qpu/vp9/picture_reconstruction.h"
#include "shaderdb/simulator_records.h"
#include "shaderdb/table.h"

namespace sidecore::model {

/// A submission's jobs, one a dispatch of so many edges, as a picture of the model. Throws Error
/// (environment) unless there are as many, and the model is of the V3D that ran them.
[[nodiscard]] ModelledPicture modelled_picture(std::uint64_t frame,
                                               const std::vector<shaderdb::JobRecord>& jobs,
                                               const std::vector<double>& edges);

/// A frame's submission, its jobs in the order of vp9::Stage, one for each dispatch of each
/// stage's work. Throws as modelled_picture().
[[nodiscard]] ReconstructedPicture reconstructed_picture(std::uint64_t frame, bool intra,
                                                         std::span<const shaderdb::JobRecord> jobs,
                                                         const qpu::StageWork& work);

/// Returns the cost of a unit in the published designs of the stages, read from `table`. Throws
/// Error (usage) if the table lacks a design.
[[nodiscard]] std::vector<PublishedDesign> published_designs(const shaderdb::Table& table);

struct StreamModelOptions {
  std::size_t packets = 4;  ///< the stream's first so many
  bool back_end = false;    ///< also reconstruct the pictures on the QPU
};

/// Decodes the first packets of a VP9 stream with the loop filter on the QPU, by dependency levels
/// and by superblock waves; and with all stages behind the parser there. The device was opened
/// after shaderdb::SimulatorRecords::find(). Throws Error (usage) that names the stream when it is
/// damaged, or has no edges and no back end is asked for, and (failed) when the back end's pictures
/// are not the scalar decoder's.
[[nodiscard]] PictureModel model_stream(const std::string& path, const StreamModelOptions& options,
                                        qpu::Device& device,
                                        const shaderdb::SimulatorRecords& records);

}  // namespace sidecore::model
