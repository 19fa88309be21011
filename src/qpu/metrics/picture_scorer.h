// QPU implementation of the scorer in metrics/host_scorer.h.
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

/// Returns why no shader can compute the request, as a sentence without full stop; empty if one
/// can.
[[nodiscard]] std::string refusal(const metrics::FeatureRequest& request);

/// Makes a scorer on the device. Pictures are read directly into device-visible memory, and two
/// pairs are in flight. Each pair is one submission, recorded once for each pair's memory. Pictures
/// that temporal features look back at stay in that memory. `host_kernels` recompute, on a thread
/// of their own, what the device cannot decide to the last bit
/// (docs/metrics-proofs.md).
/// Throws Error (usage) as metrics::group_by_family() does and if refusal() is not empty,
/// (environment) if the device lacks something.
[[nodiscard]] std::unique_ptr<metrics::PictureScorer> make_picture_scorer(
    Device& device, const video::PictureFormat& format,
    std::span<const metrics::FeatureRequest> requests, metrics::KernelChoice host_kernels);

}  // namespace sidecore::qpu
