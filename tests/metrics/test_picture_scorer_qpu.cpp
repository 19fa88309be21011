// Clips scored on the device: libvmaf's values, and one submission per picture.
// ctest: threads, long, v3dsim
// Large pictures take long under sanitizers and run the same code as small ones.
// ctest: unsanitized *Golden*/s1080_*
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "base/error.h"
#include "error_text.h"
#include "metrics/feature.h"
#include "metrics/golden.h"
#include "metrics/host_scorer.h"
#include "metrics/score_clips.h"
#include "qpu/metrics/picture_scorer.h"
#include "qpu/qpu_test_device.h"
#include "video/clip_source.h"

namespace sidecore::qpu::test_picture_scorer_qpu {
namespace {

using ::sidecore::test::ClipSource;
using ::sidecore::test::error_text;
using ::sidecore::test::Golden;
using ::sidecore::test::QpuTest;
using ::sidecore::test::Side;
using video::Chroma;
using video::PictureFormat;

const std::vector<metrics::FeatureRequest> kFloatPsnr{metrics::parse_feature_request("float_psnr")};

metrics::ScoreTable score(metrics::PictureScorer& scorer, const PictureFormat& format,
                          int pictures) {
  ClipSource reference(Side::reference, format, pictures);
  ClipSource distorted(Side::distorted, format, pictures);
  return metrics::score_clips(reference, distorted, scorer, {"float_psnr"});
}

/// A clip whose third picture cannot be read, because it is damaged.
class DamagedSource final : public ClipSource {
 public:
  using ClipSource::ClipSource;
  bool read(video::Picture& picture) override {
    if (read_++ == 2) throw usage_error("picture 2 is damaged");
    return ClipSource::read(picture);
  }

 private:
  int read_ = 0;
};

class PictureScorerQpu : public QpuTest {};
class PictureScorerQpuGolden : public QpuTest, public ::testing::WithParamInterface<Golden> {};

/// Returns every feature with the options of libvmaf's golden scores, and the scales of both SSIM
/// features.
std::vector<metrics::FeatureRequest> golden_features() {
  return {metrics::parse_feature_request("float_psnr"),
          metrics::parse_feature_request("float_ssim=enable_lcs=true"),
          metrics::parse_feature_request("float_ms_ssim=enable_lcs=true"),
          metrics::parse_feature_request("psnr_hvs"), metrics::parse_feature_request("float_adm")};
}

TEST_P(PictureScorerQpuGolden, AllFeaturesTogetherAreWhatLibvmafSays) {
  const Golden& golden = GetParam();
  const std::vector<metrics::FeatureRequest> requests = golden_features();
  const std::vector<std::string> names = metrics::output_names(requests);
  // Scores more pictures than there are slots, unless that takes minutes.
  const int pictures = device()->info().simulated ? 1 : std::min(golden.pictures, 4);
  const auto scorer =
      make_picture_scorer(*device(), golden.format, requests, metrics::scalar_kernels);
  ClipSource reference(Side::reference, golden.format, pictures);
  ClipSource distorted(Side::distorted, golden.format, pictures);
  const metrics::ScoreTable table = metrics::score_clips(reference, distorted, *scorer, names);
  ASSERT_EQ(table.pictures(), static_cast<std::size_t>(pictures));
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::vector<double> expected = golden.scores(names[i]);
    const bool divides_as_arm = names[i].starts_with("adm") || names[i] == "aim";
    for (std::size_t t = 0; t < table.pictures(); ++t) {
      const double tolerance = divides_as_arm ? 2e-7 : 0;
      EXPECT_NEAR(table.column(i)[t], expected[t], tolerance) << names[i] << ", picture " << t;
    }
  }
}

const auto kName = [](const auto& instance) { return instance.param.name; };
INSTANTIATE_TEST_SUITE_P(Clips, PictureScorerQpuGolden, ::testing::ValuesIn(test::load_goldens()),
                         kName);

TEST_F(PictureScorerQpu, ScoresAreThoseOfTheScalarDefinition) {
  for (const int bits : {8, 10, 12, 16}) {
    const PictureFormat format{131, 77, {Chroma::c422, bits}};
    const auto host = metrics::make_host_scorer(format, kFloatPsnr, metrics::scalar_kernels, 1);
    const auto qpu = make_picture_scorer(*device(), format, kFloatPsnr, metrics::scalar_kernels);
    const metrics::ScoreTable expected = score(*host, format, 7);
    const metrics::ScoreTable found = score(*qpu, format, 7);
    EXPECT_TRUE(std::ranges::equal(found.column(0), expected.column(0))) << bits << " bits";
  }
}

TEST_F(PictureScorerQpu, APictureIsOneSubmission) {
  const PictureFormat format{64, 48, {Chroma::c420, 8}};
  const auto scorer = make_picture_scorer(*device(), format, kFloatPsnr, metrics::scalar_kernels);
  const DeviceCounters before = device()->counters();
  (void)score(*scorer, format, 9);
  const DeviceCounters& after = device()->counters();
  EXPECT_EQ(after.submits - before.submits, 9U);
  EXPECT_EQ(after.pipelines_created, before.pipelines_created);
  if (device()->info().unified_memory) {
    EXPECT_EQ(after.uploaded_bytes, before.uploaded_bytes);
    EXPECT_EQ(after.downloaded_bytes, before.downloaded_bytes);
  } else {
    // Only luma planes are uploaded, with their padding; a sum of 8 bytes is downloaded.
    EXPECT_EQ(after.uploaded_bytes - before.uploaded_bytes, 9U * 2 * 64 * 48);
    EXPECT_EQ(after.downloaded_bytes - before.downloaded_bytes, 9U * 8);
  }
}

TEST_F(PictureScorerQpu, AnErrorWhilePairsAreInFlightLeavesTheDeviceUsable) {
  const PictureFormat format{64, 48, {Chroma::c420, 8}};
  {
    const auto scorer = make_picture_scorer(*device(), format, kFloatPsnr, metrics::scalar_kernels);
    ClipSource reference(Side::reference, format, 5);
    DamagedSource distorted(Side::distorted, format, 5);
    EXPECT_THROW((void)metrics::score_clips(reference, distorted, *scorer, {"float_psnr"}), Error);
  }
  const auto scorer = make_picture_scorer(*device(), format, kFloatPsnr, metrics::scalar_kernels);
  EXPECT_EQ(score(*scorer, format, 3).pictures(), 3U);
}

TEST_F(PictureScorerQpu, WhatTheFeatureIsNotDefinedForIsRefused) {
  EXPECT_EQ(error_text([] {
              (void)make_picture_scorer(*device(), {64, 48, {Chroma::c420, 9}}, kFloatPsnr,
                                        metrics::scalar_kernels);
            }),
            "float_psnr is defined for 8, 10, 12 and 16 bits a sample, not for 9");
  EXPECT_THROW((void)make_picture_scorer(*device(), {64, 48, {Chroma::c420, 8}}, {},
                                         metrics::scalar_kernels),
               Error);
}

}  // namespace
}  // namespace sidecore::qpu::test_picture_scorer_qpu
