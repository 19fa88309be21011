// Files of scores in the layouts of libvmaf.
#pragma once

#include <string>

#include "libvmaf/libvmaf.h"
#include "libvmaf/score_store.h"

namespace sidecore::libvmaf {

struct ScoreFileFacts {
  int width = 0;  ///< size of the pictures in luma samples
  int height = 0;
  unsigned pictures = 0;   ///< number of pairs that were read
  unsigned subsample = 1;  ///< n: pictures 0, n, 2n, ... are written
  double fps = 0;          ///< pairs that were scored per second
};

/// Returns a file's text: a row for each picture that has a score, and in XML and JSON also pooled
/// scores of the pictures from 0 on, where none lacks a score. Throws Error (usage) for an unknown
/// format.
[[nodiscard]] std::string format_scores(VmafOutputFormat format, const ScoreStore& scores,
                                        const ScoreFileFacts& facts);

}  // namespace sidecore::libvmaf
