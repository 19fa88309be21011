// float_ansnr: values of libvmaf 3.2.0 for pictures of the synthetic clip, and its limits.
#include <gtest/gtest.h>

#include <vector>

#include "base/random.h"
#include "error_text.h"
#include "metrics/random_scene.h"
#include "metrics/score_cases.h"
#include "neon/metrics/feature_kernels.h"

namespace sidecore::test_float_ansnr {
namespace {

using metrics::parse_feature_request;
using video::Chroma;

void expect_libvmafs_scores(metrics::KernelChoice kernels) {
  const std::vector<test::ScoreCase> cases{
      {{176, 144, {Chroma::c420, 8}}, "float_ansnr", {23.097620988240575, 42.694281014471755}},
      {{176, 144, {Chroma::c420, 10}}, "float_ansnr", {24.200076511838226, 42.67521981598327}},
      {{97, 65, {Chroma::c444, 12}}, "float_ansnr", {23.57690632795714, 43.357324123932045}},
      {{176, 144, {Chroma::c420, 16}}, "float_ansnr", {24.588756574959238, 42.4863896494702}}};
  test::expect_scores(kernels, cases, 1e-12);
}

TEST(FloatAnsnr, IsWhatLibvmafSays) {
  expect_libvmafs_scores(metrics::scalar_kernels);
}
TEST(FloatAnsnrNeon, IsWhatLibvmafSays) {
  expect_libvmafs_scores(neon::kernels);
}

TEST(FloatAnsnrNeon, HasTheBitsOfTheDefinitionAtTheEndsOfStripsAndPieces) {
  // NEON computes strips of 256 columns of pieces of 64 rows.
  Random random(7);
  const metrics::FeatureRequest request = parse_feature_request("float_ansnr");
  for (const int width : {3, 4, 5, 255, 256, 257, 258, 259, 514}) {
    for (const int height : {3, 4, 6, 63, 64, 65, 66, 67, 130}) {
      for (const int bits : {8, 10, 16}) {
        SCOPED_TRACE(fmt::format("{}x{}, {} bits", width, height, bits));
        const video::PictureFormat format{width, height, {Chroma::c400, bits}};
        video::Picture reference(format);
        video::Picture distorted(format);
        test::scene::fill_padding(reference, random);
        test::scene::fill_padding(distorted, random);
        test::scene::fill_noise(reference, random);
        test::scene::fill_noise(distorted, random);
        EXPECT_EQ(test::score_pair(neon::kernels, request, reference, distorted),
                  test::score_pair(metrics::scalar_kernels, request, reference, distorted));
      }
    }
  }
}

TEST(FloatAnsnr, WithoutNoiseIsTheHighestOfTheDepth) {
  // Filtered samples of 0, which is 128 before it is centred, do not differ.
  for (const auto& [bits, highest] : {std::pair{8, 60.0}, {10, 72.0}, {12, 84.0}, {16, 108.0}}) {
    video::Picture grey({64, 48, {Chroma::c400, bits}});
    for (int y = 0; y < 48; ++y) {
      for (int x = 0; x < 64; ++x) {
        if (bits == 8) {
          grey.plane<std::uint8_t>(0).row(y)[x] = 128;
        } else {
          grey.plane<std::uint16_t>(0).row(y)[x] = static_cast<std::uint16_t>(1 << (bits - 1));
        }
      }
    }
    EXPECT_EQ(test::score_pair(neon::kernels, parse_feature_request("float_ansnr"), grey, grey),
              std::vector<double>(2, highest));
  }
}

TEST(FloatAnsnr, RefusesWhatItIsNotDefinedFor) {
  const auto refusal = [](int width, int bits) {
    return test::error_text([&] {
      parse_feature_request("float_ansnr").check({width, 48, {Chroma::c420, bits}});
    });
  };
  EXPECT_EQ(refusal(64, 9), "float_ansnr is defined for 8, 10, 12 and 16 bits a sample, not for 9");
  EXPECT_EQ(refusal(2, 8), "float_ansnr needs pictures of at least 3x3 samples, not 2x48");
}

}  // namespace
}  // namespace sidecore::test_float_ansnr
