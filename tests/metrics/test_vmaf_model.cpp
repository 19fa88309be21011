// VMAF's models: libvmaf's scores of clips, with cambi and speed_chroma; and each step from
// features to a score, on models small enough to compute by hand.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "error_text.h"
#include "metrics/golden.h"
#include "metrics/host_scorer.h"
#include "metrics/pooling.h"
#include "metrics/score_clips.h"
#include "metrics/vmaf_goldens.h"
#include "metrics/vmaf_model.h"
#include "neon/metrics/feature_kernels.h"
#include "video/clip_source.h"

namespace sidecore::test_vmaf_model {
namespace {

using metrics::ModelRequest;
using metrics::parse_model_request;
using metrics::parse_vmaf_model;
using test::Golden;
using video::PictureFormat;

void expect_golden_scores(const Golden& golden, metrics::KernelChoice kernels) {
  const std::vector<ModelRequest> models = test::all_models();
  const auto scorer =
      metrics::make_host_scorer(golden.format, test::model_features(models), kernels, 2);
  test::expect_golden_scores(golden, models, *scorer);
}

class VmafGolden : public ::testing::TestWithParam<Golden> {};
TEST_P(VmafGolden, IsWhatLibvmafSays) {
  expect_golden_scores(GetParam(), metrics::scalar_kernels);
}
class VmafNeonGolden : public ::testing::TestWithParam<Golden> {};
TEST_P(VmafNeonGolden, IsWhatLibvmafSays) {
  expect_golden_scores(GetParam(), neon::kernels);
}
const auto kName = [](const auto& info) { return info.param.name; };
const auto kClips = ::testing::ValuesIn(test::load_goldens("vmaf_golden"));
INSTANTIATE_TEST_SUITE_P(Clips, VmafGolden, kClips, kName);
INSTANTIATE_TEST_SUITE_P(Clips, VmafNeonGolden, kClips, kName);

/// Scores every third picture of a clip with several models; one of them depends on five pictures.
metrics::ScoreTable subsampled_scores(const Golden& golden, metrics::KernelChoice kernels,
                                      std::size_t threads) {
  std::vector<ModelRequest> models;
  for (const char* const version :
       {"vmaf_v1.0.16_3d0h", "vmaf_v1.0.16_hfr_3d0h", "vmaf_v0.6.1", "vmaf_float_v0.6.1"}) {
    models.push_back(
        parse_model_request(fmt::format("version={0}:name={0}:disable_clip", version)));
  }
  std::vector<metrics::FeatureRequest> requests;
  metrics::add_model_features(models, requests);
  const auto scorer = metrics::make_host_scorer(golden.format, requests, kernels, threads);
  test::ClipSource reference(test::Side::reference, golden.format, golden.pictures);
  test::ClipSource distorted(test::Side::distorted, golden.format, golden.pictures);
  metrics::ScoreClipsOptions options;
  options.subsample = 3;
  metrics::ScoreTable table =
      metrics::score_clips(reference, distorted, *scorer, metrics::output_names(requests), options);
  metrics::add_model_scores(models, table);
  return table;
}

void expect_near(std::span<const double> values, const std::vector<double>& expected, double most,
                 const std::string& name) {
  ASSERT_EQ(values.size(), expected.size()) << name;
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(values[i], expected[i], most) << name << ", value " << i;
  }
}

/// Compares the result with libvmaf's log of the same run: the pictures, the scores and the pooled
/// scores.
void expect_subsampled_log(metrics::KernelChoice kernels, std::size_t threads) {
  const std::vector<Golden> goldens = test::load_goldens("vmaf_subsampled");
  const Golden& golden = goldens.front();
  const metrics::ScoreTable table = subsampled_scores(golden, kernels, threads);
  std::ifstream file(golden.path);
  const nlohmann::json log = nlohmann::json::parse(file);
  ASSERT_EQ(table.pictures(), log.at("frames").size());
  for (std::size_t row = 0; row < table.pictures(); ++row) {
    EXPECT_EQ(table.number(row), log.at("frames")[row].at("frameNum"));
  }
  ASSERT_EQ(table.names().size(), log.at("pooled_metrics").size());
  for (std::size_t i = 0; i < table.names().size(); ++i) {
    const std::string& name = table.names()[i];
    const bool of_float_adm = name.starts_with("adm") || name.starts_with("aim");
    const double most = of_float_adm ? 2e-7 : test::tolerance(name);
    expect_near(table.column(i), golden.scores(name), most, name);
    const metrics::Pooled pooled = metrics::pool(table.column(i));
    const nlohmann::json& expected = log.at("pooled_metrics").at(name);
    expect_near(
        std::array{pooled.min, pooled.max, pooled.mean, pooled.harmonic_mean},
        {expected.at("min"), expected.at("max"), expected.at("mean"), expected.at("harmonic_mean")},
        most, name + ", pooled");
  }
}

TEST(VmafSubsample, IsWhatLibvmafSays) {
  expect_subsampled_log(metrics::scalar_kernels, 1);
}
TEST(VmafSubsampleNeon, IsWhatLibvmafSaysOnSeveralThreads) {
  expect_subsampled_log(neon::kernels, 3);
}

constexpr const char* kMachine =
    R"("svm_type nu_svr\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 2\nrho -3\nSV\n2 1:1 \n-1 2:2\n")";

/// A model of adm2 (a) and motion2 (m) with additional members. Its support vector machine computes
/// 3 + 2 exp(-((a - 1)^2 + m^2) / 2) - exp(-(a^2 + (m - 2)^2) / 2).
std::string small_model(const std::string& more, const std::string& machine = kMachine) {
  return R"({"model_dict": {"model_type": "LIBSVMNUSVR", "feature_names":
    ["VMAF_integer_feature_adm2_score", "VMAF_integer_feature_motion2_score"], "model": )" +
         machine + ", " + more + "}}";
}
double machine_of_small_model(double a, double m) {
  return 3 + 2 * std::exp(-((a - 1) * (a - 1) + m * m) / 2) -
         std::exp(-(a * a + (m - 2) * (m - 2)) / 2);
}
double predict(const std::string& file, const std::vector<double>& features) {
  return parse_vmaf_model(file, "it").predict(features);
}

