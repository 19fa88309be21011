#include "vp9/kernel_calls.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace sidecore::vp9 {
namespace {

void add_blocks(double blocks, BlockKind kind, std::vector<CountedBlocks>& all) {
  if (blocks > 0) all.push_back({std::move(kind), blocks});
}

/// Returns the number of reference samples between the first and the last tap along one axis.
int count_samples_along(int start, int step, int count, bool filtered) {
  return (((start & 15) + (count - 1) * step) >> 4) + 1 + (filtered ? kTaps - 1 : 0);
}

}  // namespace

SampleReads count_reference_reads(const ReferenceArea& area, InterKind kind, int sample_bytes) {
  const bool scaled = kind == InterKind::scaled;
  const bool along_x = scaled || kind == InterKind::horizontal || kind == InterKind::both;
  const bool along_y = scaled || kind == InterKind::vertical || kind == InterKind::both;
  const int columns = count_samples_along(area.x, area.step_x, area.width, along_x);
  const int rows = count_samples_along(area.y, area.step_y, area.height, along_y);
  const int strip = std::min(area.width, kLoadBytes / sample_bytes);
  const int strip_bytes = (strip + (along_x ? kTaps - 1 : 0)) * sample_bytes;
  const int loads =
      scaled ? area.width : area.width / strip * ((strip_bytes + kLoadBytes - 1) / kLoadBytes);
  return {.bytes = static_cast<double>(rows) * columns * sample_bytes,
          .loads = static_cast<double>(rows) * loads};
}

void InterCallCounter::add(std::size_t average, std::size_t kind, const ReferenceArea& area,
                           int sample_bytes) const {
  const auto size = static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(area.width)) - 3);
  calls->inter[average][kind][size] += static_cast<double>(area.height) / area.width;
  const SampleReads reads = count_reference_reads(area, static_cast<InterKind>(kind), sample_bytes);
  calls->reference_reads.bytes += reads.bytes;
  calls->reference_reads.loads += reads.loads;
  calls->prediction_calls += 1;
}

void TransformCallCounter::add(std::size_t size, std::size_t type,
                               const TransformBlock& block) const {
  const auto extent = static_cast<std::size_t>(&find_extent(block) - kExtents.data());
  calls->transforms[size][type][extent] += 1;
  calls->transform_calls += 1;
}

std::vector<CountedBlocks> predictions(const KernelCalls& calls) {
  std::vector<CountedBlocks> all;
  for (std::size_t average = 0; average < calls.inter.size(); ++average) {
    for (const InterKind kind : kInterKinds) {
      for (std::size_t size = 0; size < KernelCalls::kInterSizes; ++size) {
        add_blocks(calls.inter[average][static_cast<std::size_t>(kind)][size],
                   kind_of_inter(kind, average == 1, 4 << size), all);
      }
    }
  }
  for (std::size_t predictor = 0; predictor < kIntraPredictors; ++predictor) {
    for (std::size_t size = 0; size < kTransformSizes; ++size) {
      add_blocks(calls.intra[predictor][size], kind_of_intra(predictor, 4 << size), all);
    }
  }
  return all;
}

std::vector<CountedBlocks> transforms(const KernelCalls& calls) {
  std::vector<CountedBlocks> all;
  for (std::size_t size = 0; size < kTransformSizes; ++size) {
    for (std::size_t type = 0; type < kTransformTypes; ++type) {
      for (std::size_t extent = 0; extent < kExtents.size(); ++extent) {
        add_blocks(calls.transforms[size][type][extent],
                   kind_of_transform(4 << size, static_cast<TransformType>(type), kExtents[extent]),
                   all);
      }
    }
  }
  return all;
}

const DspTables& counting_dsp() {
  static const DspTables kTables = [] {
    DspTables tables = scalar_dsp();
    tables.name = "counting";
    RecordingTables<InterCallCounter>::replace_entries(tables);
    RecordingTables<IntraCallCounter>::replace_entries(tables);
    RecordingTables<TransformCallCounter>::replace_entries(tables);
    return tables;
  }();
  return kTables;
}

}  // namespace sidecore::vp9
