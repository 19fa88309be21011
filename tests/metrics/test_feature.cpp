// Requests for features: the vmaf command's form, libvmaf's names, and one-sentence errors for
// anything else.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "error_text.h"
#include "metrics/feature_family.h"
#include "neon/metrics/feature_kernels.h"

namespace sidecore::metrics::test_feature {
namespace {

using ::sidecore::test::error_text;
using video::Chroma;
using video::PictureFormat;

constexpr std::array<OptionSpec, 4> kSpecs{{
    {"view_distance", OptionType::real, 3, 0.75, 24, "vd"},
    {"debug", OptionType::boolean, 0, 0, 1, {}},
    {"gain_limit", OptionType::real, 100, 1, 100, "gl"},
    {"force", OptionType::boolean, 0, 0, 1, "force"},
}};

FeatureOptions options(const std::vector<std::pair<const char*, const char*>>& values) {
  FeatureOptions options(kSpecs);
  for (const auto& [name, text] : values) options.set(name, text);
  return options;
}

std::string refusal(const char* name, const char* text) {
  return error_text([&] { (void)options({{name, text}}); });
}

TEST(FeatureOptions, AreTheDefaultsUntilSet) {
  FeatureOptions some(kSpecs);
  EXPECT_FALSE(some.flag("debug"));
  EXPECT_EQ(some.real("gain_limit"), 100);
  some.set("debug", "true");
  some.set("gain_limit", "1.5");
  EXPECT_TRUE(some.flag("debug"));
  EXPECT_EQ(some.real("gain_limit"), 1.5);
}

TEST(FeatureOptions, WhatIsNotDefaultIsAppendedToNamesInTheOrderOfOptionNames) {
  EXPECT_EQ(options({}).name_suffix(), "");
  EXPECT_EQ(options({{"debug", "true"}}).name_suffix(), "");
  EXPECT_EQ(options({{"gain_limit", "1.0"}}).name_suffix(), "_gl_1");
  EXPECT_EQ(options({{"gain_limit", "100"}}).name_suffix(), "");
  EXPECT_EQ(
      options({{"view_distance", "2.25"}, {"gain_limit", "1.2"}, {"force", "true"}}).name_suffix(),
      "_force_gl_1.2_vd_2.25");
}

TEST(FeatureOptions, BadValuesAreRefusedInOneSentence) {
  EXPECT_EQ(refusal("debug", "yes"), "option debug must be true or false, not 'yes'");
  EXPECT_EQ(refusal("gain_limit", "0.5"), "option gain_limit must be 1 to 100, not 0.5");
  EXPECT_EQ(refusal("gain_limit", "nan"), "option gain_limit must be 1 to 100, not nan");
  EXPECT_EQ(refusal("gain_limit", "1e999"), "option gain_limit must be 1 to 100, not 1e999");
  EXPECT_EQ(refusal("gain_limit", "2x"), "option gain_limit must be a number, not '2x'");
  EXPECT_EQ(refusal("gain_limit", ""), "option gain_limit must be a number, not ''");
  EXPECT_EQ(refusal("gain", "2"),
            "there is no option 'gain': view_distance, debug, gain_limit, force");
}

TEST(FeatureRequest, TakesNoOptionsWhereThereAreNone) {
  EXPECT_EQ(parse_feature_request("float_psnr").outputs(), std::vector<std::string>{"float_psnr"});
  EXPECT_EQ(error_text([] { (void)parse_feature_request("float_psnr=clip=true"); }),
            "feature float_psnr: there is no option 'clip': it has none");
  EXPECT_EQ(error_text([] { (void)parse_feature_request("float_psnr=clip"); }),
            "'clip' in feature 'float_psnr=clip' does not have the form OPTION=VALUE");
  EXPECT_EQ(error_text([] { (void)parse_feature_request("float_psnr="); }),
            "'' in feature 'float_psnr=' does not have the form OPTION=VALUE");
}

TEST(FeatureFamilies, NamesAreUniqueAndNeonHasEveryFamily) {
  std::set<std::string_view> names;
  for (const FeatureFamily* const family : families()) {
    EXPECT_NO_THROW((void)neon::kernels(*family)) << family->name;
    for (const Feature& feature : family->features) {
      EXPECT_EQ(&family_of(feature), family);
      EXPECT_TRUE(names.insert(feature.name).second) << feature.name;
      EXPECT_EQ(&find_feature(feature.name), &feature);
    }
  }
}

/// Returns the outputs of a feature whose other options are at their defaults.
std::set<std::string> outputs(const Feature& feature, std::string_view option, const char* value) {
  FeatureRequest request{&feature, FeatureOptions(feature.options)};
  request.options.set(option, value);
  const std::vector<std::string> names = request.outputs();
  return {names.begin(), names.end()};
}

TEST(FeatureFamilies, OptionsThatAreSaidToAddOutputsDo) {
  std::size_t found = 0;
  for (const FeatureFamily* const family : families()) {
    for (const Feature& feature : family->features) {
      for (const OptionSpec& spec : feature.options) {
        EXPECT_EQ(spec.adds_outputs, spec.name == "debug" || spec.name == "enable_lcs" ||
                                         spec.name == "enable_chroma" || spec.name == "enable_mse");
        if (!spec.adds_outputs) continue;
        ++found;
        const std::set<std::string> few = outputs(feature, spec.name, "false");
        const std::set<std::string> many = outputs(feature, spec.name, "true");
        EXPECT_TRUE(std::ranges::includes(many, few)) << feature.name;
        EXPECT_GT(many.size(), few.size()) << feature.name;
      }
    }
  }
  EXPECT_EQ(found, 10U);
}

std::vector<std::string> united(const std::vector<const char*>& texts) {
  std::vector<FeatureRequest> requests;
  for (const char* const text : texts) {
    add_feature_request(requests, parse_feature_request(text));
  }
  std::vector<std::string> result;
  for (const FeatureRequest& request : requests) result.push_back(request.text());
  return result;
}

TEST(FeatureRequests, ThatDifferInOutputsAloneBecomeOne) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(united({"adm", "adm"}), (Texts{"adm"}));
  EXPECT_EQ(united({"adm", "vif", "adm=debug=true"}), (Texts{"adm=debug=true", "vif"}));
  EXPECT_EQ(united({"float_ssim=enable_lcs=true:scale=1", "float_ssim=scale=1"}),
            (Texts{"float_ssim=enable_lcs=true:scale=1"}));
  EXPECT_EQ(united({"float_ssim=enable_lcs=true", "float_ssim=scale=1"}),
            (Texts{"float_ssim=enable_lcs=true", "float_ssim=scale=1"}));
  EXPECT_EQ(united({"float_ms_ssim", "float_ms_ssim=enable_db=true"}),
            (Texts{"float_ms_ssim", "float_ms_ssim=enable_db=true"}));
  EXPECT_EQ(united({"speed_chroma=speed_prescale_method=bilinear"}),
            (Texts{"speed_chroma=speed_prescale_method=bilinear"}));
}

TEST(FeatureFamilies, TwoFeaturesOfOneNameAreRefused) {
  const auto request = parse_feature_request("float_psnr");
  const PictureFormat format{64, 48, {Chroma::c420, 8}};
  EXPECT_EQ(error_text([&] {
              (void)group_by_family(format, std::vector{request, request});
            }),
            "two of the requested features would both write float_psnr");
  EXPECT_EQ(error_text([&] { (void)group_by_family(format, {}); }), "no feature is requested");
}

TEST(FeatureFamilies, ScoresGoToThePlacesOfTheirRequests) {
  FamilyRequests group;
  group.places = {2, 0};
  std::vector<double> all{7, 8, 9};
  group.place(std::vector<double>{1, 2}, all);
  EXPECT_EQ(all, (std::vector<double>{2, 8, 1}));
}

}  // namespace
}  // namespace sidecore::metrics::test_feature
