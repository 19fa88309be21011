#include "model/back_end_model.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace sidecore::model {
namespace {

using vp9::Stage;

/// Rows of the clock whose work the CPU does under every plan.
constexpr std::array kHostRows{ClockRow::parsing, ClockRow::edge_derivation, ClockRow::other};

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

/// Returns the indices of the coded frames to measure. ReconstructedPicture::frame counts coded
/// frames, so it is an index into this vector.
std::vector<std::size_t> coded_frames(const Stream& stream) {
  std::vector<std::size_t> coded;
  for (std::size_t frame = 0; frame < stream.sample_frames; ++frame) {
    if (!stream.work[frame].repeated) coded.push_back(frame);
  }
  return coded;
}

/// Sums over the model's pictures: seconds and amounts of work.
struct Rates {
  struct Work {
    double driver = 0;
    ModelledInterval seconds;
    ModelledInterval fixed_alone;  ///< fixed costs if each submission contains only this stage
    double pictures = 0;           ///< number of pictures with work in this stage
  };
  vp9::PerStage<Work> stages{};
  ModelledInterval fixed;  ///< fixed costs of one submission with all stages
  /// Fixed costs of two submissions: stages before intra prediction, and the others.
  ModelledInterval fixed_divided;
  double pictures = 0;

  void add(const ReconstructedPicture& picture, const BackEndDrivers& drivers,
           const FixedCosts& costs) {
    for (const Stage stage : vp9::kStages) {
      const ModelledStage& modelled = picture.stages[stage];
      Work& work = stages[stage];
      work.driver += drivers[stage];
      work.seconds += modelled.seconds;
      work.fixed_alone += costs.of(modelled.dispatches);
      work.pictures += modelled.dispatches > 0 ? 1 : 0;
    }
    const std::uint64_t divided =
        picture.stages.prediction.dispatches + picture.stages.residual.dispatches;
    fixed += costs.of(picture.dispatches());
    fixed_divided += costs.of(divided);
    fixed_divided += costs.of(picture.dispatches() - divided);
    pictures += 1;
  }
  [[nodiscard]] Estimate of(Stage stage, const BackEndDrivers& frame) const {
    const Work& work = stages[stage];
    if (work.driver <= 0) return {};
    const double share = frame[stage] / work.driver;
    return estimate({work.seconds.low * share, work.seconds.high * share});
  }
  [[nodiscard]] Estimate of_submission_alone(Stage stage) const {
    const Work& work = stages[stage];
    return work.pictures > 0 ? mean(work.fixed_alone, work.pictures) : Estimate{};
  }
  [[nodiscard]] Estimate of_submissions(bool divided) const {
    return mean(divided ? fixed_divided : fixed, pictures);
  }

 private:
  static Estimate mean(const ModelledInterval& sum, double count) {
    return estimate({sum.low / count, sum.high / count});
  }
};

/// Rates of intra frames and of other frames.
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
    const BackEndDrivers drivers = count_drivers(frames[coded[picture.frame]].counts);
    for (Rates* const sums : {picture.intra ? &rates.intra : &rates.others, &rates.all}) {
      sums->add(picture, drivers, model.fixed_costs());
    }
  }
  assert(rates.all.pictures > 0);
  return rates;
}

/// Returns the time of divided work. `qpu` and `cpu` are the times of each processor alone; both
/// finish at the same moment. The high end is the time of the faster processor alone.
Estimate divided(const Estimate& qpu, const Estimate& cpu) {
  const auto both = [](double one, double other) {
    return one + other > 0 ? one * other / (one + other) : 0;
  };
  return {both(qpu.low, cpu.low), both(qpu.expected, cpu.expected), std::min(qpu.high, cpu.high)};
}

/// Returns the share of divided work that the CPU does, with times as in divided().
double cpu_share(const Estimate& qpu, const Estimate& cpu) {
  const double both = qpu.expected + cpu.expected;
  return both > 0 ? qpu.expected / both : 0;
}

/// Returns seconds * share / sum.
Estimate part_of(const Estimate& seconds, const Estimate& share, const Estimate& sum) {
  const auto part = [](double all, double one, double of) { return of > 0 ? all * one / of : 0; };
  return {part(seconds.low, share.low, sum.low),
          part(seconds.expected, share.expected, sum.expected),
          part(seconds.high, share.high, sum.high)};
}

