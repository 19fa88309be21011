// psnr_hvs: libvmaf's values on its golden clips, and equal bits from every implementation.
// Large pictures take seconds under sanitizers and run the same code as small ones.
// ctest: unsanitized *Golden*/s1080_*:*Golden*/s576_8b*
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "base/thread_pool.h"
#include "metrics/families.h"
#include "metrics/golden.h"
#include "metrics/psnr_hvs.h"
#include "metrics/psnr_hvs_scene.h"
#include "metrics/score_pair.h"
#include "neon/metrics/families.h"
#include "neon/metrics/feature_kernels.h"
#include "neon/metrics/psnr_hvs.h"
#include "video/synthetic_clip.h"

namespace sidecore::test_psnr_hvs {
namespace {

using test::Golden;
using test::HvsContent;
using test::HvsScene;
using video::Chroma;

std::vector<double> score(metrics::KernelChoice kernels, const HvsScene& scene) {
  return test::score_pair(kernels, metrics::parse_feature_request("psnr_hvs"), scene.reference,
                          scene.distorted);
}

constexpr std::array kOutputs{"psnr_hvs_y", "psnr_hvs_cb", "psnr_hvs_cr", "psnr_hvs"};

void expect_golden_scores(const Golden& golden, metrics::KernelChoice kernels) {
  std::array<std::vector<double>, 4> expected;
  for (std::size_t i = 0; i < kOutputs.size(); ++i) expected[i] = golden.scores(kOutputs[i]);
  const video::SyntheticClip clip(golden.format);
  HvsScene scene{video::Picture(golden.format), video::Picture(golden.format)};
  for (int t = 0; t < golden.pictures; ++t) {
    clip.fill_reference(t, scene.reference);
    clip.fill_distorted(t, scene.reference, scene.distorted);
    const std::vector<double> scores = score(kernels, scene);
    ASSERT_EQ(scores.size(), kOutputs.size());
    for (std::size_t i = 0; i < kOutputs.size(); ++i) {
      // The last bit of log10 depends on the C library; all other operations are exact.
      EXPECT_EQ(scores[i], expected[i].at(static_cast<std::size_t>(t)))
          << kOutputs[i] << " of picture " << t;
    }
  }
}

class PsnrHvsGolden : public ::testing::TestWithParam<Golden> {};
TEST_P(PsnrHvsGolden, IsWhatLibvmafSays) {
  expect_golden_scores(GetParam(), metrics::scalar_kernels);
}

class PsnrHvsNeonGolden : public ::testing::TestWithParam<Golden> {};
TEST_P(PsnrHvsNeonGolden, IsWhatLibvmafSays) {
  expect_golden_scores(GetParam(), neon::kernels);
}

const auto kName = [](const auto& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(Clips, PsnrHvsGolden, ::testing::ValuesIn(test::load_goldens()), kName);
INSTANTIATE_TEST_SUITE_P(Clips, PsnrHvsNeonGolden, ::testing::ValuesIn(test::load_goldens()),
                         kName);

TEST(PsnrHvsNeon, RandomPicturesOfEveryFormatGiveTheScalarScores) {
  const std::uint64_t seed = 20261;
  Random random(seed);
  for (int i = 0; i < 200; ++i) {
    const video::PictureFormat format = test::random_hvs_format(160, random);
    const HvsContent content = test::kHvsContents[random.below(test::kHvsContents.size())];
    SCOPED_TRACE(fmt::format("seed {}, number {}: {}, content {}", seed, i, to_string(format),
                             static_cast<int>(content)));
    const HvsScene scene = test::make_hvs_scene(format, content, random());
    ASSERT_EQ(score(neon::kernels, scene), score(metrics::scalar_kernels, scene));
  }
}

// These rows have 1 to 40 blocks, which gives every number of lanes at the end of a run.
TEST(PsnrHvsNeon, EveryNumberOfColumnsGivesTheScalarScores) {
  for (int columns = 1; columns <= 40; ++columns) {
    const video::PictureFormat format{columns * 7 + 1 + columns % 7, 9, {Chroma::c444, 8}};
    ASSERT_EQ(metrics::hvs_grid(format, 0).columns, columns);
    const HvsScene scene =
        test::make_hvs_scene(format, HvsContent::noise, static_cast<std::uint64_t>(columns));
    ASSERT_EQ(score(neon::kernels, scene), score(metrics::scalar_kernels, scene)) << columns;
  }
}

TEST(PsnrHvsNeon, ThreadsThatShareRowsGiveTheScalarScores) {
  for (const std::size_t threads : {1U, 2U, 3U}) {
    ThreadPool pool(threads);
    for (const int height : {16, 300, 700}) {
      const HvsScene scene =
          test::make_hvs_scene({130, height, {Chroma::c420, 10}}, HvsContent::textured, threads);
      const auto kernel = neon::make_psnr_hvs(scene.reference.format(), {}, threads);
      std::vector<double> scores(4);
      for (int again = 0; again < 2; ++again) {
        pool.start([&](std::size_t, ThreadTeam& rows) {
              kernel->score(scene.reference, scene.distorted, rows, scores);
            })
            .wait();
        EXPECT_EQ(scores, score(metrics::scalar_kernels, scene)) << threads << " threads";
      }
    }
  }
}

/// Scalar definition of the sum: one addition after the other.
float add_serially(float sum, const std::vector<float>& terms) {
  for (std::size_t run = 0; run < terms.size(); run += neon::kHvsRunTerms) {
    for (std::size_t block = 0; block < neon::kHvsRunBlocks; ++block) {
      for (std::size_t i = 0; i < metrics::kHvsTerms; ++i) {
        sum += terms[run + i * neon::kHvsRunBlocks + block];
      }
    }
  }
  return sum;
}

// The terms are small multiples of a quarter of the last place of sums near 2^24. Half of them
// round, and many are ties, which depend on every earlier addition.
TEST(PsnrHvsNeon, TiesAreRoundedAsInTheSerialSum) {
  Random random(7);
  for (int i = 0; i < 300; ++i) {
    std::vector<float> terms(2 * neon::kHvsRunTerms);
    for (float& term : terms) term = static_cast<float>(random.below(8)) * 0.5F;
    const float start = std::ldexp(1.0F, 24) + static_cast<float>(2 * random.below(100));
    ASSERT_EQ(neon::hvs_add_in_order(start, terms), add_serially(start, terms)) << i;
  }
}

// These sums leave their binade, some of them several binades at once, starting from 0.
TEST(PsnrHvsNeon, BinadesAreLeftAsInTheSerialSum) {
  Random random(8);
  for (int i = 0; i < 300; ++i) {
    std::vector<float> terms(3 * neon::kHvsRunTerms);
    const std::uint32_t zeros = random.below(5);
    for (float& term : terms) {
      const int exponent = static_cast<int>(random.below(40)) - 20;
      term = random.below(4) < zeros ? 0 : std::ldexp(static_cast<float>(random() >> 8U), exponent);
    }
    ASSERT_EQ(neon::hvs_add_in_order(0, terms), add_serially(0, terms)) << i;
  }
}

// These sums are just below, at and above the end of a binade, in steps of one unit and of half a
// unit.
TEST(PsnrHvsNeon, TheEndOfABinadeIsReachedAsInTheSerialSum) {
  Random random(9);
  const float end = std::ldexp(1.0F, 25);
  for (std::uint32_t below = 0; below < 40; ++below) {
    for (int i = 0; i < 20; ++i) {
      std::vector<float> terms(neon::kHvsRunTerms);
      for (float& term : terms) {
        term = random.below(60) == 0 ? static_cast<float>(random.below(5)) : 0;
      }
      const float start = std::bit_cast<float>(std::bit_cast<std::uint32_t>(end) - below);
      ASSERT_EQ(neon::hvs_add_in_order(start, terms), add_serially(start, terms)) << below;
    }
  }
}

TEST(PsnrHvs, IdenticalPicturesAreInfinitelyGood) {
  const std::vector<double> infinite(4, std::numeric_limits<double>::infinity());
  for (const int bits : {8, 10, 12}) {
    const HvsScene scene =
        test::make_hvs_scene({70, 50, {Chroma::c420, bits}}, HvsContent::untouched, 3);
    EXPECT_EQ(score(metrics::scalar_kernels, scene), infinite);
    EXPECT_EQ(score(neon::kernels, scene), infinite);
  }
}

TEST(PsnrHvs, BlocksOverlapByASampleAndStayInsideThePlane) {
  struct Case {
    int size, blocks;
  };
  for (const auto& [size, blocks] : {Case{8, 1}, {14, 1}, {15, 2}, {21, 2}, {22, 3}, {1080, 154}}) {
    const metrics::HvsGrid grid = metrics::hvs_grid({size, size, {Chroma::c444, 8}}, 0);
    EXPECT_EQ(grid.columns, blocks) << size;
    EXPECT_EQ(grid.rows, blocks) << size;
  }
}

TEST(PsnrHvs, ChromaSizesAreRoundedDown) {
  const metrics::HvsGrid grid = metrics::hvs_grid({45, 31, {Chroma::c420, 8}}, 2);
  EXPECT_EQ(grid.width, 22);
  EXPECT_EQ(grid.height, 15);
  const metrics::HvsGrid tall = metrics::hvs_grid({45, 31, {Chroma::c422, 8}}, 1);
  EXPECT_EQ(tall.width, 22);
  EXPECT_EQ(tall.height, 31);
}

TEST(PsnrHvs, OneFlatStepIsADcErrorOfEightLevels) {
  // The distorted luma is one level brighter: every block's DC differs by 8, and nothing else
  // changes.
  HvsScene scene{video::Picture({64, 64, {Chroma::c420, 8}}),
                 video::Picture({64, 64, {Chroma::c420, 8}})};
  const auto luma = scene.distorted.plane<std::uint8_t>(0);
  for (int y = 0; y < luma.height; ++y) std::fill_n(luma.row(y), luma.width, std::uint8_t{1});
  const double weighted = 8 * 1.6193873005;
  const double error = weighted * weighted / 64 / (255.0 * 255);
  EXPECT_NEAR(score(metrics::scalar_kernels, scene)[0], -10 * std::log10(error), 1e-4);
}

TEST(PsnrHvsDct, FlatBlocksHaveDcOnly) {
  for (const int value : {0, 1, 255, 1023, 4095}) {
    metrics::HvsCoefficients samples{};
    samples.fill(value);
    metrics::HvsCoefficients coefficients = metrics::hvs_dct(samples);
    EXPECT_NEAR(coefficients[0], 8 * value, 1) << value;
    coefficients[0] = 0;
    EXPECT_EQ(coefficients, metrics::HvsCoefficients{}) << value;
  }
}

TEST(PsnrHvsDct, IsNearTheOrthonormalDctTimesEight) {
  Random random(11);
  metrics::HvsCoefficients samples{};
  for (auto& sample : samples) sample = static_cast<std::int32_t>(random.below(4096));
  const metrics::HvsCoefficients coefficients = metrics::hvs_dct(samples);
  const double pi = std::acos(-1.0);
  for (std::size_t u = 0; u < 8; ++u) {
    for (std::size_t v = 0; v < 8; ++v) {
      double sum = 0;
      for (std::size_t i = 0; i < 64; ++i) {
        const std::size_t in_row = i / 8;
        const auto row = static_cast<double>(in_row);
        const auto column = static_cast<double>(i % 8);
        sum += samples[i] * std::cos((2 * row + 1) * static_cast<double>(u) * pi / 16) *
               std::cos((2 * column + 1) * static_cast<double>(v) * pi / 16);
      }
      const double scale = (u == 0 ? std::sqrt(0.5) : 1) * (v == 0 ? std::sqrt(0.5) : 1) / 4;
      EXPECT_NEAR(coefficients[u * 8 + v], sum * scale, 8) << u << ", " << v;
    }
  }
}

TEST(PsnrHvs, RefusesWhatItIsNotDefinedFor) {
  const auto refused = [](const video::PictureFormat& format) {
    EXPECT_THROW(metrics::check_psnr_hvs(format), Error) << to_string(format);
  };
  for (const int bits : {9, 11, 14, 16}) refused({64, 64, {Chroma::c420, bits}});
  refused({64, 64, {Chroma::c400, 8}});
  refused({7, 64, {Chroma::c444, 8}});
  refused({64, 7, {Chroma::c444, 8}});
  refused({15, 64, {Chroma::c422, 8}});
  refused({64, 15, {Chroma::c420, 8}});
  EXPECT_NO_THROW(metrics::check_psnr_hvs({16, 16, {Chroma::c420, 8}}));
  EXPECT_NO_THROW(metrics::check_psnr_hvs({16, 8, {Chroma::c422, 10}}));
  EXPECT_NO_THROW(metrics::check_psnr_hvs({8, 8, {Chroma::c444, 12}}));
}

}  // namespace
}  // namespace sidecore::test_psnr_hvs
