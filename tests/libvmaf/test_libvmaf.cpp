// Tests of libvmaf's interface: scores are libvmaf's, and errors are those of the headers.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "environment_variable.h"
#include "libvmaf/clip.h"
#include "metrics/golden.h"
#include "process_state.h"
#include "temporary_directory.h"

namespace sidecore {
namespace {

using namespace libvmaf_test;

constexpr video::PictureFormat kSmall{64, 64, {video::Chroma::c420, 8}};

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Returns the text of an output file.
std::string output(VmafContext* context, VmafOutputFormat format) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "scores";
  EXPECT_EQ(vmaf_write_output(context, path.c_str(), format), 0);
  return text_of(path);
}

double score(VmafContext* context, const char* name, unsigned index) {
  double score = 0;
  EXPECT_EQ(vmaf_feature_score_at_index(context, name, &score, index), 0) << name << " " << index;
  return score;
}

/// A clip of pictures in one context.
class Clip {
 public:
  explicit Clip(const video::PictureFormat& format, unsigned threads = 0, unsigned subsample = 1)
      : clip_(format), context_(open(threads, subsample)) {}

  [[nodiscard]] VmafContext* context() const { return context_.get(); }
  int use(const char* feature, VmafFeatureDictionary* options = nullptr) {
    return vmaf_use_feature(context(), feature, options);
  }
  /// Reads picture `t` of the clip.
  int read(int t) { return read(t, static_cast<unsigned>(t)); }
  int read(int t, unsigned index) { return read_pair(context(), clip_, t, index); }
  int end() { return flush(context()); }
  int find(const char* name, unsigned index) {
    double ignored = 0;
    return vmaf_feature_score_at_index(context(), name, &ignored, index);
  }

