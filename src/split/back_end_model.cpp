#include "split/back_end_model.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace sidecore::split {
namespace {

/// Those that stay the CPU's, whatever the plan.
constexpr std::array kHostStages{Stage::parsing, Stage::edges, Stage::other};

struct SharedStage {
  Stage stage;
  BackEndStage on_qpu;
};
constexpr std::array kSharedStages{SharedStage{Stage::prediction, BackEndStage::inter_prediction},
                                   SharedStage{Stage::residual, BackEndStage::inverse_transform},
                                   SharedStage{Stage::intra, BackEndStage::intra_prediction},
                                   SharedStage{Stage::filter, BackEndStage::loop_filter}};

std::size_t index_of(auto value) {
  return static_cast<std::size_t>(value);
}

double sum_of(const EdgeCounts& edges) {
  double sum = 0;
  for (const auto& widths : edges) {
    for (const double count : widths) sum += count;
  }
  return sum;
}

Estimate& operator+=(Estimate& sum, const Estimate& more) {
  sum.low += more.low;
  sum.expected += more.expected;
  sum.high += more.high;
  return sum;
}

Estimate estimate(const ModelledInterval& interval) {
  return {interval.low, interval.middle(), interval.high};
}

/// Of the frames that are coded: the number that a model's picture has is the index here.
std::vector<std::size_t> coded_frames(const Stream& stream) {
  std::vector<std::size_t> coded;
  for (std::size_t frame = 0; frame < stream.sample_frames; ++frame) {
    if (!stream.work[frame].repeated) coded.push_back(frame);
  }
  return coded;
}

/// What the model's pictures took together, and what drove it.
struct Rates {
  BackEndDrivers drivers{};
  std::array<ModelledInterval, kBackEndStages.size()> seconds{};
  ModelledInterval fixed;  ///< of all stages in one submission
  std::array<ModelledInterval, kBackEndStages.size()> fixed_alone{};  ///< of each in one
  double pictures = 0;

  void add(const ReconstructedPicture& picture, const BackEndDrivers& of_picture,
           const FixedCosts& costs) {
    for (std::size_t stage = 0; stage < seconds.size(); ++stage) {
      drivers[stage] += of_picture[stage];
      seconds[stage] += picture.stages[stage].seconds;
      fixed_alone[stage] += costs.of(picture.stages[stage].dispatches);
    }
    fixed += costs.of(picture.dispatches());
    pictures += 1;
  }
  [[nodiscard]] Estimate of(BackEndStage stage, const BackEndDrivers& frame) const {
    const std::size_t index = index_of(stage);
    if (drivers[index] <= 0) return {};
    const double share = frame[index] / drivers[index];
    return estimate({seconds[index].low * share, seconds[index].high * share});
  }
  [[nodiscard]] Estimate of_a_picture(const ModelledInterval& all) const {
    return estimate({all.low / pictures, all.high / pictures});
  }
};

/// Those of intra frames, and of the others.
struct RatesByKind {
  Rates intra;
  Rates others;
  Rates all;

  [[nodiscard]] const Rates& of(FrameKind kind) const {
    const Rates& own = kind == FrameKind::intra ? intra : others;
    return own.pictures > 0 ? own : all;
  }
};

RatesByKind rates_of(const Stream& stream, std::span<const CountedFrame> frames,
                     const PictureModel& model) {
  const std::vector<std::size_t> coded = coded_frames(stream);
  RatesByKind rates;
  for (const ReconstructedPicture& picture : model.back_end) {
    if (picture.frame >= coded.size()) continue;
    const BackEndDrivers drivers = drivers_of(frames[coded[picture.frame]].counts);
    for (Rates* const sums : {picture.intra ? &rates.intra : &rates.others, &rates.all}) {
      sums->add(picture, drivers, model.fixed_costs());
    }
  }
  assert(rates.all.pictures > 0);
  return rates;
}

Estimate scaled(const Estimate& seconds, const Estimate& by) {
  return {seconds.low * by.low, seconds.expected * by.expected, seconds.high * by.high};
}

Estimate scaled(const Estimate& seconds, double by) {
  return scaled(seconds, {by, by, by});
}

/// Until both sides of a divided stage are done, at the same moment; these are what each would take
/// alone. At the worst the slower one is of no use.
Estimate divided(const Estimate& qpu, const Estimate& cpu) {
  const auto both = [](double one, double other) {
    return one + other > 0 ? one * other / (one + other) : 0;
  };
  return {both(qpu.low, cpu.low), both(qpu.expected, cpu.expected), std::min(qpu.high, cpu.high)};
}

/// What it takes to write down a frame's work for the QPU.
Estimate arrays_of(const KernelCounts& counts, const qpu::DecodePlan& plan,
                   const BoardCosts& board) {
  armsim::Cycles cycles{};
  if (plan.on_qpu(qpu::PlannedStage::prediction)) {
    cycles = cycles + board.stream.prediction_call * counts.prediction_calls;
  }
  if (plan.on_qpu(qpu::PlannedStage::residual)) {
    cycles = cycles + board.stream.transform_call * counts.transform_calls;
  }
  if (plan.on_qpu(qpu::PlannedStage::loop_filter)) {
    cycles = cycles + board.stream.filter_edge * sum_of(counts.edges);
  }
  const double second = board.board.clock_hz;
  return {cycles.low / second, cycles.expected / second, cycles.high / second};
}

/// A frame under a plan.
struct PlannedFrame {
  ModelledStages one_thread{};
  ModelledStages all_threads{};
  Estimate cpu{};  ///< on one thread
};

class FramePlanner {
 public:
  FramePlanner(const ModelledHost& host, ReconstructionPlace place)
      : host_(&host), plan_(&decode_plan(place)), alone_(stages_on_qpu() == 1) {}