TEST(VmafModel, IsASupportVectorMachineOfNormalisedFeatures) {
  EXPECT_DOUBLE_EQ(predict(small_model(R"("norm_type": "none")"), {0.25, 0.5}),
                   machine_of_small_model(0.25, 0.5));
  EXPECT_DOUBLE_EQ(predict(small_model(R"("norm_type": "linear_rescale", "slopes": [0.5, 2, 3],
                                          "intercepts": [-1, 0.25, 0.125])"),
                           {0.25, 0.5}),
                   (machine_of_small_model(2 * 0.25 + 0.25, 3 * 0.5 + 0.125) + 1) / 0.5);
}

TEST(VmafModel, ClipsItsScore) {
  const std::string norm = R"("norm_type": "none", "score_clip": )";
  EXPECT_EQ(predict(small_model(norm + "[4, 5]"), {0, 2}), 4);
  EXPECT_EQ(predict(small_model(norm + "[1, 2]"), {0, 2}), 2);
  EXPECT_DOUBLE_EQ(predict(small_model(norm + "[0, 9]"), {0, 2}), machine_of_small_model(0, 2));
}

TEST(VmafModel, TransformsItsScoreWhereEnabled) {
  const double y = machine_of_small_model(0, 2);  // about 2.1
  const auto transformed = [](const std::string& transform) {
    return predict(small_model(R"("norm_type": "none", "score_transform": {)" + transform + "}"),
                   {0, 2});
  };
  EXPECT_DOUBLE_EQ(transformed(R"("p0": 1)"), y) << "not enabled";
  const std::string enabled = R"("enabled": true, )";
  EXPECT_DOUBLE_EQ(transformed(enabled + R"("p0": 1, "p1": 2, "p2": 3)"), 1 + 2 * y + 3 * y * y);
  EXPECT_DOUBLE_EQ(transformed(enabled + R"("p1": 0.5, "p2": null)"), 0.5 * y);
  EXPECT_DOUBLE_EQ(transformed(enabled + R"("p1": 0.5, "out_gte_in": "true")"), y);
  EXPECT_DOUBLE_EQ(transformed(enabled + R"("p1": 2, "out_lte_in": "true")"), y);
  EXPECT_DOUBLE_EQ(transformed(enabled + R"("knots": [[0, 0], [2, 4], [4, 5]])"), 4 + (y - 2) / 2);
  EXPECT_DOUBLE_EQ(transformed(enabled + R"("knots": [[3, 3], [4, 5]])"), 3 + 2 * (y - 3));
  EXPECT_DOUBLE_EQ(transformed(enabled + R"("knots": [[0, 1], [1, 1]])"), 1);
}

