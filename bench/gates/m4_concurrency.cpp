#include "gates/m4_concurrency.h"

#include <algorithm>
#include <optional>
#include <thread>

#include "base/error.h"
#include "base/progress.h"
#include "base/thread_pool.h"
#include "gates/window_workers.h"
#include "gates/workload_source.h"

namespace sidecore::gates {
namespace {

/// Rates of one time window in one round.
struct WindowRates {
  double neon = 0;  ///< number of NEON passes per second
  double qpu = 0;
  std::vector<EngineShare> gpu_busy;
};

/// Runs the time windows of one content. Each NEON thread and the QPU has its own copy of the
/// content's first workload; NEON threads also have the companion kernel's. All use one picture,
/// because a pass must be the same amount of work everywhere, and a clip's pictures differ.
class TimeWindowRunner {
 public:
  TimeWindowRunner(const KernelUnderTest& subject, const GateOptions& options, Content content,
                   const std::string& variant, bool mixed)
      : options_(options), watch_(subject.watch), usage_(subject.usage), cpus_(allowed_cpus()) {
    WorkloadSource source(*subject.kernel, options, content);
    const std::shared_ptr<const Workload> workload = first_of(source);
    origin_ = source.origin();
    qpu_ = std::make_unique<QpuWorker>(**subject.device, workload, variant);
    fill(own_, workload);
    if (!mixed) return;
    WorkloadSource other_source(*subject.beside, options, content);
    fill(other_, first_of(other_source));
  }

  [[nodiscard]] const Workload& workload() const { return *own_.front()->workload; }
  [[nodiscard]] const std::string& origin() const { return origin_; }

  std::vector<BranchRate> pristine_branches() {
    own_.front()->restore();
    return workload().branch_rates(own_.front()->memory.bytes());
  }

  WindowRates run(const WindowPlan& plan) {
    for (const auto& picture : own_) picture->restore();
    for (const auto& picture : other_) picture->restore();
    qpu_->restore();
    std::vector<WorkerResult> neon(static_cast<std::size_t>(plan.neon_threads));
    WorkerResult qpu;
    ThreadPool sides(neon.size() + (plan.qpu ? 1 : 0) - 1);
    WindowRates rates;
    const std::jthread watching = watch_ != nullptr ? watch_->watch() : std::jthread();
    if (usage_ != nullptr) usage_->start();
    const Clock::time_point start = Clock::now();
    run_on_each(sides, [&](std::size_t side) {
      // The submitting thread takes a core that NEON leaves free; otherwise it is not pinned.
      std::optional<CpuPin> pin;
      if (side < cpus_.size()) pin.emplace(cpus_[side]);
      if (side < neon.size()) {
        neon[side] = work_on_neon(pictures_of(plan.work, side), options_.window);
      } else {
        qpu = qpu_->work(options_.window);
      }
    });
    if (usage_ != nullptr) rates.gpu_busy = usage_->stop(Clock::now() - start);
    for (const WorkerResult& tally : neon) rates.neon += tally.passes_per_second();
    rates.qpu = qpu.passes_per_second();
    return rates;
  }

  [[nodiscard]] std::vector<BranchRate> branches(const WindowPlan& plan) {
    if (plan.qpu) return qpu_->branch_rates();
    return workload().branch_rates(own_.front()->memory.bytes());
  }

 private:
  [[nodiscard]] std::shared_ptr<const Workload> first_of(WorkloadSource& source) const {
    std::shared_ptr<const Workload> workload = source.next();
    if (workload == nullptr) throw usage_error("'{}' has no pictures", options_.input);
    return workload;
  }

  void fill(std::vector<std::unique_ptr<HeapPicture>>& pictures,
            const std::shared_ptr<const Workload>& workload) const {
    for (int thread = 0; thread < options_.threads; ++thread) {
      pictures.push_back(std::make_unique<HeapPicture>(workload));
    }
  }

