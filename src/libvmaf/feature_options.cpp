#include "libvmaf/feature_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <utility>

#include "base/text_file.h"
#include "libvmaf/boundary.h"
#include "metrics/score_names.h"

namespace sidecore::libvmaf {
namespace {

/// Options of libvmaf's features that sidecore's features lack, with their defaults. Any other
/// value would change scores.
constexpr std::array<std::pair<std::string_view, std::string_view>, 28> kLackingOptions{
    {{"adm_csf_scale", "1"},
     {"adm_csf_diag_scale", "1"},
     {"adm_bypass_cm", "0"},
     {"adm_f1s0", "-1"},
     {"adm_f1s1", "-1"},
     {"adm_f1s2", "-1"},
     {"adm_f1s3", "-1"},
     {"adm_f2s0", "-1"},
     {"adm_f2s1", "-1"},
     {"adm_f2s2", "-1"},
     {"adm_f2s3", "-1"},
     {"adm_adm3_apply_hm", "false"},
     {"adm_skip_aim", "false"},
     {"adm_skip_aim_scale", "-1"},
     {"adm_skip_scale0", "false"},
     {"vif_kernelscale", "1"},
     {"vif_prescale", "1"},
     {"vif_prescale_method", "nearest"},
     {"vif_skip_scale0", "false"},
     {"motion_filter_size", "5"},
     {"motion_add_scale1", "false"},
     {"motion_add_uv", "false"},
     {"src_width", "0"},
     {"src_height", "0"},
     {"heatmaps_path", ""},
     {"full_ref", "false"},
     {"eotf", "bt1886"},
     {"speed_use_ref_diff", "false"}}};

/// Returns the text as libvmaf keeps it: a number is rounded to binary32 and written with six
/// digits.
std::string normalised(std::string_view text) {
  const std::string_view word = trimmed(text);
  float number = 0;
  const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), number);
  const bool is_number = status == std::errc() && end == word.data() + word.size();
  return is_number ? fmt::format("{:g}", double{number}) : std::string(text);
}

/// Returns true if the options set enable_apsnr.
bool enables_apsnr(const VmafFeatureDictionary& options) {
  static constexpr std::array kSpecs{metrics::OptionSpec{.name = "enable_apsnr"}};
  metrics::FeatureOptions found(kSpecs);
  for (const auto& [name, value] : options.options) {
    if (name == kSpecs[0].name) found.set(name, value);
  }
  return found.flag(kSpecs[0].name);
}

void set_option(VmafFeatureDictionary& dictionary, const char* name, const char* value) {
  std::string text = normalised(value);
  const auto there =
      std::ranges::find(dictionary.options, name, &VmafFeatureDictionary::Option::name);
  if (there != dictionary.options.end()) {
    there->value = std::move(text);
  } else {
    dictionary.options.push_back({name, std::move(text)});
  }
}

}  // namespace

std::vector<VmafFeatureDictionary::Option> known_options(const metrics::Feature& feature,
                                                         const VmafFeatureDictionary& options) {
  std::vector<VmafFeatureDictionary::Option> known;
  for (const VmafFeatureDictionary::Option& option : options.options) {
    if (std::ranges::find(feature.options, option.name, &metrics::OptionSpec::name) !=
        feature.options.end()) {
      known.push_back(option);
      continue;
    }
    const auto lacking = std::ranges::find(kLackingOptions, option.name,
                                           &std::pair<std::string_view, std::string_view>::first);
    if (lacking != kLackingOptions.end() && option.value != lacking->second) {
      throw usage_error("feature {}: sidecore has no option {}; its only value is {}", feature.name,
                        option.name, lacking->second);
    }
  }
  return known;
}

RequestedFeature request_of(std::string_view feature, const VmafFeatureDictionary* options) {
  const metrics::Feature& found = metrics::find_feature(feature);
  RequestedFeature requested{{&found, metrics::FeatureOptions(found.options)}};
  if (options == nullptr) return requested;
  metrics::FeatureOptions& set = requested.request.options;
  for (const auto& [name, value] : known_options(found, *options)) set.set(name, value);
  if (feature == "psnr" && enables_apsnr(*options)) {
    requested.has_psnr_total = true;
    requested.hides_errors = !set.flag("enable_mse");
    set.set("enable_mse", "true");
  }
  return requested;
}

std::string interface_name(const metrics::FeatureRequest& request, const std::string& output) {
  return request.options.name_suffix().empty() ? metrics::key_of_output(output) : output;
}

}  // namespace sidecore::libvmaf

using sidecore::libvmaf::error_of;
using sidecore::libvmaf::require;

int vmaf_feature_dictionary_set(VmafFeatureDictionary** dict, const char* key, const char* val) {
  return error_of([&] {
    require(dict != nullptr && key != nullptr && val != nullptr,
            "dict, key and val must not be null");
    std::unique_ptr<VmafFeatureDictionary> made;
    if (*dict == nullptr) made = std::make_unique<VmafFeatureDictionary>();
    sidecore::libvmaf::set_option(made ? *made : **dict, key, val);
    if (made) *dict = made.release();
  });
}

int vmaf_feature_dictionary_free(VmafFeatureDictionary** dict) {
  return error_of([&] {
    require(dict != nullptr, "dict is null");
    delete *dict;
    *dict = nullptr;
  });
}
