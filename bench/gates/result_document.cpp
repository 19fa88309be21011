#include "gates/result_document.h"

#include <array>
#include <chrono>
#include <utility>

#include "base/json_outcome.h"
#include "base/text_file.h"
#include "gates/run_record_fields.h"

namespace sidecore::qpu {

constexpr std::array<DeviceType, 5> values_of(DeviceType) {
  using enum DeviceType;
  return {integrated, discrete, virtual_gpu, cpu, other};
}

void fields(auto& json, DeviceInfo& device) {
  json.record("device", "The Vulkan device.");
  json("name", device.name);
  json("type", device.type);
  json("driver", device.driver);
  json("api_version", device.api_version);
  json("vendor_id", device.vendor_id);
  json("device_id", device.device_id);
  json("driver_version", device.driver_version);
  json("subgroup_size", device.subgroup_size);
  json("storage_8bit", device.storage_8bit);
  json("unified_memory", device.unified_memory, {"Host and device share it: nothing is copied."});
  json("cached_memory", device.cached_memory, {"The host's view of it is cached."});
  json("timestamps", device.timestamps);
  json("simulated", device.simulated, {"It is the V3D simulator."});
  json.derived("cpu_device", device.is_cpu(), {"A CPU in a GPU's place: no verdict on speed."});
}

}  // namespace sidecore::qpu

namespace sidecore {

void fields(auto& json, SampleSet& set) {
  json.record("samples",
              "Repeated measurements, and what they sum up to. Where `samples` is empty, the "
              "quantiles are 0 and mean nothing. Quantiles are interpolated linearly between "
              "neighbours.");
  json.derived("median", set.median);
  json.derived("min", set.min);
  json.derived("max", set.max);
  json.derived("p10", set.p10);
  json.derived("p90", set.p90);
  json.derived("p99", set.p99);
  json("samples", set.raw, {"In the order they were taken."});
  set = SampleSet(std::move(set.raw));
}

}  // namespace sidecore

