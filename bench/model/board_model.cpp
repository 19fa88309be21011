#include "model/board_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/error.h"
#include "model/device_memory.h"
#include "vp9/decoder.h"

namespace sidecore::model {
namespace {

/// Sum of the cycles of all kernels of a stage.
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
    throw environment_error(
        "the model of a {}'s CPU has no row for kernel '{}', input '{}', {} bits",
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

void add_predictions(const KernelCounts& counts, bool intra, Sum& sum) {
  for (const auto& [kind, blocks] : vp9::predictions(counts)) {
    if ((kind.kernel == "intra") == intra) sum.add(blocks, kind.kernel, kind.input);
  }
}

void add_transforms(const KernelCounts& counts, Sum& sum) {
  for (const auto& [kind, blocks] : vp9::transforms(counts)) {
    // If there is no row for few coefficients, the block takes the path of the next larger extent.
    const auto* extent = std::ranges::find(vp9::kExtents, kind.input, &vp9::Extent::name);
    while (extent->side != 0 && !sum.knows(kind.kernel, extent->name)) ++extent;
    sum.add(blocks, kind.kernel, extent->name);
  }
}

/// Adds edges, assuming that every edge passes the filter mask. The expected cost is the mean of
/// the flat and the non-flat case.
void add_edges(const EdgeCounts& edges, Sum& sum) {
  // Name of the direction: across vertical boundaries, across horizontal ones.
  constexpr std::array kDirections{"h", "v"};
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

/// Returns the cost of NEON's stages, as modelled_cpu_cost() describes.
StagesCost modelled_stages_cost(const Stream& stream, std::span<const CountedFrame> frames,
                                const BoardCosts& costs, PictureMemory pictures) {
  const std::span<const FrameWork> work = stream.sample_work();
  std::vector<ModelledStages> modelled;
  std::vector<double> totals;
  for (std::size_t frame = 0; frame < work.size(); ++frame) {
    modelled.push_back(modelled_stages(frames[frame].counts, work[frame], stream, costs, pictures));
    double total = 0;
    for (const Estimate& stage : modelled.back()) total += stage.expected;
    totals.push_back(total);
  }
  StagesCost cost;
  for (const ClockRow stage : kClockRows) {
    const auto index = static_cast<std::size_t>(stage);
    const auto line = [&](double Estimate::*end) {
      std::vector<double> seconds;
      seconds.reserve(modelled.size());
      for (const ModelledStages& stages : modelled) seconds.push_back(stages[index].*end);
      return FrameCosts(work, seconds, scales_with(stage));
    };
    cost.one_thread[index] = {line(&Estimate::low), line(&Estimate::expected),
                              line(&Estimate::high)};
    const double divided = 1.0 / costs.board.cores;
    cost.all_threads[index] = stage == ClockRow::parsing ? Estimate{divided, (1 + divided) / 2, 1}
                                                         : Estimate{divided, divided, divided};
  }
  cost.error = relative_error(work, totals, stream.rest_work());
  return cost;
}

}  // namespace

double intra_calls(const KernelCounts& counts) {
  double calls = 0;
  for (const auto& sizes : counts.intra) {
    for (const double blocks : sizes) calls += blocks;
  }
  return calls;
}

std::vector<CountedFrame> count_sample(const Stream& stream, std::size_t least_edges) {
  vp9::DecoderOptions options;
  options.stream = stream.name;
  options.dsp = &vp9::counting_dsp();
  vp9::Decoder decoder(options);
  EdgeMixCounter mixes(least_edges, stream.pixel.chroma);
  std::vector<CountedFrame> counted(stream.sample_frames);
  for (std::size_t frame = 0; frame < counted.size(); ++frame) {
    CountedFrame& now = counted[frame];
    const vp9::CallCountingScope counting(now.counts);
    const vp9::EdgeCounts before = decoder.statistics().edges;
    decoder.decode(stream.frame(frame), [](const auto& /*shown*/) {});
    now.counts.edges = difference(decoder.statistics().edges, before);
    if (!stream.work[frame].repeated) now.mix = mixes.of(decoder.edges());
  }
  return counted;
}

ModelledStages modelled_stages(const KernelCounts& counts, const FrameWork& work,
                               const Stream& stream, const BoardCosts& costs,
                               PictureMemory pictures) {
  ModelledStages stages{};
  if (work.repeated) return stages;
  const int units = ((stream.width + 7) / 8) * ((stream.height + 7) / 8);
  const auto stage = [&](ClockRow which, const auto& add) {
    Sum sum(costs, stream.pixel.bits);
    add(sum);
    stages[static_cast<std::size_t>(which)] = sum.seconds();
  };
  stage(ClockRow::parsing, [&](Sum& sum) {
    sum.add(8 * work.bytes, costs.stream.parsing_bit);
    sum.add(counts.prediction_calls, costs.stream.parsing_call);
  });
  // The model has one memory cost for inter and intra prediction together. It is added to inter
  // prediction, which reads references, if the frame has any; otherwise to intra prediction.
  const double of_intra = intra_calls(counts);
  const double of_inter = counts.prediction_calls - of_intra;
  const auto memory = [&] {
    return pictures == PictureMemory::heap
               ? costs.memory(stream.width, stream.height, stream.pixel.bits)
               : Cycles{};
  };
  stage(ClockRow::prediction, [&](Sum& sum) {
    add_predictions(counts, /*intra=*/false, sum);
    sum.add(of_inter, costs.stream.prediction_call);
    if (of_inter > 0) sum.add(1, memory());
  });
  stage(ClockRow::intra, [&](Sum& sum) {
    add_predictions(counts, /*intra=*/true, sum);
    sum.add(of_intra, costs.stream.prediction_call);
    if (of_inter <= 0) sum.add(1, memory());
  });
  stage(ClockRow::residual, [&](Sum& sum) {
    add_transforms(counts, sum);
    sum.add(counts.transform_calls, costs.stream.transform_call);
  });
  stage(ClockRow::edge_derivation,
        [&](Sum& sum) { sum.add(count_of(counts.edges), costs.stream.edge_derivation); });
  stage(ClockRow::loop_filter, [&](Sum& sum) {
    add_edges(counts.edges, sum);
    sum.add(count_of(counts.edges), costs.stream.filter_edge);
  });
  stage(ClockRow::other, [&](Sum& sum) { sum.add(units, costs.stream.other_block); });
  if (pictures == PictureMemory::heap) return stages;
  const vp9::PerStage<SampleTraffic> traffic = count_traffic(counts, stream.pixel.bits);
  for (const vp9::Stage pixels : vp9::kStages) {
    Estimate& seconds = stages[static_cast<std::size_t>(vp9::row_of(pixels))];
    seconds = add_uncached(seconds, estimate_uncached(traffic[pixels], costs.uncached));
  }
  return stages;
}

double modelled_edge(const BoardCosts& costs, int bits) {
  KernelCounts counts;
  counts.edges = {{{1, 1, 1}, {1, 1, 1}}};
  const double edges = count_of(counts.edges);
  Sum sum(costs, bits);
  add_edges(counts.edges, sum);
  sum.add(edges, costs.stream.filter_edge);
  const Estimate accesses =
      estimate_uncached(count_traffic(counts, bits).loop_filter, costs.uncached);
  return add_uncached(sum.seconds(), accesses).expected / edges;
}

SharedMemory shared_memory(const Stream& stream, const BoardCosts& costs) {
  constexpr double kSamplesMoved = 2 * vp9::kEdgeLength * 8;
  const double bytes = kSamplesMoved * static_cast<double>(stream.pixel.bytes_per_sample());
  return {costs.board, bytes / modelled_edge(costs, stream.pixel.bits)};
}

CpuCost modelled_cpu_cost(const Stream& stream, std::span<const CountedFrame> frames,
                          const BoardCosts& costs) {
  return {.threads = costs.board.cores,
          .neon = modelled_stages_cost(stream, frames, costs, PictureMemory::heap)};
}

NeonInGpuMemory modelled_neon_in_gpu_memory(const Stream& stream,
                                            std::span<const CountedFrame> frames,
                                            const BoardCosts& costs) {
  NeonInGpuMemory neon{modelled_stages_cost(stream, frames, costs, PictureMemory::gpu)};
  const double decoded = totals_of(stream.sample_work()).frames();
  for (const CountedFrame& frame : frames) {
    const vp9::PerStage<SampleTraffic> traffic = count_traffic(frame.counts, stream.pixel.bits);
    for (const vp9::Stage stage : vp9::kStages) {
      neon.traffic[stage] += traffic[stage] * (1 / decoded);
    }
  }
  return neon;
}

}  // namespace sidecore::model
