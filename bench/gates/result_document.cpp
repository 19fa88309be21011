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
  json("unified_memory", device.unified_memory,
       {"True if the host and the device share memory, so that nothing is copied."});
  json("cached_memory", device.cached_memory,
       {"True if the host's mapping of device memory is cached."});
  json("timestamps", device.timestamps);
  json("simulated", device.simulated, {"True if the device is the V3D simulator."});
  json.derived(
      "cpu_device", device.is_cpu(),
      {"True if the device is a CPU instead of a GPU: then there is no verdict on speed."});
}

}  // namespace sidecore::qpu

namespace sidecore {

void fields(auto& json, SampleSet& set) {
  json.record(
      "samples",
      "Repeated measurements and their quantiles. If `samples` is empty, the quantiles are 0 "
      "and mean nothing. Quantiles are interpolated linearly between neighbours.");
  json.derived("median", set.median);
  json.derived("min", set.min);
  json.derived("max", set.max);
  json.derived("p10", set.p10);
  json.derived("p90", set.p90);
  json.derived("p99", set.p99);
  json("samples", set.raw, {"Single measurements in the order they were taken."});
  set = SampleSet(std::move(set.raw));
}

}  // namespace sidecore

namespace sidecore::gates {
namespace {

constexpr json::DocumentKind kKind{"sidecore-gate", 1, "result of sidecore gate"};

/// Lists an outcome as two members: its value (null if there is none) and the reason why there is
/// none.
template <class T>
void nullable_outcome_fields(auto& json, Outcome<T>& outcome, const json::MemberName& value_member,
                             const json::MemberName& reason_member) {
  json(value_member.name, outcome.value, value_member.about);
  json(reason_member.name, outcome.reason, reason_member.about);
}

/// Results of a playback test, with the gain that it found.
struct DecidingPlayback : PlaybackResult {
  std::optional<SpeedGain> pay_off;
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

// --- Members that several gates share ---------------------------------------------------------

void fields(auto& json, GateOptions& options) {
  json.record("options", "Options of the run.");
  std::vector<Content> contents = contents_of(options);
  double window_seconds = seconds(options.window);
  json("gates", options.gates);
  json("contents", contents);
  json("input", options.input, {"Path of the clip; empty if there is none."});
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
       {.text = "Fixed rate of M4's playback test, in pictures per second; null: full speed only. "
                "Older results lack it.",
        .added_later = true,
        .minimum = 0});
  options.contents = std::move(contents);
  options.window = std::chrono::round<Nanoseconds>(std::chrono::duration<double>(window_seconds));
}

void fields(auto& json, BranchRate& branch) {
  json.record("branch");
  json("name", branch.name, {"Name of the branch, for example mask."});
  json("rate", branch.rate,
       {.text = "Share of `of` that takes the branch.", .minimum = 0, .maximum = 1});
  json("of", branch.of);
}

void fields(auto& json, BoardState& state) {
  json.record(
      "board_state",
      "Extremes of the board's state in one time window; null: the system does not report them.");
  json("lowest_mhz", state.lowest_mhz, {"Lowest clock of all CPUs, in MHz."});
  json("highest_mhz", state.highest_mhz);
  json("highest_celsius", state.highest_celsius,
       {"Highest temperature of all thermal zones, in degrees Celsius."});
  json("throttle_flags", state.throttle_flags,
       {"Bits that were set in any reading of get_throttled (Raspberry Pi firmware)."});
}

void board_states_field(auto& json, std::vector<BoardState>& states) {
  json("board_states", states,
       {.text = "The board's state during each round's time window, read every half second. Older "
                "results lack it: readers assume an empty array.",
        .added_later = true});
}

void content_field(auto& json, Content& content) {
  json("content", content,
       {"Test content: noise, gradients, nearly constant samples, steps around the limits, or "
        "pictures of a clip."});
}

/// Lists the members that describe a workload in M2, M3 and M4.
void workload_fields(auto& json, auto& content) {
  content_field(json, content.content);
  json("origin", content.origin, {"Source of the workload: a seed, or a picture of a clip."});
  json("units", content.units, {"Number of work units in one picture."});
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
  json.record("agreement", "Comparison of one implementation with the scalar definition.");
  ComparedUnits compared = agreement.compared.value.value_or(ComparedUnits());
  std::optional<bool> holds;
  if (agreement.compared) holds = compared.holds();
  content_field(json, agreement.content);
  json("twin", agreement.implementation, {"Implementation: neon, or qpu and the variant."});
  json("not_run", agreement.compared.reason,
       {"Reason why nothing was compared; empty if something was."});
  json("workloads", compared.workloads);
  json("units", compared.units);
  json("agreeing", compared.agreeing);
  json.derived("agreeing_percent", format_share(compared.agreeing, compared.units));
  json("stray_bytes", compared.stray_bytes,
       {"Number of differing bytes that belong to no work unit."});
  json.derived("holds", holds);
  json("first_difference", compared.first);
  agreement.compared.value.reset();
  if (agreement.compared.reason.empty()) agreement.compared.value = std::move(compared);
}

void fields(auto& json, ContentRecord& record) {
  content_field(json, record.content);
  json("first_origin", record.first_origin,
       {"Source of the first workload. `branches` are of that workload, or of the whole clip."});
  json("branches", record.branches);
}

void fields(auto& json, AgreementReport& report) {
  json.derived("holds", report.holds());
  json("contents", report.contents);
  json("agreements", report.agreements);
}

// --- M2 ---------------------------------------------------------------------------------------

void fields(auto& json, GpuCount& count) {
  json("name", count.name, {"Name that the driver gives the counter."});
  json("value", count.value);
  json("unit", count.unit,
       {.text = "Unit that the driver names; V3D's driver names all generic.",
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
       {.text =
            "Performance counters of the GPU (VK_KHR_performance_query) over one picture, from a "
            "separate, untimed run. Empty: gpu_counters_refused says why. Names that begin with "
            "simulated- are the simulator's. Older results lack it: readers assume an empty "
            "array.",
        .added_later = true});
}

void fields(auto& json, QpuContentRuns& content) {
  workload_fields(json, content);
  json("branches", content.branches);
  json("runs", content.runs, {.least_items = 1});
}

void fields(auto& json, QpuThroughputReport& report) {
  json("empty_dispatch_submit_to_fence", report.empty_dispatch, {.minimum = 0});
  json("staged_memory", report.staged, {"Times include the copies to and from the device."});
  std::uint32_t passes = report.counter_passes.value.value_or(0);
  json("gpu_counters_refused", report.counter_passes.reason,
       {.text = "Reason why there are no gpu_counters; empty if there are.", .added_later = true});
  json("gpu_counter_passes", passes,
       {.text = "Number of times that the work ran to collect the counters; 0 if there are none.",
        .added_later = true});
  json("gpu_counters_distrusted", report.counters_distrust,
       {.text = "Reason why the gpu_counters cannot be trusted: a fault of the Linux kernel's GPU "
                "driver; empty if none is known.",
        .added_later = true});
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
  json("counts", run.counts, {"Counts of one picture, sum over all threads."});
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

void fields(auto& json, SpeedGain& pay_off) {
  json.record(
      "pay_off",
      "Gain of NEON with the QPU. Null: a configuration is missing, or the device is a CPU.");
  json("gain", pay_off.gain,
       {"Rate with the QPU / rate of NEON on all threads - 1, from medians."});
  json("outside_spread", pay_off.outside_spread,
       {"True if the ranges of the two configurations' time windows do not overlap."});
  json("winner", pay_off.winner, {"Name of the faster one of the configurations with the QPU."});
}

void fields(auto& json, EngineShare& engine) {
  json("driver", engine.driver, {"Linux kernel driver, for example v3d."});
  json("engine", engine.engine, {"Queue of the GPU; V3D's csd runs compute jobs."});
  json("share", engine.share, {.minimum = 0, .maximum = 1});
}

void fields(auto& json, WindowResult& window) {
  json.record("window", "One configuration; each sample is the time window of one round.");
  const bool same = window.plan.work == WindowWork::same;
  json("work", window.plan.work,
       {"same: NEON threads and the QPU run the kernel. mixed_neon: each NEON thread runs the "
        "kernel, then the companion kernel. mixed_qpu: the QPU runs the kernel, NEON the companion "
        "kernel."});
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
      {.text = "Busy shares of the GPU's queues, one entry per round. Empty: no_gpu_busy says why. "
               "Older results lack it: readers assume an empty array.",
       .added_later = true});
}

void fields(auto& json, PacedFigures& figures) {
  json.record("paced_figures", "Figures of playing at a fixed rate, over all time windows.");
  json("pictures", figures.pictures, {"Number of pictures shown."});
  json("missed_deadlines", figures.missed, {"Number of pictures shown after their deadline."});
  json("latency_nanoseconds", figures.latency_ns,
       {"Per picture: from its release until it is shown. Includes the time for which the decoder "
        "keeps a picture until later ones have been released."});
  json("cpu_nanoseconds_per_picture", figures.cpu_ns_per_picture,
       {"CPU time of all threads of the process, one per time window. If the device is a CPU, its "
        "work is included."});
  nullable_outcome_fields(
      json, figures.joules_per_picture,
      {"joules_per_picture",
       {.text = "Energy over all time windows, from paced.energy_sensor; null: no_energy says why. "
                "Older results lack it.",
        .added_later = true}},
      {"no_energy",
       {.text = "Reason why joules_per_picture is null; empty if it is not. Older results lack it.",
        .added_later = true}});
}

void fields(auto& json, DividedPlaybackResult& player) {
  json.record(
      "divided_player",
      "Playback with the stage divided: NEON threads and the QPU run parts of it at the same "
      "time, sized by their rates. Counts are of playing the clip once.");
  json("plan", player.plan, {"Stage plan as sidecore decode --plan takes it."});
  json("submissions", player.clip.submissions);
  json("fence_waits", player.clip.fence_waits);
  json("md5", player.md5, {"MD5 of all samples shown."});
  json("md5_after_windows", player.md5_after);
  json("pictures_per_second", player.rate);
}

void fields(auto& json, PacedWindows& paced) {
  json.record("paced", "Playback at a fixed rate: a clock releases the pictures.");
  json("fps", paced.fps, {.text = "Pictures released per second.", .minimum = 0});
  json("neon", paced.neon);
  json("mixed", paced.mixed);
  json("energy_sensor", paced.energy_sensor,
       {.text =
            "Part of the machine whose energy joules_per_picture has; empty if there is no sensor. "
            "Older results lack it.",
        .added_later = true});
  json("divided", paced.divided,
       {.text = "Figures with the stage divided; null: it was not. Older results lack it.",
        .added_later = true});
}

void fields(auto& json, DecidingPlayback& player) {
  json.record(
      "player",
      "Playback test: a clip decoded on all threads, with the kernel's stage on the same threads "
      "(neon), on the QPU while the threads go on with the next picture (mixed) and, if possible, "
      "divided (divided). Counts are of playing the clip once with the stage on the QPU.");
  json("origin", player.origin);
  json("threads", player.threads, {.minimum = 1});
  json("pictures", player.clip.pictures, {"Number of pictures shown."});
  json("frames", player.clip.frames, {"Number of frames decoded, shown or hidden."});
  json("submissions", player.clip.submissions);
  json("fence_waits", player.clip.fence_waits);
  json.object("md5",
              [&](auto& md5) {
                md5("scalar", player.scalar_md5);
                md5("neon", player.neon_md5);
                md5("mixed", player.mixed_md5);
                md5("mixed_after_windows", player.mixed_md5_after);
              },
              {"MD5 of all samples shown, per plan."});
  json.derived("agrees", player.agrees(), {"True if all MD5 sums equal the scalar decoder's."});
  json("neon_pictures_per_second", player.neon);
  json("mixed_pictures_per_second", player.mixed);
  board_states_field(json, player.states);
  json("pay_off", player.pay_off);
  json("paced", player.paced,
       {.text = "Playback at a fixed rate; null: no rate was given. Older results lack it.",
        .added_later = true});
  json("mixed_plan", player.mixed_plan,
       {.text = "Stage plan of `mixed` as sidecore decode --plan takes it. Older results lack it: "
                "their stage is the loop filter.",
        .added_later = true});
  nullable_outcome_fields(
      json, player.divided,
      {"divided",
       {.text = "Null: no_divided says why. Older results lack it.", .added_later = true}},
      {"no_divided",
       {.text = "Reason why the stage was not divided; empty if it was. Older results lack it.",
        .added_later = true}});
}

/// Lists the playback test of a kernel that has one, and the gain that kernels of one stage share.
void player_fields(auto& json, ContentWindows& windows) {
  Outcome<DecidingPlayback> player;
  player.reason = windows.player.reason;
  if (windows.player) player.value = {*windows.player, windows.player_pay_off};
  const auto all = [&](auto& there) {
    nullable_outcome_fields(
        there, player,
        {"player", {"Playback test of a kernel that belongs to a decoder stage, on a clip."}},
        {"no_player", {"Reason why the playback test did not run; empty if it ran."}});
    there.group(!player && windows.player_pay_off, [&](auto& shared) {
      shared("player_pay_off", windows.player_pay_off,
             {"Gain of the playback test, which ran for another kernel of the same stage."});
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
                       {"beside", {"Companion kernel; empty: no_mixed says why."}}, {"no_mixed"});
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
       {.text = "Source of gpu_busy and the processes that it covers; empty: no_gpu_busy says why "
                "there is none.",
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
  json("extra_dispatch", report.line.slope,
       {"Cost of one more dispatch: slope of the line through the medians."});
  json("submission_itself", report.line.intercept,
       {"Cost of a submission: intercept of the line through the medians."});
}

// --- the run ----------------------------------------------------------------------------------

/// Lists the members of a gate's report as one group, then the reason why it has none.
template <class Report>
void fields(auto& json, Outcome<Report>& outcome) {
  Report report = outcome.value.value_or(Report());
  const bool there = json.group(
      bool(outcome), [&](auto& ran) { fields(ran, report); }, "not_run");
  json("not_run", outcome.reason, {"Reason why the gate did not run; empty if it ran."});
  if (there) outcome.value = std::move(report);
}

/// Lists a gate's report; null if the gate was not requested.
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
  json("ratio", verdict.ratio,
       {.text = "R: the QPU's rate divided by one NEON core's.", .minimum = 0});
  json("band", verdict.band);
  json("cpu_scales", verdict.scales);
  json("conclusion", verdict.conclusion);
  json("text", verdict.text, {"The verdict as one line of text."});
}

void fields(auto& json, VariantState& variant) {
  json("name", variant.name);
  json("not_run", variant.refusal,
       {"Reason why the variant cannot run on this device; empty if it can."});
  json("baseline", variant.baseline,
       {.text = "The variant is only for comparison: no verdict. Older results lack it.",
        .added_later = true});
}

void fields(auto& json, KernelReport& kernel) {
  json.record("kernel");
  json("name", kernel.name);
  json("description", kernel.description);
  json("unit", kernel.unit, {"Name of one work unit, singular."});
  json("variants", kernel.variants);
  gate_field(json, "m1", kernel.m1, "M1: do the implementations agree with the scalar definition?");
  gate_field(json, "m2", kernel.m2, "M2: how fast is the QPU alone? Nanoseconds per picture.");
  gate_field(json, "m3", kernel.m3, "M3: how fast is NEON? Nanoseconds per picture.");
  gate_field(json, "m4", kernel.m4, "M4: is NEON with the QPU faster than NEON alone?");
  json("verdicts", kernel.verdicts);
}

void fields(auto& json, GateReport& report) {
  json("command_line", report.command_line);
  json("seed", report.options.seed, {"Seed of the first workload; --seed repeats the run."});
  json("options", report.options);
  build_and_environment_fields(json, report);
  nullable_outcome_fields(json, report.device, {"device"},
                          {"no_device", {"Reason why there is no device; empty if there is one."}});
  gate_field(json, "m5", report.m5, "M5: what does a dispatch cost? Nanoseconds.");
  json("kernels", report.kernels);
  json.derived("agrees", report.agrees(), {"Neither M1 nor a playback test found a difference."});
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
      "One run of the gates M1 to M5 in the present form; older results may lack members. Times "
      "are in nanoseconds and rates in work units per second unless a name says otherwise. A gate "
      "is null if it was not requested; not_run says why it did not run.");
}

}  // namespace sidecore::gates
