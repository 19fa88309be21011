// Two clips in, a table of scores out.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "metrics/picture_scorer.h"
#include "metrics/score_table.h"
#include "video/source.h"

namespace sidecore::metrics {

/// Throws Error (usage) that says what both sides are, unless size, depth and chroma are the same.
void check_same_format(const video::PictureSource& reference,
                       const video::PictureSource& distorted);

struct ScoreClipsOptions {
  std::optional<std::uint64_t> picture_limit;   ///< stop after so many; nothing: to the end
  std::function<void(std::uint64_t)> progress;  ///< called with the number of pictures read
};

/// Reads both clips straight into the scorer's pictures and keeps all its slots busy: a slot is
/// waited for when its pictures are needed again. `names` are those of the scorer's scores.
/// Throws Error (usage) as check_same_format() does, when one clip ends before the other, and when
/// there is no picture.
[[nodiscard]] ScoreTable score_clips(video::PictureSource& reference,
                                     video::PictureSource& distorted, PictureScorer& scorer,
                                     std::vector<std::string> names,
                                     const ScoreClipsOptions& options = {});

}  // namespace sidecore::metrics
