#include "cli/clip_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/cpu_affinity.h"
#include "base/error.h"
#include "base/progress.h"
#include "libav/open.h"
#include "metrics/feature_family.h"
#include "neon/vp9/dsp.h"
#include "vp9/picture_source.h"

namespace sidecore::cli {
namespace {

/// Returns the pixel format of raw files. `name` is spelt as in the vmaf command ("420", which
/// needs `bitdepth`) or as in FFmpeg ("yuv420p10le", which includes it).
video::PixelFormat raw_pixel_format(const std::string& name, std::optional<int> bitdepth) {
  const std::pair<const char*, video::Chroma> kChromas[] = {{"400", video::Chroma::c400},
                                                            {"420", video::Chroma::c420},
                                                            {"422", video::Chroma::c422},
                                                            {"444", video::Chroma::c444}};
  for (const auto& [spelling, chroma] : kChromas) {
    if (name != spelling) continue;
    if (!bitdepth) throw usage_error("--pixel_format {} needs --bitdepth", name);
    return {chroma, *bitdepth};
  }
  const video::PixelFormat format = video::parse_pixel_format(name);
  if (bitdepth && *bitdepth != format.bits) {
    throw usage_error("--pixel_format {} has {} bits per sample, but --bitdepth is {}", name,
                      format.bits, *bitdepth);
  }
  return format;
}

/// Returns the format of raw files; nothing if no option for raw files is given.
std::optional<video::PictureFormat> raw_format(const ClipOptions& options) {
  const bool any =
      options.width || options.height || options.pixel_format || options.bitdepth.has_value();
  if (!any) return std::nullopt;
  if (!options.width || !options.height || !options.pixel_format) {
    throw usage_error("raw files need --width, --height, --pixel_format and --bitdepth");
  }
  const video::PictureFormat format{*options.width, *options.height,
                                    raw_pixel_format(*options.pixel_format, options.bitdepth)};
  video::check_format(format);
  return format;
}

std::string default_text(const metrics::OptionSpec& spec) {
  if (spec.type == metrics::OptionType::choice) {
    return std::string(spec.choices[static_cast<std::size_t>(spec.default_value)]);
  }
  if (spec.type != metrics::OptionType::boolean) return fmt::format("{}", spec.default_value);
  return spec.default_value != 0 ? "true" : "false";
}

/// Returns a list of all features with their options' defaults, and of all models.
std::string feature_list() {
  std::string text = "Features, and the defaults of their options:\n";
  for (const metrics::FeatureFamily* const family : metrics::families()) {
    for (const metrics::Feature& feature : family->features) {
      text += fmt::format("  {}", feature.name);
      char separator = '=';
      for (const metrics::OptionSpec& spec : feature.options) {
        text += fmt::format("{}{}={}", separator, spec.name, default_text(spec));
        separator = ':';
      }
      text += "\n";
    }
  }
  text += fmt::format("Models: {}\n", fmt::join(metrics::vmaf_model_versions(), ", "));
  return text;
}

/// Adds the options that name the clips and, for raw files, their format.
void add_file_options(CLI::App& command, ClipOptions& options) {
  const char* const kInput = "Inputs";
  command
      .add_option("-r,--reference", options.reference,
                  "Y4M, raw or video file; - is standard input")
      ->required()
      ->group(kInput);
  command
      .add_option("-d,--distorted", options.distorted,
                  "Y4M, raw or video file; - is standard input")
      ->required()
      ->group(kInput);
  command.add_option("-w,--width", options.width, "Raw files: width in samples")->group(kInput);
  // -h is the height and not help, because scripts for the vmaf command use it so.
  command.set_help_flag("--help", "Print this help message and exit");
  command.add_option("-h,--height", options.height, "Raw files: height in rows")->group(kInput);
  command
      .add_option("-p,--pixel_format", options.pixel_format,
                  "Raw files: 400, 420, 422, 444, or FFmpeg's name, e.g. yuv420p10le")
      ->group(kInput);
  command.add_option("-b,--bitdepth", options.bitdepth, "Raw files: bits per sample, 8 to 16")
      ->group(kInput);
}

/// Adds the options that select the scored pictures.
void add_picture_options(CLI::App& command, ClipOptions& options) {
  const char* const kInput = "Inputs";
  command
      .add_option("--frame_cnt", options.frame_count,
                  "Score at most this many pairs of pictures; 0: all")
      ->check(CLI::NonNegativeNumber)
      ->group(kInput);
  command
      .add_option("--frame_skip_ref", options.skip_reference,
                  "Skip this many pictures at the start of the reference")
      ->check(CLI::NonNegativeNumber)
      ->group(kInput);
  command
      .add_option("--frame_skip_dist", options.skip_distorted,
                  "Skip this many pictures at the start of the distorted clip")
      ->check(CLI::NonNegativeNumber)
      ->group(kInput);
  command.add_option("--subsample", options.subsample, "Score every Nth picture; 0 means 1")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str()
      ->group(kInput);
  command
      .add_flag(
          "--start-at-key-frame", options.start_at_key_frame,
          "VP9: skip frames before the first key frame, and after damage up to the next key frame, "
          "instead of stopping with an error. Both clips then leave out the lost pictures")
      ->group(kInput);
}

}  // namespace

void add_clip_options(CLI::App& command, ClipOptions& options) {
  add_file_options(command, options);
  add_picture_options(command, options);
  command
      .add_option(
          "--feature", options.features,
          "Feature to score: NAME or NAME=OPTION=VALUE:OPTION=VALUE; repeatable. The default "
          "without --feature and --model is float_psnr")
      ->group("Computation");
  command
      .add_option("-m,--model", options.models,
                  "VMAF model to score: version=VERSION or path=FILE, then after colons name=NAME, "
                  "enable_transform, disable_clip, FEATURE.OPTION=VALUE; repeatable")
      ->group("Computation");
  command
      .add_flag("-n,--no_prediction", options.no_prediction,
                "Score only the models' features, not the models")
      ->group("Computation");
  // These options are accepted because scripts for the vmaf command may contain them.
  const auto ignored = [&](const char* name, const char* text) {
    command
        .add_option_function<std::string>(
            name, [](const std::string& /*mask*/) {}, text)
        ->group("Computation");
  };
  ignored("-c,--cpumask",
          "Ignored, for scripts of the vmaf command: no score depends on the CPU's instructions");
  ignored("--gpumask", "Ignored, for scripts of the vmaf command: --backend chooses the GPU");
  command.set_version_flag("-v,--version", SIDECORE_VERSION);
  command.footer(feature_list);
}

void use_last_value(CLI::App& command) {
  for (CLI::Option* const option : command.get_options()) {
    if (option->get_expected_max() <= 1) {
      option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    }
  }
}

Clips open_clips(const ClipOptions& options) {
  if (options.reference == "-" && options.distorted == "-") {
    throw usage_error("reference and distorted cannot both be standard input");
  }
  const auto raw = raw_format(options);
  // VP9 is decoded by sidecore, because libavcodec would conceal damage that `sidecore decode`
  // reports as an error.
  const libav::Vp9Decoding vp9 = [&](std::unique_ptr<video::PacketSource> packets) {
    return vp9::open_pictures(std::move(packets),
                              {.threads = default_threads(),
                               .dsp = &neon::vp9_dsp(),
                               .start_at_key_frame = options.start_at_key_frame});
  };
  Clips clips{libav::open_source(options.reference, raw, vp9),
              libav::open_source(options.distorted, raw, vp9)};
  metrics::check_same_format(*clips.reference, *clips.distorted);
  return clips;
}

metrics::ScoreClipsOptions score_options(const ClipOptions& options) {
  metrics::ScoreClipsOptions score;
  score.skip_reference = options.skip_reference;
  score.skip_distorted = options.skip_distorted;
  // A frame count of 0 means all, as in the vmaf command.
  if (options.frame_count != 0U) score.picture_limit = options.frame_count;
  score.subsample = std::max<std::uint64_t>(options.subsample, 1);
  return score;
}

void warn_about_unequal_lengths(const std::string& unequal) {
  if (unequal.empty()) return;
  print_remark(
      fmt::format("sidecore: {}: only as many pictures as both clips have are scored\n", unequal));
}

ScoreRequests score_requests(const ClipOptions& options) {
  ScoreRequests requests;
  const auto add = [&](const std::string& text) {
    metrics::add_feature_request(requests.features, metrics::parse_feature_request(text));
  };
  for (const std::string& text : options.features) add(text);
  for (const std::string& text : options.models) {
    requests.models.push_back(metrics::parse_model_request(text));
  }
  if (options.features.empty() && options.models.empty()) add("float_psnr");
  metrics::add_model_features(requests.models, requests.features);
  if (options.no_prediction) requests.models.clear();
  return requests;
}

}  // namespace sidecore::cli
