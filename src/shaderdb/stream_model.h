// What filtering a stream's pictures takes on the simulated V3D, and what the timing model makes of
// it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "qpu/device.h"
#include "shaderdb/simulator_records.h"
#include "split/picture_model.h"

namespace sidecore::shaderdb {

/// A submission's jobs, one a dispatch of so many edges, as a picture of the model. Throws Error
/// (environment) unless there are as many, and the model is of the V3D that ran them.
[[nodiscard]] split::ModelledPicture modelled_picture(std::uint64_t frame,
                                                      const std::vector<JobRecord>& jobs,
                                                      const std::vector<double>& edges);

/// Decodes the first `packets` packets of a VP9 stream with the loop filter on the QPU, by
/// dependency levels and by superblock waves. The device was opened after SimulatorRecords::find().
/// Throws Error (usage) that names the stream when it is damaged or has no edges.
[[nodiscard]] split::PictureModel model_stream(const std::string& path, std::size_t packets,
                                               qpu::Device& device,
                                               const SimulatorRecords& records);

}  // namespace sidecore::shaderdb
