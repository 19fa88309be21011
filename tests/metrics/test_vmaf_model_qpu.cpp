// VMAF's models with every feature on the device: libvmaf's scores, one submission per pair.
// ctest: long
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "metrics/vmaf_goldens.h"
#include "neon/metrics/feature_kernels.h"
#include "qpu/metrics/picture_scorer.h"
#include "qpu/qpu_test_device.h"

namespace sidecore::test_vmaf_model_qpu {
namespace {

/// Returns the models whose features have shaders; models of float features do not.
std::vector<metrics::ModelRequest> models_with_shaders() {
  std::vector<metrics::ModelRequest> models = test::all_models();
  std::erase_if(models, [](const metrics::ModelRequest& model) {
    return !std::ranges::all_of(test::model_features({model}),
                                [](const auto& request) { return qpu::refusal(request).empty(); });
  });
  return models;
}

class VmafQpuGolden : public test::QpuTest, public ::testing::WithParamInterface<test::Golden> {};

TEST_P(VmafQpuGolden, IsWhatLibvmafSays) {
  const std::vector<metrics::ModelRequest> models = models_with_shaders();
  ASSERT_EQ(models.size(), 13U);  // eight models of v1, four of v0.6.1, and the phone model
  const auto scorer = qpu::make_picture_scorer(*device(), GetParam().format,
                                               test::model_features(models), neon::kernels);
  const std::uint64_t before = device()->counters().submits;
  test::expect_golden_scores(GetParam(), models, *scorer);
  // Number of submissions: one per pair, and one more for values that a shader leaves undecided.
  const std::uint64_t submits = device()->counters().submits - before;
  EXPECT_GE(submits, static_cast<std::uint64_t>(GetParam().pictures));
}

INSTANTIATE_TEST_SUITE_P(Clips, VmafQpuGolden,
                         ::testing::ValuesIn(test::load_goldens("vmaf_golden")),
                         [](const auto& clip) { return clip.param.name; });

}  // namespace
}  // namespace sidecore::test_vmaf_model_qpu
