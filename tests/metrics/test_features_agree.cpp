// Every registered feature, NEON compared with the scalar definition: random sizes, formats,
// depths, contents and options, all features of a pair in one scorer.
// ctest: threads
// Large pictures take long under sanitizers and run the same code as small ones.
// ctest: unsanitized *OnFull*
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/host_scorer.h"
#include "metrics/random_scene.h"
#include "neon/metrics/feature_kernels.h"

namespace sidecore::test_features_agree {
namespace {

/// This seed draws every feature often enough in the first 60 scenes too.
constexpr std::uint64_t kSeed = 20261123;
#if defined(SIDECORE_SANITIZED) || defined(__aarch64__)
// A sanitized or emulated scene takes ten times as long.
constexpr std::size_t kScenes = 60;
#else
constexpr std::size_t kScenes = 200;
#endif

TEST(FeaturesAgreeNeon, OnRandomScenesWhateverTheThreads) {
  Random random(kSeed);
  std::map<std::string_view, std::size_t> scored;
  for (std::size_t i = 0; i < kScenes; ++i) {
    const video::PictureFormat format = test::scene::random_format(random);
    const test::Scene scene = test::random_scene(format, random);
    std::string text;
    const auto requests = test::random_requests(format, random, text);
    if (requests.empty()) continue;
    SCOPED_TRACE(fmt::format("seed {}, scene {}: {} {}{}", kSeed, i, to_string(format),
                             scene.content, text));
    const auto scalar = metrics::make_host_scorer(format, requests, metrics::scalar_kernels, 1);
    const auto neon = metrics::make_host_scorer(format, requests, neon::kernels, 1 + i % 3);
    test::expect_same_scores(requests, test::score(*scalar, scene), test::score(*neon, scene));
    for (const metrics::FeatureRequest& request : requests) ++scored[request.feature->name];
  }
  for (const metrics::FeatureFamily* const family : metrics::families()) {
    for (const metrics::Feature& feature : family->features) {
      EXPECT_GE(scored[feature.name], kScenes * 3 / 20) << feature.name << " was hardly tried";
    }
  }
}

TEST(FeaturesAgree, TheDefinitionGivesTheSameOnAnyNumberOfThreads) {
  Random random(kSeed + 1);
  for (int i = 0; i < 20; ++i) {
    const video::PictureFormat format = test::scene::random_format(random);
    const test::Scene scene = test::random_scene(format, random);
    std::string text;
    const auto requests = test::random_requests(format, random, text);
    if (requests.empty()) continue;
    SCOPED_TRACE(fmt::format("seed {}, scene {}: {} {}{}", kSeed + 1, i, to_string(format),
                             scene.content, text));
    const auto one = metrics::make_host_scorer(format, requests, metrics::scalar_kernels, 1);
    const auto four = metrics::make_host_scorer(format, requests, metrics::scalar_kernels, 4);
    test::expect_same_scores(requests, test::score(*one, scene), test::score(*four, scene));
  }
}

TEST(FeaturesAgree, AKernelKeepsNothingOfThePictureBefore) {
  Random random(kSeed + 2);
  const video::PictureFormat format{190, 181, {video::Chroma::c420, 10}};
  std::string text;
  const auto requests = test::random_requests(format, random, text);
  const auto fresh = [&](const test::Scene& scene) {
    const auto scorer = metrics::make_host_scorer(format, requests, neon::kernels, 1);
    return test::score(*scorer, scene);
  };
  const auto used = metrics::make_host_scorer(format, requests, neon::kernels, 1);
  for (int i = 0; i < 6; ++i) {
    const test::Scene scene = test::random_scene(format, random);
    SCOPED_TRACE(fmt::format("seed {}, scene {}: {}", kSeed + 2, i, scene.content));
    test::expect_same_scores(requests, fresh(scene), test::score(*used, scene));
  }
}

/// Scores one pair of each full size with every host implementation.
class FeaturesAgreeOnFull : public ::testing::TestWithParam<std::pair<int, int>> {};

TEST_P(FeaturesAgreeOnFull, Pictures) {
  const auto [width, height] = GetParam();
  const test::Scene scene = test::synthetic_scene(width, height);
  const video::PictureFormat& format = scene.format;
  const auto requests = test::all_requests();
  const auto scalar = metrics::make_host_scorer(format, requests, metrics::scalar_kernels, 2);
  const auto neon = metrics::make_host_scorer(format, requests, neon::kernels, 2);
  test::expect_same_scores(requests, test::score(*scalar, scene), test::score(*neon, scene));
}

INSTANTIATE_TEST_SUITE_P(Sizes, FeaturesAgreeOnFull, ::testing::ValuesIn(test::full_sizes()),
                         [](const auto& size) { return std::to_string(size.param.second) + "p"; });

}  // namespace
}  // namespace sidecore::test_features_agree