/// Returns the CPU seconds for writing the list of a frame's work for a stage on the QPU.
Estimate estimate_list_writing(Stage stage, const KernelCounts& counts, const BoardCosts& board) {
  Cycles cycles{};
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
    case Stage::loop_filter:
      cycles = board.stream.filter_edge * sum_of(counts.edges);
  }
  const double second = board.board.clock_hz;
  return {cycles.low / second, cycles.expected / second, cycles.high / second};
}

/// Times of a frame under a plan, on one thread and on all threads.
struct PlannedFrame {
  struct OnThreads {
    ModelledStages stages{};
    Estimate cpu{};           ///< CPU seconds, summed over all threads
    SampleTraffic traffic{};  ///< samples that the CPU accesses
  };
  OnThreads one;
  OnThreads all;
};

/// Modelled times of NEON's stages for one frame on one thread. The frame's samples are in ordinary
/// memory (`heap`) or in the GPU's memory (`gpu_memory`).
struct NeonFrame {
  const ModelledStages& heap;
  const ModelledStages& gpu_memory;
  vp9::PerStage<SampleTraffic> traffic;  ///< accesses to samples by stage
};

/// Estimates a frame's times under a plan, in the order in which qpu::PictureReconstruction works.
class FramePlanner {
 public:
  FramePlanner(const ModelledHost& host, const vp9::Plan& plan)
      : host_(&host), plan_(plan), alone_(stages_on_qpu() == 1) {}

  [[nodiscard]] PlannedFrame planned(FrameKind kind, const KernelCounts& counts,
                                     const NeonFrame& neon, const Rates& rates) const {
    const bool intra_frame = kind == FrameKind::intra;
    PlannedFrame frame;
    // More threads speed up only parsing, because one thread derives the edges of a frame that the
    // QPU has.
    for (const ClockRow row : kHostRows) {
      add_cpu(row, neon.heap[index_of(row)], row == ClockRow::parsing, frame);
    }
    const BackEndDrivers drivers = count_drivers(counts);
    Estimate qpu_of_divided;
    Estimate cpu_of_divided;
    Estimate cpu_of_divided_on_all;
    SampleTraffic traffic_of_divided;
    for (const Stage stage : vp9::kStages) {
      const ClockRow row = vp9::row_of(stage);
      const Estimate cpu = cpu_of(stage, neon, intra_frame);
      if (!is_on_qpu(stage, intra_frame)) {
        add_cpu(row, cpu, threads_help(stage, intra_frame), frame);
        if (makes_residual_only(stage, intra_frame)) continue;
        frame.one.traffic += neon.traffic[stage];
        frame.all.traffic += neon.traffic[stage];
        continue;
      }
      if (host_->board != nullptr) {
        const Estimate arrays = estimate_list_writing(stage, counts, *host_->board);
        add_cpu(alone_ ? row : ClockRow::submission, arrays, false, frame);
      }
      Estimate qpu = rates.of(stage, drivers);
      if (alone_ && drivers[stage] > 0) qpu += rates.of_submission_alone(stage);
      if (is_divided(stage, intra_frame)) {
        qpu_of_divided += qpu;
        cpu_of_divided += cpu;
        cpu_of_divided_on_all += on_all(row, cpu);
        traffic_of_divided += neon.traffic[stage];
      } else {
        add(row, qpu, frame);
      }
    }
    // All divided stages are divided at the same row.
    const Estimate one = divided(qpu_of_divided, cpu_of_divided);
    const Estimate all = divided(qpu_of_divided, cpu_of_divided_on_all);
    for (const Stage stage : vp9::kStages) {
      if (!is_divided(stage, intra_frame)) continue;
      const Estimate qpu = rates.of(stage, drivers);
      const std::size_t row = index_of(vp9::row_of(stage));
      frame.one.stages[row] += part_of(one, qpu, qpu_of_divided);
      frame.all.stages[row] += part_of(all, qpu, qpu_of_divided);
    }
    // The CPU works as long as the divided stages take.
    frame.one.cpu += one;
    frame.all.cpu += part_of(all, cpu_of_divided, cpu_of_divided_on_all);
    frame.one.traffic += traffic_of_divided * cpu_share(qpu_of_divided, cpu_of_divided);
    frame.all.traffic += traffic_of_divided * cpu_share(qpu_of_divided, cpu_of_divided_on_all);
    if (!alone_) {
      add(ClockRow::waiting, rates.of_submissions(is_divided(Stage::residual, intra_frame)), frame);
    }
    return frame;
  }

