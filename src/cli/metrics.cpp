// sidecore metrics: scores the quality of a distorted clip against its reference.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/clock.h"
#include "base/cpu_affinity.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/progress.h"
#include "base/text_table.h"
#include "cli/clip_options.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/metrics_backend.h"
#include "metrics/feature.h"
#include "metrics/pooling.h"
#include "metrics/result_file.h"
#include "metrics/score_clips.h"
#include "metrics/score_plot.h"

namespace sidecore::cli {
namespace {

struct MetricsOptions {
  ClipOptions clips;
  std::optional<std::string> output;
  bool json = false;
  bool xml = false;
  bool csv = false;
  std::optional<int> precision;
  std::optional<std::string> plot;
  bool quiet = false;
  std::string backend = "auto";
  std::size_t threads = 0;
  std::string device;
  std::string shader_directory;
};

/// Times of a run, measured from the start of make_metrics_backend().
struct Times {
  Nanoseconds start_up{0};       ///< time until the backend is ready
  Nanoseconds first_picture{0};  ///< time until the first pair is scored
  Nanoseconds scoring{0};        ///< time from the end of start_up until all pictures are scored
};

struct Run {
  MetricsBackend backend;
  ScoreRequests requests;
  video::PictureFormat format;
  metrics::ScoreTable table;
  Times times;

