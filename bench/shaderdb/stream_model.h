// What filtering and reconstructing a stream's pictures takes on the simulated V3D, and what the
// timing model makes of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "qpu/device.h"
#include "qpu/vp9/picture_reconstruction.h"
#include "shaderdb/simulator_records.h"
#include "shaderdb/table.h"
#include "split/picture_model.h"

namespace sidecore::shaderdb {

/// A submission's jobs, one a dispatch of so many edges, as a picture of the model. Throws Error
/// (environment) unless there are as many, and the model is of the V3D that ran them.
[[nodiscard]] split::ModelledPicture modelled_picture(std::uint64_t frame,
                                                      const std::vector<JobRecord>& jobs,
                                                      const std::vector<double>& edges);

/// A frame's submission, its jobs in the order of BackEndStage, one for each dispatch of each
/// stage's work. Throws as modelled_picture().
[[nodiscard]] split::ReconstructedPicture reconstructed_picture(std::uint64_t frame, bool intra,
                                                                std::span<const JobRecord> jobs,
                                                                const qpu::StageWork& work);

/// What the published designs of the stages take for a unit, by a table that has them. Throws Error
/// (usage) for one that does not.
[[nodiscard]] std::vector<split::PublishedDesign> published_designs(const Table& table);

struct StreamModelOptions {
  std::size_t packets = 4;  ///< the stream's first so many
  bool back_end = false;    ///< also reconstruct the pictures on the QPU
};

/// Decodes the first packets of a VP9 stream with the loop filter on the QPU, by dependency levels
/// and by superblock waves; and with all stages behind the parser there. The device was opened
/// after SimulatorRecords::find(). Throws Error (usage) that names the stream when it is damaged,
/// or has no edges and no back end is asked for, and (failed) when the back end's pictures are not
/// the scalar decoder's.
[[nodiscard]] split::PictureModel model_stream(const std::string& path,
                                               const StreamModelOptions& options,
                                               qpu::Device& device,
                                               const SimulatorRecords& records);

}  // namespace sidecore::shaderdb
