#include "split/board_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/error.h"

namespace sidecore::split {
namespace {

using armsim::Cycles;

constexpr std::array kInputNames{"DC", "4x4", "8x8", "16x16", "all", "all, large"};
constexpr std::array kTypeNames{"dct_dct", "adst_dct", "dct_adst", "adst_adst", "wht"};
constexpr std::array kInterNames{"copy", "horizontal", "vertical", "both", "scaled"};
constexpr std::array kIntraNames{"dc",           "v",    "h",   "d45", "d135",        "d117",
                                 "d153",         "d207", "d63", "tm",  "dc of above", "dc of left",
                                 "dc of nothing"};
static_assert(kIntraNames.size() == vp9::kIntraPredictors);
static_assert(kTypeNames.size() == vp9::kTransformTypes);
static_assert(kInputNames.size() == kCoefficientInputs);

std::string square(std::size_t size) {
  return fmt::format("{0}x{0}", size);
}

/// Adds up a stage's kernels.
class Sum {
 public:
  Sum(const BoardCosts& costs, int bits) : costs_(costs), bits_(bits > 8 ? 10 : 8) {}

  void add(double times, const Cycles& cycles) { sum_ = sum_ + cycles * times; }
  void add(double times, const std::string& kernel, const std::string& input) {
    if (times > 0) add(times, cycles_of(kernel, input));
  }
  [[nodiscard]] Cycles cycles_of(const std::string& kernel, const std::string& input) const {
    const std::optional<Cycles> cycles = costs_.kernel(kernel, input, bits_);
    if (cycles) return *cycles;
    throw environment_error("the model of a {}'s CPU has no row '{}', '{}', {} bits",
                            costs_.board.name, kernel, input, bits_);
  }
  [[nodiscard]] bool knows(const std::string& kernel, const std::string& input) const {
    return costs_.kernel(kernel, input, bits_).has_value();
  }
  [[nodiscard]] Estimate seconds() const {
    const double second = costs_.board.clock_hz;
    return {sum_.low / second, sum_.expected / second, sum_.high / second};
  }

