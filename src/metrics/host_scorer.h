// Scores computed by this machine's processor.
#pragma once

#include <memory>
#include <span>

#include "metrics/feature_family.h"
#include "metrics/picture_scorer.h"

namespace sidecore::metrics {

/// Says who computes a family; throws Error (usage) when that backend does not have it.
using KernelChoice = KernelMaker (*)(const FeatureFamily& family);

/// The definitions themselves.
[[nodiscard]] inline KernelMaker scalar_kernels(const FeatureFamily& family) {
  return family.scalar;
}

/// `threads` workers (at least 1) score a pair of pictures each, and share the rows of what there
/// is when there are fewer pairs than workers. There is a slot more than workers, to be filled
/// meanwhile. Throws Error (usage) as group_by_family() and `kernels` do.
[[nodiscard]] std::unique_ptr<PictureScorer> make_host_scorer(
    const video::PictureFormat& format, std::span<const FeatureRequest> requests,
    KernelChoice kernels, std::size_t threads);

}  // namespace sidecore::metrics
