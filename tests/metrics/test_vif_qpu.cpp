// vif on the QPU compared with the scalar definition. The arithmetic of a window is compiled as C++
// and tested on numbers of all kinds. Pictures are scored on the default device under the
// validation layer and V3D's limits.
// ctest: long, v3dsim
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "metrics/families.h"
#include "metrics/host_scorer.h"
#include "metrics/random_scene.h"
#include "metrics/vif.h"
#include "metrics/vif.interface.h"
#include "neon/metrics/feature_kernels.h"
#include "qpu/metrics/feature_work.h"
#include "qpu/metrics/picture_scorer.h"
#include "qpu/metrics/vif.h"
#include "qpu/qpu_test_device.h"

namespace sidecore::test_vif_qpu {
namespace shader_as_cpp {

using uint = std::uint32_t;
using qpu::shader::VifLimit;
using std::abs;

/// Error of the device's reciprocal, in units in the last place.
int reciprocal_ulps = 0;
float reciprocal_estimate(float x) {
  return std::bit_cast<float>(std::bit_cast<std::int32_t>(1 / x) + reciprocal_ulps);
}
int findMSB(uint x) {
  return static_cast<int>(std::bit_width(x)) - 1;
}
#define VIF_RECIPROCAL(x) reciprocal_estimate(x)
#define precise
// The order matters.
// clang-format off
#include "metrics/vif_information.glsl"
#include "metrics/vif_binary64.glsl"
// clang-format on
#undef precise
#undef VIF_RECIPROCAL

}  // namespace shader_as_cpp

namespace {

using metrics::FeatureRequest;
using metrics::kVifScales;
using metrics::parse_feature_request;
using video::Chroma;
using video::PictureFormat;

constexpr int kDepths[] = {8, 10, 12, 16};

TEST(VifInformation, LogarithmsAreTheTables) {
  const metrics::VifLog2Table& table = metrics::VifLog2Table::instance();
  for (std::uint32_t number = 32768; number < 65536; ++number) {
    for (const int shift : {0, 5, 15}) {
      const std::uint32_t behind = (1U << shift) - 1;
      ASSERT_EQ(shader_as_cpp::vif_log2((number << shift) + behind),
                table.log2((number << shift) + behind) - 2048 * 15)
          << number;
    }
  }
}

TEST(VifInformation, CovariancesWrapAsTheDefinitions) {
  Random random(20261127);
  const auto draw = [&] { return random(); };
  for (int i = 0; i < 100000; ++i) {
    const std::uint32_t mean1 = i % 3 == 0 ? ~0U - draw() % 3 : draw();
    const std::uint32_t mean2 = i % 5 == 0 ? draw() % 65538 : draw();
    const std::uint32_t product = draw();
    const std::uint64_t means = std::uint64_t{mean1} * mean2;
    const auto rounded = static_cast<std::uint32_t>((means + (std::uint64_t{1} << 31)) >> 32);
    ASSERT_EQ(static_cast<std::uint32_t>(shader_as_cpp::vif_covariance(product, mean1, mean2)),
              product - rounded);
    ASSERT_EQ(shader_as_cpp::vif_high_product(mean1, mean2), means >> 32);
  }
}

/// Largest variance of a window, with all roundings.
constexpr std::uint32_t kLargest = (1U << 30) + 65537;

struct Window {
  std::uint32_t variance1;
  std::uint32_t variance2;
  std::uint32_t both;

