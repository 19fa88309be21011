// Commands with bad input or in a poor environment print one clear line, return the right exit
// status and leave no half-written file. Each case is run as a user would run it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/run_command.h"
#include "temporary_directory.h"

namespace sidecore::test_bad_input {
namespace {

using test::CommandResult;
using test::Environment;
using test::run_command;
using test::TemporaryDirectory;

// Returns an 8-bit 4:2:0 Y4M file of `pictures` pictures, every sample `value`.
std::string y4m(std::size_t width, std::size_t height, int pictures, char value,
                const std::string& colour = "C420jpeg", std::size_t bytes_per_sample = 1) {
  std::string file = "YUV4MPEG2 W" + std::to_string(width) + " H" + std::to_string(height) +
                     " F25:1 Ip A1:1 " + colour + "\n";
  const std::size_t luma = width * height;
  const std::size_t chroma = ((width + 1) / 2) * ((height + 1) / 2);
  const std::string samples((luma + 2 * chroma) * bytes_per_sample, value);
  for (int i = 0; i < pictures; ++i) file += "FRAME\n" + samples;
  return file;
}

struct Case {
  std::string name;
  std::vector<std::string> arguments;  // "@x" stands for the file x of the case's directory
  int status;
  std::vector<std::string> says;  // texts that must all be in the one line
  Environment environment;
};

void PrintTo(const Case& bad, std::ostream* out) {
  *out << bad.name;
}

std::vector<std::string> metrics(const std::string& reference, const std::string& distorted,
                                 std::vector<std::string> more = {}) {
  std::vector<std::string> all = {"metrics",    "-r",        reference,     "-d",
                                  distorted,    "--backend", "neon",        "--feature",
                                  "float_psnr", "-o",        "@result.json"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// Returns a case of the metrics command that must reject its model.
Case model_refusal(const std::string& name, const std::string& model,
                   std::vector<std::string> says) {
  return {name,
          {"metrics", "-r", "@good.y4m", "-d", "@good.y4m", "--backend", "neon", "--model", model,
           "-o", "@result.json"},
          2,
          std::move(says),
          {}};
}

/// Returns a model file like those of libvmaf, with one feature and one support vector.
std::string model_file(const std::string& type, const std::string& feature,
                       const std::string& options) {
  return R"({"model_dict": {"model_type": ")" + type + R"(", "norm_type": "none",
    "feature_names": [")" +
         feature + R"("], "feature_opts_dicts": [{)" + options + R"(}],
    "model": "svm_type nu_svr\nkernel_type rbf\ngamma 1\nnr_class 2\ntotal_sv 1\nrho 0\nSV\n1 1:1\n"}})";
}

const Environment kNoDriver = {{"VK_DRIVER_FILES", "/nonexistent.json"},
                               {"VK_ICD_FILENAMES", "/nonexistent.json"}};

/// Returns a case with a feature that must reject its options or the pictures.
Case refusal(const std::string& name, const std::string& clip, const std::string& feature,
             std::vector<std::string> says) {
  says.push_back(feature.substr(0, feature.find('=')));
  return {name,
          {"metrics", "-r", clip, "-d", clip, "--backend", "neon", "--feature", feature, "-o",
           "@result.json"},
          2,
          std::move(says),
          {}};
}

std::vector<Case> cases() {
  return {
      refusal("ScaleBeyondItsRange", "@good.y4m", "float_ssim=scale=11", {"0 to 10", "not 11"}),
      refusal("ScaleBelowItsRange", "@good.y4m", "float_ssim=scale=-1", {"0 to 10", "not -1"}),
      refusal("ScaleThatIsNoInteger", "@good.y4m", "float_ssim=scale=1.5", {"integer", "'1.5'"}),
      refusal("FlagThatIsANumber", "@good.y4m", "float_ssim=enable_lcs=1", {"true or false"}),
      refusal("WindowLargerThanThePicture", "@tiny.y4m", "float_ssim", {"10x10", "11x11"}),
      refusal("WindowLargerThanTheScaledPicture", "@good.y4m", "float_ssim=scale=8", {"11x11"}),
      refusal("TooSmallForFiveLevels", "@good.y4m", "float_ms_ssim", {"176", "64x48"}),
      refusal("NoChromaForPsnrHvs", "@mono.y4m", "psnr_hvs", {"chroma"}),
      refusal("TooDeepForPsnrHvs", "@sixteen.y4m", "psnr_hvs", {"8, 10 and 12", "16"}),
      refusal("ChromaSmallerThanABlock", "@tiny.y4m", "psnr_hvs", {"8x8", "10x10"}),
      refusal("DepthOfNineBits", "@nine.y4m", "float_adm", {"8, 10, 12 and 16", "9"}),
      refusal("TooSmallForFourWaveletScales", "@tiny.y4m", "float_adm", {"10x10"}),
      refusal("GainBelowItsRange", "@good.y4m", "float_adm=adm_enhn_gain_limit=0.5", {"1 to 100"}),
      refusal("CsfThatIsNotDefined", "@good.y4m", "float_adm=adm_csf_mode=3", {"adm_csf_mode"}),
      refusal("TooSmallForIntegerWavelets", "@tiny.y4m", "adm", {"33x33", "10x10"}),
      refusal("IntegerCsfThatIsNotDefined", "@good.y4m", "adm=adm_csf_mode=1", {"adm_csf_mode"}),
      refusal("DisplayNearerThanIntegersAllow", "@good.y4m", "adm=adm_norm_view_dist=2", {"3240"}),
      refusal("MotionOfNineBits", "@nine.y4m", "motion", {"8, 10, 12 and 16", "9"}),
      {"FeatureWithoutAShader",
       {"metrics", "-r", "@good.y4m", "-d", "@good.y4m", "--backend", "qpu", "--feature",
        "float_vif"},
       2,
       {"feature float_vif has no shader"},
       {}},
      {"TwoScoresOfOneName",
       metrics("@good.y4m", "@good.y4m",
               {"--feature", "float_ssim=scale=1", "--feature", "float_ssim=scale=2"}),
       2,
       {"float_ssim would be written twice"},
       {}},
      {"OptionThatNoShaderDoes",
       {"metrics", "-r", "@good.y4m", "-d", "@good.y4m", "--backend", "qpu", "--feature",
        "float_adm=adm_p_norm=2"},
       2,
       {"float_adm", "adm_p_norm"},
       {}},
      refusal("TooSmallForBanding", "@good.y4m", "cambi", {"216", "64x48"}),
      refusal("BandingOfNineBits", "@nine.y4m", "cambi", {"8, 10, 12 and 16", "9"}),
      refusal("TransferFunctionThatIsNotThere", "@good.y4m", "cambi=cambi_eotf=pq",
              {"bt1886", "'pq'"}),
      refusal("NoChromaForSpeedChroma", "@mono.y4m", "speed_chroma", {"luma only"}),
      refusal("TooSmallForSpeedChroma", "@good.y4m", "speed_chroma", {"80x80", "32x24"}),
      refusal("PrescaleThatIsNotThere", "@good.y4m", "speed_chroma=speed_prescale_method=bicubic",
              {"nearest or bilinear", "'bicubic'"}),
      model_refusal("ModelVersionThatIsNotThere", "version=vmaf_v9",
                    {"'vmaf_v9'", "vmaf_v0.6.1", "vmaf_v1.0.16_3d0h"}),
      model_refusal("ModelWithoutVersionAndPath", "name=mine", {"version=VERSION", "path=FILE"}),
      model_refusal("ModelSettingThatIsNotThere", "version=vmaf_v0.6.1:clip", {"'clip'"}),
      model_refusal("ModelForPicturesThatAreTooSmall", "version=vmaf_v1.0.16_3d0h", {"216"}),
      model_refusal("ModelWithoutATransform", "version=vmaf_4k_v0.6.1:enable_transform",
                    {"no transform"}),
      model_refusal("ModelFileMissing", "path=@missing.json", {"missing.json"}),
      model_refusal("ModelFileIsADirectory", "path=@folder.json", {"folder.json"}),
      model_refusal("ModelFileIsAnotherFile", "path=@text.txt", {"text.txt", "not complete JSON"}),
      model_refusal("ModelFileCutShort", "path=@short_model.json", {"not complete JSON"}),
      model_refusal("ModelFileOfAnotherType", "path=@forest_model.json", {"'RANDOMFOREST'"}),
      model_refusal("ModelFileOfManyModels", "path=@many_models.json", {"collection"}),
      model_refusal("ModelWithAnUnknownFeature", "path=@feature_model.json",
                    {"VMAF_feature_vif_scale4_score"}),
      model_refusal("ModelWithAnUnknownOption", "path=@option_model.json", {"adm", "adm_nonsense"}),
      {"TwoModelsOfOneName",
       metrics("@good.y4m", "@good.y4m",
               {"--model", "version=vmaf_v0.6.1", "--model", "version=vmaf_v0.6.1neg"}),
       2,
       {"vmaf a second time", "name=NAME"},
       {}},
      {"NoCommand", {}, 2, {"subcommand"}, {}},
      {"UnknownOption", {"metrics", "--nonsense"}, 2, {}, {}},
      {"MissingFile", metrics("@missing.y4m", "@good.y4m"), 2, {"missing.y4m", "No such file"}, {}},
      {"EmptyFile", metrics("@empty", "@good.y4m"), 2, {"empty"}, {}},
      {"Directory", metrics("@", "@good.y4m"), 2, {"directory"}, {}},
      {"NotAVideo", metrics("@text.txt", "@good.y4m"), 2, {"text.txt"}, {}},
      {"TruncatedHeader", metrics("@header.y4m", "@good.y4m"), 2, {"header.y4m"}, {}},
      {"TruncatedPicture", metrics("@short.y4m", "@good.y4m"), 2, {"short.y4m", "1"}, {}},
      {"HeaderClaimsAHugePicture", metrics("@huge.y4m", "@good.y4m"), 2, {"huge.y4m"}, {}},
      {"HeaderWithoutAWidth", metrics("@nowidth.y4m", "@good.y4m"), 2, {"nowidth.y4m"}, {}},
      {"SizesDiffer", metrics("@good.y4m", "@small.y4m"), 2, {"64x48", "32x48"}, {}},
      {"DepthsDiffer", metrics("@good.y4m", "@ten.y4m"), 2, {"yuv420p,", "yuv420p10le"}, {}},
      {"SampleBeyondItsDepth", metrics("@beyond.y4m", "@ten.y4m"), 2, {"beyond.y4m"}, {}},
      {"RawWithoutASize",
       metrics("@good.y4m", "@good.y4m", {"--width", "64"}),
       2,
       {"--height"},
       {}},
      {"RawFileOfTheWrongSize",
       metrics("@text.txt", "@text.txt",
               {"--width", "64", "--height", "48", "--pixel_format", "420", "--bitdepth", "8"}),
       2,
       {"text.txt"},
       {}},
      {"UnknownFeature",
       {"metrics", "-r", "@good.y4m", "-d", "@good.y4m", "--feature", "vmaf9000"},
       2,
       {"vmaf9000", "float_psnr"},
       {}},
      {"UnknownBackend",
       {"metrics", "-r", "@good.y4m", "-d", "@good.y4m", "--backend", "abacus"},
       2,
       {"abacus"},
       {}},
      {"ChromaDiffers", metrics("@good.y4m", "@422.y4m"), 2, {"yuv420p,", "yuv422p"}, {}},
      {"AFrameWithoutItsLine", metrics("@noframe.y4m", "@good.y4m"), 2, {"noframe.y4m", "1"}, {}},
      {"UnknownColourSpace", metrics("@argb.y4m", "@good.y4m"), 2, {"argb.y4m", "444alpha"}, {}},
      {"AWidthOfZero", metrics("@zero.y4m", "@good.y4m"), 2, {"zero.y4m", "0x48"}, {}},
      {"AnOptionThatTheFeatureDoesNotHave",
       metrics("@good.y4m", "@good.y4m", {"--feature", "float_psnr=scale=1"}),
       2,
       {"float_psnr", "scale"},
       {}},
      {"AnOptionWithoutAValue",
       metrics("@good.y4m", "@good.y4m", {"--feature", "float_psnr=scale"}),
       2,
       {"OPTION=VALUE"},
       {}},
      {"MoreIsSkippedThanThereIs",
       metrics("@good.y4m", "@good.y4m", {"--frame_skip_ref", "4"}),
       2,
       {"good.y4m", "3 pictures"},
       {}},
      {"SkippingLeavesNoPictureOfOneClip",
       metrics("@good.y4m", "@good.y4m", {"--frame_skip_dist", "3"}),
       2,
       {"distorted", "ended after 0 pictures"},
       {}},
      {"BothAreStandardInput", metrics("-", "-"), 2, {"standard input"}, {}},
      {"NegativeSubsample",
       metrics("@good.y4m", "@good.y4m", {"--subsample", "-1"}),
       2,
       {"subsample"},
       {}},
      {"NegativeFrameCount",
       metrics("@good.y4m", "@good.y4m", {"--frame_cnt", "-1"}),
       2,
       {"frame_cnt"},
       {}},
      {"NegativeSkip",
       metrics("@good.y4m", "@good.y4m", {"--frame_skip_ref", "-1"}),
       2,
       {"frame_skip_ref"},
       {}},
      {"NegativeThreads",
       metrics("@good.y4m", "@good.y4m", {"--threads", "-1"}),
       2,
       {"threads"},
       {}},
      {"NoFrames",
       {"decode", "@good.y4m", "--frames", "0"},
       2,
       {"--frames: '0' is not a whole number of 1 or more"},
       {}},
      {"PrecisionOutOfRange",
       metrics("@good.y4m", "@good.y4m", {"--precision", "18"}),
       2,
       {"precision"},
       {}},
      {"ResultsAndPlotOnStandardOutput",
       {"metrics", "-r", "@good.y4m", "-d", "@good.y4m", "-o", "-", "--plot", "-"},
       2,
       {"standard output"},
       {}},
      {"PlotInAMissingDirectory",
       metrics("@good.y4m", "@good.y4m", {"--plot", "@missing/plot.svg"}),
       2,
       {"missing/plot.svg"},
       {}},
      {"NothingToCompareWith",
       {"compare", "-r", "@good.y4m", "-d", "@good.y4m", "--backend", "neon"},
       2,
       {"--log"},
       {}},
      {"CompareWithAnUnknownBackend",
       {"compare", "-r", "@good.y4m", "-d", "@good.y4m", "--backend", "neon", "--backend", "npu"},
       2,
       {"npu"},
       {}},
      {"CompareWithAMissingLog",
       {"compare", "-r", "@good.y4m", "-d", "@good.y4m", "--backend", "neon", "--log",
        "@missing.json"},
       2,
       {"missing.json"},
       {}},
      {"CompareWithALogThatIsNone",
       {"compare", "-r", "@good.y4m", "-d", "@good.y4m", "--backend", "neon", "--log", "@text.txt"},
       2,
       {"text.txt", "JSON"},
       {}},
      {"OutputInAMissingDirectory",
       {"metrics", "-r", "@good.y4m", "-d", "@good.y4m", "--backend", "neon", "-o",
        "@missing/result.json"},
       2,
       {"missing/result.json"},
       {}},
      {"OutputIsADirectory",
       {"metrics", "-r", "@good.y4m", "-d", "@good.y4m", "--backend", "neon", "-o", "@folder.json"},
       2,
       {"is a directory"},
       {}},
      {"DiskIsFull",
       {"metrics", "-r", "@good.y4m", "-d", "@good.y4m", "--backend", "neon", "--json", "-o",
        "/dev/full"},
       3,
       {"No space left"},
       {}},
      {"NoVulkanDriver", {"devices"}, 3, {"Vulkan"}, kNoDriver},
      {"NoVulkanDriverForMetrics",
       {"metrics", "-r", "@good.y4m", "-d", "@good.y4m", "--backend", "qpu"},
       3,
       {"Vulkan"},
       kNoDriver},
      {"UnknownDevice",
       {"metrics", "-r", "@good.y4m", "-d", "@good.y4m", "--backend", "qpu", "--device",
        "no such GPU"},
       3,
       {"no such GPU"},
       {}},
      {"ShaderDirectoryMissing",
       {"metrics", "-r", "@good.y4m", "-d", "@good.y4m", "--backend", "qpu", "--shader-dir",
        "@missing"},
       2,
       {"missing"},
       {}},
      {"ShaderIsNotSpirv",
       {"metrics", "-r", "@good.y4m", "-d", "@good.y4m", "--backend", "qpu", "--shader-dir",
        "@shaders"},
       2,
       {"float_psnr.spv"},
       {}},
      {"UnknownKernel", {"gate", "no_such_kernel"}, 2, {"no_such_kernel", "loop_filter"}, {}},
      {"UnknownGate", {"gate", "loop_filter", "--gates", "m9"}, 2, {"m9"}, {}},
      {"GateWithoutAName", {"gate", "loop_filter", "--gates", "m1,"}, 2, {"no gate ''"}, {}},
      {"GatesThatAreACommaAlone", {"gate", "loop_filter", "--gates", ","}, 2, {"no gate ''"}, {}},
      {"ContentWithoutAName",
       {"gate", "loop_filter", "--gates", "m1", "--content", "flat,,smooth"},
       2,
       {"no content ''"},
       {}},
      {"FilterLevelOutOfRange", {"gate", "loop_filter", "--level", "64"}, 2, {"64"}, {}},
      {"GateInputMissing",
       {"gate", "loop_filter", "--gates", "m1", "--input", "@missing.y4m"},
       2,
       {"missing.y4m"},
       {}},
      {"GateInputOfHighBitDepth",
       {"gate", "loop_filter_h_4", "--gates", "m1", "--input", "@ten.y4m", "--json",
        "@result.json"},
       2,
       {"8"},
       {}},
      {"GateResultOnAFullDisk",
       {"gate", "loop_filter", "--gates", "m5", "--quick", "--json", "/dev/full"},
       3,
       {"No space left"},
       {}},
      {"ShaderdbOfNoV3d",
       {"shaderdb", "--device", "cpu"},
       3,
       {"not a V3D", "scripts/shaderdb"},
       {}},
      {"ShaderdbUpdateOfNothing", {"shaderdb", "--update"}, 2, {"--baseline"}, {}},
      {"ShaderdbSizeThatIsNone",
       {"shaderdb", "--size", "large"},
       2,
       {"WIDTHxHEIGHT", "'large'"},
       {}},
      {"ShaderdbSizeOfABaseline",
       {"shaderdb", "--size", "1920x1080", "--baseline", "@good.y4m"},
       2,
       {"--size", "--baseline"},
       {}},
      {"ShaderdbBaselineMissing",
       {"shaderdb", "--baseline", "@missing.json"},
       2,
       {"missing.json"},
       {}},
      {"ShaderdbBaselineIsAnotherFile",
       {"shaderdb", "--baseline", "@text.txt"},
       2,
       {"text.txt", "not a shaderdb file"},
       {}},
      {"ShaderdbBaselineIsADirectory",
       {"shaderdb", "--baseline", "@folder.json"},
       2,
       {"folder.json"},
       {}},
  };
}

class BadInput : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    directory_.write("good.y4m", y4m(64, 48, 3, 'a'));
    directory_.write("long.y4m", y4m(64, 48, 5, 'b'));
    directory_.write("small.y4m", y4m(32, 48, 3, 'a'));
    directory_.write("ten.y4m", y4m(64, 48, 3, '\1', "C420p10", 2));
    directory_.write("beyond.y4m", y4m(64, 48, 3, '\7', "C420p10", 2));
    directory_.write("tiny.y4m", y4m(10, 10, 1, 'a'));
    directory_.write("nine.y4m", y4m(64, 48, 1, '\1', "C420p9", 2));
    directory_.write("sixteen.y4m", y4m(64, 48, 1, 'a', "C420p16", 2));
    directory_.write("mono.y4m", "YUV4MPEG2 W64 H48 F25:1 Cmono\nFRAME\n" + std::string(3072, 'a'));
    directory_.write("422.y4m", "YUV4MPEG2 W64 H48 F25:1 C422\nFRAME\n" + std::string(6144, 'a'));
    directory_.write("argb.y4m", "YUV4MPEG2 W64 H48 F25:1 C444alpha\nFRAME\n");
    directory_.write("zero.y4m", "YUV4MPEG2 W0 H48 F25:1 C420\nFRAME\n");
    directory_.write("noframe.y4m", y4m(64, 48, 1, 'a') + std::string(9000, 'a'));
    directory_.write("empty", "");
    directory_.write("text.txt", "This is not a video, and it is not a picture either.\n");
    directory_.write("header.y4m", "YUV4MPEG2 W64 H4");
    const std::string good = y4m(64, 48, 2, 'a');
    directory_.write("short.y4m", good.substr(0, good.size() - 100));
    directory_.write("huge.y4m", "YUV4MPEG2 W999999999 H999999999 F25:1 C420\nFRAME\n");
    const std::string model = model_file("LIBSVMNUSVR", "VMAF_integer_feature_adm2_score", "");
    directory_.write("short_model.json", model.substr(0, model.size() - 20));
    directory_.write("many_models.json", "{\"0\": " + model + "}");
    directory_.write("forest_model.json",
                     model_file("RANDOMFOREST", "VMAF_integer_feature_adm2_score", ""));
    directory_.write("feature_model.json",
                     model_file("LIBSVMNUSVR", "VMAF_feature_vif_scale4_score", ""));
    directory_.write(
        "option_model.json",
        model_file("LIBSVMNUSVR", "VMAF_integer_feature_adm2_score", R"("adm_nonsense": 1)"));
    directory_.write("nowidth.y4m", "YUV4MPEG2 H48 F25:1 C420\nFRAME\n");
    std::filesystem::create_directory(directory_.path() / "folder.json");
    std::filesystem::create_directory(directory_.path() / "shaders");
    directory_.write("shaders/float_psnr.spv", "This is not SPIR-V.!");
  }

  CommandResult run(const Case& bad) {
    std::vector<std::string> argv = {SIDECORE_COMMAND};
    for (const std::string& argument : bad.arguments) {
      const std::size_t at = argument.starts_with("path=@") ? 5 : 0;
      argv.push_back(argument.substr(at).starts_with('@')
                         ? argument.substr(0, at) + (directory_ / argument.substr(at + 1))
                         : argument);
    }
    return run_command(argv, bad.environment);
  }

  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_.path())) {
      names.insert(entry.path().native());
    }
    return names;
  }

  /// Returns true if the file exists under its temporary name.
  bool is_being_written(const std::string& name) const {
    return std::ranges::any_of(files(), [&](const std::string& file) {
      return file.starts_with(directory_ / (name + "."));
    });
  }

  TemporaryDirectory directory_;
};

