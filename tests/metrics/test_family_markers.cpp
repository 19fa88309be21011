// Tests the effect of NO_NEON and NO_QPU in a list of families. This program has its own lists,
// generated from some_families/metrics/families.inc, in place of the libraries' lists.
// ctest: alone
#include <gtest/gtest.h>

#include "error_text.h"
#include "metrics/families.h"
#include "metrics/host_scorer.h"
#include "neon/metrics/feature_kernels.h"
#include "qpu/metrics/families.h"
#include "qpu/metrics/picture_scorer.h"
#include "qpu/qpu_test_device.h"

namespace sidecore::test_family_markers {
namespace {

using metrics::FeatureRequest;
using metrics::parse_feature_request;
using test::error_text;

constexpr video::PictureFormat kFormat{64, 48, {video::Chroma::c420, 8}};

TEST(FamilyMarkers, AFamilyWithoutNeonIsRefusedThereByName) {
  EXPECT_NE(neon::kernels(metrics::float_psnr_family()), nullptr);
  EXPECT_EQ(error_text([] { (void)neon::kernels(metrics::ssim_family()); }),
            "ssim has no NEON implementation");
  EXPECT_EQ(error_text([] { (void)neon::kernels(metrics::psnr_hvs_family()); }),
            "psnr_hvs has no NEON implementation");
  const std::vector requests{parse_feature_request("float_psnr"),
                             parse_feature_request("float_ssim")};
  EXPECT_EQ(
      error_text([&] { (void)metrics::make_host_scorer(kFormat, requests, neon::kernels, 1); }),
      "ssim has no NEON implementation");
  EXPECT_NE(metrics::make_host_scorer(kFormat, requests, metrics::scalar_kernels, 1), nullptr);
}

TEST(FamilyMarkers, AFeatureOfAFamilyWithoutShadersIsRefusedByName) {
  EXPECT_EQ(qpu::refusal(parse_feature_request("float_ssim")), "");
  EXPECT_EQ(qpu::refusal(parse_feature_request("float_psnr")), "feature float_psnr has no shader");
  EXPECT_EQ(qpu::refusal(parse_feature_request("psnr_hvs")), "feature psnr_hvs has no shader");
}

class FamilyMarkersQpu : public test::QpuTest {};

TEST_F(FamilyMarkersQpu, AScorerSaysSoToo) {
  const auto refusal_of = [](const char* feature) {
    const FeatureRequest request = parse_feature_request(feature);
    return error_text([&] {
      (void)qpu::make_picture_scorer(*device(), kFormat, {&request, 1}, metrics::scalar_kernels);
    });
  };
  EXPECT_EQ(refusal_of("float_psnr"), "feature float_psnr has no shader");
  const FeatureRequest ssim = parse_feature_request("float_ssim");
  EXPECT_NE(qpu::make_picture_scorer(*device(), kFormat, {&ssim, 1}, metrics::scalar_kernels),
            nullptr);
}

}  // namespace
}  // namespace sidecore::test_family_markers
