#include "vp9/kernel_calls.h"

#include <bit>
#include <utility>

namespace sidecore::vp9 {
namespace {

void add_blocks(double blocks, BlockKind kind, std::vector<CountedBlocks>& all) {
  if (blocks > 0) all.push_back({std::move(kind), blocks});
}

}  // namespace

void InterCallCounter::add(std::size_t average, std::size_t kind, const ReferenceArea& area) const {
  const auto size = static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(area.width)) - 3);
  calls->inter[average][kind][size] += static_cast<double>(area.height) / area.width;
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
