#include "cli/decode_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text_table.h"
#include "neon/vp9/dsp.h"

namespace sidecore::cli {

void DecodeObserver::watch(vp9::DecoderOptions& options) {
  options.time_stages = true;
  if (!options.back_end) return;
  options.observer.filtered = [this, back_end = options.back_end](const vp9::FrameBuffer& /*frame*/,
                                                                  const auto& /*edges*/) {
    const vp9::BackEndStatistics after = back_end->statistics();
    const vp9::BackEndStatistics before = std::exchange(last_, after);
    const auto difference = [](std::uint64_t before_it, std::uint64_t after_it) {
      return static_cast<std::uint32_t>(after_it - before_it);
    };
    work_.submissions.push_back(difference(before.submissions, after.submissions));
    work_.fence_waits.push_back(difference(before.fence_waits, after.fence_waits));
    work_.dispatches.push_back(difference(before.dispatches, after.dispatches));
  };
}

void DecodeObserver::survey(std::span<const std::vector<std::uint8_t>> packets,
                            std::uint64_t frames) {
  std::uint64_t seen = 0;
  vp9::DecoderOptions options;
  options.dsp = &neon::vp9_dsp();
  options.observer.before_filter = [&](const vp9::FrameBuffer& frame,
                                       const vp9::LoopFilterEdges& edges, int sharpness) {
    if (seen++ < frames) survey_.add(frame, edges.all(), sharpness);
  };
  vp9::Decoder decoder(options);
  for (const auto& packet : packets) {
    if (seen >= frames) return;
    decoder.decode(packet, [](const auto& /*frame*/) {});
  }
}

namespace {

using Json = nlohmann::ordered_json;

struct StageLine {
  const char* name;
  Nanoseconds time;
  bool needs_gpu = false;
};

/// Returns the times of the decoder's stages, of the output, and of everything else: reading
/// packets and the decoder's work outside its stages.
std::vector<StageLine> stage_lines(const DecodeRun& run) {
  std::vector<StageLine> lines;
  Nanoseconds rest = run.total - run.output;
  for (const vp9::ClockRow stage : vp9::kClockRows) {
    if (stage == vp9::ClockRow::other) continue;
    const Nanoseconds time = run.decoder.stages[static_cast<std::size_t>(stage)];
    lines.push_back({to_string(stage), time, vp9::needs_gpu(stage)});
    rest -= time;
  }
  lines.push_back({"output", run.output});
  lines.push_back({to_string(vp9::ClockRow::other), std::max(rest, Nanoseconds{})});
  return lines;
}

double share(double part, double of) {
  return of > 0 ? part / of : 0;
}
double share(std::uint64_t part, std::uint64_t of) {
  return share(static_cast<double>(part), static_cast<double>(of));
}

double frames_per_second(const DecodeRun& run) {
  return share(static_cast<double>(run.decoder.shown), seconds(run.total));
}

const char* to_string(vp9::EdgeDirection direction) {
  return direction == vp9::EdgeDirection::vertical ? "vertical" : "horizontal";
}

std::string stage_table(const DecodeRun& run) {
  TextTable table({"stage", "seconds", "share"}, 1);
  for (const StageLine& line : stage_lines(run)) {
    if (line.needs_gpu && run.device.empty()) continue;
    table.add({line.name, fmt::format("{:.3f}", seconds(line.time)),
               fmt::format("{:.1f} %", 100 * share(seconds(line.time), seconds(run.total)))});
  }
  return table.text();
}

std::string edge_table(const vp9::FilterSurvey& survey) {
  const auto percent = [](std::uint64_t part, std::uint64_t of) {
    return of == 0 ? std::string("-") : fmt::format("{:.1f} %", 100 * share(part, of));
  };
  TextTable table({"boundaries", "wide", "edges", "fm", "hev", "flat", "flat2"}, 1);
  for (const vp9::LoopFilterKind kind : vp9::kLoopFilterKinds) {
    const vp9::LoopFilterBranches& lines = survey.branches(kind);
    const int width = vp9::width_of(kind);
    table.add({to_string(vp9::direction_of(kind)), fmt::format("{}", width),
               fmt::format("{}", lines.lines / vp9::kEdgeLength), percent(lines.mask, lines.lines),
               percent(lines.hev, lines.mask), width >= 8 ? percent(lines.flat, lines.mask) : "-",
               width == 16 ? percent(lines.flat2, lines.mask) : "-"});
  }
  return table.text();
}

std::string spread_row(const char* name, std::span<const std::uint32_t> values) {
  const vp9::Spread spread = vp9::compute_spread(values);
  return fmt::format("  {:<24} {:>10.1f} {:>8} {:>8}\n", name, spread.mean, spread.median,
                     spread.most);
}

Json json_of(std::span<const std::uint32_t> values) {
  const vp9::Spread spread = vp9::compute_spread(values);
  return {{"mean", spread.mean}, {"median", spread.median}, {"most", spread.most}};
}

/// Returns the number of dispatches of each stage that has any.
std::string dispatch_text(const DecodeRun& run) {
  std::string text;
  for (const vp9::Stage stage : vp9::kStages) {
    const std::uint64_t dispatches = run.back_end.by_stage[stage];
    if (dispatches == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", to_string(stage), dispatches);
  }
  return text;
}

Json dispatch_json(const DecodeRun& run) {
  Json stages;
  for (const vp9::Stage stage : vp9::kStages) {
    stages[to_string(stage)] = run.back_end.by_stage[stage];
  }
  return stages;
}

Json edges_json(const vp9::FilterSurvey& survey) {
  Json all = Json::array();
  for (const vp9::LoopFilterKind kind : vp9::kLoopFilterKinds) {
    const vp9::LoopFilterBranches& lines = survey.branches(kind);
    all.push_back({{"boundaries", to_string(vp9::direction_of(kind))},
                   {"width", vp9::width_of(kind)},
                   {"edges", lines.lines / vp9::kEdgeLength},
                   {"lines", lines.lines},
                   {"fm", lines.mask},
                   {"hev", lines.hev},
                   {"flat", lines.flat},
                   {"flat2", lines.flat2}});
  }
  return all;
}

}  // namespace

std::string to_text(const DecodeRun& run, const DecodeObserver& observer) {
  const vp9::DecoderStatistics& decoder = run.decoder;
  const FrameWork& work = observer.work();
  std::string text =
      fmt::format("{} frames decoded, {} shown, {:.1f} per second; {} frame buffers allocated\n",
                  decoder.frames, decoder.shown, frames_per_second(run), decoder.frame_allocations);
  text += fmt::format("plan: {}\n", to_text(run.plan));
  text += "\n" + stage_table(run) + "\n" + edge_table(observer.survey());
  text += fmt::format("\n  {:<24} {:>10} {:>8} {:>8}\n", "per frame", "mean", "median", "most");
  text += spread_row("dependency levels", observer.survey().levels());
  if (run.back_end.submissions == 0) return text;
  text += spread_row("submissions", work.submissions);
  text += spread_row("fence waits", work.fence_waits);
  text += spread_row("dispatches", work.dispatches);
  text += fmt::format(
      "\n{}: {} submissions, {} fence waits, {} dispatches ({}); {} edges filtered, {} bytes "
      "copied\n",
      run.device, run.back_end.submissions, run.back_end.fence_waits, run.back_end.dispatches,
      dispatch_text(run), run.back_end.edges_on_gpu, run.back_end.copied_bytes);
  if (run.back_end.divided_rows != 0) {
    text += fmt::format("divided stages: {} of {} rows of superblocks on the QPU\n",
                        run.back_end.divided_rows_on_gpu, run.back_end.divided_rows);
  }
  return text;
}

std::string to_json(const DecodeRun& run, const DecodeObserver& observer) {
  const FrameWork& work = observer.work();
  Json stages;
  for (const StageLine& line : stage_lines(run)) stages[line.name] = seconds(line.time);
  const Json json{{"schema", "sidecore-decode"},
                  {"version", 3},
                  {"program", SIDECORE_VERSION},
                  {"stream", run.stream},
                  {"plan", to_text(run.plan)},
                  {"threads", run.threads},
                  {"device", run.device.empty() ? Json(nullptr) : Json(run.device)},
                  {"frames",
                   {{"decoded", run.decoder.frames},
                    {"shown", run.decoder.shown},
                    {"buffers_allocated", run.decoder.frame_allocations}}},
                  {"seconds", seconds(run.total)},
                  {"frames_per_second", frames_per_second(run)},
                  {"stage_seconds", std::move(stages)},
                  {"edges", edges_json(observer.survey())},
                  {"of_a_frame",
                   {{"levels", json_of(observer.survey().levels())},
                    {"submissions", json_of(work.submissions)},
                    {"fence_waits", json_of(work.fence_waits)},
                    {"dispatches", json_of(work.dispatches)}}},
                  {"gpu",
                   {{"submissions", run.back_end.submissions},
                    {"fence_waits", run.back_end.fence_waits},
                    {"dispatches", run.back_end.dispatches},
                    {"dispatches_by_stage", dispatch_json(run)},
                    {"edges", run.back_end.edges_on_gpu},
                    {"divided_rows", run.back_end.divided_rows},
                    {"divided_rows_on_gpu", run.back_end.divided_rows_on_gpu},
                    {"copied_bytes", run.back_end.copied_bytes},
                    {"packed_bytes", run.back_end.packed_bytes}}}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sidecore::cli
