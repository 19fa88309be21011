// sidecore compare: scores the same clips with several backends, and compares the scores with each
// other and with logs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/cpu_affinity.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/progress.h"
#include "cli/clip_options.h"
#include "cli/commands.h"
#include "cli/metrics_backend.h"
#include "metrics/picture_scorer.h"
#include "metrics/result_file.h"
#include "metrics/score_clips.h"
#include "metrics/score_difference.h"
#include "metrics/score_log.h"

namespace sidecore::cli {
namespace {

/// Default of --places for logs. The `vmaf` command writes six digits after the decimal point by
/// default, so a difference of 5e-7 may be rounding.
constexpr int kLogPlaces = 5;

struct CompareOptions {
  ClipOptions clips;
  std::vector<std::string> backends;
  std::vector<std::string> logs;
  std::optional<int> places;
  std::optional<std::string> json;
  std::string shader_directory;
  std::size_t threads = static_cast<std::size_t>(default_threads());
  bool quiet = false;
};

/// A backend's name and its scores.
struct Column {
  std::string name;
  metrics::ScoreTable table;
};

/// One line of the report: the differences of one output.
struct Comparison {
  std::string what;  ///< the backend or log that is compared with the first backend
  std::string output;
  metrics::ScoreDifference difference;
  std::optional<int> places;  ///< required decimal places; nothing: scores must be identical
  [[nodiscard]] bool holds() const {
    return places ? difference.within(*places) : difference.identical();
  }
};

/// Makes the backend that `text` names; "qpu=llvmpipe" is the backend qpu on the device llvmpipe.
MetricsBackend make_backend(const std::string& text, const CompareOptions& options,
                            const video::PictureFormat& format,
                            const std::vector<metrics::FeatureRequest>& requests) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  const bool has_device = equals != std::string::npos;
  if (name != "scalar" && name != "neon" && name != "qpu") {
    throw usage_error("backend '{}' is unknown: use scalar, neon, qpu or qpu=DEVICE", name);
  }
  if (has_device && name != "qpu") throw usage_error("backend {} does not take a device", name);
  MetricsBackendOptions backend{name, qpu::DeviceOptions::from_environment(), options.threads};
  if (has_device) backend.device.selector = text.substr(equals + 1);
  backend.device.shader_directory = options.shader_directory;
  return make_metrics_backend(backend, format, requests);
}

/// Scores the clips with every backend; reads the clips once.
std::vector<Column> score(const CompareOptions& options, const Clips& clips,
                          const ScoreRequests& requests) {
  std::vector<Column> columns;
  // `devices` is declared before `scorers`, because the devices must outlive the scorers.
  std::vector<std::unique_ptr<qpu::Device>> devices;
  std::vector<std::unique_ptr<metrics::PictureScorer>> scorers;
  std::vector<std::string> all_names;
  const std::vector<std::string> names = metrics::output_names(requests.features);
  for (const std::string& text : options.backends) {
    MetricsBackend backend =
        make_backend(text, options, clips.reference->format(), requests.features);
    columns.push_back({backend.device
                           ? fmt::format("{} on {}", backend.name, backend.device->info().name)
                           : backend.name,
                       metrics::ScoreTable(names)});
    scorers.push_back(std::move(backend.scorer));
    devices.push_back(std::move(backend.device));
    all_names.insert(all_names.end(), names.begin(), names.end());
  }
  const auto joint = metrics::make_joint_scorer(std::move(scorers));
  std::optional<Progress> progress;
  if (!options.quiet) progress.emplace("frames", options.clips.frame_count);
  metrics::ScoreClipsOptions score = score_options(options.clips);
  score.progress = [&](std::uint64_t done) {
    if (progress) progress->update(done);
  };
  std::string unequal;
  score.unequal = [&](const std::string& text) { unequal = text; };
  const metrics::ScoreTable table =
      metrics::score_clips(*clips.reference, *clips.distorted, *joint, std::move(all_names), score);
  progress.reset();
  warn_about_unequal_lengths(unequal);
  std::vector<double> row(names.size());
  for (std::size_t picture = 0; picture < table.pictures(); ++picture) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      for (std::size_t output = 0; output < names.size(); ++output) {
        row[output] = table.column(i * names.size() + output)[picture];
      }
      columns[i].table.append(table.number(picture), row);
    }
  }
  for (Column& column : columns) metrics::add_model_scores(requests.models, column.table);
  return columns;
}