TEST(VmafModel, DerivesChromaFromLumaWhereChromaSaysNothing) {
  const std::string file =
      R"({"model_dict": {"model_type": "LIBSVMNUSVR", "norm_type": "none", "feature_names":
      ["VMAF_integer_feature_adm3_score", "Speed_chroma_feature_speed_chroma_uv_score"],
      "chroma_correction_parameter": 4, "model": )" +
      std::string(kMachine) + "}}";
  EXPECT_DOUBLE_EQ(predict(file, {0.75, 0}), machine_of_small_model(0.75, 4 * (1 - 0.75)));
  EXPECT_DOUBLE_EQ(predict(file, {0.75, 1e-9}), machine_of_small_model(0.75, 1e-9));
}

TEST(VmafModel, PassesOptionsToItsFeatures) {
  const auto model = parse_vmaf_model(
      small_model(R"("norm_type": "none", "feature_opts_dicts":
                     [{"adm_enhn_gain_limit": 1.0}, {"motion_five_frame_window": true}])"),
      "it", std::vector<metrics::VmafOverride>{{"motion", "motion_max_val", "18"}});
  EXPECT_EQ(model.inputs[0].output, "integer_adm2_egl_1");
  EXPECT_EQ(model.inputs[1].output, "integer_motion2_mffw_mmxv_18");
}

TEST(VmafModel, NamesWhatIsWrongWithItsFile) {
  const auto error = [](const std::string& file) {
    return test::error_text([&] { (void)parse_vmaf_model(file, "'it'"); });
  };
  const std::string none = R"("norm_type": "none")";
  EXPECT_EQ(error(R"({"model_dict": )"), "'it' is not complete JSON");
  EXPECT_EQ(error("[]"), "'it' is not a VMAF model: it has no model_dict");
  EXPECT_EQ(error(small_model(R"("norm_type": "clip_0to1")")),
            "'it': its norm_type must be linear_rescale or none, not 'clip_0to1'");
  EXPECT_EQ(error(small_model(R"("norm_type": "linear_rescale", "slopes": [1, 2])")),
            "'it': its slopes must be a list of 3 numbers");
  EXPECT_EQ(
      error(small_model(none + R"(, "feature_opts_dicts": [{"adm_depth": 1}])")).substr(0, 58),
      "'it': feature adm: there is no option 'adm_depth': debug, ");
  EXPECT_EQ(error(small_model(none + R"(, "chroma_correction_parameter": 120)")),
            "'it': its chroma correction needs a feature adm3, but it has none");
  EXPECT_EQ(error(small_model(none + R"(, "score_transform": {"knots": [[1, 1], [0, 2]]})")),
            "'it': its knots must ascend");
  EXPECT_EQ(error(small_model(none, R"("svm_type c_svc\n")")),
            "'it': its support vector machine has the svm_type 'c_svc'; it must be nu_svr");
  std::string machine = kMachine;
  EXPECT_EQ(error(small_model(none, machine.substr(0, machine.find("-1 2:2")) + '"')),
            "'it': its support vector machine is incomplete");
  EXPECT_EQ(error(small_model(none, machine.replace(machine.find("2:2"), 3, "3:2"))),
            "'it': its support vector machine has an element 3, but only 2 features");
}

