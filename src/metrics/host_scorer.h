// Scores computed by this machine's processor.
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "metrics/feature.h"
#include "metrics/picture_scorer.h"

namespace sidecore::metrics {

/// A feature and what computes it.
using HostFeature = std::pair<const Feature*, FeatureKernel>;

/// `threads` workers (at least 1) score a pair of pictures each; there is a slot more than workers,
/// to be filled meanwhile. Throws Error (usage) when a feature is not defined for the format.
[[nodiscard]] std::unique_ptr<PictureScorer> make_host_scorer(const video::PictureFormat& format,
                                                              std::span<const HostFeature> features,
                                                              std::size_t threads);

}  // namespace sidecore::metrics