std::vector<std::uint64_t> numbers(const metrics::ScoreTable& table) {
  std::vector<std::uint64_t> numbers;
  for (std::size_t row = 0; row < table.pictures(); ++row) numbers.push_back(table.number(row));
  return numbers;
}

std::vector<Comparison> compare_backends(const std::vector<Column>& columns,
                                         std::optional<int> places) {
  std::vector<Comparison> comparisons;
  const metrics::ScoreTable& first = columns.front().table;
  for (std::size_t i = 1; i < columns.size(); ++i) {
    for (std::size_t output = 0; output < first.names().size(); ++output) {
      comparisons.push_back({columns[i].name, first.names()[output],
                             metrics::difference(numbers(first), first.column(output),
                                                 columns[i].table.column(output)),
                             places});
    }
  }
  return comparisons;
}

/// Returns a log's scores of one output for each of `frames`. Throws Error (usage) if one is
/// missing.
std::vector<double> logged(const metrics::LoggedScores& scores,
                           const std::vector<std::uint64_t>& frames, const std::string& output,
                           const std::string& path) {
  std::vector<double> found;
  for (const std::uint64_t frame : frames) {
    const auto score = scores.find(frame);
    if (score == scores.end()) {
      throw usage_error("the log '{}' has no score {} for frame {}", path, output, frame);
    }
    found.push_back(score->second);
  }
  return found;
}

/// Returns the scores as a JSON log would hold them: infinity becomes NaN, because a log writes
/// null for both.
std::vector<double> as_logged(std::span<const double> scores) {
  std::vector<double> logged(scores.begin(), scores.end());
  std::ranges::replace_if(
      logged, [](double score) { return !std::isfinite(score); },
      std::numeric_limits<double>::quiet_NaN());
  return logged;
}

std::vector<Comparison> compare_log(const std::string& path, const metrics::ScoreTable& table,
                                    int places) {
  const metrics::ScoreLog log = metrics::read_score_log(path);
  const std::vector<std::uint64_t> frames = numbers(table);
  std::vector<Comparison> comparisons;
  for (std::size_t output = 0; output < table.names().size(); ++output) {
    const std::string& name = table.names()[output];
    const auto scores = log.outputs.find(name);
    if (scores == log.outputs.end()) continue;
    comparisons.push_back({path, name,
                           metrics::difference(frames, logged(scores->second, frames, name, path),
                                               as_logged(table.column(output))),
                           places});
  }
  if (comparisons.empty()) {
    throw usage_error("the log '{}' has no scores of the requested features", path);
  }
  return comparisons;
}

void print_report(const std::vector<Column>& columns, const std::vector<Comparison>& comparisons) {
  fmt::print("{} frames scored by {}, compared with:\n", columns.front().table.pictures(),
             columns.front().name);
  std::string what;
  for (const Comparison& line : comparisons) {
    if (line.what != what) {
      what = line.what;
      fmt::print("{}\n  {:<24} {:>12} {:>12} {:>12} {:>8}  verdict\n", printable(what), "metric",
                 "max |diff|", "mean |diff|", "first frame", "places");
    }
    const metrics::ScoreDifference& found = line.difference;
    fmt::print("  {:<24} {:>12.3g} {:>12.3g} {:>12} {:>8}  {}\n", printable(line.output), found.max,
               found.mean, found.first ? std::to_string(*found.first) : "-",
               found.identical() ? "all" : std::to_string(found.places()),
               line.holds() ? "ok" : "DIFFERS");
  }
}

