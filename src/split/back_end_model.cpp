#include "split/back_end_model.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace sidecore::split {
namespace {

/// Those that stay the CPU's.
constexpr std::array kHostStages{Stage::parsing, Stage::edges, Stage::submission, Stage::other};

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
  ModelledInterval fixed;
  double pictures = 0;

  void add(const ReconstructedPicture& picture, const BackEndDrivers& of_picture,
           const FixedCosts& costs) {
    for (std::size_t stage = 0; stage < seconds.size(); ++stage) {
      drivers[stage] += of_picture[stage];
      seconds[stage] += picture.stages[stage].seconds;
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
  [[nodiscard]] Estimate fixed_of_a_picture() const {
    return estimate({fixed.low / pictures, fixed.high / pictures});
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

/// A frame's seconds, by Stage: the CPU's as they are, the QPU's by the rates.
ModelledStages stages_of(const ModelledStages& host, const BackEndDrivers& drivers,
                         const Rates& rates) {
  ModelledStages stages{};
  for (const Stage stage : kHostStages) stages[index_of(stage)] = host[index_of(stage)];
  stages[index_of(Stage::prediction)] = rates.of(BackEndStage::inter_prediction, drivers);
  stages[index_of(Stage::intra)] = rates.of(BackEndStage::intra_prediction, drivers);
  stages[index_of(Stage::residual)] = rates.of(BackEndStage::inverse_transform, drivers);
  stages[index_of(Stage::filter)] = rates.of(BackEndStage::loop_filter, drivers);
  stages[index_of(Stage::waiting)] = rates.fixed_of_a_picture();
  return stages;
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

std::vector<ModelledStages> modelled_host_stages(const Stream& stream,
                                                 std::span<const CountedFrame> frames,
                                                 const BoardCosts& costs) {
  std::vector<ModelledStages> all;
  all.reserve(frames.size());
  for (std::size_t frame = 0; frame < frames.size(); ++frame) {
    const KernelCounts& counts = frames[frame].counts;
    ModelledStages& stages =
        all.emplace_back(modelled_stages(counts, stream.work[frame], stream, costs));
    const armsim::Cycles arrays = costs.stream.prediction_call * counts.prediction_calls +
                                  costs.stream.transform_call * counts.transform_calls +
                                  costs.stream.filter_edge * sum_of(counts.edges);
    const double second = costs.board.clock_hz;
    stages[index_of(Stage::submission)] +=
        Estimate{arrays.low / second, arrays.expected / second, arrays.high / second};
  }
  return all;
}

std::vector<ModelledStages> measured_host_stages(const Sample& sample) {
  const auto neon = std::ranges::find(sample.trials, Plan{FilterPlace::neon, 1}, &Trial::plan);
  assert(neon != sample.trials.end());
  std::vector<ModelledStages> all;
  all.reserve(neon->frames.size());
  for (const FrameCost& frame : neon->frames) {
    ModelledStages& stages = all.emplace_back();
    for (const Stage stage : kHostStages) {
      const double seconds = frame.seconds[index_of(stage)];
      stages[index_of(stage)] = {seconds, seconds, seconds};
    }
  }
  return all;
}

BackEndCost modelled_back_end_cost(const Stream& stream, std::span<const CountedFrame> frames,
                                   std::span<const ModelledStages> host, const StagesCost& cpu,
                                   const PictureModel& model) {
  const std::span<const FrameWork> work = stream.sample_work();
  const RatesByKind rates = rates_of(stream, frames, model);
  std::array<std::vector<Estimate>, kStages.size()> by_stage;
  std::vector<Estimate> on_cpu(work.size());
  for (std::size_t frame = 0; frame < work.size(); ++frame) {
    ModelledStages stages{};
    if (!work[frame].repeated) {
      stages = stages_of(host[frame], drivers_of(frames[frame].counts), rates.of(work[frame].kind));
    }
    for (const Stage stage : kStages) by_stage[index_of(stage)].push_back(stages[index_of(stage)]);
    for (const Stage stage : kHostStages) on_cpu[frame] += stages[index_of(stage)];
  }
  BackEndCost cost{.stages = {}, .cpu = lines_through(work, on_cpu, Follows::bytes)};
  for (const Stage stage : kStages) {
    const std::size_t index = index_of(stage);
    cost.stages.one_thread[index] = lines_through(work, by_stage[index], followed_by(stage));
    // One thread derives a frame's edges and writes its arrays.
    cost.stages.all_threads[index] =
        stage == Stage::parsing ? cpu.all_threads[index] : Estimate{1, 1, 1};
  }
  cost.stages.error = cpu.error;
  cost.parses_ahead = true;
  return cost;
}

}  // namespace sidecore::split