  [[nodiscard]] PlannedFrame planned(const KernelCounts& counts, const ModelledStages& neon,
                                     const Rates& rates) const {
    PlannedFrame frame;
    // One thread derives a frame's edges for the QPU.
    const bool divide = !plan_->on_qpu(qpu::PlannedStage::loop_filter);
    for (const Stage stage : kHostStages) {
      add_cpu(stage, neon[index_of(stage)], divide || stage == Stage::parsing, frame);
    }
    if (host_->board != nullptr) {
      add_cpu(Stage::submission, arrays_of(counts, *plan_, *host_->board), false, frame);
    }
    for (const SharedStage& shared : kSharedStages) {
      const Estimate cpu = scaled(neon[index_of(shared.stage)], host_->memory_factor);
      const Estimate qpu = of_qpu(shared.on_qpu, drivers_of(counts), rates);
      const qpu::PlannedStage planned = *planned_stage(shared.stage);
      if (plan_->is_divided(planned)) {
        const Estimate one = divided(qpu, cpu);
        frame.one_thread[index_of(shared.stage)] = one;
        frame.all_threads[index_of(shared.stage)] = divided(qpu, on_all(shared.stage, cpu));
        frame.cpu += one;
      } else if (plan_->on_qpu(planned)) {
        frame.one_thread[index_of(shared.stage)] = frame.all_threads[index_of(shared.stage)] = qpu;
      } else {
        add_cpu(shared.stage, cpu, true, frame);
      }
    }
    if (!alone_) {
      const Estimate fixed = rates.of_a_picture(rates.fixed);
      frame.one_thread[index_of(Stage::waiting)] = fixed;
      frame.all_threads[index_of(Stage::waiting)] = fixed;
    }
    return frame;
  }

 private:
  [[nodiscard]] std::ptrdiff_t stages_on_qpu() const {
    return std::ranges::count_if(qpu::kPlannedStages,
                                 [&](qpu::PlannedStage stage) { return plan_->on_qpu(stage); });
  }
  [[nodiscard]] Estimate on_all(Stage stage, const Estimate& seconds) const {
    return scaled(seconds, host_->threads.all_threads[index_of(stage)]);
  }
  void add_cpu(Stage stage, const Estimate& seconds, bool threads_help, PlannedFrame& frame) const {
    frame.one_thread[index_of(stage)] = seconds;
    frame.all_threads[index_of(stage)] = threads_help ? on_all(stage, seconds) : seconds;
    frame.cpu += seconds;
  }
  [[nodiscard]] Estimate of_qpu(BackEndStage stage, const BackEndDrivers& drivers,
                                const Rates& rates) const {
    Estimate seconds = rates.of(stage, drivers);
    if (alone_ && drivers[index_of(stage)] > 0) {
      seconds += rates.of_a_picture(rates.fixed_alone[index_of(stage)]);
    }
    return seconds;
  }

  const ModelledHost* host_;
  const qpu::DecodePlan* plan_;
  bool alone_;  ///< a single stage is the QPU's
};

Estimate ratio(const Estimate& above, const Estimate& below) {
  const auto of = [](double one, double other) { return other > 0 ? one / other : 1; };
  return {of(above.low, below.low), of(above.expected, below.expected), of(above.high, below.high)};
}

CostRange lines_through(std::span<const FrameWork> work, std::span<const Estimate> frames,
                        Follows follows) {
  const auto line = [&](double Estimate::*end) {
    std::vector<double> seconds;
    seconds.reserve(frames.size());
    for (const Estimate& frame : frames) seconds.push_back(frame.*end);
    return FrameCosts(work, seconds, follows);
  };
  return {line(&Estimate::low), line(&Estimate::expected), line(&Estimate::high)};
}

}  // namespace

