#include "gates/report_json.h"

#include <nlohmann/json.hpp>

#include "gates/result_reader.h"
#include "gates/run_record_json.h"

namespace sidecore::gates {
namespace {

using Json = nlohmann::ordered_json;
using json::or_null;

Json to_json(const SampleSet& set) {
  return {{"median", set.median}, {"min", set.min}, {"max", set.max},    {"p10", set.p10},
          {"p90", set.p90},       {"p99", set.p99}, {"samples", set.raw}};
}

Json to_json(const std::vector<BranchRate>& branches) {
  Json all = Json::array();
  for (const BranchRate& branch : branches) {
    all.push_back({{"name", branch.name}, {"rate", branch.rate}, {"of", branch.of}});
  }
  return all;
}

Json to_json(const std::vector<BoardState>& states) {
  Json all = Json::array();
  for (const BoardState& state : states) {
    all.push_back({{"lowest_mhz", or_null(state.lowest_mhz)},
                   {"highest_mhz", or_null(state.highest_mhz)},
                   {"highest_celsius", or_null(state.highest_celsius)},
                   {"throttle_flags", or_null(state.throttle_flags)}});
  }
  return all;
}

Json to_json(const std::vector<GpuCount>& counts) {
  Json all = Json::array();
  for (const GpuCount& count : counts) {
    all.push_back({{"name", count.name},
                   {"value", count.value},
                   {"unit", count.unit},
                   {"scope", count.scope}});
  }
  return all;
}

Json to_json(const std::vector<std::vector<EngineShare>>& rounds) {
  Json all = Json::array();
  for (const std::vector<EngineShare>& round : rounds) {
    Json engines = Json::array();
    for (const EngineShare& engine : round) {
      engines.push_back(
          {{"driver", engine.driver}, {"engine", engine.engine}, {"share", engine.share}});
    }
    all.push_back(std::move(engines));
  }
  return all;
}

Json to_json(const qpu::DeviceInfo& device) {
  return {{"name", device.name},
          {"type", qpu::to_string(device.type)},
          {"driver", device.driver},
          {"api_version", device.api_version},
          {"vendor_id", device.vendor_id},
          {"device_id", device.device_id},
          {"driver_version", device.driver_version},
          {"subgroup_size", device.subgroup_size},
          {"storage_8bit", device.storage_8bit},
          {"unified_memory", device.unified_memory},
          {"cached_memory", device.cached_memory},
          {"timestamps", device.timestamps},
          {"simulated", device.simulated},
          {"cpu_device", device.is_cpu()}};
}

Json to_json(const GateOptions& options) {
  Json gates = Json::array();
  for (const Gate gate : options.gates) gates.push_back(to_string(gate));
  Json contents = Json::array();
  for (const Content content : contents_of(options)) contents.push_back(to_string(content));
  return {{"gates", std::move(gates)},
          {"contents", std::move(contents)},
          {"input", options.input},
          {"frames", or_null(options.frames)},
          {"width", options.width},
          {"height", options.height},
          {"filter_level", options.filter_level},
          {"sharpness", options.sharpness},
          {"threads", options.threads},
          {"window_seconds", seconds(options.window)},
          {"rounds", options.rounds},
          {"repetitions", options.repetitions},
          {"empty_repetitions", options.empty_repetitions},
          {"minimum_units", options.minimum_units}};
}

Json to_json(const AgreementReport& report) {
  Json contents = Json::array();
  for (const ContentRecord& record : report.contents) {
    contents.push_back({{"content", to_string(record.content)},
                        {"first_origin", record.first_origin},
                        {"branches", to_json(record.branches)}});
  }
  Json agreements = Json::array();
  for (const Agreement& agreement : report.agreements) {
    Json first = nullptr;
    if (agreement.first.has_value()) {
      first = {{"origin", agreement.first->origin},
               {"where", agreement.first->where},
               {"byte", agreement.first->byte},
               {"expected", agreement.first->expected},
               {"found", agreement.first->found}};
    }
    agreements.push_back({{"content", to_string(agreement.content)},
                          {"twin", agreement.twin},
                          {"not_run", agreement.not_run},
                          {"workloads", agreement.workloads},
                          {"units", agreement.units},
                          {"agreeing", agreement.agreeing},
                          {"agreeing_percent", format_share(agreement.agreeing, agreement.units)},
                          {"stray_bytes", agreement.stray_bytes},
                          {"holds", agreement.not_run.empty() ? Json(agreement.holds()) : Json()},
                          {"first_difference", std::move(first)}});
  }
  return {{"holds", report.holds()},
          {"contents", std::move(contents)},
          {"agreements", std::move(agreements)}};
}

Json to_json(const QpuThroughputReport& report) {
  Json contents = Json::array();
  for (const QpuContentRuns& content : report.contents) {
    Json runs = Json::array();
    for (const QpuRun& run : content.runs) {
      runs.push_back({{"variant", run.variant},
                      {"dispatches", run.dispatches},
                      {"barriers", run.barriers},
                      {"submit_to_fence", to_json(run.submit_to_fence)},
                      {"gpu_timestamps", run.gpu.has_value() ? to_json(*run.gpu) : Json()},
                      {"gpu_counters", to_json(run.counts)}});
    }
    contents.push_back({{"content", to_string(content.content)},
                        {"origin", content.origin},
                        {"units", content.units},
                        {"branches", to_json(content.branches)},
                        {"runs", std::move(runs)}});
  }
  return {{"empty_dispatch_submit_to_fence", report.empty_dispatch},
          {"staged_memory", report.staged},
          {"gpu_counters_refused", report.counters_refused},
          {"gpu_counter_passes", report.counter_passes},
          {"contents", std::move(contents)}};
}

Json to_json(const CpuThroughputReport& report) {
  Json contents = Json::array();
  for (const CpuContentRuns& content : report.contents) {
    Json runs = Json::array();
    for (const CpuRun& run : content.runs) {
      runs.push_back({{"twin", to_string(run.twin)},
                      {"threads", run.threads},
                      {"memory", to_string(run.memory)},
                      {"elapsed", to_json(run.elapsed)},
                      {"counts",
                       {{"cycles", or_null(run.counts.cycles)},
                        {"instructions", or_null(run.counts.instructions)},
                        {"instructions_per_cycle", or_null(instructions_per_cycle(run.counts))},
                        {"cache_misses", or_null(run.counts.cache_misses)},
                        {"stalled_cycles_backend", or_null(run.counts.stalled_cycles_backend)}}}});
    }
    contents.push_back({{"content", to_string(content.content)},
                        {"origin", content.origin},
                        {"units", content.units},
                        {"branches", to_json(content.branches)},
                        {"runs", std::move(runs)}});
  }
  return {{"no_device_memory", report.no_device_memory},
          {"counters_refused", report.counters_refused},
          {"contents", std::move(contents)}};
}

Json to_json(const std::optional<PayOff>& pay_off) {
  if (!pay_off.has_value()) return nullptr;
  return {{"gain", pay_off->gain},
          {"outside_spread", pay_off->outside_spread},
          {"winner", pay_off->winner}};
}

Json to_json(const PlayerWindows& player, const std::optional<PayOff>& pay_off) {
  return {{"origin", player.origin},
          {"threads", player.threads},
          {"pictures", player.clip.pictures},
          {"frames", player.clip.frames},
          {"submissions", player.clip.submissions},
          {"fence_waits", player.clip.fence_waits},
          {"md5",
           {{"scalar", player.scalar_md5},
            {"neon", player.neon_md5},
            {"mixed", player.mixed_md5},
            {"mixed_after_windows", player.mixed_md5_after}}},
          {"agrees", player.agrees()},
          {"neon_pictures_per_second", to_json(player.neon)},
          {"mixed_pictures_per_second", to_json(player.mixed)},
          {"board_states", to_json(player.states)},
          {"pay_off", to_json(pay_off)}};
}

Json to_json(const ConcurrencyReport& report) {
  Json contents = Json::array();
  for (const ContentWindows& content : report.contents) {
    Json windows = Json::array();
    for (const WindowResult& window : content.windows) {
      windows.push_back(
          {{"work", to_string(window.plan.work)},
           {"neon_threads", window.plan.neon_threads},
           {"qpu", window.plan.qpu},
           {"neon_pictures_per_second", to_json(window.neon_passes)},
           {"qpu_pictures_per_second", to_json(window.qpu_passes)},
           {"rate", to_json(window.rate)},
           {"rate_unit",
            window.plan.work == WindowWork::same ? "units per second" : "picture jobs per second"},
           {"branches_at_end", to_json(window.branches_at_end)},
           {"board_states", to_json(window.states)},
           {"gpu_busy", to_json(window.gpu_busy)}});
    }
    contents.push_back({{"content", to_string(content.content)},
                        {"origin", content.origin},
                        {"units", content.units},
                        {"variant", content.variant},
                        {"beside", content.beside},
                        {"no_mixed", content.no_mixed},
                        {"branches", to_json(content.branches)},
                        {"windows", std::move(windows)},
                        {"pay_off_same", to_json(content.same)},
                        {"pay_off_mixed", to_json(content.mixed)}});
    if (content.player.has_value() || !content.no_player.empty()) {
      contents.back()["player"] =
          content.player.has_value() ? to_json(*content.player, content.player_pay_off) : Json();
      contents.back()["no_player"] = content.no_player;
      if (!content.player.has_value() && content.player_pay_off.has_value()) {
        contents.back()["player_pay_off"] = to_json(content.player_pay_off);
      }
    }
  }
  return {{"gpu_busy_source", report.gpu_busy_source},
          {"no_gpu_busy", report.no_gpu_busy},
          {"contents", std::move(contents)}};
}

Json to_json(const DispatchCostReport& report) {
  Json submissions = Json::array();
  for (const EmptySubmission& submission : report.submissions) {
    submissions.push_back(
        {{"dispatches", submission.dispatches},
         {"submit_to_fence", to_json(submission.submit_to_fence)},
         {"gpu_timestamps", submission.gpu.has_value() ? to_json(*submission.gpu) : Json()}});
  }
  return {{"submissions", std::move(submissions)},
          {"extra_dispatch", report.line.slope},
          {"submission_itself", report.line.intercept}};
}

/// The report, {"not_run": why}, or null for a gate that was not asked for.
template <class Report>
Json to_json(const Outcome<Report>& outcome) {
  if (!outcome.report.has_value()) {
    return outcome.not_run.empty() ? Json(nullptr) : Json{{"not_run", outcome.not_run}};
  }
  Json json = to_json(*outcome.report);
  json["not_run"] = outcome.not_run;
  return json;
}

Json to_json(const ContentVerdict& entry) {
  const Verdict& verdict = entry.verdict;
  return {{"content", to_string(entry.content)},
          {"ratio", or_null(verdict.ratio)},
          {"band", verdict.band.has_value() ? Json(to_string(*verdict.band)) : Json()},
          {"cpu_scales", or_null(verdict.scales)},
          {"conclusion", to_string(verdict.conclusion)},
          {"text", verdict.text}};
}

Json to_json(const KernelReport& kernel) {
  Json variants = Json::array();
  for (const VariantState& variant : kernel.variants) {
    variants.push_back({{"name", variant.name}, {"not_run", variant.not_run}});
  }
  Json verdicts = Json::array();
  for (const ContentVerdict& verdict : kernel.verdicts) verdicts.push_back(to_json(verdict));
  return {{"name", kernel.name},
          {"description", kernel.description},
          {"unit", kernel.unit},
          {"variants", std::move(variants)},
          {"m1", to_json(kernel.m1)},
          {"m2", to_json(kernel.m2)},
          {"m3", to_json(kernel.m3)},
          {"m4", to_json(kernel.m4)},
          {"verdicts", std::move(verdicts)}};
}

}  // namespace

std::string to_json(const GateReport& report) {
  Json kernels = Json::array();
  for (const KernelReport& kernel : report.kernels) kernels.push_back(to_json(kernel));
  const Json json{{"schema", "sidecore-gate"},
                  {"version", kResultVersion},
                  {"command_line", report.command_line},
                  {"seed", report.options.seed},
                  {"options", to_json(report.options)},
                  {"build", json::build_json(report)},
                  {"environment", json::environment_json(report)},
                  {"device", report.device.has_value() ? to_json(*report.device) : Json()},
                  {"no_device", report.no_device},
                  {"m5", to_json(report.m5)},
                  {"kernels", std::move(kernels)},
                  {"agrees", report.agrees()}};
  // A device or a path may name itself in bytes that are not UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sidecore::gates
