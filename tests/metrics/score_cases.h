// Pictures of the synthetic clip and libvmaf's scores of them.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "metrics/score_pair.h"
#include "video/synthetic_clip.h"

namespace sidecore::test {

struct ScoreCase {
  video::PictureFormat format;
  const char* request;
  std::vector<double> scores;  ///< libvmaf's, for the clip's second picture
};

/// Scores the cases with `kernels` and expects libvmaf's scores. They may differ by `most`, because
/// the mathematical functions of C libraries may differ in the last bit.
inline void expect_scores(metrics::KernelChoice kernels, const std::vector<ScoreCase>& cases,
                          double most) {
  for (const auto& [format, text, expected] : cases) {
    const video::SyntheticClip clip(format);
    const std::vector<double> scores = score_pair(kernels, metrics::parse_feature_request(text),
                                                  clip.reference(1), clip.distorted(1));
    ASSERT_EQ(scores.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(scores[i], expected[i], most) << to_string(format) << " " << text << " " << i;
    }
  }
}

}  // namespace sidecore::test