TEST_P(BadInput, EndsInOneLineAndLeavesNothing) {
  const Case& bad = GetParam();
  const std::set<std::string> before = files();
  const CommandResult result = run(bad);
  EXPECT_EQ(result.status, bad.status) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  EXPECT_TRUE(result.err.starts_with("sidecore: ")) << result.err;
  for (const std::string& words : bad.says) {
    EXPECT_NE(result.err.find(words), std::string::npos) << "'" << words << "' in " << result.err;
  }
  EXPECT_EQ(files(), before);
}

INSTANTIATE_TEST_SUITE_P(Cases, BadInput, ::testing::ValuesIn(cases()),
                         [](const auto& bad) { return bad.param.name; });

using PoorEnvironment = BadInput;

TEST_F(PoorEnvironment, ACorruptPipelineCacheIsIgnoredAndReplaced) {
  const TemporaryDirectory cache;
  const Case psnr{"",
                  {"metrics", "-r", "@good.y4m", "-d", "@good.y4m", "--backend", "qpu"},
                  0,
                  {},
                  {{"XDG_CACHE_HOME", cache.path()}}};
  const CommandResult cold = run(psnr);
  ASSERT_EQ(cold.status, 0) << cold.err;
  std::vector<std::filesystem::path> caches;
  for (const auto& entry : std::filesystem::directory_iterator(cache.path() / "sidecore")) {
    caches.push_back(entry.path());
  }
  ASSERT_FALSE(caches.empty());
  for (const auto& file : caches) std::ofstream(file) << "garbage";
  const CommandResult again = run(psnr);
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(again.err, "");
  for (const auto& file : caches) EXPECT_GT(std::filesystem::file_size(file), 7U);
}

