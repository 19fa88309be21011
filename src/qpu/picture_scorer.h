// QPU twin of metrics/host_scorer.h.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "metrics/picture_scorer.h"
#include "qpu/device.h"
#include "video/picture.h"

namespace sidecore::qpu {

/// Whether the feature of that name (metrics/feature.h) has a shader.
[[nodiscard]] bool has_feature(std::string_view feature);

/// Scores on the device: pictures are read straight into memory that it sees, the work of a pair is
/// one submission recorded once a slot, and two pairs are in flight.
/// Throws Error (usage) when a feature is unknown, has no shader or is not defined for the format,
/// (environment) when the device lacks something.
[[nodiscard]] std::unique_ptr<metrics::PictureScorer> make_picture_scorer(
    const std::shared_ptr<Device>& device, const video::PictureFormat& format,
    const std::vector<std::string_view>& features);

}  // namespace sidecore::qpu
