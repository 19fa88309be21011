// cambi on the QPU compared with the scalar definition, on the default device under the validation
// layer and V3D's limits.
// ctest: long, v3dsim
// Large pictures take long under sanitizers and run the same code as small ones.
// ctest: unsanitized *OnFull*
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "metrics/cambi.h"
#include "metrics/host_scorer.h"
#include "metrics/random_scene.h"
#include "qpu/metrics/cambi.h"
#include "qpu/metrics/feature_work.h"
#include "qpu/metrics/picture_scorer.h"
#include "qpu/qpu_test_device.h"

namespace sidecore::test_cambi_qpu {
namespace {

using metrics::FeatureRequest;
using metrics::parse_feature_request;
using video::Chroma;
using video::PictureFormat;

/// Makes banding as encodes have it: slopes of few steps, some with dither, and some texture.
video::Picture bands(const PictureFormat& format, Random& random, int step_columns,
                     std::uint32_t texture) {
  video::Picture picture(format);
  test::scene::fill_padding(picture, random);
  const int most = format.pixel.max_value();
  const int unit = std::max(1, most / 255);
  const int base = static_cast<int>(random.below(120)) * unit;
  test::scene::for_each_sample(picture, [&](int x, int y, std::uint32_t) {
    int value = base + (x / step_columns + y / (2 * step_columns)) * std::max(1, unit / 4);
    if (x / 90 % 3 == 1 && random.below(16) == 0) value += unit;
    if (y / 50 % 4 == 3 && x / 70 % 2 == 0) value += static_cast<int>(random.below(1U + texture));
    return static_cast<std::uint32_t>(std::clamp(value, 0, most));
  });
  return picture;
}

class CambiQpu : public test::QpuTest {
 protected:
  /// Returns how many scores the host recomputed.
  static std::uint64_t expect_scalar_scores(const video::Picture& picture,
                                            std::span<const std::string> texts) {
    const PictureFormat& format = picture.format();
    std::vector<FeatureRequest> requests;
    for (const std::string& text : texts) requests.push_back(parse_feature_request(text));
    const auto host = metrics::make_host_scorer(format, requests, metrics::scalar_kernels, 1);
    const auto qpu = make_picture_scorer(*device(), format, requests, metrics::scalar_kernels);
    const auto score = [&](metrics::PictureScorer& scorer) {
      test::scene::copy_samples(picture, scorer.reference(0));
      test::scene::copy_samples(picture, scorer.distorted(0));
      scorer.submit(0);
      const std::span<const double> scores = scorer.collect(0);
      return std::vector<double>(scores.begin(), scores.end());
    };
    const std::vector<double> expected = score(*host);
    const std::vector<double> found = score(*qpu);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      EXPECT_EQ(std::bit_cast<std::uint64_t>(found[i]), std::bit_cast<std::uint64_t>(expected[i]))
          << texts[i] << " of " << to_string(format) << ": " << found[i] << ", not " << expected[i];
    }
    return qpu->host_recomputed_values();
  }
};

TEST_F(CambiQpu, IsTheDefinitionAtEveryDepthAndSize) {
  Random random(20261201);
  struct Size {
    int width, height;
  };
  const std::string texts[] = {"cambi", "cambi=topk=0.02:max_log_contrast=3"};
  for (const int bits : {8, 10, 12, 16}) {
    for (const Size size : {Size{216, 32}, Size{33, 217}, Size{300, 131}, Size{255, 128}}) {
      const PictureFormat format{size.width, size.height, {Chroma::c400, bits}};
      EXPECT_EQ(expect_scalar_scores(bands(format, random, 9, 60), texts), 0U);
    }
  }
}

/// Tests window sizes of one sample, the smallest and the largest, and sizes for each number of
/// words that a window's bytes take. Tests all numbers of steps, and samples that are too dark or
/// too bright for a contrast.
TEST_F(CambiQpu, IsTheDefinitionWithEveryOption) {
  Random random(20261202);
  const PictureFormat format{320, 269, {Chroma::c400, 10}};
  const std::string texts[] = {
      "cambi=window_size=15",
      "cambi=window_size=31:max_log_contrast=0",
      "cambi=window_size=127:max_log_contrast=5",
      "cambi=max_log_contrast=4:topk=0.3:cambi_max_val=0.125",
      "cambi=tvi_threshold=0.0001:topk=1",
      "cambi=tvi_threshold=0.2",
      "cambi=tvi_threshold=1",
      "cambi=cambi_vis_lum_threshold=8:cambi_topk=0.05",
      "cambi=cambi_vis_lum_threshold=300",
      "cambi=enc_width=301:enc_height=211",
      "cambi=enc_width=320:enc_height=200:enc_bitdepth=8:topk=0.0001",
      "cambi=enc_bitdepth=6",
  };
  EXPECT_EQ(expect_scalar_scores(bands(format, random, 7, 20), texts), 0U);
  EXPECT_EQ(expect_scalar_scores(bands({318, 257, {Chroma::c400, 8}}, random, 20, 3), texts), 0U);
}

/// Tests flat pictures with steps, in which more contrasts differ from 0 than are averaged; so many
/// values that counting takes several passes; pictures without examined samples; and the largest
/// samples.
TEST_F(CambiQpu, IsTheDefinitionWhateverIsInThePicture) {
  Random random(20261203);
  const std::string texts[] = {"cambi", "cambi=topk=0.5:max_log_contrast=5:window_size=127"};
  for (const int bits : {8, 10, 16}) {
    // One depth takes a simulated GPU half a minute; IsTheDefinitionAtEveryDepthAndSize runs there
    // at all depths.
    if (device()->info().simulated && bits != 10) continue;
    const PictureFormat format{283, 217, {Chroma::c400, bits}};
    const auto most = static_cast<std::uint32_t>(format.pixel.max_value());
    video::Picture picture(format);
    test::scene::fill_noise(picture, random);
    EXPECT_EQ(expect_scalar_scores(picture, texts), 0U);
    for (const std::uint32_t value : {0U, most / 5, most}) {
      test::scene::fill_flat(picture, value);
      EXPECT_EQ(expect_scalar_scores(picture, texts), 0U);
    }
    // Values of squares; a tile has 4 rows of squares.
    std::vector<std::uint32_t> squares(64 * 64);
    for (std::uint32_t& square : squares) square = random.below(most + 1);
    test::scene::for_each_sample(picture, [&](int x, int y, std::uint32_t) {
      return squares[static_cast<std::size_t>(y / 16 * 64 + x / 16)];
    });
    EXPECT_EQ(expect_scalar_scores(picture, texts), 0U);
    const std::uint32_t unit = std::max(1U, most >> 10U);
    test::scene::for_each_sample(picture, [&](int x, int y, std::uint32_t) {
      return most / 8 + unit * static_cast<std::uint32_t>(x / 5 % 3 + y / 7 % 4);
    });
    EXPECT_EQ(expect_scalar_scores(picture, texts), 0U);
  }
}

/// Tests on pictures that are too large for a simulated GPU.
class CambiQpuOnFull : public CambiQpu {};

/// If a sum has more bits than a double, the order of addition affects it, so the host adds the
/// contrasts, for that request only. Sums of the same size that contain only larger contrasts do
/// not have more bits.
TEST_F(CambiQpuOnFull, TheHostAddsWhereTheOrderShows) {
  const PictureFormat format{768, 768, {Chroma::c400, 10}};
  video::Picture picture(format);
  test::scene::for_each_sample(picture, [&](int x, int y, std::uint32_t) {
    // Contrasts of the smallest size are in windows that contain one sample of the square in the
    // corner.
    if (x < 128 && y < 128) return x / 12 == 5 && y / 12 == 5 ? 301U : 300U;
    return x / 18 % 2 == y / 18 % 2 ? 100U : 128U;
  });
  const std::string texts[] = {
      "cambi", "cambi=window_size=127:max_log_contrast=5:tvi_threshold=0.0001:topk=1",
      "cambi=window_size=127:max_log_contrast=5:tvi_threshold=0.0001:topk=0.5"};
  EXPECT_EQ(expect_scalar_scores(picture, texts), 1U);
}

/// Tests pictures that cambi halves before its first scale.
TEST_F(CambiQpuOnFull, PicturesAreTheDefinition) {
  Random random(20261204);
  const std::string texts[] = {"cambi=cambi_high_res_speedup=1080"};
  EXPECT_EQ(expect_scalar_scores(bands({1920, 1081, {Chroma::c400, 8}}, random, 30, 40), texts),
            0U);
}

/// Tests that the comparisons above detect small mistakes: a sum that is off by its smallest unit,
/// or a few samples that are off by one step.
TEST_F(CambiQpu, ASmallMistakeChangesTheScore) {
  Random random(20261205);
  const PictureFormat format{256, 216, {Chroma::c400, 10}};
  const FeatureRequest request = parse_feature_request("cambi=topk=1");
  qpu::DevicePicture picture(*device(), format);
  test::scene::copy_samples(bands(format, random, 9, 0), picture.picture());
  const qpu::Cambi cambi(*device(), format, request.options);
  const auto results = device()->create_buffer(qpu::Cambi::kResultBytes);
  const auto list = device()->create_command_list();
  list->upload(picture.plane(0));
  cambi.record(*list, picture.plane(0), picture.stride(0), {.buffer = results.get()});
  list->download({.buffer = results.get()});
  list->finish();
  device()->submit(*list).wait();
  const auto score = cambi.score(results->bytes(), {});
  ASSERT_TRUE(score.has_value());
  EXPECT_GT(*score, 0);
  ++results->as<std::uint32_t>()[1];
  EXPECT_NE(cambi.score(results->bytes(), {}), score);
  --results->as<std::uint32_t>()[1];
  const auto plane = picture.picture().plane<std::uint16_t>(0);
  for (int y = 100; y < 108; ++y) plane.row(y)[101] = plane.row(y)[102] = plane.row(y)[120];
  device()->submit(*list).wait();
  EXPECT_NE(cambi.score(results->bytes(), {}), score);
}

TEST_F(CambiQpu, RefusesWhatItDoesNotHold) {
  const FeatureRequest request = parse_feature_request("cambi");
  EXPECT_THROW(qpu::Cambi(*device(), {200, 200, {Chroma::c400, 8}}, request.options), Error);
  const qpu::Cambi cambi(*device(), {220, 100, {Chroma::c400, 8}}, request.options);
  const auto plane = device()->create_buffer(std::size_t{224} * 100);
  const auto results = device()->create_buffer(512);
  const auto list = device()->create_command_list();
  const qpu::BufferRange whole{.buffer = plane.get()};
  const qpu::BufferRange part{.buffer = plane.get(), .offset = 0, .size = 224 * 100 - 16};
  const qpu::BufferRange sums{
      .buffer = results.get(), .offset = 0, .size = qpu::Cambi::kResultBytes};
  EXPECT_THROW(cambi.record(*list, whole, 216, sums), Error);
  EXPECT_THROW(cambi.record(*list, part, 224, sums), Error);
  EXPECT_NO_THROW(cambi.record(*list, whole, 224, sums));
}

}  // namespace
}  // namespace sidecore::test_cambi_qpu
