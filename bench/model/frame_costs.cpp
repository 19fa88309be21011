#include "model/frame_costs.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

namespace sidecore::model {
namespace {

/// Frames of one kind, in the stream's order.
struct Population {
  std::vector<Load> loads;
  std::vector<double> seconds;

  [[nodiscard]] std::size_t size() const { return loads.size(); }
};

Population population_of(std::span<const FrameWork> sample, std::span<const double> seconds,
                         auto&& wanted) {
  assert(sample.size() == seconds.size());
  Population population;
  for (std::size_t index = 0; index < sample.size(); ++index) {
    const FrameWork& frame = sample[index];
    if (frame.repeated || !wanted(frame.kind)) continue;
    population.loads.push_back({1, frame.bytes});
    population.seconds.push_back(seconds[index]);
  }
  return population;
}

CostLine fit_ratio(const Population& population, ScalesWith follows) {
  Load sum;
  double seconds = 0;
  for (std::size_t index = 0; index < population.size(); ++index) {
    sum.parts += population.loads[index].parts;
    sum.size += population.loads[index].size;
    seconds += population.seconds[index];
  }
  if (follows == ScalesWith::bytes && sum.size > 0) return {0, seconds / sum.size};
  return {sum.parts > 0 ? seconds / sum.parts : 0, 0};
}

CostLine line_of(const Population& population, ScalesWith follows) {
  return population.size() < kMinFramesForLine ? fit_ratio(population, follows)
                                               : fit_cost(population.loads, population.seconds);
}

constexpr auto kAnyKind = [](FrameKind) { return true; };
auto only(FrameKind kind) {
  return [kind](FrameKind other) { return other == kind; };
}

bool begins_scene(const FrameWork& frame) {
  return frame.kind == FrameKind::intra && !frame.repeated;
}

/// Returns the number of scenes in the frames, at least 1.
double count_scenes(std::span<const FrameWork> frames) {
  return std::max(1.0, static_cast<double>(std::ranges::count_if(frames, begins_scene)));
}

constexpr double kNormal = 1.96;  // two-sided 95 % quantile of the normal distribution

/// Returns the two-sided 95 % quantile of Student's t distribution.
double student_t(double degrees_of_freedom) {
  constexpr std::array kOf{12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23};
  const auto whole = static_cast<std::size_t>(std::max(1.0, degrees_of_freedom));
  // The formula 1.96 + 2.4 / n + 3 / n^2 is exact to two decimal places for n above ten.
  if (whole <= kOf.size()) return kOf[whole - 1];
  const auto n = static_cast<double>(whole);
  return kNormal + 2.4 / n + 3 / (n * n);
}

/// Scatter of frames about the line of their kind.
struct Scatter {
  double variance = 0;            ///< variance of one frame about the line
  double degrees_of_freedom = 0;  ///< degrees of freedom of `variance`
  double resemblance = 0;         ///< correlation of successive deviations, 0 to 0.8
};

Scatter scatter_of(const Population& population, const CostLine& line) {
  constexpr double kMaxResemblance = 0.8;
  double squares = 0;
  double products = 0;
  double before = 0;
  for (std::size_t index = 0; index < population.size(); ++index) {
    const double deviation = population.seconds[index] - line.seconds(population.loads[index]);
    squares += deviation * deviation;
    products += deviation * before;
    before = deviation;
  }
  const double free =
      static_cast<double>(population.size()) - (line.per_part > 0 && line.per_size > 0 ? 2 : 1);
  if (squares <= 0) return {0, free, 0};
  return {squares / free, free, std::clamp(products / squares, 0.0, kMaxResemblance)};
}

/// Returns the variance of the error of the predicted sum over the frames `rest`, divided by the
/// variance of one frame. It includes the scatter of those frames and the error of the fitted line.
double frames_in_error(const Population& population, const CostLine& line, const Load& rest) {
  const auto count = static_cast<double>(population.size());
  double frames = rest.parts + rest.parts * rest.parts / count;
  double mean = 0;
  for (const Load& load : population.loads) mean += load.size / count;
  double spread = 0;
  for (const Load& load : population.loads) spread += (load.size - mean) * (load.size - mean);
  if (line.per_size > 0 && line.per_part > 0 && spread > 0) {
    const double away = rest.size - rest.parts * mean;
    frames += away * away / spread;
  }
  return frames;
}

}  // namespace

const char* to_string(FrameKind kind) {
  switch (kind) {
    case FrameKind::intra:
      return "intra";
    case FrameKind::hidden:
      return "hidden";
    case FrameKind::inter:
      return "inter";
    case FrameKind::unfiltered:
      return "unfiltered";
  }
  return "unknown";
}

double FrameTotals::frames() const {
  double sum = 0;
  for (const Load& load : kinds) sum += load.parts;
  return sum;
}

FrameTotals totals_of(std::span<const FrameWork> frames) {
  FrameTotals totals;
  for (const FrameWork& frame : frames) {
    if (frame.shown) totals.shown += 1;
    if (frame.repeated) continue;
    Load& load = totals.kinds[static_cast<std::size_t>(frame.kind)];
    load.parts += 1;
    load.size += frame.bytes;
  }
  return totals;
}

FrameCosts::FrameCosts(std::span<const FrameWork> sample, std::span<const double> seconds,
                       ScalesWith follows) {
  const CostLine any = line_of(population_of(sample, seconds, kAnyKind), follows);
  for (const FrameKind kind : kFrameKinds) {
    const Population population = population_of(sample, seconds, only(kind));
    lines_[static_cast<std::size_t>(kind)] =
        population.size() == 0 ? any : line_of(population, follows);
  }
}

double FrameCosts::seconds(const FrameTotals& totals) const {
  double sum = 0;
  for (const FrameKind kind : kFrameKinds) {
    sum += lines_[static_cast<std::size_t>(kind)].seconds(totals.of(kind));
  }
  return sum;
}

double relative_error(std::span<const FrameWork> sample, std::span<const double> seconds,
                      std::span<const FrameWork> rest_frames) {
  const FrameTotals rest = totals_of(rest_frames);
  double total = 0;
  double variance = 0;
  double degrees_of_freedom = 0;
  double deviation_of_few = kFewDeviation;
  const CostLine any = line_of(population_of(sample, seconds, kAnyKind), ScalesWith::pictures);
  struct Few {
    double count = 0;
    double frames = 0;
    double seconds = 0;
  };
  std::vector<Few> few;
  for (const FrameKind kind : kFrameKinds) {
    const Load& load = rest.of(kind);
    if (load.parts <= 0) continue;
    const Population population = population_of(sample, seconds, only(kind));
    const bool known = population.size() > 0;
    const CostLine line = known ? line_of(population, ScalesWith::pictures) : any;
    const double predicted = line.seconds(load);
    total += predicted;
    if (population.size() < kMinFramesForLine) {
      few.push_back({static_cast<double>(population.size()), load.parts, predicted});
      continue;
    }
    const Scatter scatter = scatter_of(population, line);
    variance += scatter.variance * frames_in_error(population, line, load) *
                (1 + scatter.resemblance) / (1 - scatter.resemblance);
    degrees_of_freedom += scatter.degrees_of_freedom;
    if (predicted > 0) {
      deviation_of_few =
          std::max(deviation_of_few, std::sqrt(scatter.variance) * load.parts / predicted);
    }
  }
  for (const Few& kind : few) {
    const double frame = deviation_of_few * kind.seconds / kind.frames;
    const double all = kUnknownDeviation * kind.seconds;
    variance += kind.count > 0
                    ? frame * frame * (kind.frames + kind.frames * kind.frames / kind.count)
                    : all * all;
  }
  if (total <= 0) return 0;
  const double frames = student_t(degrees_of_freedom > 0 ? degrees_of_freedom : kMinFramesForLine) *
                        std::sqrt(variance) / total;
  const auto next_scene = std::ranges::find_if(rest_frames, begins_scene);
  const FrameTotals later = totals_of({next_scene, rest_frames.end()});
  const double share = FrameCosts(sample, seconds, ScalesWith::pictures).seconds(later) / total;
  const double scenes = kNormal * kSceneDeviation * share *
                        std::sqrt((1 / count_scenes(sample) + 1 / count_scenes(rest_frames)) / 2);
  return std::hypot(frames, scenes);
}

}  // namespace sidecore::model