  [[nodiscard]] bool possible() const {
    return variance1 >= metrics::kVifNoise && variance1 <= kLargest && variance2 > 0 &&
           variance2 <= kLargest && both > 0 && both <= kLargest &&
           std::uint64_t{both} * both / variance1 < (std::uint64_t{1} << 31);
  }
};

struct Tally {
  std::uint64_t windows = 0;
  std::uint64_t undecided = 0;
  std::uint64_t wrong = 0;
};

/// Compares a window's result with the scalar definition for one gain limit.
void try_window(const Window& window, double limit, float error_scale, Tally& tally) {
  if (!window.possible()) return;
  const qpu::shader::VifLimit gain = qpu::vif_limit(limit);
  const auto& [variance1, variance2, both] = window;
  const int expected = metrics::vif_kept_information(static_cast<std::int32_t>(variance1),
                                                     static_cast<std::int32_t>(variance2),
                                                     static_cast<std::int32_t>(both), limit);
  const int kept = shader_as_cpp::vif_kept(variance1, variance2, both, gain, error_scale);
  ++tally.windows;
  if (kept < 0) {
    ++tally.undecided;
  } else if (kept != expected) {
    ++tally.wrong;
  }
  EXPECT_EQ(shader_as_cpp::vif_kept_as_binary64(variance1, variance2, both, gain), expected)
      << fmt::format("variances {}, {}, both {}, limit {}", variance1, variance2, both, limit);
}

/// Gain limits whose fraction is short, long or zero.
constexpr double kLimits[] = {1, 1.5, 1.2, 100, 3.3000000000000003};

/// Returns a number from 2^17 to kLargest; all binades have equal probability.
std::uint32_t any_size(Random& random) {
  const std::uint32_t bits = random.below(14);
  return std::min((1U << (17 + bits)) + random.below(1U << (17 + bits)), kLargest);
}

class VifWindows : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override { shader_as_cpp::reciprocal_ulps = GetParam(); }
  void TearDown() override { shader_as_cpp::reciprocal_ulps = 0; }
};

TEST_P(VifWindows, OfAllSizesKeepWhatTheDefinitionSays) {
  Random random(20261128);
  Tally tally;
  for (int i = 0; i < 300000; ++i) {
    const std::uint32_t variance1 = any_size(random);
    const std::uint32_t variance2 = any_size(random) >> random.below(18);
    // These covariances are just below, at and above the Cauchy-Schwarz limit without roundings.
    const double most = std::sqrt(double{static_cast<float>(variance1)} * variance2);
    const auto both = static_cast<std::uint32_t>(most * random.below(66000) / 65536.0);
    try_window({variance1, variance2, both + random.below(3)}, kLimits[i % 5], 1, tally);
  }
  EXPECT_GT(tally.windows, 250000U);
  EXPECT_EQ(tally.wrong, 0U);
  EXPECT_LT(tally.undecided, tally.windows / 1000);
}

TEST_P(VifWindows, OfTheLargestAndSmallestNumbersKeepWhatTheDefinitionSays) {
  constexpr std::uint32_t kEnds[] = {
      1,        2,        3,        131071,   131072,         131073,       65535,   65537,
      16777215, 16777217, 1U << 29, 1U << 30, (1U << 30) - 1, kLargest - 1, kLargest};
  Tally tally;
  for (const std::uint32_t variance1 : kEnds) {
    for (const std::uint32_t variance2 : kEnds) {
      for (const std::uint32_t both : kEnds) {
        for (const double limit : kLimits) {
          try_window({variance1, variance2, both}, limit, 1, tally);
        }
      }
    }
  }
  EXPECT_GT(tally.windows, 5000U);
  EXPECT_EQ(tally.wrong, 0U);
}

/// Tests windows of equal pictures, and of pictures that differ only in contrast. Their gain is a
/// fraction of two small integers.
TEST_P(VifWindows, OfSimpleGainsKeepWhatTheDefinitionSays) {
  Random random(20261129);
  Tally tally;
  for (int i = 0; i < 200000; ++i) {
    const std::uint32_t variance1 = any_size(random);
    const std::uint32_t over = 1 + random.below(6);
    const std::uint32_t under = 1 + random.below(6);
    const std::uint64_t both = std::uint64_t{variance1} * over / under + random.below(3) - 1;
    const std::uint64_t variance2 = both * over / under + random.below(3) - 1;
    try_window({variance1, static_cast<std::uint32_t>(std::min<std::uint64_t>(variance2, kLargest)),
                static_cast<std::uint32_t>(std::min<std::uint64_t>(both, kLargest))},
               kLimits[i % 5], 1, tally);
  }
  EXPECT_GT(tally.windows, 100000U);
  EXPECT_EQ(tally.wrong, 0U);
  // Few windows are undecided, because most have a gain of exactly 1.2, which is not a binary64
  // number.
  EXPECT_LT(tally.undecided, tally.windows / 200);
}

/// Makes windows whose values are next to whole numbers. With both = s^2 / e + d, or half of it,
/// and variance1 = both - s, the remainder is s^2. It is so close to the scalar definition's
/// epsilon term that the scalar definition's roundings decide.
Tally windows_next_to_whole_numbers(float error_scale) {
  Random random(20261130);
  Tally tally;
  for (int i = 0; i < 200000; ++i) {
    const std::uint32_t s = 1 + random.below(20);
    const double middle = s * s / metrics::kVifEpsilon / (1 + i % 2);
    const std::uint32_t reach = 1U << random.below(24);
    const auto both = static_cast<std::uint32_t>(std::min(middle, 1.0 * kLargest)) +
                      random.below(reach) - reach / 2;
    try_window({both - s, std::min(both + s + random.below(both), kLargest), both}, kLimits[i % 5],
               error_scale, tally);
  }
  return tally;
}

TEST_P(VifWindows, NextToWholeNumbersKeepWhatTheDefinitionSaysOrAreOpen) {
  const Tally tally = windows_next_to_whole_numbers(1);
  EXPECT_GT(tally.windows, 100000U);
  EXPECT_EQ(tally.wrong, 0U);
  EXPECT_GT(tally.undecided, 1000U);
  EXPECT_LT(tally.undecided, tally.windows * 4 / 5);
}

TEST_P(VifWindows, NextToWholeNumbersAreWrongWithoutTheBounds) {
  EXPECT_GT(windows_next_to_whole_numbers(0).wrong, 20U);
}

INSTANTIATE_TEST_SUITE_P(ReciprocalsOffBy, VifWindows, ::testing::Values(0, 256, -256),
                         [](const auto& of) { return fmt::format("case{}", of.index); });

PictureFormat luma(int width, int height, int bits) {
  return {width, height, {Chroma::c400, bits}};
}

std::vector<FeatureRequest> requests_of_all_kinds() {
  return {parse_feature_request("vif=debug=true"),
          parse_feature_request("vif=vif_enhn_gain_limit=1:debug=true"),
          parse_feature_request("vif=vif_enhn_gain_limit=1.2:debug=true")};
}

/// Factor for the error bound that leaves about one window in 1500 undecided, instead of one in
/// fifty million.
constexpr float kSomeDoubt = 0x1p15F;

class VifQpu : public test::QpuTest {
 protected:
  static void expect_scalar_scores(const test::Scene& scene,
                                   const std::vector<FeatureRequest>& requests) {
    const auto host = metrics::make_host_scorer(scene.format, requests, metrics::scalar_kernels, 1);
    const auto qpu =
        make_picture_scorer(*device(), scene.format, requests, metrics::scalar_kernels);
    test::expect_same_scores(requests, test::score(*host, scene), test::score(*qpu, scene));
  }