 private:
  const BoardCosts& costs_;
  int bits_;
  Cycles sum_;
};

void add_predictions(const KernelCounts& counts, Sum& sum) {
  for (std::size_t average = 0; average < 2; ++average) {
    for (std::size_t kind = 0; kind < kInterNames.size(); ++kind) {
      for (std::size_t size = 0; size < KernelCounts::kInterSizes; ++size) {
        sum.add(counts.inter[average][kind][size],
                fmt::format("inter_prediction {}", kInterNames[kind]),
                square(std::size_t{4} << size) + (average == 1 ? " average" : ""));
      }
    }
  }
  for (std::size_t mode = 0; mode < kIntraNames.size(); ++mode) {
    for (std::size_t size = 0; size < vp9::kTransformSizes; ++size) {
      sum.add(counts.intra[mode][size], "intra",
              fmt::format("{} {}", kIntraNames[mode], square(std::size_t{4} << size)));
    }
  }
}

void add_transforms(const KernelCounts& counts, Sum& sum) {
  for (std::size_t size = 0; size < vp9::kTransformSizes; ++size) {
    for (std::size_t type = 0; type < kTypeNames.size(); ++type) {
      const std::string kernel =
          fmt::format("inverse_transform {} {}", square(std::size_t{4} << size), kTypeNames[type]);
      for (std::size_t input = 0; input < kCoefficientInputs; ++input) {
        const double times = counts.transforms[size][type][input];
        if (times <= 0) continue;
        // A block of few coefficients without a row takes the path of the next larger input.
        std::size_t known = input;
        while (known < static_cast<std::size_t>(CoefficientInput::all) &&
               !sum.knows(kernel, kInputNames[known])) {
          ++known;
        }
        sum.add(times, kernel, kInputNames[known]);
      }
    }
  }
}

/// Edges whose mask is met, flat or not: in pictures most are one of the two.
void add_edges(const EdgeCounts& edges, Sum& sum) {
  constexpr std::array kDirections{"h", "v"};  // across vertical boundaries, across horizontal ones
  constexpr std::array kWidths{4, 8, 16};
  for (std::size_t direction = 0; direction < kDirections.size(); ++direction) {
    for (std::size_t width = 0; width < kWidths.size(); ++width) {
      const double times = edges[direction][width];
      if (times <= 0) continue;
      const std::string kernel =
          fmt::format("loop_filter {}_{}", kDirections[direction], kWidths[width]);
      const Cycles met = sum.cycles_of(kernel, "mask met");
      const Cycles flat = sum.cycles_of(kernel, "flat");
      sum.add(times, {std::min(met.low, flat.low), (met.expected + flat.expected) / 2,
                      std::max(met.high, flat.high)});
    }
  }
}

double count_of(const EdgeCounts& edges) {
  double count = 0;
  for (const auto& widths : edges) {
    for (const double edges_of_width : widths) count += edges_of_width;
  }
  return count;
}

}  // namespace

ModelledStages modelled_stages(const KernelCounts& counts, const FrameWork& work,
                               const Stream& stream, const BoardCosts& costs) {
  ModelledStages stages{};
  if (work.repeated) return stages;
  const int units = ((stream.width + 7) / 8) * ((stream.height + 7) / 8);
  const auto stage = [&](Stage which, const auto& add) {
    Sum sum(costs, stream.pixel.bits);
    add(sum);
    stages[static_cast<std::size_t>(which)] = sum.seconds();
  };
  stage(Stage::parsing, [&](Sum& sum) {
    sum.add(8 * work.bytes, costs.stream.parsing_bit);
    sum.add(counts.prediction_calls, costs.stream.parsing_call);
  });
  stage(Stage::prediction, [&](Sum& sum) {
    add_predictions(counts, sum);
    sum.add(counts.prediction_calls, costs.stream.prediction_call);
    sum.add(1, costs.memory(stream.width, stream.height, stream.pixel.bits));
  });
  stage(Stage::residual, [&](Sum& sum) {
    add_transforms(counts, sum);
    sum.add(counts.transform_calls, costs.stream.transform_call);
  });
  stage(Stage::edges,
        [&](Sum& sum) { sum.add(count_of(counts.edges), costs.stream.edge_derivation); });
  stage(Stage::filter, [&](Sum& sum) {
    add_edges(counts.edges, sum);
    sum.add(count_of(counts.edges), costs.stream.filter_edge);
  });
  stage(Stage::other, [&](Sum& sum) { sum.add(units, costs.stream.other_block); });
  return stages;
}

double modelled_edge(const BoardCosts& costs, int bits) {
  constexpr EdgeCounts kOneOfEach{{{1, 1, 1}, {1, 1, 1}}};
  Sum sum(costs, bits);
  add_edges(kOneOfEach, sum);
  sum.add(count_of(kOneOfEach), costs.stream.filter_edge);
  return sum.seconds().expected / count_of(kOneOfEach);
}

CpuCost modelled_cpu_cost(const Stream& stream, std::span<const CountedFrame> frames,
                          const BoardCosts& costs) {
  const std::span<const FrameWork> work = stream.sample_work();
  std::vector<ModelledStages> modelled;
  std::vector<double> totals;
  for (std::size_t frame = 0; frame < work.size(); ++frame) {
    modelled.push_back(modelled_stages(frames[frame].counts, work[frame], stream, costs));
    double total = 0;
    for (const Estimate& stage : modelled.back()) total += stage.expected;
    totals.push_back(total);
  }
  CpuCost cost;
  cost.threads = costs.board.cores;
  for (const Stage stage : kStages) {
    const auto index = static_cast<std::size_t>(stage);
    const auto line = [&](double Estimate::*end) {
      std::vector<double> seconds;
      seconds.reserve(modelled.size());
      for (const ModelledStages& stages : modelled) seconds.push_back(stages[index].*end);
      return FrameCosts(work, seconds, followed_by(stage));
    };
    cost.neon.one_thread[index] = {line(&Estimate::low), line(&Estimate::expected),
                                   line(&Estimate::high)};
    const double divided = 1.0 / cost.threads;
    cost.neon.all_threads[index] = stage == Stage::parsing ? Estimate{divided, (1 + divided) / 2, 1}
                                                           : Estimate{divided, divided, divided};
  }
  cost.neon.error = relative_error(work, totals, stream.rest_work());
  return cost;
}

}  // namespace sidecore::split
