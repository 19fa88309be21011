#include "gates/run.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "base/error.h"
#include "gates/driver_warnings.h"
#include "gates/workload_source.h"

namespace sidecore::gates {
namespace {

constexpr double kNanosecondsPerSecond = 1e9;

double rate(std::size_t units, const SampleSet& nanoseconds) {
  return static_cast<double>(units) * kNanosecondsPerSecond / nanoseconds.median;
}

template <class Contents>
auto find_content(const Contents& contents, Content content) {
  return std::ranges::find_if(contents,
                              [&](const auto& entry) { return entry.content == content; });
}

/// A variant on which the verdict can be based, with its work units per second.
struct JudgedRun {
  std::string variant;
  double rate = 0;
};

bool wants(const GateOptions& options, Gate gate) {
  return options.gates.contains(gate);
}

/// Returns the reason why no kernel of the run can use a QPU on any device; empty if one can.
std::string refusal_of_qpu(const RunSetting& setting) {
  std::vector<std::string> reasons;
  for (const Kernel* kernel : setting.kernels) {
    reasons.push_back(refusal_of_qpu(*kernel));
    if (reasons.back().empty()) return {};
  }
  return fmt::format("{}", fmt::join(reasons, "; "));
}

/// Throws Error (usage) if a named gate needs the QPU and no kernel of the run has a variant for
/// it.
void refuse_without_qpu(const RunSetting& setting, const GateOptions& options) {
  const std::string why = refusal_of_qpu(setting);
  if (why.empty() || !options.gates_named) return;
  for (const Gate gate : {Gate::m2, Gate::m4, Gate::m5}) {
    if (wants(options, gate)) throw usage_error("{} cannot run: {}", to_string(gate), why);
  }
}

/// Throws Error (environment) if the gates were named, because skipping a named gate silently would
/// look like success.
void refuse_if_named(const GateOptions& options, Gate gate, const std::string& why) {
  if (!options.gates_named) return;
  throw environment_error("{} cannot run here: {}", to_string(gate), why);
}

/// Returns the reason why a gate of the QPU does not run for the kernel; empty if it runs. Throws
/// if the gate was named and the kernel has a QPU variant.
std::string refusal_of_gate(const KernelUnderTest& subject, const GateOptions& options, Gate gate) {
  std::string why = subject.refusal_of_qpu();
  if (!why.empty() && refusal_of_qpu(*subject.kernel).empty()) refuse_if_named(options, gate, why);
  return why;
}

void run_m5_gate(const RunSetting& setting, GateReport& report) {
  const GateOptions& options = report.options;
  // M2 subtracts the time of an empty dispatch, which M5 measures.
  if (!wants(options, Gate::m5) && !wants(options, Gate::m2)) return;
  if (const std::string why = refusal_of_qpu(setting); !why.empty()) {
    if (wants(options, Gate::m5)) report.m5.reason = why;
    return;
  }
  if (!setting.device) {
    if (wants(options, Gate::m5)) {
      refuse_if_named(options, Gate::m5, setting.device.reason);
      report.m5.reason = setting.device.reason;
    }
    return;
  }
  report.m5.value = run_m5(**setting.device, options.empty_repetitions);
}

/// Returns M2's variant with the lowest median submit-to-fence time on the content, without
/// baselines; nothing if there is none.
std::optional<JudgedRun> best_run(const KernelReport& kernel, Content content) {
  if (!kernel.m2) return std::nullopt;
  const auto found = find_content(kernel.m2->contents, content);
  if (found == kernel.m2->contents.end()) return std::nullopt;
  const auto is_baseline = [&](const QpuRun& run) {
    const auto state = std::ranges::find(kernel.variants, run.variant, &VariantState::name);
    return state != kernel.variants.end() && state->baseline;
  };
  const QpuRun* best = nullptr;
  for (const QpuRun& run : found->runs) {
    if (is_baseline(run)) continue;
    if (best == nullptr || run.submit_to_fence.median < best->submit_to_fence.median) best = &run;
  }
  if (best == nullptr) return std::nullopt;
  return JudgedRun{best->variant, rate(found->units, best->submit_to_fence)};
}

/// Returns the variant for M4's time windows: M2's best, otherwise the first that can run; nothing
/// if only baselines can run.
std::optional<std::string> window_variant(const KernelReport& kernel, Content content) {
  if (auto best = best_run(kernel, content)) return std::move(best->variant);
  const auto found = std::ranges::find_if(kernel.variants, [](const VariantState& variant) {
    return variant.refusal.empty() && !variant.baseline;
  });
  if (found == kernel.variants.end()) return std::nullopt;
  return found->name;
}

/// Returns the causes of throttling before, after, or during M4's time windows; empty if there was
/// none.
std::string throttled_in(const GateReport& report) {
  std::string text = throttled_between(report.before.throttle, report.after.throttle);
  return text.empty() ? throttled_during(report.during_windows()) : text;
}

void run_m4_gate(const KernelUnderTest& subject, const GateReport& report, KernelReport& kernel) {
  const GateOptions& options = report.options;
  kernel.m4.reason = refusal_of_gate(subject, options, Gate::m4);
  if (!kernel.m4.reason.empty()) return;
  ConcurrencyReport windows;
  for (const Content content : m4_contents(options)) {
    const std::optional<std::string> variant = window_variant(kernel, content);
    if (!variant) {
      kernel.m4.reason =
          "only baselines were requested, or only baselines can run here; baselines get no verdict";
      return refuse_if_named(options, Gate::m4, kernel.m4.reason);
    }
    if (leaves_out_windows(subject, report, kernel, content)) {
      kernel.m4.reason = fmt::format(
          "on {} the QPU is RED and NEON scales; name M4 with --gates to run it nevertheless",
          to_string(content));
      continue;
    }
    windows.contents.push_back(run_m4_content(subject, options, content, *variant));
  }
  windows.gpu_busy_source = subject.usage != nullptr
                                ? subject.usage->source()
                                : Outcome<std::string>::none("the Vulkan device is a CPU");
  if (!windows.contents.empty()) kernel.m4.value = std::move(windows);
}

bool plays_input(const GateOptions& options) {
  const std::vector<Content> contents = m4_contents(options);
  return std::ranges::find(contents, Content::input) != contents.end();
}

/// Runs M4 of a whole decoder; sets the reasons of the other gates, which do not apply.
void run_decoder(const KernelUnderTest& subject, const GateReport& report, KernelReport& kernel) {
  const GateOptions& options = report.options;
  if (wants(options, Gate::m1)) {
    kernel.m1.reason = "M4 compares the pictures of a whole decoder with the scalar decoder's";
  }
  for (const auto& [gate, reason] :
       {std::pair{Gate::m2, &kernel.m2.reason}, std::pair{Gate::m3, &kernel.m3.reason}}) {
    if (wants(options, gate))
      *reason = "a whole decoder has no work units to time alone; M4 plays it";
  }
  if (!wants(options, Gate::m4)) return;
  kernel.m4.reason = refusal_of_gate(subject, options, Gate::m4);
  if (kernel.m4.reason.empty() && !plays_input(options)) {
    kernel.m4.reason = "it plays a clip: give --input";
  }
  if (!kernel.m4.reason.empty()) return;
  ConcurrencyReport& windows = kernel.m4.value.emplace();
  windows.contents.push_back(run_m4_decoder(subject, options, subject.runnable().front()));
  windows.gpu_busy_source.reason = "not measured during the playback test";
}

void run_kernel(const KernelUnderTest& subject, const GateReport& report, KernelReport& kernel) {
  const GateOptions& options = report.options;
  if (is_whole_decoder(*subject.kernel)) return run_decoder(subject, report, kernel);
  if (wants(options, Gate::m1)) kernel.m1.value = run_m1(subject, options);
  // M1 ends the run if it fails: the speed of a wrong kernel means nothing, and measuring it would
  // cost minutes.
  if (kernel.m1 && !kernel.m1->holds()) {
    for (std::string* reason : {&kernel.m2.reason, &kernel.m3.reason, &kernel.m4.reason}) {
      *reason = "M1 failed";
    }
    return;
  }
  if (wants(options, Gate::m2)) {
    kernel.m2.reason = refusal_of_gate(subject, options, Gate::m2);
    if (kernel.m2.reason.empty()) {
      kernel.m2.value = run_m2(subject, options, report.m5->single().submit_to_fence.median);
      kernel.m2.value->counters_distrust = counters_distrust(report.before);
    }
  }
  if (wants(options, Gate::m3)) kernel.m3.value = run_m3(subject, options);
  if (wants(options, Gate::m4)) run_m4_gate(subject, report, kernel);
}

/// Throws Error (usage) if the run has only whole decoders and none of them would play anything.
void refuse_nothing_to_play(const RunSetting& setting, const GateOptions& options) {
  for (const Kernel* kernel : setting.kernels) {
    if (!is_whole_decoder(*kernel)) return;
    if (!wants(options, Gate::m4))
      throw usage_error("{} is a whole decoder: only M4 runs it", kernel->name);
    if (!plays_input(options)) throw usage_error("{} plays a clip: give --input", kernel->name);
    const auto player = kernel->make_player({.clip = options.input,
                                             .frames = options.frames,
                                             .start_at_key_frame = options.start_at_key_frame});
    if (player != nullptr) return;
    throw usage_error("{1} cannot decode '{0}'", options.input, kernel->name);
  }
}

/// Throws Error (usage) before any measurement if a kernel cannot work on the clip.
void refuse_bad_input(const RunSetting& setting, const GateOptions& options) {
  const std::vector<Content> contents = contents_of(options);
  if (std::ranges::find(contents, Content::input) == contents.end()) return;
  for (const Kernel* kernel : setting.kernels) {
    if (is_whole_decoder(*kernel)) continue;
    if (WorkloadSource(*kernel, options, Content::input).next() == nullptr) {
      throw usage_error("'{}' has no picture", options.input);
    }
  }
}

/// Sets VariantState::refusal of the variants that cannot process the clip.
void leave_out_unsuited(const GateOptions& options, KernelUnderTest& subject) {
  if (is_whole_decoder(*subject.kernel)) return;
  const std::vector<Content> contents = contents_of(options);
  if (std::ranges::find(contents, Content::input) == contents.end()) return;
  const auto workload = WorkloadSource(*subject.kernel, options, Content::input).next();
  for (VariantState& variant : subject.variants) {
    if (variant.refusal.empty()) variant.refusal = workload->refusal_of_variant(variant.name);
  }
}

/// Playback tests that have run. Kernels of one stage share one; it runs for the first of them.
class PlaybackTestsRun {
 public:
  /// Returns the kernel of the same stage whose playback test has run; nothing if there is none.
  [[nodiscard]] std::optional<EarlierPlayback> find(const Kernel& kernel) const {
    const auto found = first_.find(kernel.player_stage);
    if (found == first_.end()) return std::nullopt;
    return found->second;
  }
  void add(const Kernel& kernel, const KernelReport& report) {
    if (!report.m4) return;
    for (const ContentWindows& content : report.m4->contents) {
      if (!content.player) continue;
      first_.try_emplace(kernel.player_stage,
                         EarlierPlayback{std::string(kernel.name), content.player_pay_off});
    }
  }