 private:
  video::SyntheticClip clip_;
  Context context_;
};

// --- scores --------------------------------------------------------------------------------------

/// Reads a golden clip with `threads` and subsampling as in tests/data/vmaf_subsampled, and
/// compares all scores and pooled scores in the JSON file with libvmaf's.
void expect_subsampled_log(unsigned threads) {
  const test::Golden golden = test::load_goldens("vmaf_subsampled").front();
  Clip clip(golden.format, threads, 3);
  std::vector<Model> models;
  for (const char* const version :
       {"vmaf_v1.0.16_3d0h", "vmaf_v1.0.16_hfr_3d0h", "vmaf_v0.6.1", "vmaf_float_v0.6.1"}) {
    models.push_back(load(version, version, VMAF_MODEL_FLAG_DISABLE_CLIP));
    ASSERT_NE(models.back(), nullptr);
    ASSERT_EQ(vmaf_use_features_from_model(clip.context(), models.back().get()), 0);
  }
  for (int t = 0; t < golden.pictures; ++t) ASSERT_EQ(clip.read(t), 0);
  ASSERT_EQ(clip.end(), 0);
  for (const Model& model : models) {
    double pooled = 0;
    ASSERT_EQ(vmaf_score_pooled(clip.context(), model.get(), VMAF_POOL_METHOD_MEAN, &pooled, 0,
                                static_cast<unsigned>(golden.pictures) - 1),
              0);
  }
  std::ifstream file(golden.path);
  const nlohmann::json expected = nlohmann::json::parse(file);
  const nlohmann::json log = nlohmann::json::parse(output(clip.context(), VMAF_OUTPUT_FORMAT_JSON));
  ASSERT_EQ(log.at("frames").size(), expected.at("frames").size());
  // Files have six digits; models that depend on float_adm differ more (docs/metrics-proofs.md).
  constexpr double kMaxDifference = 2e-5;
  for (std::size_t row = 0; row < log.at("frames").size(); ++row) {
    const nlohmann::json& frame = expected.at("frames")[row];
    EXPECT_EQ(log.at("frames")[row].at("frameNum"), frame.at("frameNum"));
    const nlohmann::json& found = log.at("frames")[row].at("metrics");
    ASSERT_EQ(found.size() + 1, frame.size());
    for (const auto& [name, value] : found.items()) {
      EXPECT_NEAR(value.get<double>(), frame.at(name).get<double>(), kMaxDifference) << name;
    }
  }
  ASSERT_EQ(log.at("pooled_metrics").size(), expected.at("pooled_metrics").size());
  for (const auto& [name, members] : log.at("pooled_metrics").items()) {
    for (const auto& [method, value] : members.items()) {
      EXPECT_NEAR(value.get<double>(),
                  expected.at("pooled_metrics").at(name).at(method).get<double>(), kMaxDifference)
          << name << ", " << method;
    }
  }
}

TEST(LibvmafScores, AreLibvmafsOfASubsampledClip) {
  expect_subsampled_log(0);
}
TEST(LibvmafScores, AreLibvmafsOnSeveralThreads) {
  expect_subsampled_log(3);
}
TEST(LibvmafScores, AreTheSameOfTheScalarDefinition) {
  const test::EnvironmentVariable scalar("SIDECORE_METRICS", "scalar");
  expect_subsampled_log(2);
}

// The values are libvmaf's own, in all bits.
TEST(LibvmafScores, HaveLibvmafsNamesAndBits) {
  const test::Golden golden = test::load_goldens("vmaf_subsampled").front();
  Clip clip(golden.format, 2, 3);
  const Model model = load("vmaf_v1.0.16_hfr_3d0h");
  ASSERT_EQ(vmaf_use_features_from_model(clip.context(), model.get()), 0);
  ASSERT_EQ(clip.use("adm"), 0);
  ASSERT_EQ(clip.use("float_vif"), 0);
  for (int t = 0; t < golden.pictures; ++t) ASSERT_EQ(clip.read(t), 0);
  ASSERT_EQ(clip.end(), 0);
  const std::array<std::array<const char*, 2>, 5> names{
      {{"VMAF_integer_feature_adm2_score", "integer_adm2"},
       {"VMAF_feature_vif_scale0_score", "vif_scale0"},
       {"integer_adm2_csf_2_dlmw_0.7_egl_1_min_0.5_nw_0.02",
        "integer_adm2_csf_2_dlmw_0.7_egl_1_min_0.5_nw_0.02"},
       {"integer_motion3_mffw_mmxv_18_mma", "integer_motion3_mffw_mmxv_18_mma"},
       {"cambi_hrs_1080_cmxv_17_vlt_0.06", "cambi_hrs_1080_cmxv_17_vlt_0.06"}}};
  for (const auto& [interface, file] : names) {
    const std::vector<double> expected = golden.scores(file);
    for (unsigned row = 0; row < expected.size(); ++row) {
      EXPECT_EQ(score(clip.context(), interface, 3 * row), expected[row]) << interface;
    }
    EXPECT_EQ(clip.find(interface, 1) == 0, std::string(file).find("motion") != std::string::npos);
  }
  EXPECT_EQ(clip.find("integer_adm2", 0), -EINVAL);
}

/// Returns the log of four pictures, without the line that states the speed.
std::string log_of_the_processor(const char* processor) {
  const test::EnvironmentVariable chosen("SIDECORE_METRICS", processor);
  Clip clip({96, 64, {video::Chroma::c420, 8}}, 2, 2);
  const Model model = load("vmaf_v0.6.1");
  EXPECT_EQ(vmaf_use_features_from_model(clip.context(), model.get()), 0);
  for (const char* const feature : {"float_psnr", "psnr", "ciede", "float_motion"}) {
    EXPECT_EQ(clip.use(feature), 0);
  }
  for (int t = 0; t < 4; ++t) EXPECT_EQ(clip.read(t), 0);
  EXPECT_EQ(clip.end(), 0);
  double pooled = 0;
  EXPECT_EQ(vmaf_score_pooled(clip.context(), model.get(), VMAF_POOL_METHOD_MEAN, &pooled, 0, 3),
            0);
  nlohmann::json log = nlohmann::json::parse(output(clip.context(), VMAF_OUTPUT_FORMAT_JSON));
  log.erase("fps");
  return log.dump();
}

TEST(LibvmafScores, DoNotDependOnTheProcessor) {
  const test::EnvironmentVariable device("SIDECORE_DEVICE", "cpu");
  const std::string expected = log_of_the_processor("scalar");
  EXPECT_EQ(log_of_the_processor("neon"), expected);
  // float_motion, psnr and ciede have no shaders: NEON computes them beside the device.
  EXPECT_EQ(log_of_the_processor("qpu"), expected);
}

TEST(LibvmafScores, DoNotDependOnTheOrderOfPictures) {
  Clip in_order(kSmall);
  Clip reversed(kSmall, 2);
  for (Clip* const clip : {&in_order, &reversed}) ASSERT_EQ(clip->use("float_ssim"), 0);
  for (int t = 0; t < 4; ++t) {
    ASSERT_EQ(in_order.read(t), 0);
    ASSERT_EQ(reversed.read(3 - t), 0);
  }
  for (unsigned t = 0; t < 4; ++t) {
    EXPECT_EQ(score(in_order.context(), "float_ssim", t),
              score(reversed.context(), "float_ssim", t));
  }
}

TEST(LibvmafScores, OfMotionEndAtAGapOfIndices) {
  Clip whole(kSmall);
  Clip broken(kSmall);
  for (Clip* const clip : {&whole, &broken}) ASSERT_EQ(clip->use("motion"), 0);
  for (int t = 0; t < 3; ++t) {
    ASSERT_EQ(whole.read(t), 0);
    ASSERT_EQ(broken.read(t), 0);
  }
  ASSERT_EQ(broken.read(5), 0);
  constexpr const char* kMotion = "VMAF_integer_feature_motion2_score";
  EXPECT_EQ(whole.find(kMotion, 1), -EINVAL) << "before the flush";
  ASSERT_EQ(whole.end(), 0);
  ASSERT_EQ(broken.end(), 0);
  for (unsigned t = 0; t < 3; ++t) {
    EXPECT_EQ(score(whole.context(), kMotion, t), score(broken.context(), kMotion, t));
  }
  EXPECT_GT(score(whole.context(), kMotion, 2), 0);
  EXPECT_EQ(broken.find(kMotion, 5), -EINVAL);
}

TEST(LibvmafScores, OfOddSizesReadNoMoreThanTheCallersPlanes) {
  // Chroma planes of libvmaf have one column and row less than those of the clip.
  const test::Golden golden = test::load_goldens("golden").at(5);
  ASSERT_EQ(golden.name, "s577x323_8b420");
  Clip clip(golden.format);
  ASSERT_EQ(clip.use("psnr_hvs"), 0);
  ASSERT_EQ(clip.read(0), 0);
  for (const char* const name : {"psnr_hvs_cb", "psnr_hvs"}) {
    EXPECT_EQ(score(clip.context(), name, 0), golden.scores(name)[0]) << name;
  }
}

TEST(LibvmafScores, OfPsnrAreThoseOfLumaIfThereIsNoChroma) {
  Clip clip({64, 64, {video::Chroma::c400, 8}});
  ASSERT_EQ(clip.use("psnr"), 0);
  ASSERT_EQ(clip.read(0), 0);
  EXPECT_EQ(clip.find("psnr_y", 0), 0);
  EXPECT_EQ(clip.find("psnr_cb", 0), -EINVAL);
}

/// Returns the log of three pictures with psnr and these options.
nlohmann::json psnr_log(const video::PictureFormat& format, unsigned threads, unsigned subsample,
                        const std::vector<std::array<const char*, 2>>& values) {
  Clip clip(format, threads, subsample);
  VmafFeatureDictionary* options = nullptr;
  for (const auto& [name, value] : values) {
    EXPECT_EQ(vmaf_feature_dictionary_set(&options, name, value), 0);
  }
  EXPECT_EQ(clip.use("psnr", options), 0);
  for (int t = 0; t < 3; ++t) EXPECT_EQ(clip.read(t), 0);
  EXPECT_EQ(clip.end(), 0);
  return nlohmann::json::parse(output(clip.context(), VMAF_OUTPUT_FORMAT_JSON));
}

// The scores are libvmaf's. Pictures that are not scored count too.
TEST(LibvmafScores, OfPsnrHaveThoseOfTheClip) {
  const video::PictureFormat format{176, 144, {video::Chroma::c420, 8}};
  for (const auto& [threads, subsample] : {std::pair{0U, 1U}, {3U, 1U}, {2U, 2U}}) {
    const nlohmann::json log = psnr_log(format, threads, subsample, {{"enable_apsnr", "true"}});
    EXPECT_EQ(
        log.at("aggregate_metrics"),
        (nlohmann::json{{"apsnr_y", 38.04078}, {"apsnr_cb", 38.745407}, {"apsnr_cr", 39.177331}}));
    EXPECT_EQ(log.at("frames").size(), subsample == 1 ? 3U : 2U);
    EXPECT_EQ(
        log.at("frames")[0].at("metrics"),
        (nlohmann::json{{"psnr_y", 38.49458}, {"psnr_cb", 38.694928}, {"psnr_cr", 39.888941}}));
  }
}

TEST(LibvmafScores, OfPsnrOfTheClipKeepTheOtherOptions) {
  const nlohmann::json log = psnr_log({176, 144, {video::Chroma::c420, 10}}, 0, 1,
                                      {{"enable_apsnr", "true"},
                                       {"enable_mse", "true"},
                                       {"reduced_hbd_peak", "true"},
                                       {"enable_chroma", "false"}});
  EXPECT_EQ(log.at("aggregate_metrics"),
            (nlohmann::json{{"apsnr_y", 38.019798}, {"apsnr_cb", nullptr}, {"apsnr_cr", nullptr}}));
  EXPECT_EQ(log.at("frames")[0].at("metrics"),
            (nlohmann::json{{"psnr_y", 37.974936}, {"mse_y", 165.84667}}));
  EXPECT_TRUE(psnr_log(kSmall, 0, 1, {{"enable_apsnr", "false"}}).at("aggregate_metrics").empty());
}

TEST(LibvmafScores, OfNullAreNone) {
  Clip clip(kSmall);
  ASSERT_EQ(clip.use("null"), 0);
  ASSERT_EQ(clip.read(0), 0);
  ASSERT_EQ(clip.end(), 0);
  const nlohmann::json log = nlohmann::json::parse(output(clip.context(), VMAF_OUTPUT_FORMAT_JSON));
  EXPECT_TRUE(log.at("frames").empty());
}

TEST(LibvmafScores, OfAFeatureThatIsRegisteredLaterBeginThere) {
  Clip clip(kSmall);
  ASSERT_EQ(clip.use("float_psnr"), 0);
  ASSERT_EQ(clip.read(0), 0);
  ASSERT_EQ(clip.use("float_ssim"), 0);
  ASSERT_EQ(clip.use("float_psnr"), 0);  // is registered
  ASSERT_EQ(clip.read(1), 0);
  EXPECT_EQ(clip.find("float_psnr", 1), 0);
  EXPECT_EQ(clip.find("float_ssim", 0), -EINVAL);
  EXPECT_EQ(clip.find("float_ssim", 1), 0);
}

// --- models --------------------------------------------------------------------------------------

TEST(LibvmafModel, TakesOptionsOfItsFeatures) {
  const Model model = load("vmaf_v0.6.1");
  VmafFeatureDictionary* options = nullptr;
  ASSERT_EQ(vmaf_feature_dictionary_set(&options, "adm_enhn_gain_limit", "1.0"), 0);
  ASSERT_EQ(vmaf_model_feature_overload(model.get(), "adm", options), 0);
  options = nullptr;
  ASSERT_EQ(vmaf_feature_dictionary_set(&options, "vif_enhn_gain_limit", "1"), 0);
  ASSERT_EQ(vmaf_model_feature_overload(model.get(), "vif", options), 0);
  options = nullptr;
  ASSERT_EQ(vmaf_feature_dictionary_set(&options, "adm_enhn_gain_limit", "0.5"), 0);
  EXPECT_EQ(vmaf_model_feature_overload(model.get(), "adm", options), -EINVAL);
  options = nullptr;
  ASSERT_EQ(vmaf_feature_dictionary_set(&options, "debug", "true"), 0);
  EXPECT_EQ(vmaf_model_feature_overload(model.get(), "cambi", options), 0);  // has no such feature

  // With these options the model is the one without enhancement gain.
  const Model neg = load("vmaf_v0.6.1neg", "neg");
  Clip clip(kSmall);
  for (VmafModel* const each : {model.get(), neg.get()}) {
    ASSERT_EQ(vmaf_use_features_from_model(clip.context(), each), 0);
  }
  ASSERT_EQ(clip.read(0), 0);
  ASSERT_EQ(clip.end(), 0);
  double score = 0;
  double expected = 1;
  ASSERT_EQ(vmaf_score_at_index(clip.context(), model.get(), &score, 0), 0);
  ASSERT_EQ(vmaf_score_at_index(clip.context(), neg.get(), &expected, 0), 0);
  EXPECT_EQ(score, expected);
  EXPECT_EQ(clip.find("integer_adm2_egl_1", 0), 0);
}

TEST(LibvmafModel, PredictsFromImportedFeatures) {
  const Context context = open();
  const Model model = load("vmaf_v0.6.1");
  double score = 0;
  EXPECT_EQ(vmaf_score_at_index(context.get(), model.get(), &score, 7), -EINVAL);
  for (const char* const name :
       {"VMAF_integer_feature_adm2_score", "VMAF_integer_feature_motion2_score",
        "VMAF_integer_feature_vif_scale0_score", "VMAF_integer_feature_vif_scale1_score",
        "VMAF_integer_feature_vif_scale2_score", "VMAF_integer_feature_vif_scale3_score"}) {
    ASSERT_EQ(vmaf_import_feature_score(context.get(), name, 1, 7), 0);
    ASSERT_EQ(vmaf_import_feature_score(context.get(), name, 1, 7), -EINVAL) << "a second time";
  }
  ASSERT_EQ(vmaf_score_at_index(context.get(), model.get(), &score, 7), 0);
  EXPECT_NEAR(score, 98, 2);
  EXPECT_EQ(::sidecore::score(context.get(), "vmaf", 7), score);
}

/// Scores of the models of a collection, without a clip.
struct Bootstrap {
  VmafModelCollectionScore collection{};
  double model = 0;
};

Bootstrap bootstrap(const char* version) {
  VmafModel* model = nullptr;
  VmafModelCollection* collection = nullptr;
  VmafModelConfig configuration{"b", 0};
  EXPECT_EQ(vmaf_model_load(&model, &configuration, version), -EINVAL);
  EXPECT_EQ(model, nullptr);
  EXPECT_EQ(vmaf_model_collection_load(&model, &collection, &configuration, version), 0);
  const Model owned_model(model);
  const Collection owned_collection(collection);
  const test::Golden golden = test::load_goldens("vmaf_golden").at(1);
  Clip clip(golden.format, 2);
  EXPECT_EQ(vmaf_use_features_from_model_collection(clip.context(), collection), 0);
  for (int t = 0; t < golden.pictures; ++t) EXPECT_EQ(clip.read(t), 0);
  EXPECT_EQ(clip.end(), 0);
  Bootstrap result;
  // A second request gives the same scores.
  EXPECT_EQ(vmaf_score_at_index_model_collection(clip.context(), collection, &result.collection, 1),
            0);
  EXPECT_EQ(vmaf_score_pooled_model_collection(clip.context(), collection, VMAF_POOL_METHOD_MEAN,
                                               &result.collection, 0, 2),
            0);
  EXPECT_EQ(vmaf_score_pooled(clip.context(), model, VMAF_POOL_METHOD_MEAN, &result.model, 0, 2),
            0);
  double single = 0;
  EXPECT_EQ(
      vmaf_feature_score_pooled(clip.context(), "b_0020", VMAF_POOL_METHOD_MEAN, &single, 0, 2), 0);
  EXPECT_NEAR(single, result.model, 10);
  return result;
}
/// Compares with the scores of libvmaf 3.2.0, built without assembly, for the same pictures.
void expect_bootstrap(const Bootstrap& found, const std::array<double, 5>& expected, double most) {
  const auto& bootstrap = found.collection.bootstrap;
  EXPECT_EQ(found.collection.type, VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP);
  EXPECT_NEAR(bootstrap.bagging_score, expected[0], most);
  EXPECT_NEAR(bootstrap.stddev, expected[1], most);
  EXPECT_NEAR(bootstrap.ci.p95.lo, expected[2], most);
  EXPECT_NEAR(bootstrap.ci.p95.hi, expected[3], most);
  EXPECT_NEAR(found.model, expected[4], most);
}

TEST(LibvmafModel, CollectionsHaveLibvmafsIntervals) {
  expect_bootstrap(bootstrap("vmaf_b_v0.6.3"),
                   {95.104346483666646, 2.5647450138780563, 89.616777591112211, 97.278012912353901,
                    95.50529745853737},
                   1e-10);
  expect_bootstrap(bootstrap("vmaf_float_b_v0.6.3"),
                   {95.102598155876535, 2.5646268893946513, 89.615335826871885, 97.278203012082955,
                    95.503363586720226},
                   2e-5);
}

TEST(LibvmafModel, RefusesWhatIsNoModel) {
  const Context context = open();
  VmafModel* model = nullptr;
  VmafModelCollection* collection = nullptr;
  EXPECT_EQ(vmaf_model_load(&model, nullptr, "vmaf_v9"), -EINVAL);
  EXPECT_EQ(vmaf_model_load(&model, nullptr, nullptr), -EINVAL);
  EXPECT_EQ(vmaf_model_load(nullptr, nullptr, "vmaf_v0.6.1"), -EINVAL);
  EXPECT_EQ(vmaf_model_collection_load(&model, &collection, nullptr, "vmaf_v0.6.1"), -EINVAL);
  EXPECT_EQ(vmaf_model_load_from_path(&model, nullptr, "/nowhere/model.json"), -EINVAL);
  const test::TemporaryDirectory directory;
  const std::string path = directory.write("model.json", "{\"model_dict\": 1}");
  EXPECT_EQ(vmaf_model_load_from_path(&model, nullptr, path.c_str()), -EINVAL);
  EXPECT_EQ(vmaf_model_collection_load_from_path(&model, &collection, nullptr, path.c_str()),
            -EINVAL);
  EXPECT_EQ(model, nullptr);
  EXPECT_EQ(collection, nullptr);
  vmaf_model_destroy(nullptr);
  vmaf_model_collection_destroy(nullptr);
}

// --- pictures ------------------------------------------------------------------------------------

TEST(LibvmafPicture, HasPlanesOfItsFormat) {
  VmafPicture picture{};
  ASSERT_EQ(vmaf_picture_alloc(&picture, VMAF_PIX_FMT_YUV420P, 10, 33, 17), 0);
  EXPECT_EQ(picture.w[1], 16U);
  EXPECT_EQ(picture.h[2], 8U);
  EXPECT_GE(picture.stride[0], 66);
  EXPECT_EQ(static_cast<const std::uint16_t*>(picture.data[2])[7 * picture.stride[2] / 2 + 15], 0);
  EXPECT_EQ(vmaf_picture_unref(&picture), 0);
  EXPECT_EQ(picture.ref, nullptr);
  EXPECT_EQ(picture.data[0], nullptr);
  EXPECT_EQ(vmaf_picture_unref(&picture), -EINVAL);
  EXPECT_EQ(vmaf_picture_unref(nullptr), -EINVAL);

  ASSERT_EQ(vmaf_picture_alloc(&picture, VMAF_PIX_FMT_YUV400P, 8, 5, 5), 0);
  EXPECT_EQ(picture.data[1], nullptr);
  EXPECT_EQ(picture.w[1], 0U);
  EXPECT_EQ(vmaf_picture_unref(&picture), 0);
}

TEST(LibvmafPicture, IsRefusedOutOfRange) {
  const Context silent = open();
  VmafPicture picture{};
  EXPECT_EQ(vmaf_picture_alloc(nullptr, VMAF_PIX_FMT_YUV420P, 8, 16, 16), -EINVAL);
  for (const auto& [format, bits, width, height] :
       std::vector<std::array<unsigned, 4>>{{0, 8, 16, 16},
                                            {5, 8, 16, 16},
                                            {1, 7, 16, 16},
                                            {1, 17, 16, 16},
                                            {1, 8, 0, 16},
                                            {1, 8, 16, 4'000'000'000}}) {
    EXPECT_EQ(
        vmaf_picture_alloc(&picture, static_cast<VmafPixelFormat>(format), bits, width, height),
        -EINVAL);
    EXPECT_EQ(picture.ref, nullptr);
  }
}

TEST(LibvmafPicture, OfAPoolReturnsToIt) {
  Context context = open();
  VmafPicture first{};
  EXPECT_EQ(vmaf_fetch_preallocated_picture(context.get(), &first), -EINVAL);
  const VmafPictureConfiguration configuration{{64, 64, 8, VMAF_PIX_FMT_YUV420P}, 1};
  ASSERT_EQ(vmaf_preallocate_pictures(context.get(), {{64, 64, 8, VMAF_PIX_FMT_YUV420P}, 0}),
            -EINVAL);
  ASSERT_EQ(vmaf_preallocate_pictures(context.get(), configuration), 0);
  ASSERT_EQ(vmaf_fetch_preallocated_picture(context.get(), &first), 0);
  void* const memory = first.data[0];
  // The second request waits until the first picture is given back.
  VmafPicture second{};
  std::atomic<bool> fetched = false;
  std::thread waiting([&] {
    EXPECT_EQ(vmaf_fetch_preallocated_picture(context.get(), &second), 0);
    fetched = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(fetched);
  EXPECT_EQ(vmaf_use_feature(context.get(), "vif", nullptr), 0);  // the context is not blocked
  ASSERT_EQ(vmaf_picture_unref(&first), 0);
  waiting.join();
  EXPECT_EQ(second.data[0], memory);
  context.reset();
  static_cast<std::uint8_t*>(second.data[0])[0] = 1;
  EXPECT_EQ(vmaf_picture_unref(&second), 0);
}

// --- files ---------------------------------------------------------------------------------------

/// Returns the context of the files below: two pictures with scores that the test chose.
Context context_with_scores() {
  Context context = open();
  for (const unsigned index : {0U, 1U}) {
    EXPECT_EQ(read_pair(context.get(), video::SyntheticClip(kSmall), 0, index), 0);
    EXPECT_EQ(vmaf_import_feature_score(context.get(), "VMAF_integer_feature_adm2_score",
                                        index + 0.5, index),
              0);
  }
  EXPECT_EQ(vmaf_import_feature_score(context.get(), "tiny", 2.5e-7, 0), 0);
  EXPECT_EQ(vmaf_import_feature_score(context.get(), "endless",
                                      std::numeric_limits<double>::infinity(), 1),
            0);
  return context;
}

TEST(LibvmafFile, HasTheLayoutOfLibvmafs) {
  const Context context = context_with_scores();
  EXPECT_EQ(output(context.get(), VMAF_OUTPUT_FORMAT_CSV),
            "Frame,integer_adm2,tiny,endless,\n"
            "0,0.500000,0.0000002500000000,\n"
            "1,1.500000,inf,\n");
  EXPECT_EQ(output(context.get(), VMAF_OUTPUT_FORMAT_SUB),
            "{0}{1}frame: 0|integer_adm2: 0.500000|tiny: 0.0000002500000000|\n"
            "{1}{2}frame: 1|integer_adm2: 1.500000|endless: inf|\n");
  const std::string xml = output(context.get(), VMAF_OUTPUT_FORMAT_XML);
  EXPECT_NE(xml.find("<params qualityWidth=\"64\" qualityHeight=\"64\" />\n"), std::string::npos);
  EXPECT_NE(xml.find("    <frame frameNum=\"1\" integer_adm2=\"1.500000\" endless=\"inf\" />\n"
                     "  </frames>\n"),
            std::string::npos)
      << xml;
  EXPECT_NE(xml.find("    <metric name=\"integer_adm2\" min=\"0.500000\" max=\"1.500000\" "
                     "mean=\"1.000000\" harmonic_mean=\"0.875000\" />\n"
                     "    <metric name=\"tiny\" />\n"),
            std::string::npos)
      << xml;
  const nlohmann::json log = nlohmann::json::parse(output(context.get(), VMAF_OUTPUT_FORMAT_JSON));
  EXPECT_EQ(log.at("version"), vmaf_version());
  EXPECT_EQ(log.at("frames")[1].at("metrics").at("endless"), nullptr);
  EXPECT_EQ(log.at("pooled_metrics").at("integer_adm2").at("mean"), 1.0);
  EXPECT_TRUE(log.at("pooled_metrics").at("tiny").empty());
}

TEST(LibvmafFile, IsRefusedWithoutADirectoryOrAFormat) {
  const Context context = context_with_scores();
  const test::TemporaryDirectory directory;
  const std::string path = directory / "scores";
  EXPECT_EQ(vmaf_write_output(context.get(), path.c_str(), VMAF_OUTPUT_FORMAT_NONE), -EINVAL);
  EXPECT_EQ(vmaf_write_output(context.get(), nullptr, VMAF_OUTPUT_FORMAT_CSV), -EINVAL);
  EXPECT_EQ(vmaf_write_output(context.get(), "/nowhere/scores", VMAF_OUTPUT_FORMAT_CSV), -EINVAL);
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
  EXPECT_EQ(vmaf_write_output(context.get(), "/dev/full", VMAF_OUTPUT_FORMAT_CSV), -EIO);
}

// --- order and arguments -------------------------------------------------------------------------

TEST(LibvmafContext, RefusesNullPointers) {
  Context context = open();
  EXPECT_EQ(vmaf_init(nullptr, {}), -EINVAL);
  EXPECT_EQ(vmaf_close(nullptr), -EINVAL);
  VmafPicture picture{};
  double number = 0;
  VmafContext* const vmaf = context.get();
  EXPECT_EQ(vmaf_use_feature(nullptr, "vif", nullptr), -EINVAL);
  EXPECT_EQ(vmaf_use_feature(vmaf, nullptr, nullptr), -EINVAL);
  EXPECT_EQ(vmaf_use_features_from_model(vmaf, nullptr), -EINVAL);
  EXPECT_EQ(vmaf_use_features_from_model_collection(vmaf, nullptr), -EINVAL);
  EXPECT_EQ(vmaf_import_feature_score(vmaf, nullptr, 1, 0), -EINVAL);
  EXPECT_EQ(vmaf_read_pictures(vmaf, &picture, nullptr, 0), -EINVAL);
  EXPECT_EQ(vmaf_read_pictures(vmaf, &picture, &picture, 0), -EINVAL) << "pictures without memory";
  EXPECT_EQ(vmaf_score_at_index(vmaf, nullptr, &number, 0), -EINVAL);
  EXPECT_EQ(vmaf_score_at_index_model_collection(vmaf, nullptr, nullptr, 0), -EINVAL);
  EXPECT_EQ(vmaf_feature_score_at_index(vmaf, "vif", nullptr, 0), -EINVAL);
  EXPECT_EQ(vmaf_score_pooled(vmaf, nullptr, VMAF_POOL_METHOD_MEAN, &number, 0, 0), -EINVAL);
  EXPECT_EQ(vmaf_score_pooled_model_collection(vmaf, nullptr, VMAF_POOL_METHOD_MEAN, nullptr, 0, 0),
            -EINVAL);
  EXPECT_EQ(vmaf_feature_dictionary_set(nullptr, "a", "b"), -EINVAL);
  EXPECT_EQ(vmaf_feature_dictionary_free(nullptr), -EINVAL);
  VmafFeatureDictionary* none = nullptr;
  EXPECT_EQ(vmaf_feature_dictionary_set(&none, nullptr, "b"), -EINVAL);
  EXPECT_EQ(vmaf_feature_dictionary_free(&none), 0);
}

TEST(LibvmafContext, RefusesUnknownFeaturesAndValues) {
  const Context context = open();
  EXPECT_EQ(vmaf_use_feature(context.get(), "no_feature", nullptr), -EINVAL);
  const auto use = [&](const char* feature, const char* option, const char* value) {
    VmafFeatureDictionary* options = nullptr;
    EXPECT_EQ(vmaf_feature_dictionary_set(&options, option, value), 0);
    const int error = vmaf_use_feature(context.get(), feature, options);
    if (error != 0) vmaf_feature_dictionary_free(&options);
    return error;
  };
  EXPECT_EQ(use("adm", "adm_enhn_gain_limit", "1000"), -EINVAL);
  EXPECT_EQ(use("adm", "adm_skip_scale0", "true"), -EINVAL) << "an option that sidecore lacks";
  EXPECT_EQ(use("adm", "adm_skip_scale0", "false"), 0) << "its default";
  EXPECT_EQ(use("float_vif", "vif_kernelscale", "1.0"), 0) << "its default";
  EXPECT_EQ(use("psnr", "enable_apsnr", "1"), -EINVAL) << "it must be true or false";
  EXPECT_EQ(use("vif", "no_option", "1"), 0) << "libvmaf ignores unknown options";
}

TEST(LibvmafContext, RefusesPicturesThatCannotBeScored) {
  Clip clip(kSmall);
  ASSERT_EQ(clip.use("motion"), 0);
  EXPECT_EQ(clip.end(), -EINVAL) << "without a picture";
  EXPECT_EQ(clip.read(3), -EINVAL) << "motion needs the picture before";
  ASSERT_EQ(clip.read(0), 0);
  EXPECT_EQ(clip.read(0), -EINVAL) << "the same index";
  EXPECT_EQ(
      read_pair(clip.context(), video::SyntheticClip({66, 64, {video::Chroma::c420, 8}}), 1, 1),
      -EINVAL)
      << "another size";
  ASSERT_EQ(clip.use("cambi"), 0);
  EXPECT_EQ(clip.read(1), -EINVAL) << "cambi is not defined for so small pictures";
}

TEST(LibvmafContext, RefusesSamplesBeyondTheirBitsAndLeavesThePictures) {
  const Context context = open();
  ASSERT_EQ(vmaf_use_feature(context.get(), "float_psnr", nullptr), 0);
  VmafPicture reference{};
  VmafPicture distorted{};
  for (VmafPicture* const picture : {&reference, &distorted}) {
    ASSERT_EQ(vmaf_picture_alloc(picture, VMAF_PIX_FMT_YUV400P, 10, 32, 32), 0);
  }
  auto* const sample = static_cast<std::uint16_t*>(distorted.data[0]);
  *sample = 1024;
  EXPECT_EQ(vmaf_read_pictures(context.get(), &reference, &distorted, 0), -EINVAL);
  ASSERT_NE(distorted.ref, nullptr);
  *sample = 1023;
  EXPECT_EQ(vmaf_read_pictures(context.get(), &reference, &distorted, 0), 0);
  EXPECT_EQ(distorted.ref, nullptr);
}

// Two features of which only the second reads chroma, and which began at different pairs.
TEST(LibvmafContext, ARefusedPairIsInNoScore) {
  const video::SyntheticClip clip({64, 64, {video::Chroma::c420, 10}});
  const auto motions = [&](bool with_refused_pair) {
    const Context context = open();
    EXPECT_EQ(vmaf_use_feature(context.get(), "float_motion", nullptr), 0);
    EXPECT_EQ(read_pair(context.get(), clip, 0, 0), 0);
    EXPECT_EQ(vmaf_use_feature(context.get(), "psnr_hvs", nullptr), 0);
    if (with_refused_pair) {
      VmafPicture reference{};
      VmafPicture distorted{};
      EXPECT_EQ(allocate(reference, clip.format()), 0);
      EXPECT_EQ(allocate(distorted, clip.format()), 0);
      copy(clip.reference(9), reference);
      copy(clip.distorted(9), distorted);
      *static_cast<std::uint16_t*>(distorted.data[1]) = 1024;
      EXPECT_EQ(vmaf_read_pictures(context.get(), &reference, &distorted, 1), -EINVAL);
      EXPECT_EQ(vmaf_picture_unref(&reference), 0);
      EXPECT_EQ(vmaf_picture_unref(&distorted), 0);
    }
    for (const unsigned index : {1U, 2U}) {
      EXPECT_EQ(read_pair(context.get(), clip, static_cast<int>(index), index), 0);
    }
    EXPECT_EQ(flush(context.get()), 0);
    std::vector<double> scores(3);
    for (unsigned index = 0; index < 3; ++index) {
      EXPECT_EQ(vmaf_feature_score_at_index(context.get(), "VMAF_feature_motion2_score",
                                            &scores[index], index),
                0);
    }
    return scores;
  };
  const std::vector<double> expected = motions(false);
  EXPECT_GT(expected[1], 0);
  EXPECT_EQ(motions(true), expected);
}

TEST(LibvmafContext, TakesItsFormatFromTheFirstAcceptedPair) {
  const Context context = open();
  ASSERT_EQ(vmaf_use_feature(context.get(), "cambi", nullptr), 0);
  const video::SyntheticClip small({64, 64, {video::Chroma::c420, 8}});
  EXPECT_EQ(read_pair(context.get(), small, 0, 0), -EINVAL);
  const video::SyntheticClip large({320, 240, {video::Chroma::c420, 8}});
  EXPECT_EQ(read_pair(context.get(), large, 0, 0), 0);
}

TEST(LibvmafContext, EndsWithTheFlush) {
  Clip clip(kSmall, 2);
  ASSERT_EQ(clip.use("float_psnr"), 0);
  ASSERT_EQ(clip.read(0), 0);
  double number = 0;
  const auto pooled = [&](VmafPoolingMethod method, unsigned low, unsigned high) {
    return vmaf_feature_score_pooled(clip.context(), "float_psnr", method, &number, low, high);
  };
  ASSERT_EQ(clip.end(), 0);
  EXPECT_EQ(clip.end(), -EINVAL);
  EXPECT_EQ(clip.read(1), -EINVAL);
  EXPECT_EQ(pooled(VMAF_POOL_METHOD_MAX, 0, 0), 0);
  EXPECT_EQ(pooled(VMAF_POOL_METHOD_UNKNOWN, 0, 0), -EINVAL);
  EXPECT_EQ(pooled(VMAF_POOL_METHOD_NB, 0, 0), -EINVAL);
  EXPECT_EQ(pooled(VMAF_POOL_METHOD_MAX, 1, 0), -EINVAL);
  EXPECT_EQ(pooled(VMAF_POOL_METHOD_MAX, 0, std::numeric_limits<unsigned>::max()), -EINVAL);
}

TEST(LibvmafContext, MayBeUsedByThreads) {
  const Context context = open(2);
  ASSERT_EQ(vmaf_use_feature(context.get(), "float_psnr", nullptr), 0);
  const video::SyntheticClip clip(kSmall);
  std::vector<std::thread> threads;
  for (unsigned first = 0; first < 3; ++first) {
    threads.emplace_back([&, first] {
      for (unsigned index = first; index < 12; index += 3) {
        EXPECT_EQ(read_pair(context.get(), clip, static_cast<int>(index), index), 0);
        EXPECT_GT(score(context.get(), "float_psnr", index), 0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(flush(context.get()), 0);
}

TEST(LibvmafContext, IsUselessInAChildOfItsProcess) {
  Clip clip(kSmall, 2);
  ASSERT_EQ(clip.use("float_psnr"), 0);
  ASSERT_EQ(clip.read(0), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const bool is_refused = clip.read(1) == -EINVAL && vmaf_close(clip.context()) == 0;
    ::_exit(is_refused ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(clip.read(1), 0);
}

TEST(LibvmafContext, LeavesTheProcessAsItIs) {
  for (const char* const processor : {"neon", "qpu"}) {
    SCOPED_TRACE(processor);
    const test::EnvironmentVariable setting("SIDECORE_METRICS", processor);
    const test::EnvironmentVariable device("SIDECORE_DEVICE", "cpu");
    const test::TemporaryDirectory directory;
    const std::string path = directory / "scores.json";
    const test::ProcessState before;
    {
      Clip clip(kSmall, 3);
      ASSERT_EQ(clip.use("float_psnr"), 0);
      ASSERT_EQ(clip.use("no_feature"), -EINVAL);
      for (int index = 0; index < 3; ++index) {
        ASSERT_EQ(clip.read(index), 0);
        before.expect_unchanged_while_used();
      }
      EXPECT_GT(before.new_threads(), 0U);
      ASSERT_EQ(clip.end(), 0);
      ASSERT_EQ(vmaf_write_output(clip.context(), path.c_str(), VMAF_OUTPUT_FORMAT_JSON), 0);
    }
    before.expect_unchanged();
  }
}

TEST(LibvmafContext, ReportsOnStandardErrorByLevel) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  VmafContext* context = nullptr;
  ASSERT_EQ(vmaf_init(&context, {VMAF_LOG_LEVEL_ERROR, 0, 0, 0, 0}), 0);
  EXPECT_EQ(vmaf_use_feature(context, "no_feature", nullptr), -EINVAL);
  vmaf_close(context);
  ASSERT_EQ(vmaf_init(&context, {VMAF_LOG_LEVEL_NONE, 0, 0, 0, 0}), 0);
  EXPECT_EQ(vmaf_use_feature(context, "no_feature", nullptr), -EINVAL);
  vmaf_close(context);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(said.starts_with("libvmaf ERROR there is no feature 'no_feature'")) << said;
  EXPECT_EQ(std::ranges::count(said, '\n'), 1);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST(LibvmafContext, NoControlByteReachesTheTerminal) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.write("a\033[1m.json", R"({"model_dict": 1})");
  testing::internal::CaptureStderr();
  VmafContext* made = nullptr;
  ASSERT_EQ(vmaf_init(&made, {VMAF_LOG_LEVEL_ERROR, 0, 0, 0, 0}), 0);
  const Context context(made);
  EXPECT_EQ(vmaf_use_feature(made, "no\033]0;x\007\nfeature", nullptr), -EINVAL);
  VmafModel* model = nullptr;
  EXPECT_EQ(vmaf_model_load(&model, nullptr, "v\r9"), -EINVAL);
  EXPECT_EQ(vmaf_model_load_from_path(&model, nullptr, path.c_str()), -EINVAL);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::ranges::count(said, '\n'), 3) << said;
  EXPECT_TRUE(std::ranges::none_of(said, [](char c) { return c < 0x20 && c != '\n'; })) << said;
  EXPECT_NE(said.find("'no\\x1b]0;x\\x07\\nfeature'"), std::string::npos) << said;
}

TEST(LibvmafContext, TakesAPictureThatIsComparedWithItself) {
  testing::internal::CaptureStderr();
  VmafContext* made = nullptr;
  ASSERT_EQ(vmaf_init(&made, {VMAF_LOG_LEVEL_ERROR, 0, 0, 0, 0}), 0);
  const Context context(made);
  ASSERT_EQ(vmaf_use_feature(made, "float_psnr", nullptr), 0);
  VmafPicture picture{};
  ASSERT_EQ(vmaf_picture_alloc(&picture, VMAF_PIX_FMT_YUV420P, 8, 64, 64), 0);
  EXPECT_EQ(vmaf_read_pictures(made, &picture, &picture, 0), 0);
  EXPECT_EQ(picture.ref, nullptr);
  EXPECT_EQ(score(made, "float_psnr", 0), 60);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(LibvmafContext, WarnsOfAWrongSettingAndUsesNeonWithoutADevice) {
  const test::EnvironmentVariable processor("SIDECORE_METRICS", "qpu");
  const test::EnvironmentVariable device("SIDECORE_DEVICE", "no such device");
  const test::TemporaryDirectory directory;
  directory.write("sidecore.conf", "metrics = scalar\nmetrics = gpu\n");
  testing::internal::CaptureStderr();
  VmafContext* made = nullptr;
  {
    const test::EnvironmentVariable wrong("SIDECORE_THREADS", "many");
    const test::EnvironmentVariable home("XDG_CONFIG_HOME", directory.path().native());
    ASSERT_EQ(vmaf_init(&made, {VMAF_LOG_LEVEL_WARNING, 0, 0, 0, 0}), 0);
  }
  const Context context(made);
  ASSERT_EQ(vmaf_use_feature(made, "float_psnr", nullptr), 0);
  ASSERT_EQ(read_pair(made, video::SyntheticClip(kSmall), 0, 0), 0);
  EXPECT_GT(score(made, "float_psnr", 0), 0);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("libvmaf WARNING SIDECORE_THREADS"), std::string::npos) << said;
  EXPECT_NE(said.find("sidecore.conf, line 2: metrics: 'gpu' is not scalar, neon or qpu\n"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("libvmaf WARNING NEON computes the metrics"), std::string::npos) << said;
}

}  // namespace
}  // namespace sidecore
