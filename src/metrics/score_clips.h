// Scoring of two clips into a table of scores.
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

/// Throws Error (usage) that names both formats unless size, depth and chroma are equal.
void check_same_format(const video::PictureSource& reference,
                       const video::PictureSource& distorted);

struct ScoreClipsOptions {
  /// Number of pictures that are skipped at the start of a clip; the next picture has number 0.
  std::uint64_t skip_reference = 0;
  std::uint64_t skip_distorted = 0;
  /// Number of pairs to read; empty: to the end of the shorter clip.
  std::optional<std::uint64_t> picture_limit;
  std::uint64_t subsample = 1;  ///< n: scores only pictures 0, n, 2n, ...; at least 1
  std::function<void(std::uint64_t)> progress;  ///< called with the number of pairs read
  /// Called after the first pair is scored and before the second pair starts.
  std::function<void()> first_scored;
  /// Called with one line that names both clips if one of them ends before the other. The pictures
  /// that both have are scored all the same.
  std::function<void(const std::string&)> unequal;
};

/// Scores two clips. It reads both directly into the scorer's pictures and keeps all slots busy: it
/// waits for a slot only when it needs the slot's pictures again. `names` are the names of the
/// scorer's scores. A picture that one clip has lost (PictureSource::lost()) is left out of both.
/// Scoring ends where the shorter clip ends, as in the `vmaf` command. Throws Error (usage) as
/// check_same_format() does, and if there is no pair of pictures.
[[nodiscard]] ScoreTable score_clips(video::PictureSource& reference,
                                     video::PictureSource& distorted, PictureScorer& scorer,
                                     std::vector<std::string> names,
                                     const ScoreClipsOptions& options = {});

}  // namespace sidecore::metrics