 private:
  std::map<std::string_view, EarlierPlayback> first_;  // first playback test of each stage
};

void judge_kernel(const GateReport& report, bool decoder, KernelReport& kernel) {
  const bool asked =
      std::ranges::any_of(report.options.gates, [](Gate gate) { return gate != Gate::m5; });
  if (!asked) return;
  if (decoder) {
    const bool played = kernel.m4 && kernel.m4->contents.front().player;
    if (!played) return;
    kernel.verdicts = {{Content::input, judge(gather_evidence(kernel, report, Content::input))}};
    return;
  }
  std::vector<Content> contents = contents_of(report.options);
  for (const Content content : m4_contents(report.options)) {
    if (std::ranges::find(contents, content) == contents.end()) contents.push_back(content);
  }
  for (const Content content : contents) {
    kernel.verdicts.push_back({content, judge(gather_evidence(kernel, report, content))});
  }
}

/// Returns the error that the kernel reports about the options' pictures; nothing if it accepts
/// them.
std::optional<Error> refusal(const Kernel& kernel, const GateOptions& options) {
  if (is_whole_decoder(kernel)) return std::nullopt;
  const std::vector<Content> contents = contents_of(options);
  if (contents.empty()) return std::nullopt;
  const bool input = std::ranges::find(contents, Content::input) != contents.end();
  try {
    (void)WorkloadSource(kernel, options, input ? Content::input : contents.front()).next();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::usage) return error;
    throw;
  }
  return std::nullopt;
}

}  // namespace