  [[nodiscard]] double fps() const {
    return static_cast<double>(table.pictures()) / seconds(times.scoring);
  }
};

metrics::ResultFormat result_format(const MetricsOptions& options) {
  if (options.json) return metrics::ResultFormat::json;
  if (options.xml) return metrics::ResultFormat::xml;
  if (options.csv) return metrics::ResultFormat::csv;
  if (is_standard_output(*options.output)) return metrics::ResultFormat::json;
  if (const auto format = metrics::format_of_extension(*options.output)) return *format;
  throw usage_error("the result file '{}' must end in .json, .xml or .csv, or add such an option",
                    *options.output);
}

Run score(const MetricsOptions& options, ScoreRequests requests, const Clips& clips) {
  MetricsBackendOptions backend_options{options.backend, qpu::DeviceOptions::from_environment(),
                                        options.threads};
  backend_options.device.selector = options.device;
  backend_options.device.shader_directory = options.shader_directory;
  const Clock::time_point start = Clock::now();
  Run run;
  run.format = clips.reference->format();
  run.requests = std::move(requests);
  run.backend = make_metrics_backend(backend_options, run.format, run.requests.features);
  const Clock::time_point ready = Clock::now();
  run.times.start_up = ready - start;

  std::optional<Progress> progress;
  if (!options.quiet) progress.emplace("frames", options.clips.frame_count);
  metrics::ScoreClipsOptions score = score_options(options.clips);
  score.progress = [&](std::uint64_t done) {
    if (progress) progress->update(done);
  };
  std::string unequal;
  score.unequal = [&](const std::string& text) { unequal = text; };
  score.first_scored = [&] { run.times.first_picture = Clock::now() - start; };
  run.table = metrics::score_clips(*clips.reference, *clips.distorted, *run.backend.scorer,
                                   metrics::output_names(run.requests.features), score);
  metrics::add_model_scores(run.requests.models, run.table);
  run.times.scoring = Clock::now() - ready;
  progress.reset();
  warn_about_unequal_lengths(unequal);
  return run;
}

std::string backend_text(const MetricsBackend& backend) {
  return backend.device ? fmt::format("{} on {}", backend.name, backend.device->info().name)
                        : backend.name;
}

void print_table(const Run& run, std::optional<int> precision) {
  fmt::print("{} frames of {}, {}, {:.1f} fps\n", run.table.pictures(),
             video::to_string(run.format), backend_text(run.backend), run.fps());
  TextTable table({"metric", "min", "max", "mean", "harmonic_mean"}, 1);
  const auto text = [&](double score) {
    return metrics::format_score(score, precision.value_or(6));
  };
  for (std::size_t output = 0; output < run.table.names().size(); ++output) {
    const metrics::Pooled pooled = metrics::pool(run.table.column(output));
    table.add({printable(run.table.names()[output]), text(pooled.min), text(pooled.max),
               text(pooled.mean), text(pooled.harmonic_mean)});
  }
  fmt::print("{}", table.text());
  for (const metrics::FeatureRequest& request : run.requests.features) {
    fmt::print("{}: {}\n", request.feature->name, request.feature->exactness);
  }
}

metrics::RunFacts run_facts(const Run& run, std::size_t threads) {
  metrics::RunFacts facts{SIDECORE_VERSION, run.fps(), run.format.width, run.format.height,
                          run.backend.facts(run.table.pictures())};
  if (!run.backend.device) facts.sidecore.emplace_back("threads", std::uint64_t{threads});
  const auto milliseconds = [](Nanoseconds time) { return 1e3 * seconds(time); };
  facts.sidecore.emplace_back("command", fmt::format("{}", fmt::join(command_line(), " ")));
  facts.sidecore.emplace_back("start_up_ms", milliseconds(run.times.start_up));
  facts.sidecore.emplace_back("first_picture_ms", milliseconds(run.times.first_picture));
  if (!run.requests.models.empty()) {
    std::vector<std::string> models;
    models.reserve(run.requests.models.size());
    for (const metrics::ModelRequest& model : run.requests.models) models.push_back(model.text);
    facts.sidecore.emplace_back("models", fmt::format("{}", fmt::join(models, " ")));
  }
  std::string exactness;
  for (const metrics::FeatureRequest& request : run.requests.features) {
    exactness += fmt::format("{}{}: {}", exactness.empty() ? "" : "; ", request.feature->name,
                             request.feature->exactness);
  }
  facts.sidecore.emplace_back("exactness", exactness);
  return facts;
}

std::string plot(const Run& run, const MetricsOptions& options) {
  std::vector<std::size_t> outputs;
  for (const metrics::FeatureRequest& request : run.requests.features) {
    outputs.push_back(request.outputs().size());
  }
  outputs.resize(outputs.size() + run.requests.models.size(), 1);
  const auto file = [](const std::string& path) {
    return path == "-" ? "standard input" : std::filesystem::path(path).filename().string();
  };
  return metrics::format_plot(
      run.table, outputs,
      {fmt::format("{} against {}", file(options.clips.distorted), file(options.clips.reference)),
       fmt::format("{}, {} frames, {}", video::to_string(run.format), run.table.pictures(),
                   backend_text(run.backend))});
}

void run_metrics(const MetricsOptions& options) {
  // The command line is checked first, so that every mistake is reported before any work is done.
  ScoreRequests requests = score_requests(options.clips);
  const bool prints_result = options.output && is_standard_output(*options.output);
  const bool prints_plot = options.plot && is_standard_output(*options.plot);
  if (prints_result && prints_plot) {
    throw usage_error("--output and --plot cannot both go to standard output");
  }
  std::optional<metrics::ResultFormat> format;
  std::optional<AtomicFile> file;
  std::optional<AtomicFile> plot_file;
  if (options.output) {
    format = result_format(options);
    file.emplace(*options.output);
  }
  if (options.plot) plot_file.emplace(*options.plot);
  const Clips clips = open_clips(options.clips);
  const Run run = score(options, std::move(requests), clips);

  if (file) {
    file->write(metrics::format_result(*format, run.table, run_facts(run, options.threads),
                                       options.precision));
  }
  if (plot_file) plot_file->write(plot(run, options));
  if (file) file->commit();
  if (plot_file) plot_file->commit();
  // The table is printed last, because the files must be written even if printing fails.
  const bool told = options.quiet && options.output;
  if (!prints_result && !prints_plot && !told) print_table(run, options.precision);
}

void add_output_options(CLI::App& command, MetricsOptions& options) {
  const char* const kOutput = "Results";
  CLI::Option* const output =
      command
          .add_option("-o,--output", options.output,
                      "Result file: .json, .xml or .csv; - is standard output, by default as JSON")
          ->group(kOutput);
  CLI::Option* const json = command.add_flag("--json", options.json, "Write JSON");
  CLI::Option* const xml = command.add_flag("--xml", options.xml, "Write XML");
  CLI::Option* const csv = command.add_flag("--csv", options.csv, "Write CSV");
  for (CLI::Option* const format : {json, xml, csv}) format->needs(output)->group(kOutput);
  json->excludes(xml, csv);
  xml->excludes(csv);
  command
      .add_option("--precision", options.precision,
                  "Digits after the decimal point (default: all that a value needs)")
      ->check(CLI::Range(0, 17))
      ->group(kOutput);
  command.add_option("--plot", options.plot, "SVG file with a plot of the scores over time")
      ->group(kOutput);
  command
      .add_flag("-q,--quiet", options.quiet,
                "Print no progress line, and no table if --output is given")
      ->group(kOutput);
}

void add_backend_options(CLI::App& command, MetricsOptions& options) {
  const char* const kBackend = "Computation";
  command
      .add_option("--backend", options.backend,
                  "Implementation that scores: scalar, neon, qpu or auto (qpu if there is a GPU)")
      ->check(CLI::IsMember({"scalar", "neon", "qpu", "auto"}))
      ->capture_default_str()
      ->group(kBackend);
  command
      .add_option("--threads", options.threads,
                  "Number of threads of scalar and neon, 1 to 256 (default and 0: one per CPU)")
      ->check(CLI::Range(0, kMaxThreads))
      ->group(kBackend);
  command.add_option("--device", options.device, "Device for qpu: index, type or part of its name")
      ->group(kBackend);
  command
      .add_option("--shader-dir", options.shader_directory,
                  "Directory of NAME.spv files that replace built-in shaders")
      ->group(kBackend);
}

}  // namespace

void add_metrics_command(CLI::App& app) {
  CLI::App* const command =
      app.add_subcommand("metrics", "Score a distorted clip against its reference");
  const auto options = std::make_shared<MetricsOptions>();
  add_clip_options(*command, options->clips);
  add_output_options(*command, *options);
  add_backend_options(*command, *options);
  use_last_value(*command);
  command->footer(
      "Example: sidecore metrics -r build/demo/reference.mkv -d build/demo/distorted.webm "
      "--model version=vmaf_v1.0.16_3d0h -o scores.json");
  command->callback([options] {
    if (options->threads == 0) options->threads = static_cast<std::size_t>(default_threads());
    run_metrics(*options);
  });
}

}  // namespace sidecore::cli
