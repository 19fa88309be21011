// float_ssim and float_ms_ssim: libvmaf's values on its golden clips, options, and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/error.h"
#include "golden.h"
#include "metrics/decimation.h"
#include "metrics/ssim_plan.h"
#include "video/synthetic_clip.h"

namespace sidecore {
namespace {

using metrics::HostSsim;
using metrics::SsimArithmetic;
using test::Golden;

constexpr int kScale = 0;

/// float_ssim with its default options and enable_lcs, float_ms_ssim with enable_lcs.
struct Outputs {
  std::vector<std::string> ssim = {"float_ssim", "float_ssim_l", "float_ssim_c", "float_ssim_s"};
  std::vector<std::string> ms_ssim = {"float_ms_ssim"};
  Outputs() {
    for (const char* mean : {"l", "c", "s"}) {
      for (int k = 0; k < metrics::kMsSsimLevels; ++k) {
        ms_ssim.push_back(std::string("float_ms_ssim_") + mean + "_scale" + std::to_string(k));
      }
    }
  }
};

using MakeArithmetic = std::unique_ptr<SsimArithmetic> (*)(int width, int height);

void expect_golden_scores(const Golden& golden, MakeArithmetic make) {
  const Outputs outputs;
  const int scale = metrics::float_ssim_scale(kScale, golden.format);
  HostSsim ssim(golden.format, {.scales = {scale}, .levels = true},
                make(golden.format.width, golden.format.height));
  const video::SyntheticClip clip(golden.format);
  video::Picture reference(golden.format);
  video::Picture distorted(golden.format);
  for (int t = 0; t < std::min(golden.pictures, 4); ++t) {
    clip.fill_reference(t, reference);
    clip.fill_distorted(t, reference, distorted);
    const metrics::SsimResult& result = ssim.measure(reference, distorted);
    const auto expect = [&](const std::vector<std::string>& names, const std::vector<double>& got) {
      for (std::size_t i = 0; i < names.size(); ++i) {
        EXPECT_EQ(got[i], golden.scores(names[i])[static_cast<std::size_t>(t)])
            << names[i] << ", picture " << t;
      }
    };
    std::vector<double> scores(outputs.ssim.size());
    metrics::score_float_ssim(result.scales[static_cast<std::size_t>(scale)], {.enable_lcs = true},
                              golden.format, scores);
    expect(outputs.ssim, scores);
    scores.resize(outputs.ms_ssim.size());
    metrics::score_float_ms_ssim(result.levels, {.enable_lcs = true}, golden.format, scores);
    expect(outputs.ms_ssim, scores);
  }
}

class SsimGolden : public ::testing::TestWithParam<Golden> {};
TEST_P(SsimGolden, IsWhatLibvmafSays) {
  expect_golden_scores(GetParam(), metrics::scalar_ssim_arithmetic);
}

const auto kName = [](const auto& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(Clips, SsimGolden, ::testing::ValuesIn(test::load_goldens()), kName);

}  // namespace
}  // namespace sidecore
