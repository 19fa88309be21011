// motion: libvmaf's values on its golden clips, the blur written as one sum of 25 products, and
// equal scores for any number of pictures in flight.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
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

namespace sidecore::test_motion {
namespace {

using metrics::FeatureRequest;
using test::ClipSource;
using test::Golden;
using test::Side;
using video::Chroma;
using video::PictureFormat;

std::vector<FeatureRequest> motion_requests() {
  return {metrics::parse_feature_request("motion=debug=true"),
          metrics::parse_feature_request("motion=motion_max_val=18"),
          metrics::parse_feature_request("motion=motion_max_val=18:motion_five_frame_window=true:"
                                         "motion_moving_average=true"),
          metrics::parse_feature_request("motion=motion_blend_factor=0.5:motion_blend_offset=4:"
                                         "motion_fps_weight=1.5"),
          metrics::parse_feature_request("motion=motion_force_zero=true")};
}

metrics::ScoreTable score(const PictureFormat& format, int pictures, metrics::KernelChoice kernels,
                          std::size_t threads, std::uint64_t subsample = 1) {
  const std::vector<FeatureRequest> requests = motion_requests();
  ClipSource reference(Side::reference, format, pictures);
  ClipSource distorted(Side::distorted, format, pictures);
  const auto scorer = metrics::make_host_scorer(format, requests, kernels, threads);
  metrics::ScoreClipsOptions options;
  options.subsample = subsample;
  return metrics::score_clips(reference, distorted, *scorer, metrics::output_names(requests),
                              options);
}

void expect_golden_motion(const Golden& golden, metrics::KernelChoice kernels) {
  const metrics::ScoreTable table = score(golden.format, golden.pictures, kernels, 3);
  ASSERT_EQ(table.pictures(), static_cast<std::size_t>(golden.pictures));
  for (std::size_t i = 0; i < table.names().size(); ++i) {
    EXPECT_TRUE(std::ranges::equal(table.column(i), golden.scores(table.names()[i])))
        << table.names()[i];
  }
}

class MotionGolden : public ::testing::TestWithParam<Golden> {};
TEST_P(MotionGolden, IsWhatLibvmafSays) {
  expect_golden_motion(GetParam(), metrics::scalar_kernels);
}
class MotionNeonGolden : public ::testing::TestWithParam<Golden> {};
TEST_P(MotionNeonGolden, IsWhatLibvmafSays) {
  expect_golden_motion(GetParam(), neon::kernels);
}
const auto kName = [](const auto& info) { return info.param.name; };
const auto kClips = ::testing::ValuesIn(test::load_goldens("integer_golden"));
INSTANTIATE_TEST_SUITE_P(Clips, MotionGolden, kClips, kName);
INSTANTIATE_TEST_SUITE_P(Clips, MotionNeonGolden, kClips, kName);

TEST(Motion, ScoresDoNotDependOnThreadsOrOnWhichPicturesAreScored) {
  const PictureFormat format{65, 49, {Chroma::c420, 8}};
  constexpr int kPictures = 11;
  const metrics::ScoreTable one = score(format, kPictures, metrics::scalar_kernels, 1);
  for (const std::size_t threads : {1U, 2U, 5U}) {
    for (const std::uint64_t step : {1U, 3U}) {
      const metrics::ScoreTable table =
          score(format, kPictures, metrics::scalar_kernels, threads, step);
      ASSERT_EQ(table.pictures(), (kPictures + step - 1) / step);
      for (std::size_t row = 0; row < table.pictures(); ++row) {
        EXPECT_EQ(table.number(row), row * step);
        for (std::size_t i = 0; i < table.names().size(); ++i) {
          EXPECT_EQ(table.column(i)[row], one.column(i)[row * step])
              << table.names()[i] << ", picture " << row * step << ", " << threads << " threads";
        }
      }
    }
  }
}

TEST(Motion, OfOnePictureIsNone) {
  const metrics::ScoreTable table =
      score({65, 49, {Chroma::c420, 8}}, 1, metrics::scalar_kernels, 2);
  ASSERT_EQ(table.pictures(), 1U);
  for (std::size_t i = 0; i < table.names().size(); ++i) EXPECT_EQ(table.column(i)[0], 0);
}

TEST(Motion, AClipKnowsNothingOfTheClipBefore) {
  Random random(20261123);
  const PictureFormat format{48, 40, {Chroma::c400, 8}};
  const std::vector requests{metrics::parse_feature_request("motion")};
  const auto scorer = metrics::make_host_scorer(format, requests, metrics::scalar_kernels, 1);
  for (int clip = 0; clip < 3; ++clip) {
    EXPECT_EQ(test::score(*scorer, test::random_scene(format, random)),
              std::vector<double>(3, 0.0));
  }
}

/// Returns the change from one picture to the next, from a kernel.
double change(metrics::KernelChoice kernels, const PictureFormat& format,
              const video::Picture& previous, const video::Picture& current) {
  const FeatureRequest request = metrics::parse_feature_request("motion");
  const auto kernel = kernels(metrics::family_of(*request.feature))(format, {&request, 1}, 1);
  std::vector<double> scores(request.outputs().size());
  const std::array earlier{&previous};
  CallingThread thread;
  kernel->score_in_clip(current, current, earlier, thread, scores);
  return scores.back();  // the sum of differences, which is a value and not yet a score
}

int mirrored(int i, int n) {
  return i < 0 ? -i : i >= n ? 2 * n - 2 - i : i;
}

/// Returns the same change from the formula. `Sample` is the format's sample type.
template <class Sample>
double literal_change(const PictureFormat& format, const video::Picture& previous,
                      const video::Picture& current) {
  constexpr std::array<std::int64_t, 5> kTaps{3571, 16004, 26386, 16004, 3571};
  const auto a = previous.plane<Sample>(0);
  const auto b = current.plane<Sample>(0);
  const int bits = format.pixel.bits;
  const auto column = [&](int x, int y) {
    std::int64_t sum = 0;
    for (int t = 0; t < 5; ++t) {
      const int row = mirrored(y + t - 2, format.height);
      sum += kTaps[static_cast<std::size_t>(t)] * (int{a.row(row)[x]} - int{b.row(row)[x]});
    }
    return (sum + (std::int64_t{1} << (bits - 1))) >> bits;
  };
  std::int64_t total = 0;
  for (int y = 0; y < format.height; ++y) {
    for (int x = 0; x < format.width; ++x) {
      std::int64_t sum = 32768;
      for (int t = 0; t < 5; ++t) {
        sum += kTaps[static_cast<std::size_t>(t)] * column(mirrored(x + t - 2, format.width), y);
      }
      total += std::abs(sum >> 16);
    }
  }
  return static_cast<double>(total) / 256.0 / (static_cast<double>(format.width) * format.height);
}

TEST(MotionNeon, AndTheDefinitionAreTheFormulaOnPicturesOfEveryKind) {
  Random random(20261124);
  for (int i = 0; i < 120; ++i) {
    constexpr std::array kDepths{8, 10, 12, 16};
    const PictureFormat format{static_cast<int>(3 + random.below(45)),
                               static_cast<int>(3 + random.below(45)),
                               {Chroma::c400, kDepths[random.below(4)]}};
    const test::Scene scene = test::random_scene(format, random);
    SCOPED_TRACE(fmt::format("{} {}", to_string(format), scene.content));
    const double expected =
        format.pixel.bits == 8
            ? literal_change<std::uint8_t>(format, scene.reference, scene.distorted)
            : literal_change<std::uint16_t>(format, scene.reference, scene.distorted);
    EXPECT_EQ(change(metrics::scalar_kernels, format, scene.reference, scene.distorted), expected);
    EXPECT_EQ(change(neon::kernels, format, scene.reference, scene.distorted), expected);
  }
}

TEST(MotionNeon, HoldsTheLargestDifferences) {
  // Pictures change from black to white and back, so that sums do not fit narrow lanes.
  for (const int bits : {8, 10, 12, 16}) {
    const PictureFormat format{37, 21, {Chroma::c400, bits}};
    video::Picture black(format);
    video::Picture white(format);
    test::scene::fill_flat(black, 0);
    test::scene::fill_flat(white, static_cast<std::uint32_t>(format.pixel.max_value()));
    for (const auto& [from, to] : {std::pair(&black, &white), std::pair(&white, &black)}) {
      const double expected = bits == 8 ? literal_change<std::uint8_t>(format, *from, *to)
                                        : literal_change<std::uint16_t>(format, *from, *to);
      EXPECT_GT(expected, 254);
      EXPECT_EQ(change(metrics::scalar_kernels, format, *from, *to), expected);
      EXPECT_EQ(change(neon::kernels, format, *from, *to), expected);
    }
  }
}

TEST(Motion, RefusesWhatItIsNotDefinedFor) {
  const FeatureRequest request = metrics::parse_feature_request("motion");
  EXPECT_EQ(test::error_text([&] {
              request.check({64, 48, {Chroma::c420, 9}});
            }),
            "motion is defined for 8, 10, 12 and 16 bits a sample, not for 9");
  EXPECT_EQ(test::error_text([&] {
              request.check({2, 48, {Chroma::c420, 8}});
            }),
            "motion needs pictures of at least 3x3 samples, not 2x48");
}

}  // namespace
}  // namespace sidecore::test_motion
