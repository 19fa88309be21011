// float_adm: libvmaf's values on its golden clips.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "golden.h"
#include "metrics/float_adm_sums.h"
#include "video/synthetic_clip.h"

namespace sidecore {
namespace {

using metrics::AdmScores;
using test::Golden;

/// libvmaf divides by an estimate of x86's; a true division, which it uses on ARM, differs by so much.
constexpr double kGoldenTolerance = 2e-7;

struct Output {
  std::string name;
  double (*of)(const AdmScores&);
};
const std::vector<Output>& outputs() {
  static const std::vector<Output> all = {
      {"adm2", [](const AdmScores& s) { return s.adm2; }},
      {"aim", [](const AdmScores& s) { return s.aim; }},
      {"adm3", [](const AdmScores& s) { return s.adm3; }},
      {"adm_scale0", [](const AdmScores& s) { return s.scale[0]; }},
      {"adm_scale1", [](const AdmScores& s) { return s.scale[1]; }},
      {"adm_scale2", [](const AdmScores& s) { return s.scale[2]; }},
      {"adm_scale3", [](const AdmScores& s) { return s.scale[3]; }},
  };
  return all;
}

class FloatAdmGolden : public ::testing::TestWithParam<Golden> {};
TEST_P(FloatAdmGolden, IsWhatLibvmafSays) {
  const Golden& golden = GetParam();
  const video::SyntheticClip clip(golden.format);
  video::Picture reference(golden.format);
  video::Picture distorted(golden.format);
  metrics::FloatAdm kernel(golden.format, {}, 1);
  metrics::CallingThread thread;
  double worst=0;
  for (int t = 0; t < golden.pictures; ++t) {
    clip.fill_reference(t, reference);
    clip.fill_distorted(t, reference, distorted);
    const AdmScores scores = metrics::float_adm(kernel.sums(reference, distorted, thread),
                                                golden.format.width, golden.format.height, {});
    for (const Output& output : outputs()) {
      const double expected = golden.scores(output.name)[static_cast<std::size_t>(t)];
      EXPECT_NEAR(output.of(scores), expected, kGoldenTolerance) << output.name << ", picture " << t;
      worst=std::max(worst,std::fabs(output.of(scores)-expected));
    }
  }
  printf("worst %g\n",worst);
}
const auto kName = [](const auto& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(Clips, FloatAdmGolden, ::testing::ValuesIn(test::load_goldens()), kName);

}  // namespace
}  // namespace sidecore
