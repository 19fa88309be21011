// psnr: values of libvmaf 3.2.0 for pictures of the synthetic clip, and exact sums at 16 bits.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "error_text.h"
#include "metrics/float_psnr.h"
#include "metrics/score_cases.h"
#include "metrics/score_pair.h"
#include "neon/metrics/feature_kernels.h"
#include "neon/metrics/float_psnr.h"
#include "video/synthetic_clip.h"

namespace sidecore::test_psnr {
namespace {

using metrics::parse_feature_request;
using video::Chroma;

void expect_libvmafs_scores(metrics::KernelChoice kernels) {
  const std::vector<test::ScoreCase> cases{
      {{577, 323, {Chroma::c420, 8}},
       "psnr",
       {37.210122258069084, 38.788006558525232, 39.058863330179292}},
      {{176, 144, {Chroma::c422, 10}},
       "psnr=reduced_hbd_peak=true:enable_mse=true",
       {37.813184612748799, 172.14003314393941, 39.04002122847983, 129.77714646464648,
        39.06651814683255, 128.9877683080808}},
      {{176, 144, {Chroma::c444, 12}},
       "psnr=min_sse=1000000",
       {37.53225381296901, 38.830092529233731, 39.136774000694224}},
      {{97, 65, {Chroma::c444, 16}},
       "psnr=enable_mse=true",
       {38.382103096579229, 623356.22077716095, 38.988310438863955, 542145.13338620146,
        38.930490188246729, 549411.30150674074}},
      {{97, 65, {Chroma::c420, 8}}, "psnr=min_sse=2000000", {24, 17, 17}},
      {{577, 323, {Chroma::c420, 8}}, "psnr=enable_chroma=false", {37.210122258069084}},
      {{577, 323, {Chroma::c400, 8}}, "psnr=enable_chroma=false", {37.210122258069084}}};
  test::expect_scores(kernels, cases, 1e-12);
}

TEST(Psnr, IsWhatLibvmafSays) {
  expect_libvmafs_scores(metrics::scalar_kernels);
}
TEST(PsnrNeon, IsWhatLibvmafSays) {
  expect_libvmafs_scores(neon::kernels);
}

TEST(Psnr, OfIdenticalPlanesIsTheHighestOfTheDepth) {
  for (const auto& [bits, highest] : {std::pair{8, 60.0}, {10, 72.0}, {12, 84.0}, {16, 108.0}}) {
    const video::SyntheticClip clip({64, 48, {Chroma::c420, bits}});
    EXPECT_EQ(test::score_pair(neon::kernels, parse_feature_request("psnr"), clip.reference(0),
                               clip.reference(0)),
              std::vector<double>(3, highest));
  }
}

TEST(Psnr, RefusesFormatsForWhichItIsNotDefined) {
  const auto refusal = [](const char* text, Chroma chroma, int bits) {
    return test::error_text([&] { parse_feature_request(text).check({64, 48, {chroma, bits}}); });
  };
  EXPECT_EQ(refusal("psnr", Chroma::c400, 8),
            "psnr of luma-only pictures needs enable_chroma=false");
  EXPECT_EQ(refusal("psnr", Chroma::c420, 9),
            "psnr is defined for 8, 10, 12 and 16 bits a sample, not for 9");
}

TEST(PsnrNeon, SumsAtSixteenBitsAreExactAtEveryWidth) {
  Random random(7);
  for (int width = 1; width <= 40; ++width) {
    // The vectors end with the last sample, so that sanitizers detect a read past it.
    std::vector<std::uint16_t> a(static_cast<std::size_t>(width) * 3);
    std::vector<std::uint16_t> b(a.size());
    for (std::uint16_t& sample : a) sample = static_cast<std::uint16_t>(random.below(65536));
    for (std::uint16_t& sample : b) sample = static_cast<std::uint16_t>(random.below(65536));
    a.front() = 65535;
    b.front() = 0;
    const video::PlaneView<const std::uint16_t> first{a.data(), width, 3, width};
    const video::PlaneView<const std::uint16_t> second{b.data(), width, 3, width};
    EXPECT_EQ(neon::exact_squared_error_sum(first, second),
              metrics::exact_squared_error_sum(first, second));
  }
}

}  // namespace
}  // namespace sidecore::test_psnr
