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
  /// Pictures at the start of a clip that are left out; what follows is counted from 0.
  std::uint64_t skip_reference = 0;
  std::uint64_t skip_distorted = 0;
  std::optional<std::uint64_t> picture_limit;   ///< stop after reading so many; nothing: to the end
  std::uint64_t subsample = 1;                  ///< score pictures 0, n, 2n, ... (at least 1)
  std::function<void(std::uint64_t)> progress;  ///< called with the number of pictures read
  /// Called when the first pair's scores are there; the second is not begun before.
  std::function<void()> first_scored;
  /// Called with one line that names both clips when one of them ends before the other. Their
  /// common pictures are scored all the same.
  std::function<void(const std::string&)> unequal;
};

/// Reads both clips straight into the scorer's pictures and keeps all its slots busy: a slot is
/// waited for when its pictures are needed again. `names` are those of the scorer's scores.
/// A picture that one of them has lost (PictureSource::lost()) is left out of both.
/// Ends where the shorter clip ends, as the `vmaf` command does. Throws Error (usage) as
/// check_same_format() does, and when there is no pair of pictures.
[[nodiscard]] ScoreTable score_clips(video::PictureSource& reference,
                                     video::PictureSource& distorted, PictureScorer& scorer,
                                     std::vector<std::string> names,
                                     const ScoreClipsOptions& options = {});

}  // namespace sidecore::metrics