 private:
  [[nodiscard]] std::ptrdiff_t stages_on_qpu() const {
    return std::ranges::count_if(vp9::kStages, [&](Stage stage) { return plan_.on_qpu(stage); });
  }
  /// Returns true if the QPU does the stage. It adds an intra frame's residual only if it predicts
  /// intra blocks too.
  [[nodiscard]] bool is_on_qpu(Stage stage, bool intra_frame) const {
    const bool of_intra = stage == Stage::residual && intra_frame;
    return plan_.on_qpu(stage) && (!of_intra || plan_.on_qpu(Stage::intra));
  }
  /// Returns true if QPU and NEON divide the stage. Intra frames are not divided. Other frames are
  /// assumed to have few intra blocks, which are not divided either.
  [[nodiscard]] bool is_divided(Stage stage, bool intra_frame) const {
    return !intra_frame && plan_.is_divided(stage);
  }
  /// Returns true if more threads speed up NEON's stage: rows with intra blocks wait for each
  /// other.
  [[nodiscard]] bool threads_help(Stage stage, bool intra_frame) const {
    if (stage == Stage::intra) return false;
    if (stage != Stage::residual) return true;
    return plan_.on_qpu(Stage::intra) && !intra_frame;
  }
  /// Returns true if the CPU computes the residual of an intra frame for the QPU, which predicts
  /// the blocks. Each transform then runs twice, on the stack.
  [[nodiscard]] bool makes_residual_only(Stage stage, bool intra_frame) const {
    return stage == Stage::residual && intra_frame && plan_.on_qpu(Stage::intra);
  }
  /// Returns NEON's time for a stage.
  [[nodiscard]] Estimate cpu_of(Stage stage, const NeonFrame& neon, bool intra_frame) const {
    const bool on_stack = makes_residual_only(stage, intra_frame);
    double factor = stage == Stage::loop_filter ? 1 : host_->memory_factor;
    if (on_stack) factor *= 2;
    const Estimate& seconds =
        (on_stack ? neon.heap : neon.gpu_memory)[index_of(vp9::row_of(stage))];
    return {seconds.low * factor, seconds.expected * factor, seconds.high * factor};
  }
  [[nodiscard]] Estimate on_all(ClockRow stage, const Estimate& seconds) const {
    const Estimate& ratio = host_->threads.all_threads[index_of(stage)];
    return {seconds.low * ratio.low, seconds.expected * ratio.expected, seconds.high * ratio.high};
  }
  static void add(ClockRow stage, const Estimate& seconds, PlannedFrame& frame) {
    frame.one.stages[index_of(stage)] += seconds;
    frame.all.stages[index_of(stage)] += seconds;
  }
  void add_cpu(ClockRow stage, const Estimate& seconds, bool threads_help,
               PlannedFrame& frame) const {
    frame.one.stages[index_of(stage)] += seconds;
    frame.all.stages[index_of(stage)] += threads_help ? on_all(stage, seconds) : seconds;
    frame.one.cpu += seconds;
    frame.all.cpu += seconds;
  }

  const ModelledHost* host_;
  vp9::Plan plan_;
  bool alone_;  ///< true if only one stage is on the QPU
};

Estimate ratio(const Estimate& above, const Estimate& below) {
  const auto of = [](double one, double other) { return other > 0 ? one / other : 1; };
  return {of(above.low, below.low), of(above.expected, below.expected), of(above.high, below.high)};
}

CostRange lines_through(std::span<const FrameWork> work, std::span<const Estimate> frames,
                        ScalesWith follows) {
  const auto line = [&](double Estimate::*end) {
    std::vector<double> seconds;
    seconds.reserve(frames.size());
    for (const Estimate& frame : frames) seconds.push_back(frame.*end);
    return FrameCosts(work, seconds, follows);
  };
  return {line(&Estimate::low), line(&Estimate::expected), line(&Estimate::high)};
}

}  // namespace