/// Returns the requests that features and models need together, as text.
std::vector<std::string> requested(const std::vector<std::string>& features,
                                   const std::vector<std::string>& models) {
  std::vector<metrics::FeatureRequest> requests;
  for (const std::string& text : features) {
    metrics::add_feature_request(requests, metrics::parse_feature_request(text));
  }
  std::vector<ModelRequest> parsed;
  for (const std::string& text : models) parsed.push_back(parse_model_request(text));
  metrics::add_model_features(parsed, requests);
  std::vector<std::string> texts;
  for (const metrics::FeatureRequest& request : requests) texts.push_back(request.text());
  return texts;
}

TEST(VmafModel, OptionsThatAddOutputsJoinTheModelsFeatures) {
  using Texts = std::vector<std::string>;
  const std::string model = "version=vmaf_v0.6.1";
  EXPECT_EQ(requested({}, {model}), (Texts{"adm", "motion", "vif"}));
  EXPECT_EQ(requested({"adm=debug=true"}, {model}), (Texts{"adm=debug=true", "motion", "vif"}));
  EXPECT_EQ(requested({"vif=debug=true", "motion=debug=true", "adm"}, {model}),
            (Texts{"vif=debug=true", "motion=debug=true", "adm"}));
  EXPECT_EQ(requested({}, {model + ":name=a:adm.debug=true", model + ":name=b"}),
            (Texts{"adm=debug=true", "motion", "vif"}));
  EXPECT_EQ(requested({}, {model + ":name=a", model + ":name=b:vif.debug=true"}),
            (Texts{"adm", "motion", "vif=debug=true"}));
  // The option debug of float_motion is true by default.
  EXPECT_EQ(requested({"float_motion=debug=false"}, {"version=vmaf_float_v0.6.1"})[0],
            "float_motion");
  // A request with other values stays separate, because its outputs have other names.
  EXPECT_EQ(requested({"adm=debug=true:adm_enhn_gain_limit=1"}, {model}),
            (Texts{"adm=debug=true:adm_enhn_gain_limit=1", "adm", "motion", "vif"}));
}

TEST(VmafModel, ScoresAreTheSameWithMoreOutputs) {
  std::vector<ModelRequest> models{parse_model_request("version=vmaf_v0.6.1")};
  const video::PictureFormat format{64, 48, {video::Chroma::c420, 8}};
  const auto score = [&](std::vector<metrics::FeatureRequest> requests) {
    metrics::add_model_features(models, requests);
    const auto scorer = metrics::make_host_scorer(format, requests, metrics::scalar_kernels, 1);
    test::ClipSource reference(test::Side::reference, format, 3);
    test::ClipSource distorted(test::Side::distorted, format, 3);
    metrics::ScoreTable table =
        metrics::score_clips(reference, distorted, *scorer, metrics::output_names(requests));
    metrics::add_model_scores(models, table);
    const std::span<const double> scores = table.column(table.names().size() - 1);
    return std::vector<double>(scores.begin(), scores.end());
  };
  const std::vector<double> plain = score({});
  for (const char* const text : {"adm=debug=true", "vif=debug=true", "motion=debug=true"}) {
    EXPECT_EQ(score({metrics::parse_feature_request(text)}), plain) << text;
  }
}