std::vector<const Kernel*> suited_kernels(std::span<const Kernel* const> kernels,
                                          const GateOptions& options,
                                          std::vector<std::string>& left_out) {
  std::vector<const Kernel*> suited;
  std::optional<Error> first;
  for (const Kernel* const kernel : kernels) {
    std::optional<Error> error = refusal(*kernel, options);
    if (!error) {
      suited.push_back(kernel);
      continue;
    }
    left_out.emplace_back(error->what());
    if (!first) first = std::move(error);
  }
  // If no kernel accepts the pictures, the options are wrong: for example, the clip is missing.
  if (std::ranges::all_of(suited, [](const Kernel* kernel) { return is_whole_decoder(*kernel); }) &&
      first)
    throw Error(*first);
  return suited;
}

bool KernelReport::agrees() const {
  return (!m1 || m1->holds()) && (!m4 || m4->agrees());
}

bool GateReport::agrees() const {
  return std::ranges::all_of(kernels, &KernelReport::agrees);
}

BoardState GateReport::during_windows() const {
  BoardState all;
  for (const KernelReport& kernel : kernels) {
    if (!kernel.m4) continue;
    for (const ContentWindows& content : kernel.m4->contents) {
      for (const WindowResult& window : content.windows) add(all, window.states);
      if (content.player) add(all, content.player->states);
    }
  }
  return all;
}

