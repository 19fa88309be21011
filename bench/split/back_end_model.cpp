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
  struct Stage {
    double driver = 0;
    ModelledInterval seconds;
    /// Of submissions that do nothing else, and of how many pictures that have any.
    ModelledInterval fixed_alone;
    double pictures = 0;
  };
  std::array<Stage, kBackEndStages.size()> stages{};
  ModelledInterval fixed;          ///< of all stages in one submission
  ModelledInterval fixed_divided;  ///< of two: before intra prediction, and from there on
  double pictures = 0;

  void add(const ReconstructedPicture& picture, const BackEndDrivers& drivers,
           const FixedCosts& costs) {
    for (std::size_t index = 0; index < stages.size(); ++index) {
      const ModelledStage& modelled = picture.stages[index];
      Stage& stage = stages[index];
      stage.driver += drivers[index];
      stage.seconds += modelled.seconds;
      stage.fixed_alone += costs.of(modelled.dispatches);
      stage.pictures += modelled.dispatches > 0 ? 1 : 0;
    }
    const std::uint64_t divided = picture.of(BackEndStage::inter_prediction).dispatches +
                                  picture.of(BackEndStage::inverse_transform).dispatches;
    fixed += costs.of(picture.dispatches());
    fixed_divided += costs.of(divided);
    fixed_divided += costs.of(picture.dispatches() - divided);
    pictures += 1;
  }
  [[nodiscard]] Estimate of(BackEndStage which, const BackEndDrivers& frame) const {
    const Stage& stage = stages[index_of(which)];
    if (stage.driver <= 0) return {};
    const double share = frame[index_of(which)] / stage.driver;
    return estimate({stage.seconds.low * share, stage.seconds.high * share});
  }
  [[nodiscard]] Estimate of_submission_alone(BackEndStage which) const {
    const Stage& stage = stages[index_of(which)];
    return stage.pictures > 0 ? mean(stage.fixed_alone, stage.pictures) : Estimate{};
  }
  [[nodiscard]] Estimate of_submissions(bool divided) const {
    return mean(divided ? fixed_divided : fixed, pictures);
  }

 private:
  static Estimate mean(const ModelledInterval& sum, double count) {
    return estimate({sum.low / count, sum.high / count});
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

/// Until both sides of what is divided are done, at the same moment; these are what each would take
/// alone. At the worst the slower one is of no use.
Estimate divided(const Estimate& qpu, const Estimate& cpu) {
  const auto both = [](double one, double other) {
    return one + other > 0 ? one * other / (one + other) : 0;
  };
  return {both(qpu.low, cpu.low), both(qpu.expected, cpu.expected), std::min(qpu.high, cpu.high)};
}

/// Of seconds what `share` is of `sum`.
Estimate part_of(const Estimate& seconds, const Estimate& share, const Estimate& sum) {
  const auto part = [](double all, double one, double of) { return of > 0 ? all * one / of : 0; };
  return {part(seconds.low, share.low, sum.low),
          part(seconds.expected, share.expected, sum.expected),
          part(seconds.high, share.high, sum.high)};
}

/// What it takes to write down a frame's work for a stage on the QPU.
Estimate arrays_of(Stage stage, const KernelCounts& counts, const BoardCosts& board) {
  armsim::Cycles cycles{};
  switch (stage) {
    case Stage::prediction:
      cycles = board.stream.prediction_call * (counts.prediction_calls - intra_calls(counts));
      break;
    case Stage::intra:
      cycles = board.stream.prediction_call * intra_calls(counts);
      break;
    case Stage::residual:
      cycles = board.stream.transform_call * counts.transform_calls;
      break;
    default:
      cycles = board.stream.filter_edge * sum_of(counts.edges);
  }
  const double second = board.board.clock_hz;
  return {cycles.low / second, cycles.expected / second, cycles.high / second};
}

/// A frame under a plan.
struct PlannedFrame {
  struct OnThreads {
    ModelledStages stages{};
    Estimate cpu{};  ///< that CPUs work
  };
  OnThreads one;
  OnThreads all;
};

/// What qpu::PictureReconstruction does of a frame, and in what order.
class FramePlanner {
 public:
  FramePlanner(const ModelledHost& host, ReconstructionPlace place)
      : host_(&host), plan_(&decode_plan(place)), alone_(stages_on_qpu() == 1) {}

  [[nodiscard]] PlannedFrame planned(FrameKind kind, const KernelCounts& counts,
                                     const ModelledStages& neon, const Rates& rates) const {
    const bool intra_frame = kind == FrameKind::intra;
    PlannedFrame frame;
    // One thread derives a frame's edges where it is reconstructed as a whole.
    for (const Stage stage : kHostStages) {
      add_cpu(stage, neon[index_of(stage)], stage == Stage::parsing, frame);
    }
    const BackEndDrivers drivers = drivers_of(counts);
    Estimate qpu_of_divided;
    Estimate cpu_of_divided;
    Estimate cpu_of_divided_on_all;
    for (const SharedStage& shared : kSharedStages) {
      const Stage stage = shared.stage;
      const Estimate cpu = cpu_of(stage, neon, intra_frame);
      if (!is_on_qpu(stage, intra_frame)) {
        add_cpu(stage, cpu, threads_help(stage, intra_frame), frame);
        continue;
      }
      if (host_->board != nullptr) {
        const Estimate arrays = arrays_of(stage, counts, *host_->board);
        add_cpu(alone_ ? stage : Stage::submission, arrays, false, frame);
      }
      Estimate qpu = rates.of(shared.on_qpu, drivers);
      if (alone_ && drivers[index_of(shared.on_qpu)] > 0) {
        qpu += rates.of_submission_alone(shared.on_qpu);
      }
      if (is_divided(stage, intra_frame)) {
        qpu_of_divided += qpu;
        cpu_of_divided += cpu;
        cpu_of_divided_on_all += on_all(stage, cpu);
      } else {
        add(stage, qpu, frame);
      }
    }
    // All stages that are divided are so at the same row.
    const Estimate one = divided(qpu_of_divided, cpu_of_divided);
    const Estimate all = divided(qpu_of_divided, cpu_of_divided_on_all);
    for (const SharedStage& shared : kSharedStages) {
      if (!is_divided(shared.stage, intra_frame)) continue;
      const Estimate qpu = rates.of(shared.on_qpu, drivers);
      frame.one.stages[index_of(shared.stage)] += part_of(one, qpu, qpu_of_divided);
      frame.all.stages[index_of(shared.stage)] += part_of(all, qpu, qpu_of_divided);
    }
    // As much of the CPU's work as of its time.
    frame.one.cpu += one;
    frame.all.cpu += part_of(all, cpu_of_divided, cpu_of_divided_on_all);
    if (!alone_) {
      add(Stage::waiting, rates.of_submissions(is_divided(Stage::residual, intra_frame)), frame);
    }
    return frame;
  }

 private:
  [[nodiscard]] std::ptrdiff_t stages_on_qpu() const {
    return std::ranges::count_if(qpu::kPlannedStages,
                                 [&](qpu::PlannedStage stage) { return plan_->on_qpu(stage); });
  }
  /// Who predicts intra blocks adds their residual, which is all of an intra frame's.
  [[nodiscard]] bool is_on_qpu(Stage stage, bool intra_frame) const {
    const bool of_intra = stage == Stage::residual && intra_frame;
    return plan_->on_qpu(*planned_stage(stage)) &&
           (!of_intra || plan_->on_qpu(qpu::PlannedStage::intra));
  }
  /// Intra frames are not, of others inter blocks; that few of their blocks are intra is assumed.
  [[nodiscard]] bool is_divided(Stage stage, bool intra_frame) const {
    return !intra_frame && plan_->is_divided(*planned_stage(stage));
  }
  /// Rows with intra blocks wait for one another.
  [[nodiscard]] bool threads_help(Stage stage, bool intra_frame) const {
    if (stage == Stage::intra) return false;
    if (stage != Stage::residual) return true;
    return plan_->on_qpu(qpu::PlannedStage::intra) && !intra_frame;
  }
  /// Where the QPU predicts intra blocks by the CPU's transforms, each of these runs twice.
  [[nodiscard]] Estimate cpu_of(Stage stage, const ModelledStages& neon, bool intra_frame) const {
    double factor = stage == Stage::filter ? 1 : host_->memory_factor;
    if (stage == Stage::residual && intra_frame && plan_->on_qpu(qpu::PlannedStage::intra)) {
      factor *= 2;
    }
    const Estimate& seconds = neon[index_of(stage)];
    return {seconds.low * factor, seconds.expected * factor, seconds.high * factor};
  }
  [[nodiscard]] Estimate on_all(Stage stage, const Estimate& seconds) const {
    const Estimate& ratio = host_->threads.all_threads[index_of(stage)];
    return {seconds.low * ratio.low, seconds.expected * ratio.expected, seconds.high * ratio.high};
  }
  static void add(Stage stage, const Estimate& seconds, PlannedFrame& frame) {
    frame.one.stages[index_of(stage)] += seconds;
    frame.all.stages[index_of(stage)] += seconds;
  }
  void add_cpu(Stage stage, const Estimate& seconds, bool threads_help, PlannedFrame& frame) const {
    frame.one.stages[index_of(stage)] += seconds;
    frame.all.stages[index_of(stage)] += threads_help ? on_all(stage, seconds) : seconds;
    frame.one.cpu += seconds;
    frame.all.cpu += seconds;
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
    std::vector<Estimate> cpu;
    PlannedFrame sum;
    for (std::size_t frame = 0; frame < work.size(); ++frame) {
      PlannedFrame planned;
      if (const FrameKind kind = work[frame].kind; !work[frame].repeated) {
        planned = planner.planned(kind, frames[frame].counts, host.neon[frame], rates.of(kind));
      }
      for (std::size_t index = 0; index < kStages.size(); ++index) {
        by_stage[index].push_back(planned.one.stages[index]);
        sum.one.stages[index] += planned.one.stages[index];
        sum.all.stages[index] += planned.all.stages[index];
      }
      cpu.push_back(planned.one.cpu);
      sum.one.cpu += planned.one.cpu;
      sum.all.cpu += planned.all.cpu;
    }
    BackEndCost& cost = costs[place];
    for (const Stage stage : kStages) {
      const std::size_t index = index_of(stage);
      cost.stages.one_thread[index] = lines_through(work, by_stage[index], followed_by(stage));
      cost.stages.all_threads[index] = ratio(sum.all.stages[index], sum.one.stages[index]);
    }
    cost.stages.error = host.threads.error;
    cost.cpu = lines_through(work, cpu, Follows::bytes);
    cost.cpu_on_all_threads = ratio(sum.all.cpu, sum.one.cpu);
    cost.parses_ahead = true;
  }
  return costs;
}

}  // namespace sidecore::split