  std::vector<HeapPicture*> pictures_of(WindowWork work, std::size_t thread) const {
    switch (work) {
      case WindowWork::same:
        return {own_[thread].get()};
      case WindowWork::mixed_neon:
        return {own_[thread].get(), other_[thread].get()};
      case WindowWork::mixed_qpu:
        return {other_[thread].get()};
    }
    return {};
  }

  const GateOptions& options_;
  BoardWatch* watch_;
  GpuUsage* usage_;
  std::vector<int> cpus_;
  std::string origin_;
  std::vector<std::unique_ptr<HeapPicture>> own_;
  std::vector<std::unique_ptr<HeapPicture>> other_;
  std::unique_ptr<QpuWorker> qpu_;
};

double rate_of(const WindowPlan& plan, const WindowRates& rates, std::size_t units) {
  switch (plan.work) {
    case WindowWork::same:
      return (rates.neon + rates.qpu) * static_cast<double>(units);
    case WindowWork::mixed_neon:
      return rates.neon;
    case WindowWork::mixed_qpu:
      return std::min(rates.neon, rates.qpu);
  }
  return 0;
}

/// Returns the companion kernel's name, or why it has no work on this content.
Outcome<std::string> find_mixed_work(const KernelUnderTest& subject, const GateOptions& options,
                                     Content content) {
  using Found = Outcome<std::string>;
  if (subject.beside == nullptr) return Found::none("no other kernel is registered");
  const std::string name(subject.beside->name);
  try {
    if (WorkloadSource(*subject.beside, options, content).next() != nullptr) return {name};
    return Found::none(fmt::format("{} has no work in '{}'", name, options.input));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
    return Found::none(fmt::format("{}: {}", name, error.what()));
  }
}

/// Sets the gains, unless the Vulkan device is a CPU: its gain says nothing about a GPU.
void add_pay_off(const KernelUnderTest& subject, int threads, ContentWindows& result) {
  if ((*subject.device)->info().is_cpu()) return;
  result.same = pay_off(result.windows, false, threads);
  result.mixed = pay_off(result.windows, true, threads);
  if (result.content == Content::input && subject.played) {
    result.player_pay_off = subject.played->pay_off;
  }
  if (result.player) result.player_pay_off = compute_gain(*result.player);
}

/// Runs the playback test, unless another kernel of the stage has run it already.
void add_player(const KernelUnderTest& subject, const GateOptions& options,
                ContentWindows& result) {
  if (result.content != Content::input || subject.kernel->player_stage.empty()) return;
  if (!subject.played) {
    result.player = run_m4_player(subject, options);
    return;
  }
  result.player.reason = fmt::format("the playback test ran for {}: it covers the whole stage ({})",
                                     subject.played->kernel, subject.kernel->player_stage);
}

}  // namespace

bool ConcurrencyReport::agrees() const {
  return std::ranges::all_of(contents, [](const ContentWindows& content) {
    return !content.player || content.player->agrees();
  });
}

const char* to_string(WindowWork work) {
  switch (work) {
    case WindowWork::same:
      return "same";
    case WindowWork::mixed_neon:
      return "mixed_neon";
    case WindowWork::mixed_qpu:
      return "mixed_qpu";
  }
  return "unknown";
}

std::string WindowPlan::label() const {
  std::string text;
  if (neon_threads > 0) text = fmt::format("NEON x{}", neon_threads);
  if (qpu) text += text.empty() ? "QPU alone" : " + QPU";
  return text;
}

std::vector<WindowPlan> window_plans(int threads, bool mixed) {
  std::vector<WindowPlan> plans{{WindowWork::same, 1, false}};
  if (threads > 1) plans.push_back({WindowWork::same, threads, false});
  plans.push_back({WindowWork::same, 0, true});
  if (threads > 1) plans.push_back({WindowWork::same, threads - 1, true});
  plans.push_back({WindowWork::same, threads, true});
  if (!mixed) return plans;
  plans.push_back({WindowWork::mixed_neon, threads, false});
  if (threads > 1) plans.push_back({WindowWork::mixed_qpu, threads - 1, true});
  plans.push_back({WindowWork::mixed_qpu, threads, true});
  return plans;
}

std::optional<SpeedGain> pay_off(const std::vector<WindowResult>& windows, bool mixed,
                                 int threads) {
  const WindowResult* baseline = nullptr;
  const WindowResult* best = nullptr;
  for (const WindowResult& window : windows) {
    if ((window.plan.work != WindowWork::same) != mixed) continue;
    if (!window.plan.qpu) {
      if (window.plan.neon_threads == threads) baseline = &window;
    } else if (window.plan.neon_threads > 0 &&
               (best == nullptr || window.rate.median > best->rate.median)) {
      best = &window;
    }
  }
  if (baseline == nullptr || best == nullptr) return std::nullopt;
  return compute_gain(best->rate, baseline->rate, best->plan.label());
}

std::optional<SpeedGain> compute_gain(const SampleSet& mixed, const SampleSet& baseline,
                                      const std::string& winner) {
  if (baseline.median <= 0) return std::nullopt;
  return SpeedGain{mixed.median / baseline.median - 1,
                   mixed.min > baseline.max || mixed.max < baseline.min, winner};
}

std::optional<SpeedGain> compute_gain(const PlaybackResult& player) {
  const std::string together = WindowPlan{WindowWork::mixed_qpu, player.threads, true}.label();
  const bool divide = player.divided && player.divided->rate.median > player.mixed.median;
  return compute_gain(divide ? player.divided->rate : player.mixed, player.neon,
                      divide ? together + ", divided" : together);
}

ContentWindows run_m4_decoder(const KernelUnderTest& subject, const GateOptions& options,
                              const std::string& variant) {
  ContentWindows result;
  result.content = Content::input;
  result.variant = variant;
  result.beside.reason = "a playback test does all the work of a decoder";
  add_player(subject, options, result);
  if (result.player) result.origin = result.player->origin;
  add_pay_off(subject, options.threads, result);
  return result;
}

ContentWindows run_m4_content(const KernelUnderTest& subject, const GateOptions& options,
                              Content content, const std::string& variant) {
  ContentWindows result;
  result.content = content;
  result.variant = variant;
  result.beside = find_mixed_work(subject, options, content);
  const bool mixed = bool(result.beside);
  TimeWindowRunner stage(subject, options, content, variant, mixed);
  result.origin = stage.origin();
  result.units = stage.workload().units();
  result.branches = stage.pristine_branches();

  const std::vector<WindowPlan> plans = window_plans(options.threads, mixed);
  std::vector<std::vector<WindowRates>> rates(plans.size());
  result.windows.resize(plans.size());
  Progress progress(fmt::format("M4 {} {}, windows", subject.kernel->name, to_string(content)),
                    plans.size() * static_cast<std::size_t>(options.rounds));
  std::uint64_t done = 0;
  for (int round = 0; round < options.rounds; ++round) {
    for (std::size_t i = 0; i < plans.size(); ++i) {
      // Every second round runs in reverse order, so that warming up favours no configuration.
      const std::size_t plan = round % 2 == 0 ? i : plans.size() - 1 - i;
      rates[plan].push_back(stage.run(plans[plan]));
      if (subject.usage != nullptr) {
        result.windows[plan].gpu_busy.push_back(rates[plan].back().gpu_busy);
      }
      if (subject.watch != nullptr) result.windows[plan].states.push_back(subject.watch->take());
      result.windows[plan].branches_at_end = stage.branches(plans[plan]);
      progress.update(++done);
    }
  }
  for (std::size_t plan = 0; plan < plans.size(); ++plan) {
    std::vector<double> neon, qpu, rate;
    for (const WindowRates& round : rates[plan]) {
      neon.push_back(round.neon);
      qpu.push_back(round.qpu);
      rate.push_back(rate_of(plans[plan], round, result.units));
    }
    WindowResult& window = result.windows[plan];
    window.plan = plans[plan];
    window.neon_passes = SampleSet(std::move(neon));
    window.qpu_passes = SampleSet(std::move(qpu));
    window.rate = SampleSet(std::move(rate));
  }
  add_player(subject, options, result);
  add_pay_off(subject, options.threads, result);
  return result;
}

}  // namespace sidecore::gates
