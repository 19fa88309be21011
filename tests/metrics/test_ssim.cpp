// float_ssim and float_ms_ssim: libvmaf's values on its golden clips, and equal bits from every
// implementation.
// Large pictures take seconds under sanitizers and run the same code as small ones.
// ctest: unsanitized *Golden*/s1080_*:*Golden*/s576_8b*
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "base/thread_pool.h"
#include "metrics/certified_mean.h"
#include "metrics/decimation.h"
#include "metrics/families.h"
#include "metrics/golden.h"
#include "metrics/host_scorer.h"
#include "metrics/score_pair.h"
#include "metrics/ssim_kernel.h"
#include "metrics/ssim_scene.h"
#include "metrics/ssim_scores.h"
#include "neon/metrics/feature_kernels.h"
#include "neon/metrics/ssim.h"
#include "neon/metrics/ssim_decimation.h"
#include "neon/metrics/ssim_similarity.h"
#include "neon/metrics/ssim_strip.h"
#include "video/synthetic_clip.h"

namespace sidecore::test_ssim {
namespace {

using metrics::FeatureRequest;
using metrics::FloatPlane;
using metrics::parse_feature_request;
using test::Golden;

/// Requests both features at once, as one user request does.
std::vector<FeatureRequest> golden_requests() {
  return {parse_feature_request("float_ssim=enable_lcs=true"),
          parse_feature_request("float_ms_ssim=enable_lcs=true")};
}

void expect_golden_scores(const Golden& golden, metrics::KernelChoice kernels, int most_pictures) {
  const std::vector<FeatureRequest> requests = golden_requests();
  const std::vector<std::string> names = metrics::output_names(requests);
  const auto kernel = kernels(metrics::family_of(*requests[0].feature))(golden.format, requests, 1);
  const video::SyntheticClip clip(golden.format);
  video::Picture reference(golden.format);
  video::Picture distorted(golden.format);
  CallingThread thread;
  std::vector<double> scores(names.size());
  std::vector<std::vector<double>> expected(names.size());
  std::ranges::transform(names, expected.begin(),
                         [&](const std::string& name) { return golden.scores(name); });
  for (int t = 0; t < std::min(golden.pictures, most_pictures); ++t) {
    clip.fill_reference(t, reference);
    clip.fill_distorted(t, reference, distorted);
    kernel->score(reference, distorted, thread, scores);
    for (std::size_t i = 0; i < names.size(); ++i) {
      EXPECT_EQ(scores[i], expected[i][static_cast<std::size_t>(t)])
          << names[i] << ", picture " << t;
    }
  }
}

class SsimGolden : public ::testing::TestWithParam<Golden> {};
TEST_P(SsimGolden, IsWhatLibvmafSays) {
  expect_golden_scores(GetParam(), metrics::scalar_kernels, 48);
}

class SsimNeonGolden : public ::testing::TestWithParam<Golden> {};
TEST_P(SsimNeonGolden, IsWhatLibvmafSays) {
  expect_golden_scores(GetParam(), neon::kernels, 2);
}

const auto kName = [](const auto& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(Clips, SsimGolden, ::testing::ValuesIn(test::load_goldens()), kName);
INSTANTIATE_TEST_SUITE_P(Clips, SsimNeonGolden, ::testing::ValuesIn(test::load_goldens()), kName);

std::vector<double> scores_of(metrics::KernelChoice kernels, const std::string& request,
                              const test::SsimScene& scene) {
  return test::score_pair(kernels, parse_feature_request(request), scene.reference,
                          scene.distorted);
}

/// Converts scores to bits for comparisons: NaN equals itself, and -0 differs from 0.
std::vector<std::uint64_t> bits_of(const std::vector<double>& scores) {
  std::vector<std::uint64_t> bits(scores.size());
  std::ranges::transform(scores, bits.begin(),
                         [](double score) { return std::bit_cast<std::uint64_t>(score); });
  return bits;
}

class SsimNeon : public ::testing::TestWithParam<int> {};

TEST_P(SsimNeon, RandomSizesAndScalesGiveTheScalarScores) {
  const std::uint64_t seed = 7;
  Random random(seed);
  for (int i = 0; i < 60; ++i) {
    const test::SsimScene scene = test::random_ssim_scene(random, GetParam(), 11, 200);
    SCOPED_TRACE(fmt::format("seed {}, number {}: {}", seed, i, scene.description));
    const int scale = scene.random_scale(random);
    const std::string request = fmt::format("float_ssim=enable_lcs=true:scale={}", scale);
    EXPECT_EQ(bits_of(scores_of(neon::kernels, request, scene)),
              bits_of(scores_of(metrics::scalar_kernels, request, scene)))
        << request;
  }
}

TEST_P(SsimNeon, RandomSizesGiveTheScalarScoresOnEveryLevel) {
  const std::uint64_t seed = 8;
  Random random(seed);
  for (int i = 0; i < 8; ++i) {
    const test::SsimScene scene = test::random_ssim_scene(random, GetParam(), 176, 300);
    SCOPED_TRACE(fmt::format("seed {}, number {}: {}", seed, i, scene.description));
    const std::string request = "float_ms_ssim=enable_lcs=true";
    EXPECT_EQ(bits_of(scores_of(neon::kernels, request, scene)),
              bits_of(scores_of(metrics::scalar_kernels, request, scene)));
  }
}

TEST_P(SsimNeon, SumsInTheDefinitionsOrderGiveTheScalarMeans) {
  Random random(9);
  const test::SsimScene scene = test::random_ssim_scene(random, GetParam(), 80, 150);
  const video::PictureFormat& format = scene.reference.format();
  FloatPlane a(format.width, format.height);
  FloatPlane b(format.width, format.height);
  metrics::luma_to_float(scene.reference, a.view());
  metrics::luma_to_float(scene.distorted, b.view());
  const auto views = [&](auto&& compute) {
    return compute(std::as_const(a).view(), std::as_const(b).view());
  };
  const metrics::SsimMeans expected = views(metrics::Ssim(format.width, format.height));
  neon::Ssim ssim(format.width, 1);
  const auto in_raster_order = [&](auto p, auto q) {
    metrics::SsimMeans means;
    for (std::size_t part = 0; part < metrics::kSsimMeans.size(); ++part) {
      means.*metrics::kSsimMeans[part] =
          ssim.in_raster_order(p, q, static_cast<metrics::SsimPart>(part));
    }
    return means;
  };
  EXPECT_EQ(views(in_raster_order), expected);
  if (GetParam() != 8) return;
  EXPECT_EQ(in_raster_order(std::as_const(scene.reference).plane<std::uint8_t>(0),
                            std::as_const(scene.distorted).plane<std::uint8_t>(0)),
            expected);
}

TEST_P(SsimNeon, ScoresDoNotDependOnThreads) {
  Random random(10);
  const test::SsimScene scene = test::random_ssim_scene(random, GetParam(), 300, 500);
  const std::vector<FeatureRequest> requests = {
      parse_feature_request("float_ssim=enable_lcs=true:scale=3"),
      parse_feature_request("float_ms_ssim=enable_lcs=true")};
  const auto score = [&](std::size_t threads, ThreadTeam& team) {
    const auto kernel = neon::kernels(metrics::family_of(*requests[0].feature))(
        scene.reference.format(), requests, threads);
    std::vector<double> scores(20);
    kernel->score(scene.reference, scene.distorted, team, scores);
    return bits_of(scores);
  };
  CallingThread alone;
  const auto expected = score(1, alone);
  ThreadPool pool(3);
  auto task =
      pool.start([&](std::size_t, ThreadTeam& team) { EXPECT_EQ(score(3, team), expected); });
  task.wait();
}

FloatPlane plane_of(int width, int height, auto&& sample) {
  FloatPlane plane(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) plane.view().row(y)[x] = sample(x, y);
  }
  return plane;
}

/// Compares the moments of four columns' windows, bit for bit.
void expect_equal_moments(const neon::SsimStrip::Moments& found, metrics::Ssim& scalar, int left,
                          int columns, int first, int height) {
  constexpr int kReach = metrics::kSsimWindow - 1;
  for (int r = std::max(0, kReach - first); r < std::min(kReach + 1, height - first); ++r) {
    for (int x = 0; x < columns; ++x) {
      const metrics::WindowMoments expected = scalar.moments(left + x, first + r - kReach);
      const float all[] = {expected.mean_a, expected.mean_b, expected.square_a, expected.square_b,
                           expected.product};
      for (std::size_t moment = 0; moment < std::size(all); ++moment) {
        const float one = found[moment][static_cast<std::size_t>(r)][static_cast<std::size_t>(x)];
        ASSERT_EQ(std::bit_cast<std::uint32_t>(one), std::bit_cast<std::uint32_t>(all[moment]))
            << "moment " << moment << " of the window at " << left + x << ", "
            << first + r - kReach;
      }
    }
  }
}

/// Compares the moments of all windows of two planes with those of `scalar`, strip by strip.
template <class Sample>
void expect_scalar_moments(video::PlaneView<const Sample> a, video::PlaneView<const Sample> b,
                           metrics::Ssim& scalar) {
  using neon::SsimStrip;
  const int width = a.width - metrics::kSsimWindow + 1;
  const auto strip = std::make_unique<SsimStrip>();
  for (int left = 0; left < width; left += SsimStrip::kColumns) {
    const int columns = std::min(SsimStrip::kColumns, width - left);
    for (int first = 0; first < a.height; first += SsimStrip::kRows) {
      strip->advance(a, b, left, columns, first);
      for (int x = 0; x < columns; x += 4) {
        const SsimStrip::Moments& found = strip->next_four();
        ASSERT_NO_FATAL_FAILURE(expect_equal_moments(found, scalar, left + x,
                                                     std::min(4, columns - x), first, a.height));
      }
    }
  }
}

void expect_scalar_moments(const FloatPlane& a, const FloatPlane& b) {
  metrics::Ssim scalar(a.view().width, a.view().height);
  (void)scalar(a.view(), b.view());
  expect_scalar_moments(a.view(), b.view(), scalar);
}

// These samples have either sign, or are so small that products are subnormal in binary32.
TEST(SsimNeonMoments, AreTheScalarOnesWhateverTheSamples) {
  Random random(15);
  const auto any_bits = [&] { return static_cast<float>(random.below(1U << 24)); };
  for (const float odd_one :
       {0.0F, -0.0F, -1.0F, 0x1p-149F, -0x1p-149F, 0x1.8p-70F, -0x1p-63F, 0x1p60F, -0x1p60F}) {
    for (const float unit : {0x1p-16F, 0x1p-24F, 0x1p-149F, 0x1p36F}) {
      SCOPED_TRACE(fmt::format("{} among samples below {}", odd_one, unit * 0x1p24F));
      const auto ordinary = [&](int, int) { return any_bits() * unit; };
      FloatPlane a = plane_of(131, 37, ordinary);
      const FloatPlane b = plane_of(131, 37, ordinary);
      for (int i = 0; i < 3; ++i) {
        const auto x = static_cast<int>(random.below(131));
        a.view().row(11 + static_cast<int>(random.below(11)))[x] = odd_one;
      }
      expect_scalar_moments(a, b);
      expect_scalar_moments(b, a);
    }
  }
}

// These rows have 1 to 114 windows, which cover every width of a single strip; some have two or
// three strips.
TEST(SsimNeonMoments, OfBytesAreTheScalarOnes) {
  Random random(16);
  std::vector<int> widths(114);
  std::iota(widths.begin(), widths.end(), 11);
  widths.insert(widths.end(), {209, 210, 211, 230});
  for (const std::uint32_t most : {1U, 30U, 255U}) {
    for (const int width : widths) {
      SCOPED_TRACE(fmt::format("up to {}, {} wide", most, width));
      constexpr int kHeight = 25;
      const auto bytes = [&] {
        std::vector<std::uint8_t> all(static_cast<std::size_t>(width) * kHeight);
        for (std::uint8_t& byte : all) byte = static_cast<std::uint8_t>(random.below(most + 1));
        return all;
      };
      const auto view = [&](const std::vector<std::uint8_t>& all) {
        return video::PlaneView<const std::uint8_t>{all.data(), width, kHeight, width};
      };
      const auto floats = [&](const std::vector<std::uint8_t>& all) {
        FloatPlane plane(width, kHeight);
        metrics::to_float(view(all), plane.view());
        return plane;
      };
      const std::vector<std::uint8_t> a = bytes();
      const std::vector<std::uint8_t> b = bytes();
      const FloatPlane float_a = floats(a);
      const FloatPlane float_b = floats(b);
      metrics::Ssim scalar(width, kHeight);
      (void)scalar(float_a.view(), float_b.view());
      expect_scalar_moments(view(a), view(b), scalar);
      expect_scalar_moments(float_a, float_b);
    }
  }
}

// The result's sign differs because the scalar definition adds -0 to 0; no mean depends on it.
TEST(SsimNeonMoments, OfNothingButNegativeZeroDifferInTheirSignAlone) {
  for (const float sample : {-0.0F, -0x1p-149F}) {
    const FloatPlane a = plane_of(40, 30, [&](int, int) { return sample; });
    const FloatPlane b = plane_of(40, 30, [&](int x, int y) { return static_cast<float>(x + y); });
    metrics::Ssim scalar(40, 30);
    const metrics::SsimMeans expected = scalar(a.view(), b.view());
    neon::SsimStrip strip;
    strip.advance(a.view(), b.view(), 0, 30, 0);
    const metrics::WindowMoments first = scalar.moments(0, 0);
    const float all[] = {first.mean_a, first.mean_b, first.square_a, first.square_b, first.product};
    const neon::SsimStrip::Moments& found = strip.next_four();
    for (std::size_t moment = 0; moment < std::size(all); ++moment) {
      EXPECT_EQ(found[moment][metrics::kSsimWindow - 1][0], all[moment]) << "moment " << moment;
    }
    CallingThread thread;
    EXPECT_EQ(neon::Ssim(40, 1)(a.view(), b.view(), {true, true, true, true}, thread), expected);
  }
}

// This test checks properties on which the proof of the means relies.
TEST(SsimNeonWindows, SimilaritiesAreThoseOfTheDefinitionToWithinTheirBound) {
  Random random(17);
  const auto below = [&](float most) {
    return static_cast<float>(random.below(1U << 24)) * 0x1p-24F * most;
  };
  for (int i = 0; i < 20000; ++i) {
    std::array<metrics::WindowMoments, 4> windows;
    std::array<std::array<float, 4>, 5> lanes;
    metrics::WindowSimilarity expected{};
    double structures = 0;
    for (std::size_t lane = 0; lane < windows.size(); ++lane) {
      const float a = below(256);
      const float b = random.below(2) != 0 ? below(256) : a + below(4);
      const float deviation_a = random.below(4) != 0 ? below(60) : 0;
      const float deviation_b = random.below(4) != 0 ? below(60) : 0;
      const float correlation = below(2) - 1;
      windows[lane] = {a, b, a * a + deviation_a * deviation_a, b * b + deviation_b * deviation_b,
                       a * b + correlation * deviation_a * deviation_b};
      const metrics::WindowMoments& window = windows[lane];
      const float all[] = {window.mean_a, window.mean_b, window.square_a, window.square_b,
                           window.product};
      for (std::size_t moment = 0; moment < lanes.size(); ++moment) {
        lanes[moment][lane] = all[moment];
      }
      const metrics::WindowSimilarity one = metrics::window_similarity(window);
      expected.luminance += one.luminance;
      expected.contrast += one.contrast;
      expected.structure += one.structure;
      expected.ssim += one.ssim;
      structures = std::max(structures, std::abs(one.structure));
    }
    const auto four = [&](std::size_t moment) { return vld1q_f32(lanes[moment].data()); };
    const neon::FourWindows vectors(four(0), four(1), four(2), four(3), four(4));
    const neon::SimilarityLanes all = neon::similarities<neon::Similarities::all>(vectors);
    const neon::SimilarityLanes ssim = neon::similarities<neon::Similarities::ssim>(vectors);
    const neon::SimilarityLanes cs =
        neon::similarities<neon::Similarities::contrast_structure>(vectors);
    const double error = 4 * neon::kSimilarityError;
    ASSERT_NEAR(vaddvq_f64(all.luminance), expected.luminance, error);
    ASSERT_NEAR(vaddvq_f64(all.contrast), expected.contrast, error);
    ASSERT_NEAR(vaddvq_f64(cs.contrast), expected.contrast, error);
    ASSERT_NEAR(vaddvq_f64(all.structure), expected.structure, 4 * structures * 0x1p-52);
    ASSERT_NEAR(vaddvq_f64(cs.structure), expected.structure, 4 * structures * 0x1p-52);
    ASSERT_NEAR(vaddvq_f64(all.ssim), expected.ssim, error * std::max(1.0, structures));
    ASSERT_NEAR(vaddvq_f64(ssim.ssim), expected.ssim, error * std::max(1.0, structures));
  }
}

/// Returns the product of a window's similarities in flat planes with these samples.
double flat_similarity(float a, float b) {
  const auto flat = [](float sample) {
    return plane_of(metrics::kSsimWindow, metrics::kSsimWindow, [&](int, int) { return sample; });
  };
  metrics::Ssim ssim(metrics::kSsimWindow, metrics::kSsimWindow);
  (void)ssim(flat(a).view(), flat(b).view());
  return metrics::window_similarity(ssim.moments(0, 0)).ssim;
}

// All windows of flat planes are equal, so their mean is as close to the middle of two binary32
// numbers as one window's value.
TEST(SsimNeon, AMeanThatTheBoundLeavesOpenIsAddedUpInTheDefinitionsOrder) {
  constexpr int kSide = 150;
  Random random(18);
  const auto sample = [&] { return static_cast<float>(random.below(1U << 16)) * 0x1p-8F; };
  int found = 0;
  for (int tries = 0; found < 3; ++tries) {
    ASSERT_LT(tries, 1000000);
    const float a = sample();
    const float b = sample();
    const double one = flat_similarity(a, b);
    constexpr double kNear = 0x1p-41;
    if (static_cast<float>(one - kNear) == static_cast<float>(one + kNear)) continue;
    ++found;
    const FloatPlane plane_a = plane_of(kSide, kSide, [&](int, int) { return a; });
    const FloatPlane plane_b = plane_of(kSide, kSide, [&](int, int) { return b; });
    metrics::Ssim scalar(kSide, kSide);
    neon::Ssim ssim(kSide, 1);
    CallingThread thread;
    const metrics::SsimMeans means =
        ssim(std::as_const(plane_a).view(), std::as_const(plane_b).view(), {.ssim = true}, thread);
    EXPECT_EQ(means.ssim, scalar(plane_a.view(), plane_b.view()).ssim);
    EXPECT_EQ(ssim.undecided_means(), 1U);
  }
}

// Sums of ordinary samples are exact in any order; sums with tiny samples, or samples larger than
// any picture's, are not. Two opposite samples left and right of a result cancel, and leave the
// rounding error that depends on the order.
TEST(SsimNeonHalving, GivesTheScalarPlanesWhateverTheSamples) {
  Random random(14);
  for (const float odd_one : {0.0F, 0x1p-8F, 0x1.fffffep-9F, -0x1p-60F, 0x1p9F, -0x1p40F}) {
    for (int i = 0; i < 8; ++i) {
      const int width = 9 + static_cast<int>(random.below(52));
      const int height = 9 + static_cast<int>(random.below(52));
      FloatPlane from(width, height);
      for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
          from.view().row(y)[x] = static_cast<float>((1U << 8) + random.below(1U << 24)) * 0x1p-16F;
        }
      }
      float* const odd_row =
          from.view().row(static_cast<int>(random.below(static_cast<std::uint32_t>(height))));
      const std::uint32_t result = 1 + random.below(static_cast<std::uint32_t>(width) / 2 - 1);
      odd_row[2 * result - 1] = odd_one;
      odd_row[2 * result + 1] = -odd_one;
      FloatPlane expected(metrics::decimated_size(width, 2), metrics::decimated_size(height, 2));
      FloatPlane halved = expected;
      metrics::halve(std::as_const(from).view(), expected.view());
      CallingThread thread;
      neon::SsimDecimation(width, 1).halve(std::as_const(from).view(), halved.view(), thread);
      for (int y = 0; y < expected.view().height; ++y) {
        for (int x = 0; x < expected.view().width; ++x) {
          ASSERT_EQ(std::bit_cast<std::uint32_t>(halved.view().row(y)[x]),
                    std::bit_cast<std::uint32_t>(expected.view().row(y)[x]))
              << odd_one << " in " << width << "x" << height << " at " << x << ", " << y;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Bits, SsimNeon, ::testing::Values(8, 10, 12, 16));

TEST(Ssim, RequestsOfDifferentScalesShareOneKernel) {
  Random random(11);
  const test::SsimScene scene = test::random_ssim_scene(random, 8, 200, 260);
  const std::vector<std::string> texts = {"float_ms_ssim", "float_ssim=scale=1",
                                          "float_ssim=scale=2"};
  std::vector<FeatureRequest> requests;
  std::vector<double> expected;
  for (const std::string& text : texts) {
    requests.push_back(parse_feature_request(text));
    expected.push_back(scores_of(metrics::scalar_kernels, text, scene).at(0));
  }
  for (const auto kernels : {metrics::scalar_kernels, neon::kernels}) {
    const auto kernel =
        kernels(metrics::family_of(*requests[0].feature))(scene.reference.format(), requests, 1);
    std::vector<double> scores(texts.size());
    CallingThread thread;
    kernel->score(scene.reference, scene.distorted, thread, scores);
    EXPECT_EQ(scores, expected);
  }
}

TEST(Ssim, IdenticalPicturesScoreOne) {
  Random random(12);
  test::SsimScene scene = test::random_ssim_scene(random, 8, 176, 200);
  scene.distorted = scene.reference;
  for (const auto kernels : {metrics::scalar_kernels, neon::kernels}) {
    EXPECT_EQ(scores_of(kernels, "float_ssim", scene), std::vector{1.0});
    EXPECT_EQ(scores_of(kernels, "float_ms_ssim", scene), std::vector{1.0});
    EXPECT_EQ(scores_of(kernels, "float_ssim=enable_db=true", scene),
              std::vector{std::numeric_limits<double>::infinity()});
    const double pixels =
        static_cast<double>(scene.reference.format().width) * scene.reference.format().height;
    EXPECT_EQ(scores_of(kernels, "float_ms_ssim=enable_db=true:clip_db=true", scene),
              std::vector{std::ceil(10 * std::log10(255.0 * 255 / (0.5 / pixels)))});
  }
}

TEST(Ssim, DecibelsAreThoseOfTheScoreAndLeaveTheMeansAlone) {
  Random random(13);
  const test::SsimScene scene = test::random_ssim_scene(random, 10, 176, 200);
  const auto plain = scores_of(metrics::scalar_kernels, "float_ssim=enable_lcs=true", scene);
  const auto decibel =
      scores_of(metrics::scalar_kernels, "float_ssim=enable_lcs=true:enable_db=true", scene);
  EXPECT_EQ(decibel[0], -10 * std::log10(1 - plain[0]));
  EXPECT_TRUE(std::equal(plain.begin() + 1, plain.end(), decibel.begin() + 1));
}

TEST(Ssim, TheAutomaticScaleIsTheShorterSideOverTwoHundredAndFiftySix) {
  EXPECT_EQ(metrics::automatic_ssim_scale(576, 324), 1);
  EXPECT_EQ(metrics::automatic_ssim_scale(600, 383), 1);
  EXPECT_EQ(metrics::automatic_ssim_scale(600, 384), 2);
  EXPECT_EQ(metrics::automatic_ssim_scale(1280, 720), 3);
  EXPECT_EQ(metrics::automatic_ssim_scale(1920, 1080), 4);
  EXPECT_EQ(metrics::automatic_ssim_scale(3840, 2160), 8);
  EXPECT_EQ(metrics::automatic_ssim_scale(100, 100), 1);
}

TEST(Ssim, PicturesSmallerThanTheWindowAreRefused) {
  const auto refuses = [](const std::string& request, int width, int height, int bits) {
    const video::PictureFormat format{width, height, {video::Chroma::c420, bits}};
    try {
      parse_feature_request(request).check(format);
      return false;
    } catch (const Error& error) {
      return error.kind() == ErrorKind::usage;
    }
  };
  EXPECT_TRUE(refuses("float_ssim", 10, 11, 8));
  EXPECT_FALSE(refuses("float_ssim", 11, 11, 8));
  EXPECT_TRUE(refuses("float_ssim=scale=2", 21, 20, 8));
  EXPECT_FALSE(refuses("float_ssim=scale=2", 21, 22, 8));
  EXPECT_TRUE(refuses("float_ssim=scale=10", 300, 100, 8));
  EXPECT_FALSE(refuses("float_ssim=scale=10", 300, 101, 8));
  EXPECT_TRUE(refuses("float_ms_ssim", 175, 400, 8));
  EXPECT_TRUE(refuses("float_ms_ssim", 400, 175, 8));
  EXPECT_FALSE(refuses("float_ms_ssim", 176, 176, 8));
  for (const char* const feature : {"float_ssim", "float_ms_ssim"}) {
    for (const int bits : {9, 11, 14}) EXPECT_TRUE(refuses(feature, 300, 300, bits)) << bits;
    for (const int bits : {8, 10, 12, 16}) EXPECT_FALSE(refuses(feature, 300, 300, bits)) << bits;
  }
}

TEST(CertifiedMean, ARoundingThatIsOpenIsNotCertified) {
  constexpr std::uint64_t kTerms = 1000;
  const double tie = 0.75 + 0x1p-25;  // a tie: half way between two binary32 numbers
  const auto mean = [](double value, double error) {
    return metrics::certified_mean({value * kTerms, error, 1.0}, kTerms);
  };
  EXPECT_EQ(mean(0.75, 1e-9), 0.75F);
  EXPECT_EQ(mean(tie, 0), std::nullopt);
  EXPECT_EQ(mean(tie + 1e-12, 0), std::nextafter(0.75F, 1.F));
  EXPECT_EQ(mean(tie + 1e-12, 2e-9), std::nullopt);
}

TEST(CertifiedMean, ATieIsRoundedToEvenWhenTheSumIsTheDefinitionsOwn) {
  constexpr std::uint64_t kTerms = 390;
  for (const float even : {0.75F, 0.75F + 0x1p-23F}) {
    for (const double tie : {even - 0x1p-25, even + 0x1p-25}) {
      const metrics::BoundedSum own{tie * kTerms, 0, 1.0};
      EXPECT_EQ(metrics::certified_mean_of_serial(own, kTerms), even);
      const metrics::BoundedSum near{tie * kTerms, 0x1p-50, 1.0};
      EXPECT_EQ(metrics::certified_mean_of_serial(near, kTerms), std::nullopt);
    }
  }
}

TEST(CertifiedMean, TheErrorOfASerialSumIsBoundedByThatOfItsPartialSums) {
  for (const std::uint64_t terms : {1U, 2U, 3U, 1000U, 1U << 20U, 1999999U}) {
    for (const double largest : {1.0, 1.0 + 0x1p-20, 0.7, 3.0}) {
      double bound = 0;
      for (std::uint64_t k = 1; k <= terms; ++k) {
        bound += std::exp2(std::ilogb(static_cast<double>(k) * largest) - 53);
      }
      EXPECT_GE(metrics::serial_sum_error(terms, largest), bound) << terms << " of " << largest;
      // The limit is larger than the bound, because a sum that reaches a power of two may be
      // rounded as larger sums are.
      EXPECT_LE(metrics::serial_sum_error(terms, largest), bound * 1.001 + 3 * largest * 0x1p-53);
    }
  }
}

// The values are recomputed all at once, and each alone.
TEST(Ssim, RecomputationGivesTheSameMeansOneByOne) {
  Random random(19);
  for (const int bits : {8, 10}) {
    const test::SsimScene scene = test::random_ssim_scene(random, bits, 180, 230);
    SCOPED_TRACE(scene.description);
    const std::vector<FeatureRequest> requests = {
        parse_feature_request("float_ms_ssim=enable_lcs=true"),
        parse_feature_request("float_ssim=enable_lcs=true:scale=3"),
        parse_feature_request("float_ssim=enable_lcs=true:scale=2")};
    std::vector<double> scores(16 + 4 + 4);
    CallingThread thread;
    const auto make = [&](metrics::KernelChoice kernels) {
      return kernels(metrics::ssim_family())(scene.reference.format(), requests, 1);
    };
    make(metrics::scalar_kernels)->score(scene.reference, scene.distorted, thread, scores);
    std::vector<std::size_t> numbers;
    std::vector<double> expected;
    const auto expect = [&](std::size_t place, std::size_t part, double value) {
      numbers.push_back(metrics::ssim_value(place, part));
      expected.push_back(value);
    };
    for (const std::size_t scale : {2U, 3U}) {
      const std::size_t first = scale == 3 ? 16 : 20;
      for (std::size_t part = 0; part < 3; ++part) expect(scale, part, scores[first + 1 + part]);
      expect(scale, 3, scores[first]);
    }
    for (std::size_t level = 0; level < metrics::kMsSsimLevels; ++level) {
      for (std::size_t part = 0; part < 3; ++part) {
        expect(metrics::place_of_level(level), part, scores[1 + 5 * part + level]);
      }
    }
    std::vector<std::pair<std::size_t, double>> sorted;
    for (std::size_t i = 0; i < numbers.size(); ++i) sorted.emplace_back(numbers[i], expected[i]);
    std::ranges::sort(sorted);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      std::tie(numbers[i], expected[i]) = sorted[i];
    }
    for (const auto kernels : {metrics::scalar_kernels, neon::kernels}) {
      std::vector<double> values(numbers.size());
      make(kernels)->recompute_exactly(scene.reference, scene.distorted, thread, numbers, values);
      EXPECT_EQ(bits_of(values), bits_of(expected));
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        double value = 0;
        make(kernels)->recompute_exactly(scene.reference, scene.distorted, thread, {&numbers[i], 1},
                                         {&value, 1});
        EXPECT_EQ(value, expected[i]) << "value " << numbers[i];
      }
    }
  }
}

}  // namespace
}  // namespace sidecore::test_ssim
