// Scores that the host CPU computes.
#pragma once

#include <memory>
#include <span>

#include "metrics/feature_family.h"
#include "metrics/picture_scorer.h"

namespace sidecore::metrics {

/// Function that returns the maker of a family's kernels. Throws Error (usage) if the
/// implementation lacks the family.
using KernelChoice = KernelMaker (*)(const FeatureFamily& family);

/// Returns the maker of the scalar definition's kernels.
[[nodiscard]] inline KernelMaker scalar_kernels(const FeatureFamily& family) {
  return family.scalar;
}

/// Makes a scorer with `threads` workers (at least 1). Each worker scores one pair of pictures;
/// workers without a pair help with the rows of other pairs. There is one slot more than workers,
/// so that a slot can be filled while all workers are busy. Throws Error (usage) as
/// group_by_family() and `kernels` do.
[[nodiscard]] std::unique_ptr<PictureScorer> make_host_scorer(
    const video::PictureFormat& format, std::span<const FeatureRequest> requests,
    KernelChoice kernels, std::size_t threads);

}  // namespace sidecore::metrics
