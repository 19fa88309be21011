// sidecore metrics: quality of a distorted clip against its reference.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/progress.h"
#include "cli/commands.h"
#include "cli/metrics_backend.h"
#include "metrics/feature.h"
#include "metrics/pooling.h"
#include "metrics/result_file.h"
#include "metrics/score_clips.h"
#include "video/source.h"

namespace sidecore::cli {
namespace {

struct MetricsOptions {
  std::string reference;
  std::string distorted;
  std::vector<std::string> features{"float_psnr"};
  std::optional<int> width;
  std::optional<int> height;
  std::optional<std::string> pixel_format;
  std::optional<int> bitdepth;
  std::optional<std::string> output;
  bool json = false;
  bool xml = false;
  bool csv = false;
  std::optional<int> precision;
  std::optional<std::uint64_t> frame_count;
  bool quiet = false;
  std::string backend = "auto";
  std::size_t threads = 1;
  std::string device;
  std::string shader_directory;
};

/// "420" is the vmaf command's spelling, "yuv420p10le" FFmpeg's; the latter says the depth as well.
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
    throw usage_error("--pixel_format {} has {} bits a sample, --bitdepth says {}", name,
                      format.bits, *bitdepth);
  }
  return format;
}

/// What the files are when they are not Y4M; nothing when they are not raw.
std::optional<video::PictureFormat> raw_format(const MetricsOptions& options) {
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

metrics::ResultFormat result_format(const MetricsOptions& options) {
  if (options.json) return metrics::ResultFormat::json;
  if (options.xml) return metrics::ResultFormat::xml;
  if (options.csv) return metrics::ResultFormat::csv;
  if (*options.output == "-") return metrics::ResultFormat::json;
  if (const auto format = metrics::format_of_extension(*options.output)) return *format;
  throw usage_error("'{}' does not end in .json, .xml or .csv: add --json, --xml or --csv",
                    *options.output);
}

std::vector<metrics::FeatureRequest> feature_requests(const MetricsOptions& options) {
  std::vector<metrics::FeatureRequest> requests;
  for (const std::string& text : options.features) {
    metrics::FeatureRequest request = metrics::parse_feature_request(text);
    if (std::ranges::find(requests, request) == requests.end()) {
      requests.push_back(std::move(request));
    }
  }
  return requests;
}

void print_table(const metrics::ScoreTable& table, const MetricsBackend& backend, double fps,
                 std::optional<int> precision) {
  fmt::print("{} pictures, {}{}, {:.1f} pictures/s\n", table.pictures(), backend.name,
             backend.device ? " on " + backend.device->info().name : "", fps);
  fmt::print("{:<20} {:>12} {:>12} {:>12} {:>13}\n", "metric", "min", "max", "mean",
             "harmonic_mean");
  const auto text = [&](double score) {
    return metrics::format_score(score, precision.value_or(6));
  };
  for (std::size_t output = 0; output < table.names().size(); ++output) {
    const metrics::Pooled pooled = metrics::pool(table.column(output));
    fmt::print("{:<20} {:>12} {:>12} {:>12} {:>13}\n", table.names()[output], text(pooled.min),
               text(pooled.max), text(pooled.mean), text(pooled.harmonic_mean));
  }
  if (std::fflush(stdout) != 0) throw environment_error("cannot write to standard output");
}

metrics::RunFacts run_facts(const MetricsBackend& backend, const video::PictureFormat& format,
                            std::span<const metrics::FeatureRequest> requests,
                            const metrics::ScoreTable& table, double fps) {
  metrics::RunFacts facts{SIDECORE_VERSION, fps, format.width, format.height,
                          backend.facts(table.pictures())};
  std::string exactness;
  for (const metrics::FeatureRequest& request : requests) {
    exactness += fmt::format("{}{}: {}", exactness.empty() ? "" : "; ", request.feature->name,
                             request.feature->exactness);
  }
  facts.sidecore.emplace_back("exactness", exactness);
  return facts;
}

void run_metrics(const MetricsOptions& options) {
  if (options.reference == "-" && options.distorted == "-") {
    throw usage_error("reference and distorted cannot both be standard input");
  }
  // Everything that can be wrong with the command line is found before any work is done.
  const std::vector<metrics::FeatureRequest> requests = feature_requests(options);
  const auto raw = raw_format(options);
  std::optional<metrics::ResultFormat> format;
  std::optional<AtomicFile> file;
  if (options.output) {
    format = result_format(options);
    file.emplace(*options.output);
  }
  const auto reference = video::open_source(options.reference, raw);
  const auto distorted = video::open_source(options.distorted, raw);
  metrics::check_same_format(*reference, *distorted);

  MetricsBackendOptions backend_options{options.backend, qpu::DeviceOptions::from_environment(),
                                        options.threads};
  backend_options.device.selector = options.device;
  backend_options.device.shader_directory = options.shader_directory;
  const MetricsBackend backend =
      make_metrics_backend(backend_options, reference->format(), requests);

  std::optional<Progress> progress;
  if (!options.quiet) progress.emplace("metrics", options.frame_count);
  const Clock::time_point start = Clock::now();
  const metrics::ScoreTable table =
      metrics::score_clips(*reference, *distorted, *backend.scorer, metrics::output_names(requests),
                           {options.frame_count, [&](std::uint64_t done) {
                              if (progress) progress->update(done);
                            }});
  const double fps = static_cast<double>(table.pictures()) / seconds(Clock::now() - start);
  progress.reset();

  if (options.output != "-") print_table(table, backend, fps, options.precision);
  if (!file) return;
  file->write(metrics::format_result(*format, table,
                                     run_facts(backend, reference->format(), requests, table, fps),
                                     options.precision));
  file->commit();
}

void add_input_options(CLI::App& command, MetricsOptions& options) {
  const char* const kInput = "Inputs";
  command.add_option("-r,--reference", options.reference, "Y4M, raw or video file; - is stdin")
      ->required()
      ->group(kInput);
  command.add_option("-d,--distorted", options.distorted, "Y4M, raw or video file; - is stdin")
      ->required()
      ->group(kInput);
  command.add_option("-w,--width", options.width, "Raw files: width in samples")->group(kInput);
  command.add_option("--height", options.height, "Raw files: height in rows")->group(kInput);
  command
      .add_option("-p,--pixel_format", options.pixel_format,
                  "Raw files: 400, 420, 422, 444, or FFmpeg's name, e.g. yuv420p10le")
      ->group(kInput);
  command.add_option("-b,--bitdepth", options.bitdepth, "Raw files: bits a sample, 8 to 16")
      ->group(kInput);
  command.add_option("--frame_cnt", options.frame_count, "Score that many pictures, then stop")
      ->check(CLI::PositiveNumber)
      ->group(kInput);
}

void add_output_options(CLI::App& command, MetricsOptions& options) {
  const char* const kOutput = "Results";
  CLI::Option* const output =
      command
          .add_option("-o,--output", options.output,
                      "Result file; - is stdout (JSON unless told otherwise)")
          ->group(kOutput);
  CLI::Option* const json = command.add_flag("--json", options.json, "Write JSON");
  CLI::Option* const xml = command.add_flag("--xml", options.xml, "Write XML");
  CLI::Option* const csv = command.add_flag("--csv", options.csv, "Write CSV");
  for (CLI::Option* const format : {json, xml, csv}) format->needs(output)->group(kOutput);
  json->excludes(xml, csv);
  xml->excludes(csv);
  command
      .add_option("--precision", options.precision,
                  "Digits behind the point; default: as many as the value has")
      ->check(CLI::Range(0, 17))
      ->group(kOutput);
  command.add_flag("-q,--quiet", options.quiet, "No progress line")->group(kOutput);
}

void add_backend_options(CLI::App& command, MetricsOptions& options) {
  const char* const kBackend = "Computation";
  command.add_option("--feature", options.features, "What to score (repeatable)")
      ->capture_default_str()
      ->group(kBackend);
  command.add_option("--backend", options.backend, "Who computes: scalar, neon, qpu or auto")
      ->check(CLI::IsMember({"scalar", "neon", "qpu", "auto"}))
      ->capture_default_str()
      ->group(kBackend);
  command.add_option("--threads", options.threads, "Threads of scalar and neon")
      ->check(CLI::Range(1, 256))
      ->capture_default_str()
      ->group(kBackend);
  command.add_option("--device", options.device, "Device of qpu: index, type, or part of its name")
      ->group(kBackend);
  command.add_option("--shader-dir", options.shader_directory, "SPIR-V files that replace shaders")
      ->group(kBackend);
}

}  // namespace

void add_metrics_command(CLI::App& app) {
  CLI::App* const command =
      app.add_subcommand("metrics", "Score a distorted clip against its reference");
  const auto options = std::make_shared<MetricsOptions>();
  add_input_options(*command, *options);
  add_output_options(*command, *options);
  add_backend_options(*command, *options);
  command->callback([options] { run_metrics(*options); });
}

}  // namespace sidecore::cli