  using Sums = std::optional<std::array<metrics::VifSums, kVifScales>>;
  static Sums sums(const test::Scene& scene, double limit, float error_scale) {
    qpu::DevicePicture reference(*device(), scene.format);
    qpu::DevicePicture distorted(*device(), scene.format);
    test::scene::copy_samples(scene.reference, reference.picture());
    test::scene::copy_samples(scene.distorted, distorted.picture());
    const qpu::Vif vif(*device(), scene.format, {&limit, 1}, error_scale);
    const auto tiles = device()->create_buffer(vif.tile_bytes());
    const auto results = device()->create_buffer(vif.result_bytes());
    const auto list = device()->create_command_list();
    list->upload(reference.plane(0));
    list->upload(distorted.plane(0));
    vif.record(*list, reference.plane(0), distorted.plane(0), reference.stride(0),
               {.buffer = tiles.get()}, {.buffer = results.get()});
    list->download({.buffer = results.get()});
    list->finish();
    // Number of dispatches: three decimations, the windows of four scales, the undecided windows,
    // and the total.
    EXPECT_EQ(list->dispatch_count(), 9U);
    device()->submit(*list).wait();
    return qpu::Vif::sums(results->bytes(), 0);
  }
};

TEST_F(VifQpu, IsTheDefinitionOnPicturesOfEveryKind) {
  Random random(20261131);
  const std::vector<FeatureRequest> requests = requests_of_all_kinds();
  const int scenes = device()->info().simulated ? 4 : 32;
  for (int i = 0; i < scenes; ++i) {
    const PictureFormat format = luma(static_cast<int>(16 + random.below(130)),
                                      static_cast<int>(16 + random.below(50)), kDepths[i % 4]);
    const test::Scene scene = test::random_scene(format, random);
    SCOPED_TRACE(fmt::format("picture {}: {} {}", i, to_string(format), scene.content));
    expect_scalar_scores(scene, requests);
  }
}

/// These are sizes at which rows and columns end anywhere in a tile, at every scale.
TEST_F(VifQpu, MirrorsWhereverThePlaneEnds) {
  Random random(20261132);
  const std::vector<FeatureRequest> requests{parse_feature_request("vif=debug=true")};
  const auto expect = [&](int width, int height, int bits) {
    const PictureFormat format = luma(width, height, bits);
    test::Scene scene{format, "noise", video::Picture(format), video::Picture(format)};
    test::scene::fill_padding(scene.reference, random);
    test::scene::fill_padding(scene.distorted, random);
    test::scene::fill_smooth(scene, random);
    SCOPED_TRACE(to_string(format));
    expect_scalar_scores(scene, requests);
  };
  if (device()->info().simulated) {
    expect(16, 16, 8);
    expect(117, 17, 10);
    return;
  }
  for (const int width : {16,  17,  18,  19,  20,  23,  31,  105, 111, 112, 113, 120,
                          121, 127, 128, 129, 223, 224, 225, 239, 240, 241, 242, 247}) {
    expect(width, 16 + width % 9, width % 2 == 0 ? 8 : 10);
  }
  for (int height = 16; height < 33; ++height) expect(21, height, height % 2 == 0 ? 16 : 8);
}

/// Pictures change from black to white, in stripes and squares with the largest moments.
TEST_F(VifQpu, HoldsTheLargestMoments) {
  const std::vector<FeatureRequest> requests = requests_of_all_kinds();
  for (const int bits : kDepths) {
    const PictureFormat format = luma(50, 34, bits);
    const auto max = static_cast<std::uint32_t>(format.pixel.max_value());
    test::Scene scene{format, "extreme", video::Picture(format), video::Picture(format)};
    SCOPED_TRACE(bits);
    const auto stripes = [max](int size, bool opposite) {
      return [=](int x, int y, std::uint32_t) {
        return ((x / size + y / size) % 2 == 0) != opposite ? max : 0U;
      };
    };
    test::scene::fill_flat(scene.reference, max);
    test::scene::fill_flat(scene.distorted, max);
    expect_scalar_scores(scene, requests);
    test::scene::for_each_sample(scene.distorted, stripes(8, false));
    expect_scalar_scores(scene, requests);
    test::scene::for_each_sample(scene.reference, stripes(8, false));
    expect_scalar_scores(scene, requests);
    test::scene::for_each_sample(scene.reference, stripes(8, true));
    expect_scalar_scores(scene, requests);
    test::scene::for_each_sample(scene.reference, stripes(17, false));
    expect_scalar_scores(scene, requests);
  }
}

/// A large error_scale makes the device recompute more windows than necessary. Their sums must be
/// equal.
/// If there are too many such windows for the list, there are no sums.
TEST_F(VifQpu, UndecidedWindowsAreDecided) {
  const test::Scene scene = test::synthetic_scene(96, 64);
  const Sums expected = sums(scene, 1.2, 1);
  ASSERT_TRUE(expected);
  const Sums found = sums(scene, 1.2, kSomeDoubt);
  ASSERT_TRUE(found);
  for (std::size_t k = 0; k < kVifScales; ++k) {
    EXPECT_EQ((*found)[k].kept, (*expected)[k].kept);
    EXPECT_EQ((*found)[k].there, (*expected)[k].there);
    EXPECT_EQ((*found)[k].flat_variance, (*expected)[k].flat_variance);
    EXPECT_EQ((*found)[k].flat, (*expected)[k].flat);
  }
  EXPECT_FALSE(sums(scene, 1.2, 0x1p40F));
}

TEST_F(VifQpu, TheHostRecomputesScoresOfTooManyUndecidedWindows) {
  const test::Scene scene = test::synthetic_scene(64, 48);
  const FeatureRequest request = parse_feature_request("vif");
  const auto works = qpu::family_works();
  const auto work = std::ranges::find(works, &metrics::vif_family(), &qpu::FamilyWork::family);
  ASSERT_NE(work, works.end());
  const auto vif = work->make(*device(), scene.format, {&request, 1});
  std::vector<std::byte> results(vif->result_bytes());
  std::array<qpu::shader::VifTotals, kVifScales> totals{};
  totals[2].lost[0] = 1;
  std::memcpy(results.data(), &totals, sizeof totals);
  std::vector<double> scores(kVifScales);
  EXPECT_FALSE(vif->score(results, scores));
  const auto host = metrics::vif_family().scalar(scene.format, {&request, 1}, 1);
  const auto& recomputation = dynamic_cast<const qpu::HostRecomputation&>(*vif);
  EXPECT_EQ(recomputation.recompute(results, {}, scene.reference, scene.distorted, *host, scores),
            kVifScales);
  const auto scorer =
      metrics::make_host_scorer(scene.format, {&request, 1}, metrics::scalar_kernels, 1);
  EXPECT_EQ(scores, test::score(*scorer, scene));
}

TEST_F(VifQpu, RefusesWhatItDoesNotHold) {
  const double limit = 100;
  EXPECT_THROW(qpu::Vif(*device(), luma(64, 48, 9), {&limit, 1}), Error);
  EXPECT_THROW(qpu::Vif(*device(), luma(64, 15, 8), {&limit, 1}), Error);
  const qpu::Vif vif(*device(), luma(100, 20, 8), {&limit, 1});
  const auto plane = device()->create_buffer(std::size_t{112} * 20);
  const auto tiles = device()->create_buffer(vif.tile_bytes());
  const auto results = device()->create_buffer(vif.result_bytes());
  const auto list = device()->create_command_list();
  const qpu::BufferRange whole{.buffer = plane.get()};
  const qpu::BufferRange part{.buffer = plane.get(), .offset = 0, .size = 112 * 20 - 16};
  const qpu::BufferRange to{.buffer = tiles.get()};
  const qpu::BufferRange totals{.buffer = results.get()};
  EXPECT_THROW(vif.record(*list, whole, whole, 104, to, totals), Error);
  EXPECT_THROW(vif.record(*list, part, whole, 112, to, totals), Error);
  EXPECT_THROW(vif.record(*list, whole, part, 112, to, totals), Error);
  EXPECT_NO_THROW(vif.record(*list, whole, whole, 112, to, totals));
}

}  // namespace
}  // namespace sidecore::test_vif_qpu
