#include "gates/result_reader.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/text_file.h"
#include "gates/json_members.h"
#include "gates/run_record_json.h"

namespace sidecore::gates {
namespace {

using json::as_real;
using json::as_text;
using json::flag;
using json::Json;
using json::list;
using json::malformed;
using json::member;
using json::one_of;
using json::optional;
using json::real;
using json::text;
using json::whole;

// Of members that results of earlier builds lack.
template <class Read>
auto added_list(const Json& json, const char* name, Read read) {
  return json.contains(name) ? list(json, name, read)
                             : std::vector<decltype(read(member(json, name)))>();
}
std::string added_text(const Json& json, const char* name) {
  return json.contains(name) ? text(json, name) : std::string();
}

Content content(const Json& json) {
  return parse_content(text(json, "content"));
}

SampleSet samples(const Json& json, const char* name) {
  return SampleSet(list(member(json, name), "samples", as_real));
}

BranchRate branch(const Json& json) {
  return {text(json, "name"), real(json, "rate"), text(json, "of")};
}

std::vector<BranchRate> branches(const Json& json, const char* name = "branches") {
  return list(json, name, branch);
}

qpu::DeviceInfo device(const Json& parent, const char* name) {
  using qpu::DeviceType;
  const Json& json = member(parent, name);
  qpu::DeviceInfo info;
  info.name = text(json, "name");
  info.type = one_of(json, "type",
                     std::array{DeviceType::integrated, DeviceType::discrete,
                                DeviceType::virtual_gpu, DeviceType::cpu, DeviceType::other});
  info.driver = text(json, "driver");
  info.api_version = text(json, "api_version");
  info.vendor_id = whole<std::uint32_t>(json, "vendor_id");
  info.device_id = whole<std::uint32_t>(json, "device_id");
  info.driver_version = whole<std::uint32_t>(json, "driver_version");
  info.subgroup_size = whole<std::uint32_t>(json, "subgroup_size");
  info.storage_8bit = flag(json, "storage_8bit");
  info.unified_memory = flag(json, "unified_memory");
  info.cached_memory = flag(json, "cached_memory");
  info.timestamps = flag(json, "timestamps");
  info.simulated = flag(json, "simulated");
  return info;
}

GateOptions options(const Json& document) {
  const Json& json = member(document, "options");
  GateOptions options;
  options.gates.clear();
  for (const std::string& gate : list(json, "gates", as_text)) {
    options.gates.insert(parse_gate(gate));
  }
  for (const std::string& name : list(json, "contents", as_text)) {
    options.contents.push_back(parse_content(name));
  }
  options.input = text(json, "input");
  options.frames = optional(json, "frames", whole<std::size_t>);
  options.width = whole<int>(json, "width");
  options.height = whole<int>(json, "height");
  options.filter_level = whole<int>(json, "filter_level");
  options.sharpness = whole<int>(json, "sharpness");
  options.seed = whole<std::uint64_t>(document, "seed");
  options.threads = whole<int>(json, "threads");
  const double window = real(json, "window_seconds");
  if (!(window >= 0 && window < 1e6)) throw malformed("\"window_seconds\" is out of range");
  options.window = std::chrono::round<Nanoseconds>(std::chrono::duration<double>(window));
  options.rounds = whole<int>(json, "rounds");
  options.repetitions = whole<int>(json, "repetitions");
  options.empty_repetitions = whole<int>(json, "empty_repetitions");
  options.minimum_units = whole<std::uint64_t>(json, "minimum_units");
  return options;
}

// --- gates -------------------------------------------------------------------------------------

FirstDifference first_difference(const Json& parent, const char* name) {
  const Json& json = member(parent, name);
  return {text(json, "origin"), text(json, "where"), whole<std::size_t>(json, "byte"),
          whole<unsigned>(json, "expected"), whole<unsigned>(json, "found")};
}

Agreement agreement(const Json& json) {
  return {content(json),
          text(json, "twin"),
          text(json, "not_run"),
          whole<std::uint64_t>(json, "workloads"),
          whole<std::uint64_t>(json, "units"),
          whole<std::uint64_t>(json, "agreeing"),
          whole<std::uint64_t>(json, "stray_bytes"),
          optional(json, "first_difference", first_difference)};
}

ContentRecord content_record(const Json& json) {
  return {content(json), text(json, "first_origin"), branches(json)};
}

AgreementReport m1(const Json& json) {
  return {list(json, "contents", content_record), list(json, "agreements", agreement)};
}

GpuCount gpu_count(const Json& json) {
  return {text(json, "name"), real(json, "value"), text(json, "unit"), text(json, "scope")};
}

QpuRun qpu_run(const Json& json) {
  return {text(json, "variant"),
          samples(json, "submit_to_fence"),
          optional(json, "gpu_timestamps", samples),
          whole<std::uint32_t>(json, "dispatches"),
          whole<std::uint32_t>(json, "barriers"),
          added_list(json, "gpu_counters", gpu_count)};
}

QpuContentRuns qpu_content(const Json& json) {
  QpuContentRuns runs{content(json), text(json, "origin"), whole<std::size_t>(json, "units"),
                      branches(json), list(json, "runs", qpu_run)};
  if (runs.runs.empty()) throw malformed("m2 has a content without a run");
  return runs;
}

QpuThroughputReport m2(const Json& json) {
  QpuThroughputReport report{real(json, "empty_dispatch_submit_to_fence"),
                             flag(json, "staged_memory"), list(json, "contents", qpu_content),
                             added_text(json, "gpu_counters_refused"), 0};
  if (json.contains("gpu_counter_passes")) {
    report.counter_passes = whole<std::uint32_t>(json, "gpu_counter_passes");
  }
  return report;
}

CpuRun cpu_run(const Json& json) {
  const Json& counts = member(json, "counts");
  return {one_of(json, "twin", std::array{CpuTwin::scalar, CpuTwin::neon}),
          whole<int>(json, "threads"),
          one_of(json, "memory", std::array{CpuMemory::heap, CpuMemory::device}),
          samples(json, "elapsed"),
          {optional(counts, "cycles", whole<std::uint64_t>),
           optional(counts, "instructions", whole<std::uint64_t>),
           optional(counts, "cache_misses", whole<std::uint64_t>),
           optional(counts, "stalled_cycles_backend", whole<std::uint64_t>)}};
}

CpuContentRuns cpu_content(const Json& json) {
  return {content(json), text(json, "origin"), whole<std::size_t>(json, "units"), branches(json),
          list(json, "runs", cpu_run)};
}

CpuThroughputReport m3(const Json& json) {
  return {text(json, "no_device_memory"), text(json, "counters_refused"),
          list(json, "contents", cpu_content)};
}

BoardState board_state(const Json& json) {
  return {optional(json, "lowest_mhz", real), optional(json, "highest_mhz", real),
          optional(json, "highest_celsius", real),
          optional(json, "throttle_flags", whole<std::uint32_t>)};
}

std::vector<BoardState> board_states(const Json& json) {
  return added_list(json, "board_states", board_state);
}

EngineShare engine_share(const Json& json) {
  return {text(json, "driver"), text(json, "engine"), real(json, "share")};
}

std::vector<EngineShare> engine_shares(const Json& json) {
  if (!json.is_array()) throw malformed("\"gpu_busy\" has a window that is not an array");
  std::vector<EngineShare> shares;
  for (const Json& element : json) shares.push_back(engine_share(element));
  return shares;
}

WindowResult window(const Json& json) {
  WindowResult result;
  result.plan = {
      one_of(json, "work",
             std::array{WindowWork::same, WindowWork::mixed_neon, WindowWork::mixed_qpu}),
      whole<int>(json, "neon_threads"), flag(json, "qpu")};
  result.neon_passes = samples(json, "neon_pictures_per_second");
  result.qpu_passes = samples(json, "qpu_pictures_per_second");
  result.rate = samples(json, "rate");
  result.branches_at_end = branches(json, "branches_at_end");
  result.states = board_states(json);
  result.gpu_busy = added_list(json, "gpu_busy", engine_shares);
  return result;
}

PayOff pay_off(const Json& parent, const char* name) {
  const Json& json = member(parent, name);
  return {real(json, "gain"), flag(json, "outside_spread"), text(json, "winner")};
}

PlayerWindows player(const Json& json) {
  const Json& md5 = member(json, "md5");
  return {text(json, "origin"),
          whole<int>(json, "threads"),
          {whole<std::uint64_t>(json, "pictures"), whole<std::uint64_t>(json, "frames"),
           whole<std::uint64_t>(json, "submissions"), whole<std::uint64_t>(json, "fence_waits")},
          text(md5, "scalar"),
          text(md5, "neon"),
          text(md5, "mixed"),
          text(md5, "mixed_after_windows"),
          samples(json, "neon_pictures_per_second"),
          samples(json, "mixed_pictures_per_second"),
          board_states(json)};
}

/// Both members or neither: not every kernel has a player, and some share one's pay-off.
void add_player(const Json& json, ContentWindows& windows) {
  if (!json.contains("player") && !json.contains("no_player")) return;
  windows.no_player = text(json, "no_player");
  const Json& found = member(json, "player");
  if (found.is_null()) {
    if (json.contains("player_pay_off")) {
      windows.player_pay_off = optional(json, "player_pay_off", pay_off);
    }
    return;
  }
  windows.player = player(found);
  windows.player_pay_off = optional(found, "pay_off", pay_off);
}

ContentWindows content_windows(const Json& json) {
  ContentWindows windows;
  windows.content = content(json);
  windows.origin = text(json, "origin");
  windows.units = whole<std::size_t>(json, "units");
  windows.variant = text(json, "variant");
  windows.beside = text(json, "beside");
  windows.no_mixed = text(json, "no_mixed");
  windows.branches = branches(json);
  windows.windows = list(json, "windows", window);
  windows.same = optional(json, "pay_off_same", pay_off);
  windows.mixed = optional(json, "pay_off_mixed", pay_off);
  add_player(json, windows);
  return windows;
}

ConcurrencyReport m4(const Json& json) {
  return {list(json, "contents", content_windows), added_text(json, "gpu_busy_source"),
          added_text(json, "no_gpu_busy")};
}

EmptySubmission empty_submission(const Json& json) {
  return {whole<std::uint32_t>(json, "dispatches"), samples(json, "submit_to_fence"),
          optional(json, "gpu_timestamps", samples)};
}

DispatchCostReport m5(const Json& json) {
  DispatchCostReport report{list(json, "submissions", empty_submission),
                            {real(json, "submission_itself"), real(json, "extra_dispatch")}};
  if (report.submissions.empty()) throw malformed("m5 has no submission");
  return report;
}

/// The inverse of to_json(Outcome): a report, why there is none, or null.
template <class Read>
auto outcome(const Json& json, const char* name, Read read) {
  Outcome<decltype(read(json))> outcome;
  const Json& gate = member(json, name);
  if (gate.is_null()) return outcome;
  outcome.not_run = text(gate, "not_run");
  if (outcome.not_run.empty() || gate.size() > 1) outcome.report = read(gate);
  return outcome;
}

// --- kernels -----------------------------------------------------------------------------------

ContentVerdict verdict(const Json& json) {
  using enum Conclusion;
  const auto band = [](const Json& parent, const char* name) {
    return one_of(parent, name, std::array{Band::green, Band::yellow, Band::orange, Band::red});
  };
  return {content(json),
          {optional(json, "ratio", real), optional(json, "band", band),
           optional(json, "cpu_scales", flag),
           one_of(json, "conclusion",
                  std::array{wrong, throttled, correctness_only, pays, does_not_pay, within_spread,
                             stopped_early, incomplete}),
           text(json, "text")}};
}

VariantState variant(const Json& json) {
  return {text(json, "name"), text(json, "not_run")};
}

KernelReport kernel(const Json& json) {
  return {text(json, "name"),
          text(json, "description"),
          text(json, "unit"),
          list(json, "variants", variant),
          outcome(json, "m1", m1),
          outcome(json, "m2", m2),
          outcome(json, "m3", m3),
          outcome(json, "m4", m4),
          list(json, "verdicts", verdict)};
}

GateReport report(const Json& json) {
  return {json::run_record(json),  options(json),           optional(json, "device", device),
          text(json, "no_device"), outcome(json, "m5", m5), list(json, "kernels", kernel)};
}

}  // namespace

GateReport parse_result(const std::string& text, const std::string& origin) {
  const Json json = json::parse_document(
      text, origin, {"sidecore-gate", kResultVersion, "a result of sidecore gate"});
  try {
    return report(json);
  } catch (const Error& error) {
    throw usage_error("'{}' is not a valid result of sidecore gate: {}", origin, error.what());
  }
}

GateReport read_result(const std::filesystem::path& file) {
  return parse_result(read_text_file(file), file.native());
}

}  // namespace sidecore::gates