TEST(VmafModel, ScoresOfOneNameAreRefusedSayingWhoseTheyAre) {
  // Output names contain six digits of a value.
  const std::string model = "version=vmaf_v0.6.1:adm.adm_min_val=0.1234561";
  EXPECT_EQ(test::error_text([&] { (void)requested({"adm=adm_min_val=0.1234562"}, {model}); }),
            "integer_adm2_min_0.123456 would be written twice, with different values: by "
            "adm=adm_min_val=0.1234562 (requested as a feature) and by adm=adm_min_val=0.1234561 "
            "(for model '" +
                model + "')");
  const std::string other = "version=vmaf_v0.6.1:name=b:adm.adm_min_val=0.1234562";
  EXPECT_EQ(test::error_text([&] {
              (void)requested({}, {model, other});
            }),
            "integer_adm2_min_0.123456 would be written twice, with different values: by "
            "adm=adm_min_val=0.1234561 (for model '" +
                model + "') and by adm=adm_min_val=0.1234562 (for model '" + other + "')");
}

TEST(VmafModel, ACollectionIsAFileOfModels) {
  const std::string model = small_model(R"("norm_type": "none")");
  const std::string collection = R"({"0": )" + model + R"(, "1": )" + model + "}";
  EXPECT_TRUE(metrics::is_vmaf_model_collection(collection));
  EXPECT_FALSE(metrics::is_vmaf_model_collection(model));
  const auto models = metrics::parse_vmaf_model_collection(collection, "it");
  ASSERT_EQ(models.size(), 2U);
  EXPECT_DOUBLE_EQ(models[1].predict(std::vector{0.25, 0.5}), machine_of_small_model(0.25, 0.5));
  const auto error = [](const std::string& text) {
    return test::error_text([&] { (void)metrics::parse_vmaf_model_collection(text, "it"); });
  };
  EXPECT_EQ(error(model), "it is not a collection of models");
  EXPECT_EQ(error(R"({"0": )" + model + R"(, "1": {}})"),
            "it, model 1 is not a VMAF model: it has no model_dict");
}

TEST(VmafModel, AnOptionChangesTheNameOfAnInput) {
  metrics::VmafModel model = metrics::built_in_vmaf_model("vmaf_v0.6.1");
  EXPECT_FALSE(model.set_option("cambi", "topk", "0.5"));
  EXPECT_TRUE(model.set_option("adm", "adm_enhn_gain_limit", "1"));
  EXPECT_EQ(model.inputs.front().output, "integer_adm2_egl_1");
  EXPECT_TRUE(model.set_option("adm", "adm_enhn_gain_limit", "100"));
  EXPECT_EQ(model.inputs.front().output, "integer_adm2");
}

TEST(VmafModel, ControlBytesOfAFileDoNotReachMessages) {
  const auto error = [](const std::string& text) {
    return test::error_text([&] { (void)parse_vmaf_model(text, "it"); });
  };
  EXPECT_EQ(error(R"({"model_dict": {"model": "", "model_type": "\u001b[2J\u009b\n"}})"),
            "it: its model_type must be LIBSVMNUSVR, not '\\x1b[2J\\u{009b}\\n'");
  const std::string none = R"("norm_type": "none")";
  EXPECT_EQ(error(small_model(none, R"("svm_type \u001b]0;x\u0007\n")")),
            "it: its support vector machine has the svm_type '\\x1b]0;x\\x07'; it must be nu_svr");
  EXPECT_EQ(error(small_model(none + R"(, "feature_opts_dicts": [{"\u001bc": 1}])")).substr(0, 49),
            "it: feature adm: there is no option '\\x1bc': debu");
}

TEST(VmafModel, ScoresPicturesOfATable) {
  metrics::ScoreTable table({"integer_motion2", "integer_adm2"});
  table.append(0, std::vector{0.5, 0.25});
  table.append(3, std::vector{1.0, 0.75});
  const std::vector<ModelRequest> models{
      {"mine", "", parse_vmaf_model(small_model(R"("norm_type": "none")"), "it")}};
  metrics::add_model_scores(models, table);
  ASSERT_EQ(table.names().back(), "mine");
  EXPECT_DOUBLE_EQ(table.column(2)[0], machine_of_small_model(0.25, 0.5));
  EXPECT_DOUBLE_EQ(table.column(2)[1], machine_of_small_model(0.75, 1));
}

}  // namespace
}  // namespace sidecore::test_vmaf_model