/// Returns a finite value as a JSON number, and null for infinity and NaN.
nlohmann::ordered_json number(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

std::string format_json(const std::vector<Column>& columns,
                        const std::vector<Comparison>& comparisons) {
  nlohmann::ordered_json lines = nlohmann::ordered_json::array();
  for (const Comparison& line : comparisons) {
    const metrics::ScoreDifference& found = line.difference;
    lines.push_back({{"against", line.what},
                     {"metric", line.output},
                     {"frames", found.frames},
                     {"max", number(found.max)},
                     {"mean", number(found.mean)},
                     {"first_frame", nullptr},
                     {"identical", found.identical()},
                     {"places", found.places()},
                     {"demanded_places", nullptr},
                     {"holds", line.holds()}});
    if (found.first) lines.back()["first_frame"] = *found.first;
    if (line.places) lines.back()["demanded_places"] = *line.places;
  }
  const nlohmann::ordered_json report{{"schema", "sidecore-compare"},
                                      {"version", 1},
                                      {"base", columns.front().name},
                                      {"comparisons", lines}};
  return report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

void run_compare(const CompareOptions& options) {
  if (options.backends.size() + options.logs.size() < 2) {
    throw usage_error("compare needs two backends, or one backend and a --log");
  }
  const ScoreRequests requests = score_requests(options.clips);
  std::optional<AtomicFile> file;
  if (options.json) file.emplace(*options.json);
  const Clips clips = open_clips(options.clips);
  const std::vector<Column> columns = score(options, clips, requests);
  std::vector<Comparison> comparisons = compare_backends(columns, options.places);
  for (const std::string& path : options.logs) {
    for (Comparison& line :
         compare_log(path, columns.front().table, options.places.value_or(kLogPlaces))) {
      comparisons.push_back(std::move(line));
    }
  }
  if (file) {
    file->write(format_json(columns, comparisons));
    file->commit();
  }
  // The report is printed last, because the file must be written even if printing fails.
  if (!options.json || !is_standard_output(*options.json)) print_report(columns, comparisons);
  const auto bad =
      std::ranges::count_if(comparisons, [](const Comparison& line) { return !line.holds(); });
  if (bad != 0) {
    throw Error(ErrorKind::failed, fmt::format("{} of {} comparisons differ by more than allowed",
                                               bad, comparisons.size()));
  }
}

}  // namespace

void add_compare_command(CLI::App& app) {
  CLI::App* const command = app.add_subcommand(
      "compare", "Compare the scores of backends, devices and logs with each other");
  const auto options = std::make_shared<CompareOptions>();
  options->backends = {"scalar", "neon", "qpu"};
  add_clip_options(*command, options->clips);
  const char* const kCompare = "Comparison";
  command
      ->add_option(
          "--backend", options->backends,
          "Backend that scores: scalar, neon, qpu or qpu=DEVICE; repeatable. All are compared with "
          "the first")
      ->capture_default_str()
      ->group(kCompare);
  command
      ->add_option(
          "--log", options->logs,
          "JSON log of vmaf or sidecore metrics to compare with the first backend; repeatable")
      ->group(kCompare);
  command
      ->add_option("--places", options->places,
                   "Decimal places to which a difference must round to 0 (default: 5 for logs; for "
                   "backends every bit must be equal)")
      ->check(CLI::Range(0, 17))
      ->group(kCompare);
  command->add_option("--json", options->json, "JSON file for the report; - is standard output")
      ->group(kCompare);
  command
      ->add_option("--threads", options->threads,
                   "Number of threads of scalar and neon, 1 to 256 (default: one per CPU)")
      ->check(CLI::Range(1, kMaxThreads))
      ->group(kCompare);
  command
      ->add_option("--shader-dir", options->shader_directory,
                   "Directory of NAME.spv files that replace built-in shaders")
      ->group(kCompare);
  command->add_flag("-q,--quiet", options->quiet, "Print no progress line")->group(kCompare);
  use_last_value(*command);
  command->footer(
      "Example: sidecore compare -r build/demo/reference.mkv -d build/demo/distorted.webm "
      "--feature float_ssim --backend scalar --backend neon");
  command->callback([options] { run_compare(*options); });
}

}  // namespace sidecore::cli