namespace sidecore::gates {
namespace {

constexpr json::DocumentKind kKind{"sidecore-gate", 1, "result of sidecore gate"};

/// Lists an outcome as two members: its value, null if there is none, and its reason.
template <class T>
void nullable_outcome_fields(auto& json, Outcome<T>& outcome, const json::MemberName& value_member,
                             const json::MemberName& reason_member) {
  json(value_member.name, outcome.value, value_member.about);
  json(reason_member.name, outcome.reason, reason_member.about);
}

/// A player with the pay-off that was found with it.
struct DecidingPlayer : PlayerWindows {
  std::optional<PayOff> pay_off;
};

}  // namespace

constexpr std::array<Gate, 5> values_of(Gate) {
  using enum Gate;
  return {m1, m2, m3, m4, m5};
}

constexpr std::array<CpuImplementation, 2> values_of(CpuImplementation) {
  return {CpuImplementation::scalar, CpuImplementation::neon};
}

constexpr std::array<CpuMemory, 2> values_of(CpuMemory) {
  return {CpuMemory::heap, CpuMemory::device};
}

constexpr std::array<WindowWork, 3> values_of(WindowWork) {
  using enum WindowWork;
  return {same, mixed_neon, mixed_qpu};
}

constexpr std::array<Band, 4> values_of(Band) {
  using enum Band;
  return {green, yellow, orange, red};
}

constexpr std::array<Conclusion, 8> values_of(Conclusion) {
  using enum Conclusion;
  return {wrong,        throttled,     correctness_only, pays,
          does_not_pay, within_spread, stopped_early,    incomplete};
}

// --- what several gates have ------------------------------------------------------------------

void fields(auto& json, GateOptions& options) {
  json.record("options", "What was asked for.");
  std::vector<Content> contents = contents_of(options);
  double window_seconds = seconds(options.window);
  json("gates", options.gates);
  json("contents", contents);
  json("input", options.input, {"The clip; empty: none."});
  json("frames", options.frames, {.minimum = 1});
  json("width", options.width, {.minimum = 1});
  json("height", options.height, {.minimum = 1});
  json("filter_level", options.filter_level, {.minimum = 0});
  json("sharpness", options.sharpness, {.minimum = 0});
  json("threads", options.threads, {.minimum = 1});
  json("window_seconds", window_seconds, {.minimum = 0, .maximum = 1e6});
  json("rounds", options.rounds, {.minimum = 1});
  json("repetitions", options.repetitions, {.minimum = 1});
  json("empty_repetitions", options.empty_repetitions, {.minimum = 1});
  json("minimum_units", options.minimum_units);
  json("fps", options.fps,
       {.text = "Rate at which M4's player plays too; null: none. Older results lack it.",
        .added_later = true,
        .minimum = 0});
  options.contents = std::move(contents);
  options.window = std::chrono::round<Nanoseconds>(std::chrono::duration<double>(window_seconds));
}

void fields(auto& json, BranchRate& branch) {
  json.record("branch");
  json("name", branch.name, {"The branch of the kernel, for example mask."});
  json("rate", branch.rate, {.text = "Share of `of` that takes it.", .minimum = 0, .maximum = 1});
  json("of", branch.of);
}

void fields(auto& json, BoardState& state) {
  json.record("board_state", "A null member: the system does not tell.");
  json("lowest_mhz", state.lowest_mhz, {"Of any CPU."});
  json("highest_mhz", state.highest_mhz);
  json("highest_celsius", state.highest_celsius, {"Of any zone."});
  json("throttle_flags", state.throttle_flags, {"get_throttled; bits that any sample had."});
}

void board_states_field(auto& json, std::vector<BoardState>& states) {
  json("board_states", states,
       {.text = "The board while the windows ran, one a sample, sampled every half second. Older "
                "results lack it: readers take it for empty.",
        .added_later = true});
}

void content_field(auto& json, Content& content) {
  json("content", content,
       {"Where the samples come from: noise, gradients, near-constant, steps around the limits, or "
        "pictures of a clip."});
}

/// What M2, M3 and M4 say of a content before they come to their figures.
void workload_fields(auto& json, auto& content) {
  content_field(json, content.content);
  json("origin", content.origin, {"The workload: a seed, or a picture of a clip."});
  json("units", content.units, {"A picture's."});
}

// --- M1 ---------------------------------------------------------------------------------------

void fields(auto& json, FirstDifference& first) {
  json("origin", first.origin);
  json("where", first.where);
  json("byte", first.byte);
  json("expected", first.expected);
  json("found", first.found);
}

void fields(auto& json, Agreement& agreement) {
  json.record("agreement", "An implementation against the scalar definition.");
  ComparedUnits compared = agreement.compared.value.value_or(ComparedUnits());
  std::optional<bool> holds;
  if (agreement.compared) holds = compared.holds();
  content_field(json, agreement.content);
  json("twin", agreement.implementation, {"neon, or qpu and the variant."});
  json("not_run", agreement.compared.reason, {"Why nothing was compared; empty when it was."});
  json("workloads", compared.workloads);
  json("units", compared.units);
  json("agreeing", compared.agreeing);
  json.derived("agreeing_percent", format_share(compared.agreeing, compared.units));
  json("stray_bytes", compared.stray_bytes, {"Differing bytes that belong to no unit."});
  json.derived("holds", holds);
  json("first_difference", compared.first);
  agreement.compared.value.reset();
  if (agreement.compared.reason.empty()) agreement.compared.value = std::move(compared);
}

void fields(auto& json, ContentRecord& record) {
  content_field(json, record.content);
  json("first_origin", record.first_origin,
       {"The first workload. Branches are its, or of all of a clip's."});
  json("branches", record.branches);
}

void fields(auto& json, AgreementReport& report) {
  json.derived("holds", report.holds());
  json("contents", report.contents);
  json("agreements", report.agreements);
}

// --- M2 ---------------------------------------------------------------------------------------

void fields(auto& json, GpuCount& count) {
  json("name", count.name, {"The driver's."});
  json("value", count.value);
  json("unit", count.unit,
       {.text = "As the driver says; V3D's calls all generic.",
        .one_of = {"generic", "percentage", "nanoseconds", "bytes", "bytes per second", "kelvin",
                   "watts", "volts", "amps", "hertz", "cycles"}});
  json("scope", count.scope, {.one_of = {"command", "render pass", "command buffer"}});
}

void fields(auto& json, QpuRun& run) {
  json.record("qpu_run");
  json("variant", run.variant);
  json("dispatches", run.dispatches);
  json("barriers", run.barriers);
  json("submit_to_fence", run.submit_to_fence);
  json("gpu_timestamps", run.gpu);
  json("gpu_counters", run.counts,
       {.text = "Performance counters of the GPU (VK_KHR_performance_query) over one picture, of "
                "another run than the timed ones. Empty: gpu_counters_refused says why. Names that "
                "begin with simulated- are the simulator's. Older results lack it: readers take it "
                "for empty.",
        .added_later = true});
}

void fields(auto& json, QpuContentRuns& content) {
  workload_fields(json, content);
  json("branches", content.branches);
  json("runs", content.runs, {.least_items = 1});
}

void fields(auto& json, QpuThroughputReport& report) {
  json("empty_dispatch_submit_to_fence", report.empty_dispatch, {.minimum = 0});
  json("staged_memory", report.staged, {"Figures include copies."});
  std::uint32_t passes = report.counter_passes.value.value_or(0);
  json("gpu_counters_refused", report.counter_passes.reason,
       {.text = "Why there are no gpu_counters; empty when there are.", .added_later = true});
  json("gpu_counter_passes", passes,
       {.text = "How often the same work ran for them; 0: not at all.", .added_later = true});
  report.counter_passes.value.reset();
  if (passes != 0) report.counter_passes.value = passes;
  json("contents", report.contents);
}

// --- M3 ---------------------------------------------------------------------------------------

void fields(auto& json, PerfCounts& counts) {
  json("cycles", counts.cycles);
  json("instructions", counts.instructions);
  json.derived("instructions_per_cycle", instructions_per_cycle(counts));
  json("cache_misses", counts.cache_misses);
  json("stalled_cycles_backend", counts.stalled_cycles_backend);
}

void fields(auto& json, CpuRun& run) {
  json.record("cpu_run");
  json("twin", run.implementation);
  json("threads", run.threads, {.minimum = 1});
  json("memory", run.memory);
  json("elapsed", run.elapsed);
  json("counts", run.counts, {"Of one picture, all threads together."});
}

void fields(auto& json, CpuContentRuns& content) {
  workload_fields(json, content);
  json("branches", content.branches);
  json("runs", content.runs);
}

void fields(auto& json, CpuThroughputReport& report) {
  json("no_device_memory", report.device_memory_refusal);
  json("counters_refused", report.counters_refusal);
  json("contents", report.contents);
}

// --- M4 ---------------------------------------------------------------------------------------

void fields(auto& json, PayOff& pay_off) {
  json.record("pay_off", "Null: a configuration is missing, or a CPU plays the GPU.");
  json("gain", pay_off.gain, {"NEON with QPU over NEON on all threads, less 1; of medians."});
  json("outside_spread", pay_off.outside_spread, {"The windows of the two do not overlap."});
  json("winner", pay_off.winner, {"The better of the two splits."});
}

void fields(auto& json, EngineShare& engine) {
  json("driver", engine.driver, {"The kernel's, for example v3d."});
  json("engine", engine.engine, {"The queue; V3D's csd runs compute jobs."});
  json("share", engine.share, {.minimum = 0, .maximum = 1});
}

void fields(auto& json, WindowResult& window) {
  json.record("window", "One configuration; a sample is one window of one round.");
  const bool same = window.plan.work == WindowWork::same;
  json("work", window.plan.work,
       {"same: everybody runs the kernel. mixed_neon: each NEON thread runs it and then the other "
        "kernel. mixed_qpu: the QPU runs it, NEON the other one."});
  json("neon_threads", window.plan.neon_threads, {.minimum = 0});
  json("qpu", window.plan.qpu);
  json("neon_pictures_per_second", window.neon_passes);
  json("qpu_pictures_per_second", window.qpu_passes);
  json("rate", window.rate);
  json.derived("rate_unit", std::string(same ? "units per second" : "picture jobs per second"),
               {.one_of = {"units per second", "picture jobs per second"}});
  json("branches_at_end", window.branches_at_end);
  board_states_field(json, window.states);
  json(
      "gpu_busy", window.gpu_busy,
      {.text = "Of each window, in the rounds' order, the share of its time that the GPU's queues "
               "were busy. Empty: no_gpu_busy says why. Older results lack it: readers take it for "
               "empty.",
       .added_later = true});
}

void fields(auto& json, PacedFigures& figures) {
  json.record("paced_figures", "What playing at a fixed rate took, all windows together.");
  json("pictures", figures.pictures, {"Shown."});
  json("missed_deadlines", figures.missed, {"Pictures shown after their deadline."});
  json("latency_nanoseconds", figures.latency_ns,
       {"From a picture's release until it is shown, one a picture. Pictures that the player holds "
        "back for those behind them are part of it."});
  json("cpu_nanoseconds_per_picture", figures.cpu_ns_per_picture,
       {"Of all threads of the process, one a window; of a CPU that plays the GPU too."});
  nullable_outcome_fields(
      json, figures.joules_per_picture,
      {"joules_per_picture",
       {.text = "Of all windows together, by paced.energy_sensor; null: no_energy says why. Older "
                "results lack it.",
        .added_later = true}},
      {"no_energy", {.text = "Older results lack it.", .added_later = true}});
}

void fields(auto& json, DividedPlayer& player) {
  json.record("divided_player",
              "The stage on NEON threads and on the QPU at the same time, a part each by their "
              "rates. Counts are of playing the clip once.");
  json("plan", player.plan, {"As sidecore decode --plan takes it."});
  json("submissions", player.clip.submissions);
  json("fence_waits", player.clip.fence_waits);
  json("md5", player.md5, {"Of all samples shown."});
  json("md5_after_windows", player.md5_after);
  json("pictures_per_second", player.rate);
}

void fields(auto& json, PacedWindows& paced) {
  json.record("paced", "The players at a fixed rate: pictures are released by the clock.");
  json("fps", paced.fps, {.text = "Pictures released a second.", .minimum = 0});
  json("neon", paced.neon);
  json("mixed", paced.mixed);
  json("energy_sensor", paced.energy_sensor,
       {.text =
            "What the sensor of joules_per_picture measures; empty: there is none. Older results "
            "lack it.",
        .added_later = true});
  json("divided", paced.divided, {.text = "Older results lack it.", .added_later = true});
}

void fields(auto& json, DecidingPlayer& player) {
  json.record(
      "player",
      "A clip decoded on all threads, the kernel's stage on the same threads (neon), on the "
      "QPU while they go on with the next picture (mixed), and where it can be on both "
      "(divided). Counts are of the mixed one playing the clip once.");
  json("origin", player.origin);
  json("threads", player.threads, {.minimum = 1});
  json("pictures", player.clip.pictures, {"Shown."});
  json("frames", player.clip.frames, {"Shown or hidden."});
  json("submissions", player.clip.submissions);
  json("fence_waits", player.clip.fence_waits);
  json.object("md5",
              [&](auto& md5) {
                md5("scalar", player.scalar_md5);
                md5("neon", player.neon_md5);
                md5("mixed", player.mixed_md5);
                md5("mixed_after_windows", player.mixed_md5_after);
              },
              {"Of all samples shown."});
  json.derived("agrees", player.agrees(), {"All of them are scalar's."});
  json("neon_pictures_per_second", player.neon);
  json("mixed_pictures_per_second", player.mixed);
  board_states_field(json, player.states);
  json("pay_off", player.pay_off);
  json("paced", player.paced,
       {.text = "At a fixed rate; null: none was asked for. Older results lack it.",
        .added_later = true});
  json(
      "mixed_plan", player.mixed_plan,
      {.text = "As sidecore decode --plan takes it. Older results lack it: their stage is the loop "
               "filter.",
       .added_later = true});
  nullable_outcome_fields(
      json, player.divided,
      {"divided",
       {.text = "Null: no_divided says why. Older results lack it.", .added_later = true}},
      {"no_divided", {.text = "Older results lack it.", .added_later = true}});
}

/// Not every kernel has a player, and some share one's pay-off.
void player_fields(auto& json, ContentWindows& windows) {
  Outcome<DecidingPlayer> player;
  player.reason = windows.player.reason;
  if (windows.player) player.value = {*windows.player, windows.player_pay_off};
  const auto all = [&](auto& there) {
    nullable_outcome_fields(there, player,
                            {"player", {"Of a clip under a kernel that is a stage of a decoder."}},
                            {"no_player", {"Why it did not run; empty: it did."}});
    there.group(!player && windows.player_pay_off, [&](auto& shared) {
      shared("player_pay_off", windows.player_pay_off,
             {"Of the same player, which played for another kernel of the run."});
    });
  };
  json.group(player.asked(), all);
  windows.player.reason = player.reason;
  if (player) {
    windows.player.value = *player;
    windows.player_pay_off = player->pay_off;
  }
}

void fields(auto& json, ContentWindows& windows) {
  workload_fields(json, windows);
  json("variant", windows.variant);
  json::outcome_fields(json, windows.beside,
                       {"beside", {"The other kernel; empty: no_mixed says why."}}, {"no_mixed"});
  json("branches", windows.branches);
  json("windows", windows.windows);
  json("pay_off_same", windows.same);
  json("pay_off_mixed", windows.mixed);
  player_fields(json, windows);
}

void fields(auto& json, ConcurrencyReport& report) {
  json::outcome_fields(
      json, report.gpu_busy_source,
      {"gpu_busy_source",
       {.text = "Where gpu_busy comes from and whose time it is; empty: no_gpu_busy says why there "
                "is none.",
        .added_later = true}},
      {"no_gpu_busy", {.added_later = true}});
  json("contents", report.contents);
}

// --- M5 ---------------------------------------------------------------------------------------

void fields(auto& json, EmptySubmission& submission) {
  json("dispatches", submission.dispatches, {.minimum = 1});
  json("submit_to_fence", submission.submit_to_fence);
  json("gpu_timestamps", submission.gpu);
}

void fields(auto& json, DispatchCostReport& report) {
  json("submissions", report.submissions, {.least_items = 1});
  json("extra_dispatch", report.line.slope, {"Slope of the line through the medians."});
  json("submission_itself", report.line.intercept, {"Its intercept."});
}

// --- the run ----------------------------------------------------------------------------------

/// Lists a gate's report in a group, and why there is none.
template <class Report>
void fields(auto& json, Outcome<Report>& outcome) {
  Report report = outcome.value.value_or(Report());
  const bool there = json.group(
      bool(outcome), [&](auto& ran) { fields(ran, report); }, "not_run");
  json("not_run", outcome.reason, {"Why it did not run; empty: it did."});
  if (there) outcome.value = std::move(report);
}

/// Null for a gate that was not asked for.
template <class Report>
void gate_field(auto& json, const char* name, Outcome<Report>& outcome, const char* question) {
  std::optional<Outcome<Report>> asked;
  if (outcome.asked()) asked = outcome;
  json(name, asked, {question});
  outcome = std::move(asked).value_or(Outcome<Report>());
}

void fields(auto& json, ContentVerdict& entry) {
  json.record("verdict");
  Verdict& verdict = entry.verdict;
  content_field(json, entry.content);
  json("ratio", verdict.ratio, {.text = "R: the QPU's rate over one NEON core's.", .minimum = 0});
  json("band", verdict.band);
  json("cpu_scales", verdict.scales);
  json("conclusion", verdict.conclusion);
  json("text", verdict.text, {"The verdict in a line."});
}

void fields(auto& json, VariantState& variant) {
  json("name", variant.name);
  json("not_run", variant.refusal, {"Why it cannot run here; empty when it can."});
  json("baseline", variant.baseline,
       {.text = "A design to compare with: measured, never judged. Older results lack it.",
        .added_later = true});
}

void fields(auto& json, KernelReport& kernel) {
  json.record("kernel");
  json("name", kernel.name);
  json("description", kernel.description);
  json("unit", kernel.unit, {"Singular."});
  json("variants", kernel.variants);
  gate_field(json, "m1", kernel.m1, "M1: is it right?");
  gate_field(json, "m2", kernel.m2, "M2: how fast is the QPU alone? Nanoseconds a picture.");
  gate_field(json, "m3", kernel.m3, "M3: how fast is NEON? Nanoseconds a picture.");
  gate_field(json, "m4", kernel.m4, "M4: does it pay?");
  json("verdicts", kernel.verdicts);
}

void fields(auto& json, GateReport& report) {
  json("command_line", report.command_line);
  json("seed", report.options.seed, {"Of the first workload: --seed repeats the run."});
  json("options", report.options);
  build_and_environment_fields(json, report);
  nullable_outcome_fields(json, report.device, {"device"},
                          {"no_device", {"Why there is no device; empty when there is one."}});
  gate_field(json, "m5", report.m5, "M5: what does a dispatch cost? Nanoseconds.");
  json("kernels", report.kernels);
  json.derived("agrees", report.agrees(), {"No M1 that ran found a difference."});
}

std::string to_json(const GateReport& report) {
  return json::write_document(kKind, report);
}

GateReport parse_result(const std::string& text, const std::string& origin) {
  return json::read_document<GateReport>(kKind, text, origin);
}

GateReport read_result(const std::filesystem::path& file) {
  return parse_result(read_text_file(file), file.native());
}

std::string result_schema() {
  return json::describe_document<GateReport>(
      kKind,
      "One run of the gates M1 to M5, as it is written now: older results may lack members. Times "
      "are nanoseconds and rates are units a second unless a name says otherwise. A gate is null "
      "when it was not asked for, and says in not_run why it did not run.");
}

}  // namespace sidecore::gates