Evidence gather_evidence(const KernelReport& kernel, const GateReport& report, Content content) {
  Evidence evidence;
  evidence.throttled = !report.throttled.empty();
  evidence.cpu_device = report.device && report.device->is_cpu();
  evidence.neon_is_emulated = !report.build.neon_is_native;
  evidence.threads = report.options.threads;
  if (kernel.m1 || !kernel.agrees()) evidence.agrees = kernel.agrees();
  if (const auto best = best_run(kernel, content)) evidence.qpu_rate = best->rate;
  if (kernel.m3) {
    const auto& contents = kernel.m3->contents;
    if (const auto found = find_content(contents, content); found != contents.end()) {
      evidence.neon_one = rate(found->units, found->fastest_neon(1)->elapsed);
      evidence.neon_all = rate(found->units, found->fastest_neon(evidence.threads)->elapsed);
    }
  }
  if (kernel.m4) {
    const auto& contents = kernel.m4->contents;
    if (const auto found = find_content(contents, content); found != contents.end()) {
      evidence.same = found->same;
      evidence.mixed = found->mixed;
      evidence.player = found->player_pay_off;
    }
  }
  return evidence;
}

bool leaves_out_windows(const KernelUnderTest& subject, const GateReport& report,
                        const KernelReport& kernel, Content content) {
  const GateOptions& options = report.options;
  return !options.gates_named && may_stop_early(gather_evidence(kernel, report, content)) &&
         !has_player(subject, options, content);
}

GateReport run_gates(const RunSetting& setting, const GateOptions& options) {
  refuse_without_qpu(setting, options);
  refuse_nothing_to_play(setting, options);
  refuse_bad_input(setting, options);
  GateReport report;
  report.options = options;
  report.build = build_record();
  report.before = record_environment(setting.root);
  report.device.reason = setting.device.reason;
  if (setting.device) report.device.value = (*setting.device)->info();
  run_m5_gate(setting, report);
  PlaybackTestsRun players;
  BoardWatch watch(setting.root);
  GpuUsage usage(setting.root);
  EnergyMeter energy(setting.root);
  const bool has_gpu = setting.device && !(*setting.device)->info().is_cpu();
  for (std::size_t i = 0; i < setting.kernels.size(); ++i) {
    const Kernel& kernel = *setting.kernels[i];
    KernelUnderTest subject =
        make_kernel_under_test(kernel, setting.beside.at(i), setting.device, options.variants);
    leave_out_unsuited(options, subject);
    subject.played = players.find(kernel);
    subject.watch = &watch;
    subject.energy = &energy;
    if (has_gpu) subject.usage = &usage;
    KernelReport kernel_report;
    kernel_report.name = kernel.name;
    kernel_report.description = kernel.description;
    kernel_report.unit = kernel.unit;
    kernel_report.variants = subject.variants;
    run_kernel(subject, report, kernel_report);
    players.add(kernel, kernel_report);
    report.kernels.push_back(std::move(kernel_report));
  }
  report.after = record_environment(setting.root);
  report.throttled = throttled_in(report);
  for (std::size_t i = 0; i < setting.kernels.size(); ++i) {
    KernelReport& kernel = report.kernels[i];
    const bool nothing_to_judge = !refusal_of_qpu(*setting.kernels[i]).empty() && kernel.agrees();
    if (!nothing_to_judge) judge_kernel(report, is_whole_decoder(*setting.kernels[i]), kernel);
  }
  return report;
}

}  // namespace sidecore::gates
