#include "split/kernel_counts.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/error.h"

namespace sidecore::split {
namespace {

/// Where the tables count, on this thread: their functions know no more than their arguments.
thread_local KernelCounts* counts_now = nullptr;

template <int bits>
auto& table_of(auto& tables) {
  if constexpr (bits == 8) {
    return tables.bits_8;
  } else if constexpr (bits == 10) {
    return tables.bits_10;
  } else {
    return tables.bits_12;
  }
}

CoefficientInput input_of(const vp9::TransformBlock& block) {
  if (!block.narrow) return CoefficientInput::large;
  if (block.end <= 1) return CoefficientInput::first;
  const unsigned present = std::max(block.rows, block.columns);
  if (present >= 4U << block.size) return CoefficientInput::all;
  if (present <= 4) return CoefficientInput::within_4;
  return present <= 8 ? CoefficientInput::within_8 : CoefficientInput::within_16;
}

void note_inter(std::size_t average, std::size_t kind, const vp9::ReferenceArea& area) {
  const auto size = static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(area.width)) - 3);
  counts_now->inter[average][kind][size] += static_cast<double>(area.height) / area.width;
  counts_now->prediction_calls += 1;
}

// Table entries: each counts and does what the scalar one does.
template <int bits, std::size_t average, std::size_t kind, class Sample>
void count_inter(const Sample* from, std::ptrdiff_t from_stride, const vp9::ReferenceArea& area,
                 vp9::InterpolationFilter filter, Sample* to, std::ptrdiff_t stride) {
  note_inter(average, kind, area);
  table_of<bits>(vp9::scalar_dsp())
      .inter[average][kind](from, from_stride, area, filter, to, stride);
}

template <int bits, std::size_t mode, std::size_t size, class Sample>
void count_intra(Sample* to, std::ptrdiff_t stride, const Sample* above, const Sample* left) {
  counts_now->intra[mode][size] += 1;
  counts_now->prediction_calls += 1;
  table_of<bits>(vp9::scalar_dsp()).intra[mode][size](to, stride, above, left);
}

template <int bits, std::size_t size, std::size_t type, class Sample, class Coefficient>
void count_transform(const vp9::TransformBlock& block, const Coefficient* coefficients,
                     Sample* samples, std::ptrdiff_t stride) {
  counts_now->transforms[size][type][static_cast<std::size_t>(input_of(block))] += 1;
  counts_now->transform_calls += 1;
  table_of<bits>(vp9::scalar_dsp())
      .inverse_transforms[size][type](block, coefficients, samples, stride);
}

/// put(row, column) for every entry of a table of so many rows and columns.
template <std::size_t rows, std::size_t columns, class Put>
void for_each_entry(const Put& put) {
  [&]<std::size_t... entry>(std::index_sequence<entry...>) {
    (put.template operator()<entry / columns, entry % columns>(), ...);
  }
  (std::make_index_sequence<rows * columns>());
}

template <int bits>
void put_counting(vp9::DspTables& tables) {
  auto& dsp = table_of<bits>(tables);
  for_each_entry<2, vp9::kInterKinds.size()>([&]<std::size_t average, std::size_t kind>() {
    dsp.inter[average][kind] = count_inter<bits, average, kind>;
  });
  for_each_entry<vp9::kIntraPredictors, vp9::kTransformSizes>(
      [&]<std::size_t mode, std::size_t size>() {
        dsp.intra[mode][size] = count_intra<bits, mode, size>;
      });
  for_each_entry<vp9::kTransformSizes, vp9::kTransformTypes>(
      [&]<std::size_t size, std::size_t type>() {
        auto& entry = dsp.inverse_transforms[size][type];
        if (entry != nullptr) entry = count_transform<bits, size, type>;
      });
}

const vp9::DspTables& counting_tables() {
  static const vp9::DspTables kTables = [] {
    vp9::DspTables tables = vp9::scalar_dsp();
    tables.name = "counting";
    put_counting<8>(tables);
    put_counting<10>(tables);
    put_counting<12>(tables);
    return tables;
  }();
  return kTables;
}

}  // namespace

std::vector<CountedFrame> count_sample(const Stream& stream, std::size_t least_edges) {
  vp9::DecoderOptions options;
  options.stream = stream.name;
  options.dsp = &counting_tables();
  vp9::Decoder decoder(options);
  MixMaker mixes(least_edges, stream.pixel.chroma);
  std::vector<CountedFrame> counted(stream.sample_frames);
  for (std::size_t frame = 0; frame < counted.size(); ++frame) {
    CountedFrame& now = counted[frame];
    counts_now = &now.counts;
    const vp9::EdgeCounts before = decoder.statistics().edges;
    decoder.decode(stream.frame(frame), [](const auto& /*shown*/) {});
    now.counts.edges = difference(decoder.statistics().edges, before);
    if (!stream.work[frame].repeated) now.mix = mixes.of(decoder.edges());
  }
  return counted;
}

}  // namespace sidecore::split
