// QPU implementation of metrics/host_scorer.h.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "metrics/feature.h"
#include "metrics/host_scorer.h"
#include "metrics/picture_scorer.h"
#include "qpu/device.h"
#include "video/picture.h"

namespace sidecore::qpu {

/// Why no shader can do the request, in a sentence without its full stop; empty when one can.
[[nodiscard]] std::string refusal(const metrics::FeatureRequest& request);

/// Scores on the device: pictures are read straight into memory that it sees, the work of a pair is
/// one submission, recorded once for each pair's place, and two pairs are in flight. Pictures that
/// temporal features look back at stay in such places. What a device cannot settle to
/// the last bit (docs/metrics-proofs.md), `host_kernels` compute on a thread of its own meanwhile.
/// Throws Error (usage) as metrics::group_by_family() does and for what refusal() names,
/// (environment) when the device lacks something.
[[nodiscard]] std::unique_ptr<metrics::PictureScorer> make_picture_scorer(
    Device& device, const video::PictureFormat& format,
    std::span<const metrics::FeatureRequest> requests, metrics::KernelChoice host_kernels);

}  // namespace sidecore::qpu
