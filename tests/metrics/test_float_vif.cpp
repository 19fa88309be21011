// float_vif: libvmaf's values on its golden clips, and NEON compared with the scalar definition.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/random.h"
#include "error_text.h"
#include "metrics/golden.h"
#include "metrics/random_scene.h"
#include "metrics/score_pair.h"
#include "neon/metrics/feature_kernels.h"
#include "video/synthetic_clip.h"

namespace sidecore::test_float_vif {
namespace {

using metrics::FeatureRequest;
using test::Golden;
using video::Chroma;
using video::PictureFormat;

void expect_golden_float_vif(const Golden& golden, metrics::KernelChoice kernels) {
  const video::SyntheticClip clip(golden.format);
  const int t = 1;
  const FeatureRequest request = metrics::parse_feature_request("float_vif=debug=true");
  const std::vector<double> scores =
      test::score_pair(kernels, request, clip.reference(t), clip.distorted(t));
  const std::vector<std::string> names = request.outputs();
  ASSERT_EQ(names.size(), 15U);
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(scores[i], golden.scores(names[i])[t]) << names[i];
  }
}

class FloatVifGolden : public ::testing::TestWithParam<Golden> {};
TEST_P(FloatVifGolden, IsWhatLibvmafSays) {
  expect_golden_float_vif(GetParam(), metrics::scalar_kernels);
}
class FloatVifNeonGolden : public ::testing::TestWithParam<Golden> {};
TEST_P(FloatVifNeonGolden, IsWhatLibvmafSays) {
  expect_golden_float_vif(GetParam(), neon::kernels);
}
const auto kName = [](const auto& info) { return info.param.name; };
const auto kClips = ::testing::ValuesIn(test::load_goldens());
INSTANTIATE_TEST_SUITE_P(Clips, FloatVifGolden, kClips, kName);
INSTANTIATE_TEST_SUITE_P(Clips, FloatVifNeonGolden, kClips, kName);

TEST(FloatVifNeon, IsTheDefinitionOnPicturesOfEveryKind) {
  Random random(20261127);
  const std::vector<FeatureRequest> requests{
      metrics::parse_feature_request("float_vif=debug=true"),
      metrics::parse_feature_request("float_vif=vif_enhn_gain_limit=1:vif_sigma_nsq=0.3"),
      metrics::parse_feature_request("float_vif=vif_sigma_nsq=0:debug=true")};
  for (int i = 0; i < 80; ++i) {
    constexpr std::array kDepths{8, 10, 12, 16};
    const PictureFormat format{static_cast<int>(16 + random.below(90)),
                               static_cast<int>(16 + random.below(60)),
                               {Chroma::c400, kDepths[random.below(4)]}};
    const test::Scene scene = test::random_scene(format, random);
    SCOPED_TRACE(fmt::format("picture {}: {} {}", i, to_string(format), scene.content));
    const std::vector request{requests[random.below(3)]};
    test::expect_same_scores(
        request,
        test::score_pair(metrics::scalar_kernels, request[0], scene.reference, scene.distorted),
        test::score_pair(neon::kernels, request[0], scene.reference, scene.distorted));
  }
}

TEST(FloatVif, OfIdenticalPicturesIsOne) {
  const PictureFormat format{97, 66, {Chroma::c420, 8}};
  const video::Picture picture = video::SyntheticClip(format).reference(3);
  for (const double score :
       test::score_pair(metrics::scalar_kernels, metrics::parse_feature_request("float_vif"),
                        picture, picture)) {
    EXPECT_NEAR(score, 1, 1e-5);
  }
}

TEST(FloatVif, ScalesHaveALeastValueWhereAskedFor) {
  const PictureFormat format{64, 48, {Chroma::c420, 8}};
  const video::SyntheticClip clip(format);
  const auto scores = [&](const char* request) {
    return test::score_pair(metrics::scalar_kernels, metrics::parse_feature_request(request),
                            clip.reference(0), clip.distorted(0));
  };
  const std::vector<double> free = scores("float_vif");
  const std::vector<double> bound =
      scores("float_vif=vif_scale1_min_val=1:vif_scale2_min_val=0.001:vif_scale3_min_val=0.9999");
  EXPECT_EQ(bound[0], free[0]);
  EXPECT_LT(free[1], 1);
  EXPECT_EQ(bound[1], 1);
  EXPECT_EQ(bound[2], free[2]);
  EXPECT_EQ(bound[3], std::max(free[3], 0.9999));
}

TEST(FloatVif, RefusesWhatItIsNotDefinedFor) {
  const FeatureRequest request = metrics::parse_feature_request("float_vif");
  EXPECT_EQ(test::error_text([&] {
              request.check({64, 48, {Chroma::c420, 9}});
            }),
            "float_vif is defined for 8, 10, 12 and 16 bits a sample, not for 9");
  EXPECT_EQ(test::error_text([&] {
              request.check({64, 15, {Chroma::c420, 8}});
            }),
            "float_vif needs pictures of at least 16x16 samples, not 64x15");
}

}  // namespace
}  // namespace sidecore::test_float_vif
