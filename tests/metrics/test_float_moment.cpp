// float_moment: values of libvmaf 3.2.0 for pictures of the synthetic clip.
#include <gtest/gtest.h>

#include <vector>

#include "error_text.h"
#include "metrics/score_cases.h"
#include "neon/metrics/feature_kernels.h"

namespace sidecore::test_float_moment {
namespace {

using metrics::parse_feature_request;
using video::Chroma;

void expect_libvmafs_scores(metrics::KernelChoice kernels) {
  const std::vector<test::ScoreCase> cases{
      {{176, 144, {Chroma::c420, 8}},
       "float_moment",
       {128.01215277777777, 128.24794823232324, 17154.982954545456, 17202.347774621212}},
      {{176, 144, {Chroma::c420, 10}},
       "float_moment",
       {125.41964567550505, 125.55580216224747, 16712.710261797663, 16733.089574948706}},
      {{97, 65, {Chroma::c444, 12}},
       "float_moment",
       {115.0982256145916, 115.20190325138779, 13814.487117738898, 13827.977170896114}},
      {{176, 144, {Chroma::c420, 16}},
       "float_moment",
       {129.51874457465277, 129.65117976641415, 17904.067558912317, 17926.21087212996}}};
  test::expect_scores(kernels, cases, 0);
}

TEST(FloatMoment, IsWhatLibvmafSays) {
  expect_libvmafs_scores(metrics::scalar_kernels);
}
TEST(FloatMomentNeon, IsWhatLibvmafSays) {
  expect_libvmafs_scores(neon::kernels);
}

TEST(FloatMoment, RefusesDepthsForWhichItIsNotDefined) {
  EXPECT_EQ(test::error_text([] {
              parse_feature_request("float_moment").check({64, 48, {Chroma::c420, 9}});
            }),
            "float_moment is defined for 8, 10, 12 and 16 bits a sample, not for 9");
}

}  // namespace
}  // namespace sidecore::test_float_moment
