// float_adm: libvmaf's values on its golden clips, a literal implementation of the specification's
// formulas, and equal sums from every implementation on the host. Large pictures take seconds under
// sanitizers and run the same code as small ones.
// ctest: unsanitized *Golden*/s1080_*:*Golden*/s576_8b*
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "error_text.h"
#include "metrics/adm_pictures.h"
#include "metrics/families.h"
#include "metrics/float_adm_sums.h"
#include "metrics/golden.h"
#include "metrics/score_pair.h"
#include "neon/metrics/feature_kernels.h"
#include "neon/metrics/float_adm.h"
#include "neon/metrics/float_adm_masking.h"
#include "video/synthetic_clip.h"

namespace sidecore::test_float_adm {
namespace {

using metrics::AdmOptions;
using metrics::AdmScores;
using metrics::AdmSums;
using test::Golden;

/// Largest difference. libvmaf divides by an estimated reciprocal on x86; on ARM it uses a true
/// division, which differs by this much.
constexpr double kGoldenTolerance = 2e-7;

void expect_golden_scores(const Golden& golden, metrics::KernelChoice kernels) {
  const metrics::FeatureRequest request = metrics::parse_feature_request("float_adm=debug=true");
  const std::vector<std::string> names = request.outputs();
  const video::SyntheticClip clip(golden.format);
  video::Picture reference(golden.format);
  video::Picture distorted(golden.format);
  for (int t = 0; t < golden.pictures; ++t) {
    clip.fill_reference(t, reference);
    clip.fill_distorted(t, reference, distorted);
    const std::vector<double> scores = test::score_pair(kernels, request, reference, distorted);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const double expected = golden.scores(names[i])[static_cast<std::size_t>(t)];
      // The tolerance grows with the value, because numerators and denominators are sums with
      // values in the thousands.
      EXPECT_NEAR(scores[i], expected, kGoldenTolerance * std::max(1.0, std::fabs(expected)))
          << names[i] << ", picture " << t;
    }
  }
}

class FloatAdmGolden : public ::testing::TestWithParam<Golden> {};
TEST_P(FloatAdmGolden, IsWhatLibvmafSays) {
  expect_golden_scores(GetParam(), metrics::scalar_kernels);
}

class FloatAdmNeonGolden : public ::testing::TestWithParam<Golden> {};
TEST_P(FloatAdmNeonGolden, IsWhatLibvmafSays) {
  expect_golden_scores(GetParam(), neon::kernels);
}

const auto kName = [](const auto& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(Clips, FloatAdmGolden, ::testing::ValuesIn(test::load_goldens()), kName);
INSTANTIATE_TEST_SUITE_P(Clips, FloatAdmNeonGolden, ::testing::ValuesIn(test::load_goldens()),
                         kName);

/// Sums written directly from the specification, plane by plane. They omit no value as too small,
/// and compute all planes as a whole.
namespace literal {

struct Plane {
  int width = 0;
  int height = 0;
  std::vector<float> at;
  Plane() = default;
  Plane(int w, int h) : width(w), height(h), at(index(0, h)) {}
  float& operator()(int x, int y) { return at[index(x, y)]; }
  [[nodiscard]] float mirrored(int x, int y) const {
    const int mx = x < 0 ? -x : x >= width ? 2 * width - 1 - x : x;
    const int my = y < 0 ? -y : y >= height ? 2 * height - 1 - y : y;
    return at[index(mx, my)];
  }
  [[nodiscard]] std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
           static_cast<std::size_t>(x);
  }
};

constexpr float kLow[4] = {.482962913144690F, .836516303737469F, .224143868041857F,
                           -.129409522550921F};
constexpr float kHigh[4] = {-.129409522550921F, -.224143868041857F, .836516303737469F,
                            -.482962913144690F};

Plane vertically(const Plane& from, const float (&taps)[4]) {
  Plane to(from.width, (from.height + 1) / 2);
  for (int y = 0; y < to.height; ++y) {
    for (int x = 0; x < to.width; ++x) {
      float sum = 0;
      for (int k = 0; k < 4; ++k) sum += taps[k] * from.mirrored(x, 2 * y - 1 + k);
      to(x, y) = sum;
    }
  }
  return to;
}

Plane horizontally(const Plane& from, const float (&taps)[4]) {
  Plane to((from.width + 1) / 2, from.height);
  for (int y = 0; y < to.height; ++y) {
    for (int x = 0; x < to.width; ++x) {
      float sum = 0;
      for (int k = 0; k < 4; ++k) sum += taps[k] * from.mirrored(2 * x - 1 + k, y);
      to(x, y) = sum;
    }
  }
  return to;
}

struct Wavelet {
  Plane a, band[3];
  explicit Wavelet(const Plane& plane) {
    const Plane low = vertically(plane, kLow);
    const Plane high = vertically(plane, kHigh);
    a = horizontally(low, kLow);
    band[0] = horizontally(high, kLow);
    band[1] = horizontally(low, kHigh);
    band[2] = horizontally(high, kHigh);
  }
};

bool flagged(float oh, float ov, float th, float tv) {
  const double cosine = std::cos(std::acos(-1.0) / 180);
  const auto cos1 = static_cast<float>(cosine * cosine);
  const float dp = oh * th + ov * tv;
  const float mo = oh * oh + ov * ov;
  const float mt = th * th + tv * tv;
  return dp >= 0 && dp * dp >= (cos1 * mo) * mt;
}

float masked_by(const Plane (&bands)[3], const float (&csf)[3], int x, int y) {
  float threshold = 0;
  for (int b = 0; b < 3; ++b) {
    float sum = 0;
    for (int k = 0; k < 9; ++k) {
      const float c = std::fabs(csf[b] * bands[b].mirrored(x + k % 3 - 1, y + k / 3 - 1));
      sum = k == 4 ? static_cast<float>(double{sum} + 0.0666666701 * double{c})
                   : sum + static_cast<float>(0.0333333351 * double{c});
    }
    threshold += sum;
  }
  return threshold;
}

float cubes(const Plane (&detail)[3], const Plane (&mask)[3], bool masked, const float (&csf)[3],
            int b) {
  Plane plane = detail[b];
  const int left = static_cast<int>(plane.width * 0.1 - 0.5);
  const int top = static_cast<int>(plane.height * 0.1 - 0.5);
  float total = 0;
  for (int y = top; y < plane.height - top; ++y) {
    float row = 0;
    for (int x = left; x < plane.width - left; ++x) {
      const float threshold = masked ? masked_by(mask, csf, x, y) : 0;
      const float value = std::max(std::fabs(csf[b] * plane(x, y)) - threshold, 0.0F);
      row += value * value * value;
    }
    total += row;
  }
  return total;
}

Plane luma(const video::Picture& picture) {
  const video::PictureFormat& format = picture.format();
  Plane plane(format.width, format.height);
  const int bits = format.pixel.bits;
  for (int y = 0; y < format.height; ++y) {
    for (int x = 0; x < format.width; ++x) {
      const int value = bits == 8 ? picture.plane<std::uint8_t>(0).row(y)[x]
                                  : picture.plane<std::uint16_t>(0).row(y)[x];
      plane(x, y) = static_cast<float>(value / std::pow(2.0, bits - 8) - 128);
    }
  }
  return plane;
}

AdmSums sums(const video::Picture& reference, const video::Picture& distorted,
             const AdmOptions& options) {
  AdmSums sums;
  Plane o = luma(reference);
  Plane t = luma(distorted);
  const auto scales = metrics::adm_scales(reference.format(), options);
  for (std::size_t k = 0; k < metrics::kAdmScales; ++k) {
    Wavelet from(o);
    Wavelet to(t);
    Plane restored[3] = {from.band[0], from.band[0], from.band[0]};
    Plane added[3] = {from.band[0], from.band[0], from.band[0]};
    for (int b = 0; b < 3; ++b) {
      for (std::size_t i = 0; i < from.band[0].at.size(); ++i) {
        const float tx = to.band[b].at[i];
        const float ox = from.band[b].at[i];
        const float share = tx / (ox + 1e-30F);
        float r = (share < 0 ? 0 : share > 1 ? 1 : share) * ox;
        if (flagged(from.band[0].at[i], from.band[1].at[i], to.band[0].at[i], to.band[1].at[i])) {
          const double more = double{r} * options.enhancement_gain_limit;
          if (r > 0) r = static_cast<float>(std::min(more, double{tx}));
          if (r < 0) r = static_cast<float>(std::max(more, double{tx}));
        }
        restored[b].at[i] = r;
        added[b].at[i] = tx - r;
      }
    }
    const float csf[3] = {scales[k].csf[0], scales[k].csf[1], scales[k].csf[2]};
    for (int b = 0; b < 3; ++b) {
      const auto at = static_cast<std::size_t>(b);
      sums.scales[k].reference[at] = cubes(from.band, added, false, csf, b);
      sums.scales[k].restored[at] = cubes(restored, added, true, csf, b);
      sums.scales[k].impairment[at] = cubes(added, restored, true, csf, b);
    }
    o = from.a;
    t = to.a;
  }
  return sums;
}

}  // namespace literal

AdmSums scalar_sums(const test::PicturePair& pair, const AdmOptions& options) {
  CallingThread thread;
  return metrics::FloatAdm(pair.reference.format(), options, 1)
      .sums(pair.reference, pair.distorted, thread);
}

AdmSums neon_sums(const test::PicturePair& pair, const AdmOptions& options) {
  CallingThread thread;
  return neon::FloatAdm(pair.reference.format(), options, 1)
      .sums(pair.reference, pair.distorted, thread);
}

video::PictureFormat luma_format(int width, int height, int bits) {
  return {width, height, {video::Chroma::c400, bits}};
}

void expect_same_sums(const AdmSums& actual, const AdmSums& expected) {
  for (std::size_t k = 0; k < metrics::kAdmScales; ++k) {
    const auto expect = [&](const char* what, const metrics::PerBand<float>& a,
                            const metrics::PerBand<float>& b) {
      for (std::size_t band = 0; band < metrics::kAdmBands; ++band) {
        EXPECT_EQ(std::bit_cast<std::uint32_t>(a[band]), std::bit_cast<std::uint32_t>(b[band]))
            << what << ", scale " << k << ", band " << band << ": " << a[band] << " and "
            << b[band];
      }
    };
    expect("reference", actual.scales[k].reference, expected.scales[k].reference);
    expect("restored", actual.scales[k].restored, expected.scales[k].restored);
    expect("impairment", actual.scales[k].impairment, expected.scales[k].impairment);
  }
}

TEST(FloatAdm, IsTheFormulasOfTheSpecification) {
  const std::uint64_t seed = 6;
  Random random(seed);
  for (const int bits : {8, 10, 12, 16}) {
    for (const auto content :
         {test::AdmContent::noise, test::AdmContent::distorted, test::AdmContent::enhanced}) {
      const int width = 17 + static_cast<int>(random.below(200));
      const int height = 17 + static_cast<int>(random.below(120));
      SCOPED_TRACE(fmt::format("{}x{}, {} bits, content {}", width, height, bits,
                               static_cast<int>(content)));
      const test::PicturePair pair =
          test::adm_pictures(luma_format(width, height, bits), content, random);
      expect_same_sums(scalar_sums(pair, {}), literal::sums(pair.reference, pair.distorted, {}));
    }
  }
}

class FloatAdmNeon : public ::testing::TestWithParam<int> {};

TEST_P(FloatAdmNeon, RandomSizesGiveTheScalarSums) {
  const std::uint64_t seed = 7;
  Random random(seed);
  for (int i = 0; i < 60; ++i) {
    const int width = 17 + static_cast<int>(random.below(i < 30 ? 24 : 150));
    const int height = 17 + static_cast<int>(random.below(i < 30 ? 24 : 150));
    AdmOptions options;
    options.enhancement_gain_limit = i % 3 == 0 ? 1.1 : i % 3 == 1 ? 1 : 100;
    options.p_norm = i % 7 == 0 ? 2.5 : 3;
    SCOPED_TRACE(fmt::format("seed {}, number {}: {}x{}", seed, i, width, height));
    const test::PicturePair pair = test::adm_pictures(luma_format(width, height, GetParam()),
                                                      test::kAdmContents[i % 4], random);
    expect_same_sums(neon_sums(pair, options), scalar_sums(pair, options));
  }
}

INSTANTIATE_TEST_SUITE_P(Bits, FloatAdmNeon, ::testing::Values(8, 10, 12, 16));

TEST(FloatAdmNeon, MaskingOfNeighboursIsRoundedAsInBinary64) {
  constexpr std::uint32_t kOne = 0x3f800000;
  for (std::uint32_t bits = kOne; bits < kOne + (1U << 23); bits += 4) {
    std::array<float, 4> sizes{};
    std::array<float, 4> masking{};
    for (std::uint32_t i = 0; i < 4; ++i) sizes[i] = std::bit_cast<float>(bits + i);
    vst1q_f32(masking.data(), neon::neighbour_masking(vld1q_f32(sizes.data())));
    for (std::size_t i = 0; i < 4; ++i) {
      ASSERT_EQ(masking[i], static_cast<float>(double{sizes[i]} * metrics::kAdmNeighbourMasking));
    }
  }
}

TEST(FloatAdm, FindsNothingLostInIdenticalPictures) {
  Random random(8);
  for (const auto content : test::kAdmContents) {
    test::PicturePair pair = test::adm_pictures(luma_format(90, 70, 8), content, random);
    std::ranges::copy(pair.reference.bytes(), pair.distorted.bytes().begin());
    const AdmScores scores = metrics::float_adm(scalar_sums(pair, {}), pair.reference.format(), {});
    EXPECT_NEAR(scores.adm2, 1, 1e-6);
    EXPECT_NEAR(scores.aim, 0, 1e-6);
    EXPECT_NEAR(scores.adm3, 1, 1e-6);
  }
}

TEST(FloatAdm, TakesLostDetailForLossAndAddedNoiseForImpairment) {
  Random random(9);
  const video::PictureFormat format = luma_format(160, 120, 8);
  test::PicturePair pair = test::adm_pictures(format, test::AdmContent::noise, random);
  const auto scores = [&] { return metrics::float_adm(scalar_sums(pair, {}), format, {}); };
  const AdmScores unlike = scores();
  EXPECT_LT(unlike.adm2, 0.9);
  EXPECT_GT(unlike.aim, 0.1);
  std::ranges::fill(pair.distorted.bytes(), std::byte{128});
  const AdmScores lost = scores();
  EXPECT_LT(lost.adm2, unlike.adm2);
  EXPECT_LT(lost.aim, 1e-3);
}

/// A picture without any detail: all sums are 0.
TEST(FloatAdm, ScoresFlatPicturesAsFree) {
  const video::PictureFormat format = luma_format(64, 64, 8);
  const AdmScores scores = metrics::float_adm({}, format, {});
  EXPECT_EQ(scores.adm2, 1);
  EXPECT_EQ(scores.aim, 0);
  AdmOptions options;
  options.noise_weight = 0;  // no noise: every score of such a picture is computed from 0 / 0
  const AdmScores weightless = metrics::float_adm({}, format, options);
  EXPECT_EQ(weightless.denominator, 0);
  EXPECT_EQ(weightless.adm2, 1);
  EXPECT_EQ(weightless.aim, 0);
  EXPECT_EQ(weightless.adm3, 1);
}

TEST(FloatAdm, JoinsLossAndImpairmentAsTheOptionsSay) {
  const video::PictureFormat format = luma_format(64, 64, 8);
  AdmSums sums;
  for (AdmSums::Scale& scale : sums.scales) {
    scale.reference = {1000, 1000, 1000};
    scale.restored = {125, 125, 125};
    scale.impairment = {8, 8, 8};
  }
  AdmOptions options;
  options.noise_weight = 0;
  options.detail_loss_weight = 0.25;
  AdmScores scores = metrics::float_adm(sums, format, options);
  EXPECT_NEAR(scores.adm2, 0.5, 1e-6);
  EXPECT_NEAR(scores.aim, 0.2, 1e-6);
  EXPECT_NEAR(scores.adm3, 0.25 * 0.5 + 0.75 * 0.8, 1e-6);
  EXPECT_NEAR(scores.scale[2], 0.5, 1e-6);
  options.min_value = 0.9;
  scores = metrics::float_adm(sums, format, options);
  EXPECT_EQ(scores.adm3, 0.9);
  EXPECT_NEAR(scores.adm2, 0.5, 1e-6);
}

TEST(FloatAdm, GrantsEnhancementUpToItsLimit) {
  Random random(10);
  const test::PicturePair pair =
      test::adm_pictures(luma_format(200, 150, 8), test::AdmContent::enhanced, random);
  const auto adm2 = [&](double limit) {
    AdmOptions options;
    options.enhancement_gain_limit = limit;
    return metrics::float_adm(scalar_sums(pair, options), pair.reference.format(), options).adm2;
  };
  EXPECT_LT(adm2(1), adm2(1.1));
  EXPECT_LT(adm2(1.1), adm2(100));
}

TEST(FloatAdm, WeighsWhatIsSeenFromWhereTheViewerSits) {
  const video::PictureFormat format = luma_format(64, 64, 8);
  AdmOptions far;
  far.view_distance = 6;
  const auto near_scales = metrics::adm_scales(format, {});
  const auto far_scales = metrics::adm_scales(format, far);
  // Fine detail becomes invisible with distance.
  EXPECT_LT(far_scales[0].csf[0], near_scales[0].csf[0]);
  AdmOptions tall = far;
  tall.view_distance = 3;
  tall.display_height = 2160;
  EXPECT_EQ(metrics::adm_scales(format, tall)[0].csf, far_scales[0].csf);
}

TEST(FloatAdm, RefusesWhatItIsNotDefinedFor) {
  for (const int bits : {9, 11, 14}) {
    EXPECT_THROW(metrics::check_float_adm_format(luma_format(64, 64, bits)), Error) << bits;
  }
  EXPECT_EQ(test::error_text([] { metrics::check_float_adm_format(luma_format(16, 480, 8)); }),
            "float_adm needs pictures of at least 17x17 samples, not 16x480");
  EXPECT_THROW(metrics::check_float_adm_format(luma_format(17, 16, 8)), Error);
  EXPECT_NO_THROW(metrics::check_float_adm_format(luma_format(17, 17, 8)));
}

TEST(FloatAdm, RefusesOptionsOutOfTheirRange) {
  const auto refused = [](auto change) {
    AdmOptions options;
    change(options);
    EXPECT_THROW(metrics::check_float_adm_options(options), Error);
  };
  refused([](AdmOptions& o) { o.enhancement_gain_limit = 0.5; });
  refused([](AdmOptions& o) { o.enhancement_gain_limit = std::nan(""); });
  refused([](AdmOptions& o) { o.view_distance = 25; });
  refused([](AdmOptions& o) { o.display_height = 0; });
  refused([](AdmOptions& o) { o.noise_weight = -1; });
  refused([](AdmOptions& o) { o.p_norm = 0.5; });
  refused([](AdmOptions& o) { o.detail_loss_weight = 2; });
  refused([](AdmOptions& o) { o.min_value = -0.1; });
  EXPECT_EQ(test::error_text([] { metrics::check_float_adm_options({.csf_mode = 1}); }),
            "float_adm: adm_csf_mode must be 0 (Watson's model), not 1");
}

TEST(FloatAdm, NamesOutputsAsLibvmafDoes) {
  const auto names =
      metrics::parse_feature_request("float_adm=adm_enhn_gain_limit=1:adm_norm_view_dist=4.5")
          .outputs();
  ASSERT_EQ(names.size(), 7U);
  EXPECT_EQ(names[0], "adm2_egl_1_nvd_4.5");
  EXPECT_EQ(names[6], "adm_scale3_egl_1_nvd_4.5");
}

}  // namespace
}  // namespace sidecore::test_float_adm