TEST_F(PoorEnvironment, AnInterruptedRunLeavesNoResult) {
  const std::set<std::string> before = files();
  const CommandResult result = run_command({SIDECORE_COMMAND, "gate", "loop_filter", "--gates",
                                            "m1,m3", "--json", directory_ / "result.json"},
                                           {}, [&] { return is_being_written("result.json"); });
  EXPECT_EQ(result.status, 128 + SIGINT) << result.err;
  EXPECT_EQ(files(), before);
}

TEST_F(PoorEnvironment, MetricsInterruptedInTheMiddleLeaveNoResult) {
  // The command waits for a fourth picture, because the pipe holds only three and stays open.
  const std::string pipe = directory_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int writer = ::open(pipe.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(writer, 0);
  const std::string clip = y4m(64, 48, 3, 'a');
  ASSERT_EQ(::write(writer, clip.data(), clip.size()), static_cast<ssize_t>(clip.size()));
  const std::set<std::string> before = files();
  const auto waits = [&] {
    int unread = 0;
    return ::ioctl(writer, FIONREAD, &unread) == 0 && unread == 0 &&
           is_being_written("result.json") && is_being_written("plot.svg");
  };
  const CommandResult result =
      run_command({"sh", "-c",
                   std::string("exec ") + SIDECORE_COMMAND + " metrics --backend neon -r - -d '" +
                       (directory_ / "long.y4m") + "' -o '" + (directory_ / "result.json") +
                       "' --plot '" + (directory_ / "plot.svg") + "' < '" + pipe + "'"},
                  {}, waits);
  ::close(writer);
  EXPECT_EQ(result.status, 128 + SIGINT) << result.err;
  EXPECT_EQ(files(), before);
}

TEST_F(PoorEnvironment, AFullDiskBehindStandardOutputIsNoticed) {
  const std::string good = directory_ / "good.y4m";
  const std::string clips = " -r " + good + " -d " + good;
  for (const std::string& command :
       {std::string("--help"), std::string("--version"), std::string("metrics --help"),
        std::string("devices"), std::string("devices --json"), "metrics --backend neon" + clips,
        "compare --backend neon --backend scalar" + clips,
        std::string("gate loop_filter --gates m5 --quick --device cpu")}) {
    const CommandResult result = run_command(
        {"sh", "-c", std::string("exec ") + SIDECORE_COMMAND + " " + command + " >/dev/full"});
    EXPECT_EQ(result.status, 3) << command;
    EXPECT_NE(result.err.find("sidecore: cannot write to "), std::string::npos)
        << command << ": " << result.err;
  }
}

// Results and exit status do not depend on where remarks and tables go.
TEST_F(PoorEnvironment, ClosedAndFullStandardStreamsChangeNoResult) {
  const std::string good = directory_ / "good.y4m";
  const std::string result = directory_ / "result.json";
  const std::string plain = directory_ / "plain.json";
  const std::string metrics = std::string(SIDECORE_COMMAND) + " metrics --backend scalar -q -r '" +
                              good + "' -d '" + good + "' -o ";
  const auto shell = [&](const std::string& command) {
    return run_command({"sh", "-c", command}).status;
  };
  const auto scores = [&](const std::string& file) {  // compares only scores, because times differ
    return test::run_command({"sh", "-c", "grep -o '\"float_psnr\":[^,}]*' '" + file + "'"}).out;
  };
  ASSERT_EQ(shell(metrics + "'" + plain + "' --feature float_psnr"), 0);
  ASSERT_FALSE(scores(plain).empty());
  for (const char* const streams :
       {">&- 2>&-", "<&- >&- 2>&-", "2>/dev/full", "<&-", ">&-", ">/dev/null 2>&-"}) {
    std::filesystem::remove(result);
    EXPECT_EQ(shell(metrics + "'" + result + "' --feature float_psnr " + streams), 0) << streams;
    EXPECT_EQ(scores(result), scores(plain)) << streams;
  }
  // Errors have their exit status even if the message cannot be written.
  for (const char* const streams : {"2>/dev/full", "2>&-", ">&- 2>&-"}) {
    EXPECT_EQ(shell(std::string(SIDECORE_COMMAND) + " decode nosuch " + streams), 2) << streams;
  }
}

// A result that is requested on a closed standard output is lost, and the exit status says so.
TEST_F(PoorEnvironment, AResultForAClosedStandardOutputIsAnError) {
  const std::string good = directory_ / "good.y4m";
  const std::string stream = SIDECORE_VP9_CORPUS "/size-16x16.ivf";
  for (const std::string& command :
       {"decode " + stream + " --md5", "decode " + stream + " --framemd5 -o /dev/stdout",
        "decode " + stream + " -o -", "decode " + stream + " --json -",
        "metrics --backend scalar -r " + good + " -d " + good + " -o -",
        "compare --backend scalar --backend neon -r " + good + " -d " + good + " --json -"}) {
    const CommandResult result =
        run_command({"sh", "-c", std::string("exec ") + SIDECORE_COMMAND + " " + command + " >&-"});
    EXPECT_EQ(result.status, 3) << command;
    EXPECT_NE(result.err.find("Bad file descriptor"), std::string::npos)
        << command << ": " << result.err;
  }
}

TEST_F(PoorEnvironment, AFileDoesNotDependOnWhetherItsTableCanBeRead) {
  // The text is longer than the output buffer, so that writing fails before the end.
  const std::string result = directory_ / "result.json";
  const CommandResult full = run_command(
      {"sh", "-c",
       std::string("exec ") + SIDECORE_COMMAND +
           " gate inter_prediction --gates m3 --quick --size 128x64 --device cpu --json '" +
           result + "' >/dev/full"});
  EXPECT_EQ(full.status, 3);
  EXPECT_EQ(full.err, "sidecore: cannot write to standard output: No space left on device\n");
  EXPECT_TRUE(std::filesystem::exists(result));
}

TEST_F(PoorEnvironment, AFileThatMayNotGrowIsAnError) {
  const std::set<std::string> before = files();
  const CommandResult result = run_command(
      {"sh", "-c",
       std::string("ulimit -f 8; exec ") + SIDECORE_COMMAND +
           " decode '" SIDECORE_VP9_CORPUS "/alt-ref.ivf' -o '" + (directory_ / "out.yuv") + "'"});
  EXPECT_EQ(result.status, 3);
  EXPECT_NE(result.err.find("File too large"), std::string::npos) << result.err;
  EXPECT_EQ(files(), before);
}

#ifndef SIDECORE_SANITIZED  // sanitizers reserve more memory than any limit
// With the least memory in which the command starts, the driver cannot be loaded, because it is
// larger. With more memory the driver itself may end the process, as lavapipe does in
// vkCreateDevice() and in its compiler. tests/capi/test_capi_memory.cpp limits memory for the
// project's code only.
TEST_F(PoorEnvironment, MemoryThatEndsBeforeTheDriverIsAnError) {
  const std::set<std::string> before = files();
  const auto run_in = [&](int mebibytes, const std::string& arguments) {
    return run_command({"sh", "-c",
                        "ulimit -v " + std::to_string(mebibytes * 1024) + "; exec " +
                            SIDECORE_COMMAND + " " + arguments});
  };
  constexpr int kMax = 4096;
  int least = 32;
  while (least < kMax && run_in(least, "--version").status != 0) least += 8;
  ASSERT_LT(least, kMax);
  const std::string decode = "decode -q --plan qpu --device cpu '" SIDECORE_VP9_CORPUS
                             "/size-66x66.ivf' -o '" +
                             std::string(directory_ / "out.y4m") + "'";
  for (int more = 0; more <= 32; more += 8) {
    const CommandResult result = run_in(least + more, decode);
    EXPECT_EQ(result.status, 3) << more << " MiB more than least: " << result.err;
    EXPECT_EQ(files(), before);
  }
}
#endif

TEST_F(PoorEnvironment, AReaderThatClosesThePipeIsNoCrash) {
  const CommandResult result = run_command(
      {"sh", "-c",
       std::string(SIDECORE_COMMAND) + " metrics --backend scalar -r '" + directory_ / "good.y4m" +
           "' -d '" + (directory_ / "good.y4m") + "' -o - --json | head -c 1 >/dev/null"});
  EXPECT_EQ(result.status, 0) << result.err;
}

}  // namespace
}  // namespace sidecore::test_bad_input
