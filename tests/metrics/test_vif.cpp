// vif: libvmaf's values on its golden clips, and NEON compared with the scalar definition.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/random.h"
#include "error_text.h"
#include "metrics/golden.h"
#include "metrics/random_scene.h"
#include "metrics/score_pair.h"
#include "neon/metrics/feature_kernels.h"
#include "video/synthetic_clip.h"

namespace sidecore::test_vif {
namespace {

using metrics::FeatureRequest;
using test::Golden;
using video::Chroma;
using video::PictureFormat;

/// Returns the requests that the models make: v0.6.1 and its NEG variant.
std::vector<FeatureRequest> vif_requests() {
  return {metrics::parse_feature_request("vif=debug=true"),
          metrics::parse_feature_request("vif=vif_enhn_gain_limit=1")};
}

void expect_golden_vif(const Golden& golden, metrics::KernelChoice kernels) {
  const video::SyntheticClip clip(golden.format);
  const int t = 2;
  const video::Picture reference = clip.reference(t);
  const video::Picture distorted = clip.distorted(t);
  for (const FeatureRequest& request : vif_requests()) {
    const std::vector<double> scores = test::score_pair(kernels, request, reference, distorted);
    const std::vector<std::string> names = request.outputs();
    for (std::size_t i = 0; i < names.size(); ++i) {
      EXPECT_EQ(scores[i], golden.scores(names[i])[t]) << names[i];
    }
  }
}

class VifGolden : public ::testing::TestWithParam<Golden> {};
TEST_P(VifGolden, IsWhatLibvmafSays) {
  expect_golden_vif(GetParam(), metrics::scalar_kernels);
}
class VifNeonGolden : public ::testing::TestWithParam<Golden> {};
TEST_P(VifNeonGolden, IsWhatLibvmafSays) {
  expect_golden_vif(GetParam(), neon::kernels);
}
const auto kName = [](const auto& info) { return info.param.name; };
const auto kClips = ::testing::ValuesIn(test::load_goldens("integer_golden"));
INSTANTIATE_TEST_SUITE_P(Clips, VifGolden, kClips, kName);
INSTANTIATE_TEST_SUITE_P(Clips, VifNeonGolden, kClips, kName);

TEST(VifNeon, IsTheDefinitionOnPicturesOfEveryKind) {
  Random random(20261126);
  const std::vector<FeatureRequest> requests = vif_requests();
  for (int i = 0; i < 80; ++i) {
    constexpr std::array kDepths{8, 10, 12, 16};
    const PictureFormat format{static_cast<int>(16 + random.below(90)),
                               static_cast<int>(16 + random.below(60)),
                               {Chroma::c400, kDepths[random.below(4)]}};
    const test::Scene scene = test::random_scene(format, random);
    SCOPED_TRACE(fmt::format("picture {}: {} {}", i, to_string(format), scene.content));
    const std::vector request{requests[random.below(2)]};
    test::expect_same_scores(
        request,
        test::score_pair(metrics::scalar_kernels, request[0], scene.reference, scene.distorted),
        test::score_pair(neon::kernels, request[0], scene.reference, scene.distorted));
  }
}

TEST(VifNeon, IsTheDefinitionAtBothEndsOfTheRange) {
  // Whole windows are black or white in one or both pictures. There, sums that NEON computes in 16
  // and 32 bits reach their limits. The last samples of each area differ a little.
  for (const int bits : {8, 10, 12, 16}) {
    const PictureFormat format{160, 80, {Chroma::c400, bits}};
    SCOPED_TRACE(to_string(format));
    const auto max = static_cast<std::uint32_t>(format.pixel.max_value());
    video::Picture reference(format);
    video::Picture distorted(format);
    const auto end = [&](bool white, int y) {
      const std::uint32_t change = y % 40 < 36 ? 0 : static_cast<std::uint32_t>(y % 3);
      return white ? max - change : change;
    };
    test::scene::for_each_sample(
        reference, [&](int x, int y, std::uint32_t) { return end(x / 40 % 2 == 1, y); });
    test::scene::for_each_sample(
        distorted, [&](int x, int y, std::uint32_t) { return end(x / 40 / 2 == 1, y + y / 40); });
    for (const FeatureRequest& request : vif_requests()) {
      test::expect_same_scores(
          std::vector{request},
          test::score_pair(metrics::scalar_kernels, request, reference, distorted),
          test::score_pair(neon::kernels, request, reference, distorted));
    }
  }
}

TEST(Vif, OfIdenticalPicturesIsOne) {
  const PictureFormat format{97, 66, {Chroma::c420, 8}};
  const video::Picture picture = video::SyntheticClip(format).reference(3);
  for (const double score : test::score_pair(
           metrics::scalar_kernels, metrics::parse_feature_request("vif"), picture, picture)) {
    EXPECT_NEAR(score, 1, 1e-3);
  }
}

TEST(Vif, RefusesWhatItIsNotDefinedFor) {
  const FeatureRequest request = metrics::parse_feature_request("vif");
  EXPECT_EQ(test::error_text([&] {
              request.check({64, 48, {Chroma::c420, 9}});
            }),
            "vif is defined for 8, 10, 12 and 16 bits a sample, not for 9");
  EXPECT_EQ(test::error_text([&] {
              request.check({64, 15, {Chroma::c420, 8}});
            }),
            "vif needs pictures of at least 16x16 samples, not 64x15");
}

}  // namespace
}  // namespace sidecore::test_vif
