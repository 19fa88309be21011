// Several scorers at the same pictures.
#pragma once

#include <memory>
#include <vector>

#include "metrics/picture_scorer.h"

namespace sidecore::metrics {

/// Scores each pair on all of `scorers` (at least one, all of one format), whose scores follow each
/// other. Pictures are filled once, in the first one's memory, and copied to the others.
[[nodiscard]] std::unique_ptr<PictureScorer> make_joint_scorer(
    std::vector<std::unique_ptr<PictureScorer>> scorers);

}  // namespace sidecore::metrics
