#include "cli/vmaf_words.h"

#include <getopt.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/error.h"

namespace sidecore::cli {
namespace {

enum LongOption : int {
  kXml = 256,
  kJson,
  kCsv,
  kSub,
  kThreads,
  kFeature,
  kSubsample,
  kGpuMask,
  kAomCtc,
  kNflxCtc,
  kFrameCount,
  kSkipReference,
  kSkipDistorted
};

constexpr std::array kLongOptions{
    option{"reference", required_argument, nullptr, 'r'},
    option{"distorted", required_argument, nullptr, 'd'},
    option{"width", required_argument, nullptr, 'w'},
    option{"height", required_argument, nullptr, 'h'},
    option{"pixel_format", required_argument, nullptr, 'p'},
    option{"bitdepth", required_argument, nullptr, 'b'},
    option{"model", required_argument, nullptr, 'm'},
    option{"output", required_argument, nullptr, 'o'},
    option{"xml", no_argument, nullptr, kXml},
    option{"json", no_argument, nullptr, kJson},
    option{"csv", no_argument, nullptr, kCsv},
    option{"sub", no_argument, nullptr, kSub},
    option{"threads", required_argument, nullptr, kThreads},
    option{"feature", required_argument, nullptr, kFeature},
    option{"subsample", required_argument, nullptr, kSubsample},
    option{"cpumask", required_argument, nullptr, 'c'},
    option{"gpumask", required_argument, nullptr, kGpuMask},
    option{"aom_ctc", required_argument, nullptr, kAomCtc},
    option{"nflx_ctc", required_argument, nullptr, kNflxCtc},
    option{"frame_cnt", required_argument, nullptr, kFrameCount},
    option{"frame_skip_ref", required_argument, nullptr, kSkipReference},
    option{"frame_skip_dist", required_argument, nullptr, kSkipDistorted},
    option{"no_prediction", no_argument, nullptr, 'n'},
    option{"version", no_argument, nullptr, 'v'},
    option{"quiet", no_argument, nullptr, 'q'},
    option{}};

unsigned number_of(const char* word) {
  char* end = nullptr;
  const unsigned long number = std::strtoul(word, &end, 0);
  if (end == word || *end != '\0') throw usage_error("'{}' is not an integer", word);
  return static_cast<unsigned>(number);
}

/// Returns the parts of a text between separators.
std::vector<std::string> parts_of(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// Divides KEY=VALUE. The value is empty if there is none.
std::pair<std::string, std::string> divided(const std::string& text, char separator) {
  const std::size_t end = text.find(separator);
  if (end == std::string::npos) return {text, {}};
  return {text.substr(0, end), text.substr(end + 1)};
}

VmafFeatureWords feature_of(const std::string& text) {
  const auto [name, options] = divided(text, '=');
  VmafFeatureWords feature{name, {}};
  if (name == text) return feature;
  for (const std::string& part : parts_of(options, ':')) {
    feature.options.push_back(divided(part, '='));
    if (feature.options.back().second.empty()) {
      throw usage_error("'{}' in feature '{}' does not have the form OPTION=VALUE", part, text);
    }
  }
  return feature;
}

/// Adds a part of a model's text, FEATURE.OPTION=VALUE.
void add_overload(VmafModelWords& model, const std::string& key, const std::string& value) {
  const auto [feature, option] = divided(key, '.');
  if (option.empty() || value.empty()) {
    throw usage_error("'{}' in a model does not have the form FEATURE.OPTION=VALUE", key);
  }
  model.overloads.push_back({feature, {{option, value}}});
}

VmafModelWords model_of(const std::string& text) {
  VmafModelWords model;
  const auto set_flag = [&](const std::string& value, std::uint64_t flag) {
    if (value.empty() || value == "true") model.flags |= flag;
  };
  for (const std::string& part : parts_of(text, ':')) {
    const auto [key, value] = divided(part, '=');
    if (key == "version") {
      model.version = value;
    } else if (key == "path") {
      model.path = value;
    } else if (key == "name") {
      model.name = value;
    } else if (key == "disable_clip") {
      set_flag(value, VMAF_MODEL_FLAG_DISABLE_CLIP);
    } else if (key == "enable_transform") {
      set_flag(value, VMAF_MODEL_FLAG_ENABLE_TRANSFORM);
    } else {
      add_overload(model, key, value);
    }
  }
  if (model.source().empty()) throw usage_error("model '{}' has no version and no path", text);
  return model;
}

/// Adds the models and features of the Alliance for Open Media's test conditions.
void add_aom_ctc(VmafWords& words, std::string_view version) {
  constexpr std::array kVersions{"v1.0", "v2.0", "v3.0", "v4.0", "v5.0", "v6.0", "v7.0"};
  const auto found = std::ranges::find(kVersions, version);
  if (found == kVersions.end()) throw usage_error("there is no version '{}' of --aom_ctc", version);
  const auto number = found - kVersions.begin() + 1;
  words.models.push_back(model_of("version=vmaf_v0.6.1"));
  words.models.push_back(model_of("version=vmaf_v0.6.1neg:name=vmaf_neg"));
  const char* const scale = number >= 7 ? "scale=1:" : "";
  for (const std::string& text :
       {std::string("psnr=reduced_hbd_peak=true:enable_apsnr=true:min_sse=0.5"),
        std::string("ciede"), std::string("float_ssim=") + scale + "enable_db=true:clip_db=true",
        std::string("float_ms_ssim=enable_db=true:clip_db=true"), std::string("psnr_hvs")}) {
    words.features.push_back(feature_of(text));
  }
  if (number >= 3) words.features.push_back(feature_of("cambi"));
}

/// Adds the models and features of Netflix's test conditions.
void add_nflx_ctc(VmafWords& words, std::string_view version) {
  if (version != "v1.0") throw usage_error("there is no version '{}' of --nflx_ctc", version);
  words.models.push_back(model_of("version=vmaf_4k_v0.6.1"));
  words.models.push_back(model_of("version=vmaf_4k_v0.6.1neg:name=vmaf_neg"));
  for (const char* const text : {"psnr=enable_chroma=true:enable_apsnr=true",
                                 "float_ssim=enable_db=true:clip_db=true", "cambi"}) {
    words.features.push_back(feature_of(text));
  }
}

void set_input(VmafWords& words, int option, const char* value) {
  ClipOptions& clips = words.clips;
  switch (option) {
    case 'r':
      clips.reference = value;
      break;
    case 'd':
      clips.distorted = value;
      break;
    case 'w':
      clips.width = static_cast<int>(number_of(value));
      break;
    case 'h':
      clips.height = static_cast<int>(number_of(value));
      break;
    case 'p':
      clips.pixel_format = value;
      break;
    case 'b':
      clips.bitdepth = static_cast<int>(number_of(value));
      break;
    case kFrameCount:
      clips.frame_count = number_of(value);
      break;
    case kSkipReference:
      clips.skip_reference = number_of(value);
      break;
    case kSkipDistorted:
      clips.skip_distorted = number_of(value);
      break;
    case '?':
      throw usage_error("the command line is wrong");  // getopt_long() said what
    default:
      break;  // a mask of processors
  }
}

void set(VmafWords& words, int option, const char* value) {
  switch (option) {
    case 'm':
      words.models.push_back(model_of(value));
      break;
    case 'o':
      words.output = value;
      break;
    case kXml:
      words.format = VMAF_OUTPUT_FORMAT_XML;
      break;
    case kJson:
      words.format = VMAF_OUTPUT_FORMAT_JSON;
      break;
    case kCsv:
      words.format = VMAF_OUTPUT_FORMAT_CSV;
      break;
    case kSub:
      words.format = VMAF_OUTPUT_FORMAT_SUB;
      break;
    case kThreads:
      words.threads = number_of(value);
      break;
    case kFeature:
      words.features.push_back(feature_of(value));
      break;
    case kSubsample:
      words.subsample = number_of(value);
      break;
    case kAomCtc:
      add_aom_ctc(words, value);
      break;
    case kNflxCtc:
      add_nflx_ctc(words, value);
      break;
    case 'n':
      words.no_prediction = true;
      break;
    case 'q':
      words.quiet = true;
      break;
    case 'v':
      words.asks_version = true;
      break;
    default:
      set_input(words, option, value);
  }
}

}  // namespace

VmafWords parse_vmaf_words(int argc, char** argv) {
  VmafWords words;
  while (true) {
    const int option =
        ::getopt_long(argc, argv, "r:d:w:h:p:b:m:c:o:nvq", kLongOptions.data(), nullptr);
    if (option < 0) break;
    set(words, option, optarg);
  }
  if (words.asks_version) return words;
  if (words.clips.reference.empty()) throw usage_error("-r, the reference, is missing");
  if (words.clips.distorted.empty()) throw usage_error("-d, the distorted clip, is missing");
  if (words.models.empty() && !words.no_prediction) {
    words.models.push_back(model_of("version=vmaf_v0.6.1"));
  }
  for (std::size_t i = 0; i < words.models.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (words.models[i].name == words.models[j].name) {
        throw usage_error("two models have the name '{}': give one another with name=",
                          words.models[i].name);
      }
    }
  }
  return words;
}

}  // namespace sidecore::cli
