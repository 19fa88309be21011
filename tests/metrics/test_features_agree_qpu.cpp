// Every registered feature, the device compared with the scalar definition: random sizes, formats,
// depths, contents and options, all features of a pair in one submission.
// ctest: threads, long, v3dsim
// Large pictures take long under sanitizers and run the same code as small ones.
// ctest: unsanitized *OnFull*
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/host_scorer.h"
#include "metrics/random_scene.h"
#include "neon/metrics/feature_kernels.h"
#include "qpu/metrics/picture_scorer.h"
#include "qpu/qpu_test_device.h"

namespace sidecore::test_features_agree_qpu {
namespace {

constexpr std::uint64_t kSeed = 20261122;
/// Number of scenes. The simulator gets fewer, because it executes every instruction of every lane.
/// The environment variable SIDECORE_TEST_SCENES overrides the number.
int scenes(const qpu::DeviceInfo& device) {
  const char* const wanted = std::getenv("SIDECORE_TEST_SCENES");
  if (wanted != nullptr) return std::atoi(wanted);
#ifdef SIDECORE_SANITIZED  // fewer scenes, because sanitizers check only the host's side
  return device.simulated ? 20 : 60;
#else
  return device.simulated ? 20 : 200;
#endif
}

/// Returns the requests without those that no shader computes.
std::vector<metrics::FeatureRequest> without_refused(
    std::vector<metrics::FeatureRequest> requests) {
  std::erase_if(requests, [](const auto& request) { return !qpu::refusal(request).empty(); });
  return requests;
}

class FeaturesAgreeQpu : public test::QpuTest {};

TEST_F(FeaturesAgreeQpu, OnRandomScenes) {
  Random random(kSeed);
  std::map<std::string_view, int> scored;
  const int count = scenes(device()->info());
  for (int i = 0; i < count; ++i) {
    const video::PictureFormat format = test::scene::random_format(random);
    const test::Scene scene = test::random_scene(format, random);
    std::string text;
    const auto requests = without_refused(test::random_requests(format, random, text));
    if (requests.empty()) continue;
    SCOPED_TRACE(fmt::format("seed {}, scene {}: {} {}{}", kSeed, i, to_string(format),
                             scene.content, text));
    const auto scalar = metrics::make_host_scorer(format, requests, metrics::scalar_kernels, 1);
    const auto qpu = qpu::make_picture_scorer(*device(), format, requests, neon::kernels);
    test::expect_same_scores(requests, test::score(*scalar, scene), test::score(*qpu, scene));
    for (const metrics::FeatureRequest& request : requests) ++scored[request.feature->name];
  }
  for (const metrics::FeatureFamily* const family : metrics::families()) {
    for (const metrics::Feature& feature : family->features) {
      if (!qpu::refusal(metrics::parse_feature_request(feature.name)).empty()) continue;
      EXPECT_GE(scored[feature.name], count / 8) << feature.name << " was hardly tried";
    }
  }
}

/// Scores one pair of each full size.
class FeaturesAgreeQpuOnFull : public FeaturesAgreeQpu,
                               public ::testing::WithParamInterface<std::pair<int, int>> {};

TEST_P(FeaturesAgreeQpuOnFull, PicturesInOneSubmission) {
  const auto [width, height] = GetParam();
  const test::Scene scene = test::synthetic_scene(width, height);
  const video::PictureFormat& format = scene.format;
  const auto requests = without_refused(test::all_requests());
  const auto neon = metrics::make_host_scorer(format, requests, neon::kernels, 2);
  const auto qpu = qpu::make_picture_scorer(*device(), format, requests, neon::kernels);
  const std::uint64_t before = device()->counters().submits;
  test::expect_same_scores(requests, test::score(*neon, scene), test::score(*qpu, scene));
  EXPECT_EQ(device()->counters().submits - before, 1U);
}

INSTANTIATE_TEST_SUITE_P(Sizes, FeaturesAgreeQpuOnFull, ::testing::ValuesIn(test::full_sizes()),
                         [](const auto& size) { return std::to_string(size.param.second) + "p"; });

}  // namespace
}  // namespace sidecore::test_features_agree_qpu
