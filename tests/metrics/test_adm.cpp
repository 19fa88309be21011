// Tests of adm: libvmaf's values on its golden clips, and NEON compared with the scalar definition.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/random.h"
#include "error_text.h"
#include "metrics/adm_pictures.h"
#include "metrics/golden.h"
#include "metrics/random_scene.h"
#include "metrics/score_pair.h"
#include "neon/metrics/feature_kernels.h"
#include "video/synthetic_clip.h"

namespace sidecore::test_adm {
namespace {

using metrics::FeatureRequest;
using test::Golden;
using video::Chroma;
using video::PictureFormat;

/// Returns the requests that the models make: v0.6.1, its NEG variant, and v1 at all its view
/// distances.
std::vector<FeatureRequest> adm_requests() {
  const std::string v1 =
      "adm=adm_csf_mode=2:adm_dlm_weight=0.7:adm_enhn_gain_limit=1:adm_min_val=0.5:"
      "adm_noise_weight=0.02";
  return {metrics::parse_feature_request("adm=debug=true"),
          metrics::parse_feature_request("adm=adm_enhn_gain_limit=1.2:adm_norm_view_dist=4"),
          metrics::parse_feature_request(v1),
          metrics::parse_feature_request(v1 + ":adm_norm_view_dist=5"),
          metrics::parse_feature_request(v1 + ":adm_ref_display_height=2160")};
}

void expect_golden_adm(const Golden& golden, metrics::KernelChoice kernels) {
  const video::SyntheticClip clip(golden.format);
  for (const int t : {0, 2}) {
    const video::Picture reference = clip.reference(t);
    const video::Picture distorted = clip.distorted(t);
    for (const FeatureRequest& request : adm_requests()) {
      const std::vector<double> scores = test::score_pair(kernels, request, reference, distorted);
      const std::vector<std::string> names = request.outputs();
      for (std::size_t i = 0; i < names.size(); ++i) {
        EXPECT_EQ(scores[i], golden.scores(names[i])[static_cast<std::size_t>(t)])
            << names[i] << ", picture " << t;
      }
    }
  }
}

class AdmGolden : public ::testing::TestWithParam<Golden> {};
TEST_P(AdmGolden, IsWhatLibvmafSays) {
  expect_golden_adm(GetParam(), metrics::scalar_kernels);
}
class AdmNeonGolden : public ::testing::TestWithParam<Golden> {};
TEST_P(AdmNeonGolden, IsWhatLibvmafSays) {
  expect_golden_adm(GetParam(), neon::kernels);
}
const auto kName = [](const auto& info) { return info.param.name; };
const auto kClips = ::testing::ValuesIn(test::load_goldens("integer_golden"));
INSTANTIATE_TEST_SUITE_P(Clips, AdmGolden, kClips, kName);
INSTANTIATE_TEST_SUITE_P(Clips, AdmNeonGolden, kClips, kName);

void expect_same_of_neon(const FeatureRequest& request, const video::Picture& reference,
                         const video::Picture& distorted) {
  const std::vector requests{request};
  test::expect_same_scores(requests,
                           test::score_pair(metrics::scalar_kernels, request, reference, distorted),
                           test::score_pair(neon::kernels, request, reference, distorted));
}

TEST(AdmNeon, IsTheDefinitionOnPicturesOfEveryKind) {
  Random random(20261125);
  const std::vector<FeatureRequest> requests = adm_requests();
  for (int i = 0; i < 80; ++i) {
    constexpr std::array kDepths{8, 10, 12, 16};
    const PictureFormat format{static_cast<int>(33 + random.below(90)),
                               static_cast<int>(33 + random.below(60)),
                               {Chroma::c400, kDepths[random.below(4)]}};
    SCOPED_TRACE(fmt::format("picture {}: {}", i, to_string(format)));
    const FeatureRequest& request = requests[random.below(static_cast<std::uint32_t>(5))];
    const test::PicturePair pair =
        test::adm_pictures(format, test::kAdmContents[random.below(4)], random);
    expect_same_of_neon(request, pair.reference, pair.distorted);
    const test::Scene scene = test::random_scene(format, random);
    SCOPED_TRACE(scene.content);
    expect_same_of_neon(request, scene.reference, scene.distorted);
  }
}

TEST(Adm, IdenticalPicturesLoseNothing) {
  const PictureFormat format{97, 66, {Chroma::c420, 8}};
  const video::Picture picture = video::SyntheticClip(format).reference(3);
  const std::vector<double> scores = test::score_pair(
      metrics::scalar_kernels, metrics::parse_feature_request("adm"), picture, picture);
  // The restored value differs from the expected one, because fixed-point arithmetic rounds.
  EXPECT_NEAR(scores[0], 1, 1e-3);
  EXPECT_NEAR(scores[1], 0, 1e-3);
}

TEST(Adm, RefusesWhatItIsNotDefinedFor) {
  const auto refusal = [](const char* request, const PictureFormat& format) {
    return test::error_text([&] { metrics::parse_feature_request(request).check(format); });
  };
  const PictureFormat good{64, 48, {Chroma::c420, 8}};
  EXPECT_EQ(refusal("adm", {64, 48, {Chroma::c420, 9}}),
            "adm is defined for 8, 10, 12 and 16 bits a sample, not for 9");
  EXPECT_EQ(refusal("adm", {32, 48, {Chroma::c420, 8}}),
            "adm needs pictures of at least 33x33 samples, not 32x48");
  EXPECT_EQ(refusal("adm=adm_csf_mode=1", good), "adm: adm_csf_mode must be 0 or 2, not 1");
  EXPECT_EQ(refusal("adm=adm_norm_view_dist=1", good),
            "adm: adm_norm_view_dist 1 times adm_ref_display_height 1080 must be at least 3240");
  EXPECT_EQ(refusal("adm=adm_csf_mode=2:adm_norm_view_dist=4", good),
            "adm: adm_csf_mode 2 has no table for adm_norm_view_dist 4 with adm_ref_display_height "
            "1080");
}

}  // namespace
}  // namespace sidecore::test_adm