BackEndDrivers drivers_of(const KernelCounts& counts) {
  constexpr double kSmallest = 4;  // of blocks' widths
  const auto samples = [](std::size_t size, double blocks) {
    const double side = kSmallest * static_cast<double>(std::size_t{1} << size);
    return blocks * side * side;
  };
  BackEndDrivers drivers{};
  for (const auto& kinds : counts.inter) {
    for (const auto& sizes : kinds) {
      for (std::size_t size = 0; size < sizes.size(); ++size) {
        drivers[index_of(BackEndStage::inter_prediction)] += samples(size, sizes[size]);
      }
    }
  }
  for (std::size_t size = 0; size < counts.transforms.size(); ++size) {
    for (const auto& extents : counts.transforms[size]) {
      for (const double blocks : extents) {
        drivers[index_of(BackEndStage::inverse_transform)] += samples(size, blocks);
      }
    }
  }
  for (const auto& sizes : counts.intra) {
    for (const double blocks : sizes) {
      drivers[index_of(BackEndStage::intra_prediction)] += blocks;
    }
  }
  drivers[index_of(BackEndStage::loop_filter)] = sum_of(counts.edges);
  return drivers;
}

std::vector<ModelledStages> modelled_neon_stages(const Stream& stream,
                                                 std::span<const CountedFrame> frames,
                                                 const BoardCosts& costs) {
  std::vector<ModelledStages> all;
  all.reserve(frames.size());
  for (std::size_t frame = 0; frame < frames.size(); ++frame) {
    all.push_back(modelled_stages(frames[frame].counts, stream.work[frame], stream, costs));
  }
  return all;
}

std::vector<ModelledStages> measured_neon_stages(const Sample& sample) {
  const auto neon = std::ranges::find(sample.trials, Plan{FilterPlace::neon, 1}, &Trial::plan);
  assert(neon != sample.trials.end());
  std::vector<ModelledStages> all;
  all.reserve(neon->frames.size());
  for (const FrameCost& frame : neon->frames) {
    ModelledStages& stages = all.emplace_back();
    for (const Stage stage : kStages) {
      const double seconds = frame.seconds[index_of(stage)];
      stages[index_of(stage)] = {seconds, seconds, seconds};
    }
  }
  return all;
}

BackEndCosts modelled_back_end_costs(const Stream& stream, std::span<const CountedFrame> frames,
                                     const ModelledHost& host, const PictureModel& model) {
  const std::span<const FrameWork> work = stream.sample_work();
  const RatesByKind rates = rates_of(stream, frames, model);
  BackEndCosts costs;
  for (const ReconstructionPlace place : kReconstructionPlaces) {
    if (place == ReconstructionPlace::cpu) continue;
    const FramePlanner planner(host, place);
    std::array<std::vector<Estimate>, kStages.size()> by_stage;
    ModelledStages one_thread{};  // sums over the frames
    ModelledStages all_threads{};
    std::vector<Estimate> cpu;
    for (std::size_t frame = 0; frame < work.size(); ++frame) {
      PlannedFrame planned;
      if (!work[frame].repeated) {
        planned =
            planner.planned(frames[frame].counts, host.neon[frame], rates.of(work[frame].kind));
      }
      for (const Stage stage : kStages) {
        const std::size_t index = index_of(stage);
        by_stage[index].push_back(planned.one_thread[index]);
        one_thread[index] += planned.one_thread[index];
        all_threads[index] += planned.all_threads[index];
      }
      cpu.push_back(planned.cpu);
    }
    BackEndCost& cost = costs[place];
    cost.cpu = lines_through(work, cpu, Follows::bytes);
    for (const Stage stage : kStages) {
      const std::size_t index = index_of(stage);
      cost.stages.one_thread[index] = lines_through(work, by_stage[index], followed_by(stage));
      cost.stages.all_threads[index] = ratio(all_threads[index], one_thread[index]);
    }
    cost.stages.error = host.threads.error;
    // Where a stage of the CPU's comes after one of the QPU's, the next frame is not begun before.
    cost.works_ahead = place == ReconstructionPlace::qpu || place == ReconstructionPlace::divided;
  }
  return costs;
}

}  // namespace sidecore::split
