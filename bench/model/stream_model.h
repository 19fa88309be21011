// Models a stream's pictures: the simulated V3D filters and reconstructs them, and the timing model
// computes times from its counts.
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

/// Returns a picture from the jobs of its submission. jobs[i] is the dispatch of edges[i] edges.
/// Throws Error (environment) if the lengths differ, or if the jobs have no modelled times.
[[nodiscard]] ModelledPicture modelled_picture(std::uint64_t frame,
                                               const std::vector<shaderdb::JobRecord>& jobs,
                                               const std::vector<double>& edges);

/// Returns a picture from the jobs of its submission: one job per dispatch of `work`, in the order
/// of vp9::Stage. Throws as modelled_picture().
[[nodiscard]] ReconstructedPicture reconstructed_picture(std::uint64_t frame, bool intra,
                                                         std::span<const shaderdb::JobRecord> jobs,
                                                         const qpu::StageWork& work);

/// Returns the costs per work unit of the stages' published designs, read from `table`. Throws
/// Error (usage) if the table lacks a design.
[[nodiscard]] std::vector<PublishedDesign> published_designs(const shaderdb::Table& table);

struct StreamModelOptions {
  /// Number of packets to model, from the first, at least 1. If none of their pictures has edges,
  /// four times as many are modelled, again and again up to 256.
  std::size_t packets = 4;
  bool back_end = false;  ///< true: also reconstruct the pictures on the QPU
};

/// Decodes the first packets of a VP9 stream with the loop filter on the QPU, by dependency levels
/// and by superblock waves. With options.back_end, decodes them also with all pixel stages on the
/// QPU. The device must be opened after shaderdb::SimulatorRecords::find(). Throws Error (usage)
/// that names the stream if it is damaged, or if it has no edges and options.back_end is not set.
/// Throws Error (failed) if pictures differ from those of the scalar decoder.
[[nodiscard]] PictureModel model_stream(const std::string& path, const StreamModelOptions& options,
                                        qpu::Device& device,
                                        const shaderdb::SimulatorRecords& records);

}  // namespace sidecore::model
