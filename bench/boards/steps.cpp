#include "boards/steps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/statistics.h"
#include "gates/firmware_mailbox.h"
#include "gates/run.h"
#include "gates/timed_submit.h"
#include "kernels/registry.h"
#include "kernels/vp9/published_dispatches.h"
#include "model/picture_model.h"
#include "model/stream.h"
#include "split/propose.h"

namespace sidecore::boards {
namespace {

/// Numbers of repetitions, lengths of time windows, and parts of the clip for the steps.
struct Lengths {
  int dispatch_repetitions;  ///< repetitions of M5 and of each published dispatch
  int repetitions;           ///< repetitions of M2 and M3
  std::size_t frames;        ///< number of the clip's frames that M1 compares
  std::size_t packets;       ///< number of the clip's packets that M4 plays and split reads
  Nanoseconds window;        ///< length of M4's time windows
  int rounds;                ///< number of M4's rounds
  double sample;             ///< share of the packets that split measures
};
constexpr Lengths kFull{101, 31, 12, 48, Nanoseconds(4'000'000'000), 3, 1.0 / 3};
constexpr Lengths kQuick{3, 3, 8, 12, Nanoseconds(20'000'000), 1, 0.5};

const Lengths& lengths_of(const StepSettings& settings) {
  return settings.budget == Budget::full ? kFull : kQuick;
}

/// The open device, or the reason why there is none.
struct OpenDevice {
  Outcome<std::unique_ptr<qpu::Device>> device;
  Outcome<qpu::Device*> pointer;
};

/// Returns the render node of a GPU that this user may not open; empty if there is none, or if
/// another one may be opened.
std::string closed_render_node() {
  std::string closed;
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/dev/dri", error), end; !error && entry != end;
       entry.increment(error)) {
    if (!entry->path().filename().native().starts_with("renderD")) continue;
    if (::access(entry->path().c_str(), R_OK | W_OK) == 0) return {};
    closed = entry->path().native();
  }
  return closed;
}

OpenDevice open(const StepSettings& settings) {
  OpenDevice opened;
  qpu::DeviceOptions options = qpu::DeviceOptions::from_environment();
  options.selector = settings.device;
  try {
    opened.device.value = qpu::Device::open(options);
  } catch (const Error& error) {
    opened.pointer.reason = error.what();
  }
  const bool chosen = !settings.device.empty() || std::getenv("SIDECORE_DEVICE") != nullptr;
  const bool has_gpu = opened.device && !(*opened.device)->info().is_cpu();
  // Without rights the Vulkan loader silently offers lavapipe instead of the board's GPU.
  const std::string closed = has_gpu || chosen ? std::string() : closed_render_node();
  if (!closed.empty()) {
    opened.device.value.reset();
    opened.pointer.reason = fmt::format(
        "{} may not be opened: sudo usermod -aG render $USER, then log in again", closed);
  }
  if (opened.device) opened.pointer.value = opened.device->get();
  return opened;
}

Figure figure_of(std::string name, const char* unit, const SampleSet& set, double scale) {
  return {std::move(name), unit, set.median * scale, set.p10 * scale, set.p90 * scale};
}

Figure single_figure(std::string name, const char* unit, double value) {
  return {std::move(name), unit, value, value, value};
}

constexpr double kMicroseconds = 1e-3;  // microseconds per nanosecond
constexpr double kMilliseconds = 1e-6;

StepResult run_dispatch_step(const Step& /*step*/, const StepSettings& settings) {
  StepResult result;
  const OpenDevice opened = open(settings);
  if (!opened.pointer) {
    result.missing = opened.pointer.reason;
    return result;
  }
  const gates::DispatchCostReport report =
      gates::run_m5(**opened.pointer, lengths_of(settings).dispatch_repetitions);
  result.figures = {
      figure_of("dispatch.submission", "us", report.single().submit_to_fence, kMicroseconds),
      single_figure("dispatch.further", "us", report.line.slope * kMicroseconds)};
  result.answer =
      fmt::format("an empty submission takes {:.1f} us, each further dispatch {:.1f} us",
                  result.figures[0].value, result.figures[1].value);
  return result;
}

/// Returns the V3D's clock in MHz by the firmware's own measurement; nothing if it does not answer.
std::optional<double> read_v3d_clock() {
  constexpr std::uint32_t kGetMeasuredClock = 0x00030047;
  constexpr std::uint32_t kV3d = 5;
  // Words: message size in bytes, message state, tag, value size, tag state, clock, hertz, end tag.
  std::array<std::uint32_t, 8> message{
      sizeof(message), 0, kGetMeasuredClock, 2 * sizeof(std::uint32_t), 0, kV3d, 0, 0};
  if (!gates::exchange_with_firmware("/dev/vcio", message)) return std::nullopt;
  const bool answered = message[1] == gates::kFirmwareAnswered &&
                        (message[4] & gates::kFirmwareAnswered) != 0 && message[6] != 0;
  if (!answered) return std::nullopt;
  return message[6] / 1e6;
}

StepResult run_published_step(const Step& /*step*/, const StepSettings& settings) {
  StepResult result;
  const OpenDevice opened = open(settings);
  if (!opened.pointer) {
    result.missing = opened.pointer.reason;
    return result;
  }
  qpu::Device& device = **opened.pointer;
  const int repetitions = settings.budget == Budget::full ? lengths_of(settings).repetitions : 1;
  std::vector<std::string> times;
  std::vector<double> clocks;
  for (const bench::PublishedDispatch& dispatch : bench::published_dispatches()) {
    bench::RecordedDispatch recorded(device, dispatch);
    gates::SubmitTimes submits;
    (void)gates::timed_submit(device, recorded.list());  // the first run may compile or wake up
    for (int i = 0; i < repetitions; ++i) {
      recorded.restore();
      submits.add(gates::timed_submit(device, recorded.list()));
    }
    const SampleSet wall(std::move(submits.wall));
    result.figures.push_back(
        figure_of(fmt::format("published.{}", dispatch.name), "ms", wall, kMilliseconds));
    times.push_back(fmt::format("{} {:.2f} ms ({:.2f} published)", dispatch.what,
                                result.figures.back().value, dispatch.published_ms));
    // Reads the clock while a dispatch runs, because an idle V3D lowers it.
    recorded.restore();
    qpu::Ticket ticket = device.submit(recorded.list());
    if (const auto clock = read_v3d_clock()) clocks.push_back(*clock);
    ticket.wait();
  }
  if (!clocks.empty()) {
    const SampleSet set(std::move(clocks));
    result.figures.push_back(figure_of("published.v3d_clock", "MHz", set, 1));
  }
  result.answer = fmt::format("{}", fmt::join(times, ", "));
  return result;
}

gates::GateOptions gate_options(const StepSettings& settings, std::set<gates::Gate> gates) {
  const Lengths& lengths = lengths_of(settings);
  gates::GateOptions options;
  options.gates = std::move(gates);
  options.contents = {gates::Content::input};
  options.input = settings.clip;
  options.threads = settings.threads;
  options.window = lengths.window;
  options.rounds = lengths.rounds;
  options.repetitions = lengths.repetitions;
  options.empty_repetitions = lengths.dispatch_repetitions;
  return options;
}

/// Runs the gates of one kernel. Sets `missing` to why the QPU's part did not run, if it did not.
gates::GateReport run_gates_of(const gates::Kernel& kernel, const StepSettings& settings,
                               const gates::GateOptions& options, StepResult& result) {
  const OpenDevice opened = open(settings);
  gates::RunSetting setting;
  setting.kernels = {&kernel};
  setting.beside = {nullptr};
  setting.device = opened.pointer;
  gates::GateReport report = gates::run_gates(setting, options);
  result.missing = opened.pointer.reason;
  result.throttled = report.throttled;
  result.agrees = report.agrees();
  return report;
}

void add_qpu_figure(const std::string& kernel, const gates::KernelReport& report,
                    StepResult& result) {
  if (!report.m2 || report.m2->contents.empty()) return;
  const auto& runs = report.m2->contents.front().runs;
  const auto best = std::ranges::min_element(
      runs, {}, [](const gates::QpuRun& run) { return run.submit_to_fence.median; });
  result.figures.push_back(figure_of(kernel + ".qpu", "ms", best->submit_to_fence, kMilliseconds));
}

void add_neon_figures(const std::string& kernel, const gates::KernelReport& report, int threads,
                      StepResult& result) {
  if (!report.m3 || report.m3->contents.empty()) return;
  for (const gates::CpuRun& run : report.m3->contents.front().runs) {
    if (run.implementation != gates::CpuImplementation::neon) continue;
    if (run.threads != 1 && run.threads != threads) continue;
    const std::string name =
        fmt::format("{}.neon_{}{}", kernel, run.threads == 1 ? "1" : "all",
                    run.memory == gates::CpuMemory::device ? "_in_device_memory" : "");
    result.figures.push_back(figure_of(name, "ms", run.elapsed, kMilliseconds));
  }
}

/// Returns the share of the work units that agree, over all implementations that ran.
std::pair<std::uint64_t, std::uint64_t> agreeing_units(const gates::KernelReport& report) {
  std::uint64_t agreeing = 0;
  std::uint64_t units = 0;
  if (!report.m1) return {0, 0};
  for (const gates::Agreement& agreement : report.m1->agreements) {
    if (!agreement.compared) continue;
    agreeing += agreement.compared->agreeing;
    units += agreement.compared->units;
  }
  return {agreeing, units};
}

/// Returns a picture's time by NEON and by the QPU in words.
std::string picture_times(const std::string& kernel, const StepResult& result) {
  std::vector<std::string> words;
  for (const auto& [suffix, what] : {std::pair{".neon_1", "NEON on one core"},
                                     {".neon_all", "NEON on all cores"},
                                     {".qpu", "the QPU"}}) {
    const auto found = std::ranges::find(result.figures, kernel + suffix, &Figure::name);
    if (found == result.figures.end()) continue;
    words.push_back(fmt::format("{} {:.2f} ms", what, found->value));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

StepResult run_kernel_step(const Step& step, const StepSettings& settings) {
  const char* const name = step.name;
  StepResult result;
  gates::GateOptions options =
      gate_options(settings, {gates::Gate::m1, gates::Gate::m2, gates::Gate::m3});
  options.frames = lengths_of(settings).frames;
  const gates::GateReport report =
      run_gates_of(bench::find_kernel(name), settings, options, result);
  const gates::KernelReport& kernel = report.kernels.front();
  const auto [agreeing, units] = agreeing_units(kernel);
  result.figures.push_back(single_figure(
      fmt::format("{}.right", name), "%",
      units == 0 ? 0 : 100 * static_cast<double>(agreeing) / static_cast<double>(units)));
  add_qpu_figure(name, kernel, result);
  add_neon_figures(name, kernel, settings.threads, result);
  result.answer =
      fmt::format("{} % of {} {}s right; a picture takes {}", format_share(agreeing, units), units,
                  kernel.unit, picture_times(name, result));
  return result;
}

/// Adds what one plan reached at full speed and at the fixed rate, and returns it in words.
std::string add_plan(const char* plan, const SampleSet& rate, const gates::PacedFigures* paced,
                     StepResult& result) {
  const auto name = [&](const char* what) { return fmt::format("back_end.{}_{}", plan, what); };
  result.figures.push_back(figure_of(name("speed"), "pictures/s", rate, 1));
  if (paced == nullptr || paced->pictures == 0) return {};
  result.figures.push_back(figure_of(name("cpu"), "ms", paced->cpu_ns_per_picture, kMilliseconds));
  const double missed =
      100 * static_cast<double>(paced->missed) / static_cast<double>(paced->pictures);
  result.figures.push_back(single_figure(name("missed"), "%", missed));
  std::string energy;
  if (paced->joules_per_picture) {
    result.figures.push_back(single_figure(name("energy"), "mJ", *paced->joules_per_picture * 1e3));
    energy = fmt::format(" and {:.1f} mJ", result.figures.back().value);
  }
  return fmt::format("{} takes {:.2f} ms of CPU time{} per picture and misses {:.1f} %", plan,
                     paced->cpu_ns_per_picture.median * kMilliseconds, energy, missed);
}

StepResult run_back_end_step(const Step& /*step*/, const StepSettings& settings) {
  StepResult result;
  gates::GateOptions options = gate_options(settings, {gates::Gate::m4});
  options.fps = kPicturesPerSecond;
  if (settings.budget == Budget::quick) options.frames = 4;
  const gates::GateReport report =
      run_gates_of(bench::find_kernel_or_decoder("vp9_back_end"), settings, options, result);
  const gates::KernelReport& kernel = report.kernels.front();
  if (!kernel.m4 || !kernel.m4->contents.front().player) {
    if (result.missing.empty()) {
      result.missing = kernel.m4 ? kernel.m4->contents.front().player.reason : kernel.m4.reason;
    }
    return result;
  }
  const gates::PlaybackResult& player = *kernel.m4->contents.front().player;
  const gates::PacedWindows* const paced = player.paced ? &*player.paced : nullptr;
  std::vector<std::string> words;
  const auto add = [&](const char* plan, const SampleSet& rate,
                       const gates::PacedFigures* figures) {
    if (std::string text = add_plan(plan, rate, figures, result); !text.empty()) {
      words.push_back(std::move(text));
    }
  };
  add("neon", player.neon, paced == nullptr ? nullptr : &paced->neon);
  add("qpu", player.mixed, paced == nullptr ? nullptr : &paced->mixed);
  if (player.divided) {
    add("divided", player.divided->rate,
        paced == nullptr || !paced->divided ? nullptr : &*paced->divided);
  }
  result.answer =
      fmt::format("{}; at {} pictures/s {}", result.agrees ? "pictures right" : "PICTURES DIFFER",
                  kPicturesPerSecond, fmt::join(words, "; "));
  return result;
}

/// Returns the plan as part of a figure's name. The number of edges of loop_filter=divided:N
/// differs from board to board, so the name leaves it out.
std::string figure_name_of(const model::Candidate& candidate) {
  std::string plan = to_text(candidate.plan);
  const std::size_t number = plan.find_first_of("0123456789", plan.find(':') + 1);
  if (plan.find(':') != std::string::npos && number != std::string::npos) {
    plan = plan.substr(0, plan.find(':')) + ":N";
  }
  return fmt::format("split.{}.{}", plan, candidate.threads);
}

}  // namespace

std::vector<Figure> split_figures(const split::Proposal& proposal) {
  std::vector<Figure> figures;
  for (const split::PlanResult& plan : proposal.plans) {
    const std::string name = figure_name_of(plan.candidate);
    if (plan.measured) {
      figures.push_back(single_figure(name + ".speed", "pictures/s",
                                      split::frame_rate(proposal, *plan.measured)));
    } else if (plan.modelled) {
      figures.push_back({name + ".speed", "pictures/s",
                         split::frame_rate(proposal, plan.predicted.expected),
                         split::frame_rate(proposal, plan.predicted.high),
                         split::frame_rate(proposal, plan.predicted.low)});
    }
    if (plan.played) {
      figures.push_back(single_figure(name + ".cpu", "ms", plan.played->cpu_seconds * 1e3));
    } else if (plan.modelled) {
      const double scale = 1e3 / proposal.pictures;
      figures.push_back({name + ".cpu", "ms", plan.cpu.expected * scale, plan.cpu.low * scale,
                         plan.cpu.high * scale});
    }
  }
  return figures;
}

namespace {

StepResult run_split_step(const Step& /*step*/, const StepSettings& settings) {
  StepResult result;
  const Lengths& lengths = lengths_of(settings);
  const model::Stream stream = model::read_stream(settings.clip, lengths.packets, lengths.sample);
  const OpenDevice opened = open(settings);
  gates::EnergyMeter meter;
  split::ProposeOptions options;
  options.cores = settings.threads;
  options.threads = settings.threads;
  options.device = opened.pointer;
  // Plans that run stages before the loop filter on a Vulkan device are left out if the device is a
  // CPU, which takes minutes for them.
  options.back_end = opened.pointer && !(*opened.pointer)->info().is_cpu();
  options.aim = split::Aim::cpu;
  options.fps = kPicturesPerSecond;
  options.meter = &meter;
  const split::Proposal proposal = split::propose(stream, options);
  result.missing = opened.pointer.reason;
  result.throttled = proposal.run.throttled;
  result.figures = split_figures(proposal);
  result.answer = split::best_sentence(proposal);
  return result;
}

constexpr std::array kSteps{
    Step{"dispatch", "M5: cost of a dispatch", 30, false, run_dispatch_step},
    Step{"published", "kernels with published times", 60, false, run_published_step},
    Step{"loop_filter", "M1, M2 and M3 of the loop filter", 45, true, run_kernel_step},
    Step{"inter_prediction", "M1, M2 and M3 of inter prediction", 45, true, run_kernel_step},
    Step{"inverse_transform", "M1, M2 and M3 of the inverse transform", 45, true, run_kernel_step},
    Step{"intra_prediction", "M1, M2 and M3 of intra prediction", 45, true, run_kernel_step},
    Step{"back_end", "M4: all pixel stages at 30 pictures/s", 165, true, run_back_end_step},
    Step{"split", "split: which stage should run where", 150, true, run_split_step}};

constexpr double sum_of_limits() {
  double sum = 0;
  for (const Step& step : kSteps) sum += step.limit;
  return sum;
}
static_assert(sum_of_limits() <= kMaxSeconds);

}  // namespace

std::span<const Step> steps() {
  return kSteps;
}

StepResult run_step(const Step& step, const StepSettings& settings) {
  if (step.needs_clip && settings.clip.empty()) {
    StepResult result;
    result.step = step.name;
    result.missing = settings.no_clip;
    return result;
  }
  const gates::EnvironmentRecord before = gates::record_environment();
  const Clock::time_point start = Clock::now();
  StepResult result = step.run(step, settings);
  result.step = step.name;
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (result.throttled.empty()) {
    result.throttled =
        gates::throttled_between(before.throttle, gates::record_environment().throttle);
  }
  return result;
}

Outcome<DeviceName> find_device(const StepSettings& settings, bool& substitute) {
  const OpenDevice opened = open(settings);
  if (!opened.pointer) return Outcome<DeviceName>::none(opened.pointer.reason);
  const qpu::DeviceInfo& info = (*opened.pointer)->info();
  substitute = info.is_cpu();
  return {DeviceName{info.name, info.driver}, {}};
}

ClipRecord record_clip(const std::string& path) {
  const model::Stream stream = model::read_stream(path, kFull.packets, kFull.sample);
  return {model::digest_of(stream.packets), stream.packets.size(), stream.width, stream.height};
}

}  // namespace sidecore::boards
