// float_motion: libvmaf's values on its golden clips, NEON compared with the scalar definition, and
// the effect of options on a clip's changes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/random.h"
#include "error_text.h"
#include "metrics/golden.h"
#include "metrics/host_scorer.h"
#include "metrics/random_scene.h"
#include "metrics/score_clips.h"
#include "neon/metrics/feature_kernels.h"
#include "video/clip_source.h"

namespace sidecore::test_float_motion {
namespace {

using metrics::FeatureRequest;
using test::ClipSource;
using test::Golden;
using test::Side;
using video::Chroma;
using video::PictureFormat;

metrics::ScoreTable score(const PictureFormat& format, int pictures, const std::string& request,
                          metrics::KernelChoice kernels) {
  const std::vector requests{metrics::parse_feature_request(request)};
  ClipSource reference(Side::reference, format, pictures);
  ClipSource distorted(Side::distorted, format, pictures);
  const auto scorer = metrics::make_host_scorer(format, requests, kernels, 2);
  return metrics::score_clips(reference, distorted, *scorer, metrics::output_names(requests));
}

void expect_golden_float_motion(const Golden& golden, metrics::KernelChoice kernels) {
  const int pictures = std::min(golden.pictures, 4);
  const metrics::ScoreTable table = score(golden.format, pictures, "float_motion", kernels);
  ASSERT_EQ(table.names(), (std::vector<std::string>{"motion2", "motion3", "motion"}));
  // Longer clips leave out the last picture, because it has no next picture.
  const int known = golden.pictures == pictures ? pictures : pictures - 1;
  for (std::size_t i = 0; i < table.names().size(); ++i) {
    const std::vector<double> expected = golden.scores(table.names()[i]);
    for (int t = 0; t < known; ++t) {
      EXPECT_EQ(table.column(i)[static_cast<std::size_t>(t)], expected[static_cast<std::size_t>(t)])
          << table.names()[i] << " of picture " << t;
    }
  }
}

class FloatMotionGolden : public ::testing::TestWithParam<Golden> {};
TEST_P(FloatMotionGolden, IsWhatLibvmafSays) {
  expect_golden_float_motion(GetParam(), metrics::scalar_kernels);
}
class FloatMotionNeonGolden : public ::testing::TestWithParam<Golden> {};
TEST_P(FloatMotionNeonGolden, IsWhatLibvmafSays) {
  expect_golden_float_motion(GetParam(), neon::kernels);
}
const auto kName = [](const auto& info) { return info.param.name; };
const auto kClips = ::testing::ValuesIn(test::load_goldens());
INSTANTIATE_TEST_SUITE_P(Clips, FloatMotionGolden, kClips, kName);
INSTANTIATE_TEST_SUITE_P(Clips, FloatMotionNeonGolden, kClips, kName);

/// Returns the value of float_motion that `kernels` computes for `current` after `previous`.
double change(metrics::KernelChoice kernels, const video::Picture& previous,
              const video::Picture& current) {
  const FeatureRequest request = metrics::parse_feature_request("float_motion");
  const auto kernel =
      kernels(metrics::family_of(*request.feature))(current.format(), {&request, 1}, 1);
  std::vector<double> scores(request.outputs().size());
  const std::array earlier{&previous};
  CallingThread thread;
  kernel->score_in_clip(current, current, earlier, thread, scores);
  return scores.front();  // the change, which is a value and not yet a score
}

TEST(FloatMotionNeon, IsTheDefinitionOnPicturesOfEveryKind) {
  Random random(20261128);
  for (int i = 0; i < 120; ++i) {
    constexpr std::array kDepths{8, 10, 12, 16};
    const PictureFormat format{static_cast<int>(3 + random.below(70)),
                               static_cast<int>(3 + random.below(45)),
                               {Chroma::c400, kDepths[random.below(4)]}};
    const test::Scene scene = test::random_scene(format, random);
    SCOPED_TRACE(fmt::format("{} {}", to_string(format), scene.content));
    EXPECT_EQ(change(metrics::scalar_kernels, scene.reference, scene.distorted),
              change(neon::kernels, scene.reference, scene.distorted));
  }
}

TEST(FloatMotion, OptionsActOnTheSmallerChange) {
  const PictureFormat format{48, 40, {Chroma::c420, 8}};
  const metrics::ScoreTable plain = score(format, 5, "float_motion", metrics::scalar_kernels);
  const metrics::ScoreTable with =
      score(format, 5,
            "float_motion=debug=false:motion_fps_weight=1.5:motion_blend_factor=0.5:"
            "motion_blend_offset=4:motion_max_val=12",
            metrics::scalar_kernels);
  ASSERT_EQ(with.names(), (std::vector<std::string>{"motion2_mbf_0.5_mbo_4_mfw_1.5_mmxv_12",
                                                    "motion3_mbf_0.5_mbo_4_mfw_1.5_mmxv_12"}));
  for (std::size_t t = 0; t < 5; ++t) {
    const double weighed = plain.column(0)[t] * 1.5;
    EXPECT_EQ(with.column(0)[t], std::min(weighed, 12.0));
    const double known = t == 0 ? plain.column(2)[1] * 1.5 : weighed;
    EXPECT_EQ(with.column(1)[t], std::min(known * 0.5 + 0.5 * std::min(4.0, known), 12.0));
  }
}

TEST(FloatMotion, OfOnePictureAndForcedIsNone) {
  const PictureFormat format{48, 40, {Chroma::c420, 8}};
  for (const auto& [pictures, request] :
       {std::pair(1, "float_motion"), std::pair(3, "float_motion=motion_force_zero=true")}) {
    const metrics::ScoreTable table = score(format, pictures, request, metrics::scalar_kernels);
    for (std::size_t i = 0; i < table.names().size(); ++i) {
      EXPECT_TRUE(std::ranges::all_of(table.column(i), [](double v) { return v == 0; }));
    }
  }
}

TEST(FloatMotion, RefusesWhatItIsNotDefinedFor) {
  const FeatureRequest request = metrics::parse_feature_request("float_motion");
  EXPECT_EQ(test::error_text([&] {
              request.check({64, 48, {Chroma::c420, 9}});
            }),
            "float_motion is defined for 8, 10, 12 and 16 bits a sample, not for 9");
  EXPECT_EQ(test::error_text([&] {
              request.check({2, 48, {Chroma::c420, 8}});
            }),
            "float_motion needs pictures of at least 3x3 samples, not 2x48");
}

}  // namespace
}  // namespace sidecore::test_float_motion
