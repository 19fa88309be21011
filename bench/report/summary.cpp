#include "report/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "metrics/pooling.h"
#include "metrics/result_file.h"
#include "report/figures.h"

namespace sidecore::report {
namespace {

/// Returns the conclusion that all judged contents share; nothing if they differ. Treats "stopped
/// early" as "does not pay". Contents without a conclusion do not count, because M4 runs on few.
std::optional<gates::Conclusion> conclusion_of(const gates::KernelReport& kernel) {
  using enum gates::Conclusion;
  std::set<gates::Conclusion> found;
  for (const gates::ContentVerdict& entry : kernel.verdicts) {
    const gates::Conclusion conclusion = entry.verdict.conclusion;
    if (conclusion != incomplete) {
      found.insert(conclusion == stopped_early ? does_not_pay : conclusion);
    }
  }
  if (found.size() != 1) return std::nullopt;
  return *found.begin();
}

}  // namespace

std::string headline(const gates::GateReport& report) {
  const auto count = [&](gates::Conclusion conclusion) {
    return std::ranges::count_if(report.kernels, [&](const gates::KernelReport& kernel) {
      return conclusion_of(kernel) == conclusion;
    });
  };
  const std::size_t kernels = report.kernels.size();
  const auto only_checked = static_cast<std::size_t>(count(gates::Conclusion::correctness_only));
  std::string text = fmt::format("{} on {}: ", report.device ? report.device->name : "no GPU",
                                 report.before.board);
  if (!report.throttled.empty()) return text + "the board throttled, so no figure counts.";
  if (!report.agrees()) return text + "a kernel is wrong, so its speed means nothing.";
  if (only_checked == kernels) {
    return text + fmt::format(
                      "{} kernel{} compared with the scalar definition; only a run on a board can "
                      "show whether the GPU pays.",
                      kernels, kernels == 1 ? "" : "s");
  }
  return text + fmt::format(
                    "the GPU pays for {} of {} kernels on every content that was judged, and does "
                    "not for {}{}.",
                    count(gates::Conclusion::pays), kernels, count(gates::Conclusion::does_not_pay),
                    report.build.neon_is_native ? "" : gates::kNoArmCore);
}

namespace {

/// Returns the mean of each score of a log: "float_psnr 38.1, float_ssim 0.97". If the log has
/// scores of models, only those; the page shows the features.
std::string mean_scores(const MetricsFile& file) {
  std::string text;
  for (const auto& [name, scores] : file.log.outputs) {
    if (!file.model_scores.empty() && !file.model_scores.contains(name)) continue;
    std::vector<double> values;
    for (const auto& [frame, score] : scores) values.push_back(score);
    if (values.empty()) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name,
                        metrics::format_score(metrics::pool(values).mean, 4));
  }
  return text;
}

/// Returns one line per content and variant for which M4 is modelled.
std::string model_lines(const model::ModelledReport& report) {
  std::string text;
  for (const model::ModelledGates& gates : report.kernels) {
    for (const model::ModelledContent& content : gates.contents) {
      for (const model::ModelledRun& run : content.runs) {
        if (!run.gain) continue;
        text +=
            fmt::format("model, not measured: {} on a {}, {}, {}: gain with the QPU {} .. {}, {}\n",
                        gates.kernel, gates.board, gates::to_string(content.content), run.variant,
                        percent(run.gain->low), percent(run.gain->high), model::sign_of(*run.gain));
      }
    }
  }
  return text;
}

}  // namespace

std::string summary(const Inputs& inputs) {
  std::string text;
  for (const GateFile& file : inputs.gates) {
    text += fmt::format("gates: {}\n", headline(file.report));
  }
  for (const ModelFile& file : inputs.models) text += model_lines(file.report);
  for (const SplitFile& file : inputs.split) {
    text += best_sentence(file.proposal) + "\n";
    if (file.proposal.rival) text += rival_sentence(file.proposal) + "\n";
  }
  for (const BoardInput& input : inputs.boards) text += boards::ten_lines(input.file);
  for (const MetricsFile& file : inputs.metrics) {
    text += fmt::format("mean scores: {}\n", mean_scores(file));
  }
  return text;
}

}  // namespace sidecore::report