BackEndDrivers count_drivers(const KernelCounts& counts) {
  constexpr double kSmallest = 4;  // smallest width of a block, in samples
  const auto samples = [](std::size_t size, double blocks) {
    const double side = kSmallest * static_cast<double>(std::size_t{1} << size);
    return blocks * side * side;
  };
  BackEndDrivers drivers{};
  for (const auto& kinds : counts.inter) {
    for (const auto& sizes : kinds) {
      for (std::size_t size = 0; size < sizes.size(); ++size) {
        drivers.prediction += samples(size, sizes[size]);
      }
    }
  }
  for (std::size_t size = 0; size < counts.transforms.size(); ++size) {
    for (const auto& extents : counts.transforms[size]) {
      for (const double blocks : extents) {
        drivers.residual += samples(size, blocks);
      }
    }
  }
  for (const auto& sizes : counts.intra) {
    for (const double blocks : sizes) {
      drivers.intra += blocks;
    }
  }
  drivers.loop_filter = sum_of(counts.edges);
  return drivers;
}

std::vector<ModelledStages> modelled_neon_stages(const Stream& stream,
                                                 std::span<const CountedFrame> frames,
                                                 const BoardCosts& costs, PictureMemory pictures) {
  std::vector<ModelledStages> all;
  all.reserve(frames.size());
  for (std::size_t frame = 0; frame < frames.size(); ++frame) {
    all.push_back(
        modelled_stages(frames[frame].counts, stream.work[frame], stream, costs, pictures));
  }
  return all;
}

std::vector<ModelledStages> measured_neon_stages(const Sample& sample) {
  const auto neon = std::ranges::find(sample.trials, Candidate{neon_plan(), 1}, &Trial::candidate);
  assert(neon != sample.trials.end());
  std::vector<ModelledStages> all;
  all.reserve(neon->frames.size());
  for (const FrameCost& frame : neon->frames) {
    ModelledStages& stages = all.emplace_back();
    for (const ClockRow stage : kClockRows) {
      const double seconds = frame.seconds[index_of(stage)];
      stages[index_of(stage)] = {seconds, seconds, seconds};
    }
  }
  return all;
}

std::vector<ReconstructionCost> modelled_back_end_costs(const Stream& stream,
                                                        std::span<const CountedFrame> frames,
                                                        const ModelledHost& host,
                                                        const PictureModel& model) {
  const std::span<const FrameWork> work = stream.sample_work();
  const RatesByKind rates = rates_of(stream, frames, model);
  std::vector<ReconstructionCost> costs;
  for (const vp9::Plan& plan : reconstruction_plans()) {
    const FramePlanner planner(host, plan);
    std::array<std::vector<Estimate>, kClockRows.size()> by_stage;
    std::vector<Estimate> cpu;
    PlannedFrame sum;
    for (std::size_t frame = 0; frame < work.size(); ++frame) {
      PlannedFrame planned;
      if (const FrameKind kind = work[frame].kind; !work[frame].repeated) {
        const KernelCounts& counts = frames[frame].counts;
        const bool known = !host.neon_in_gpu_memory.empty();
        planned =
            planner.planned(kind, counts,
                            {host.neon[frame], (known ? host.neon_in_gpu_memory : host.neon)[frame],
                             count_traffic(counts, stream.pixel.bits)},
                            rates.of(kind));
      }
      for (std::size_t index = 0; index < kClockRows.size(); ++index) {
        by_stage[index].push_back(planned.one.stages[index]);
        sum.one.stages[index] += planned.one.stages[index];
        sum.all.stages[index] += planned.all.stages[index];
      }
      cpu.push_back(planned.one.cpu);
      sum.one.cpu += planned.one.cpu;
      sum.all.cpu += planned.all.cpu;
      sum.one.traffic += planned.one.traffic;
      sum.all.traffic += planned.all.traffic;
    }
    ReconstructionCost& cost = costs.emplace_back();
    cost.plan = plan;
    for (const ClockRow stage : kClockRows) {
      const std::size_t index = index_of(stage);
      cost.stages.one_thread[index] = lines_through(work, by_stage[index], scales_with(stage));
      cost.stages.all_threads[index] = ratio(sum.all.stages[index], sum.one.stages[index]);
    }
    cost.stages.error = host.threads.error;
    cost.cpu = lines_through(work, cpu, ScalesWith::bytes);
    cost.cpu_on_all_threads = ratio(sum.all.cpu, sum.one.cpu);
    cost.parses_ahead = true;
    const double decoded = totals_of(work).frames();
    cost.traffic_on_one = sum.one.traffic * (1 / decoded);
    cost.traffic_on_all = sum.all.traffic * (1 / decoded);
  }
  return costs;
}

}  // namespace sidecore::model
