#include "vp9/reconstruction.h"

#include <algorithm>

#include "base/prefetch.h"
#include "vp9/inter_areas.h"
#include "vp9/intra_blocks.h"
#include "vp9/intra_prediction.h"

namespace sidecore::vp9 {

Reconstruction::Reconstruction(
    StreamDsp dsp, const FrameHeader& header, const PictureData& picture, FrameBuffer& frame,
    const std::array<std::shared_ptr<FrameBuffer>, kActiveReferences>& references,
    UnfilteredLines* unfiltered)
    : dsp_(dsp),
      header_(header),
      picture_(picture),
      areas_(picture.columns(), picture.rows(), header.subsampling()),
      unfiltered_(unfiltered) {
  const auto resolve = [&]<class Sample>(const Dsp<Sample>* /*of_the_samples*/) {
    auto& planes = planes_.emplace<Planes<Sample>>();
    for (int plane = 0; plane < 3; ++plane) {
      const auto at = static_cast<std::size_t>(plane);
      planes.frame[at] = frame.memory.plane<Sample>(plane);
      if (header.intra_frame()) continue;
      for (std::size_t index = 0; index < references.size(); ++index) {
        planes.references[index][at] = references[index]->visible<Sample>(plane);
      }
    }
  };
  std::visit(resolve, dsp_);
  if (header.intra_frame()) return;
  for (std::size_t index = 0; index < references.size(); ++index) {
    scales_[index] = reference_scale(references[index]->size, header.size);
  }
}

void Reconstruction::superblock(int row, int column, const PerStage<bool>& stages,
                                StageClock& clock) const {
  const Range range = picture_.superblock(row, column);
  const auto all = [&]<class Sample>(const Dsp<Sample>* dsp) {
    for (std::uint32_t index = range.begin; index < range.end; ++index) {
      reconstruct(*dsp, picture_.blocks[index], stages, clock);
    }
    if (unfiltered_ == nullptr) return;
    unfiltered_->keep(std::get<Planes<Sample>>(planes_).frame, header_, row, column);
  };
  std::visit(all, dsp_);
}

// The superblock's middle block stands for all of its blocks.
void Reconstruction::prefetch_references(int row, int column) const {
  if (header_.intra_frame()) return;
  const auto middle = [](int superblock, int units) {
    return std::min(superblock * kUnitsInSuperblock + kUnitsInSuperblock / 2, units - 1);
  };
  const Block& block =
      picture_.block_at(middle(row, picture_.rows()), middle(column, picture_.columns()));
  if (!block.is_inter()) return;
  std::visit(
      [&](const auto& planes) {
        for (std::size_t which = 0; which < (block.is_compound() ? 2U : 1U); ++which) {
          if (!scales_[reference_index(block, which)].scaled()) {
            prefetch_references(planes, block, which, row, column);
          }
        }
      },
      planes_);
}

// Neighbours to the left and above have loaded the samples that their filter taps reach. So only as
// many lines of memory are requested as a row of the superblock has: the last ones that its taps
// reach.
template <class Sample>
void Reconstruction::prefetch_references(const Planes<Sample>& planes, const Block& block,
                                         std::size_t which, int row, int column) const {
  constexpr int kTapsAfter = kTaps / 2;
  constexpr int kLine = 64 / sizeof(Sample);  // samples in a line of memory
  const MotionVector mv = block.mv[3][which];
  for (int plane = 0; plane < 3; ++plane) {
    const video::PlaneView<const Sample>& view =
        planes.references[reference_index(block, which)][static_cast<std::size_t>(plane)];
    const Subsampling sampling = header_.subsampling(plane);
    const int width = kSuperblock >> sampling.x;
    const int height = kSuperblock >> sampling.y;
    const int right = (column + 1) * width + (mv.column >> (3 + sampling.x)) + kTapsAfter;
    const int top = row * height + (mv.row >> (3 + sampling.y)) + kTapsAfter;
    const int begin = std::clamp(top, 0, view.height);
    const int end = std::clamp(top + height, 0, view.height);
    for (int x = right; x > right - width; x -= kLine) {
      const Sample* line = view.row(begin) + std::clamp(x, 0, view.width - 1);
      int left = end - begin;
      for (; left >= 4; left -= 4, line += 4 * view.stride) {
        prefetch(line);
        prefetch(line + view.stride);
        prefetch(line + 2 * view.stride);
        prefetch(line + 3 * view.stride);
      }
      for (; left > 0; --left, line += view.stride) prefetch(line);
    }
  }
}

template <class Sample>
void Reconstruction::reconstruct(const Dsp<Sample>& dsp, const Block& block,
                                 const PerStage<bool>& stages, StageClock& clock) const {
  if (!block.is_inter()) {
    if (!stages.intra) return;
    reconstruct_intra(dsp, block, clock);
    clock.lap(ClockRow::intra);
    return;
  }
  if (stages.prediction) {
    predict_inter_block(dsp, block);
    clock.lap(ClockRow::prediction);
  }
  if (!stages.residual || block.transform_count == 0) return;
  add_transforms(dsp, block);
  clock.lap(ClockRow::residual);
}

// Predicts and completes an intra block one transform block after another, because each depends on
// earlier ones.
template <class Sample>
void Reconstruction::reconstruct_intra(const Dsp<Sample>& dsp, const Block& block,
                                       StageClock& clock) const {
  for_each_intra_block(header_, picture_, block, [&](const IntraBlock& intra) {
    const video::PlaneView<Sample>& view = std::get<Planes<Sample>>(planes_).frame[intra.plane];
    const Sample* line_above = nullptr;
    if (unfiltered_ != nullptr && intra.where.above) {
      const int above = intra.where.y << header_.subsampling(intra.plane).y;  // row in luma samples
      if (above % kSuperblock == 0) {
        line_above = unfiltered_->line<Sample>(intra.plane, above / kSuperblock - 1);
      }
    }
    predict_intra(dsp, view, intra.where, intra.size, intra.mode, line_above);
    if (intra.transform == nullptr) return;
    clock.lap(ClockRow::intra);
    add_transform(dsp, *intra.transform, view);
    clock.lap(ClockRow::residual);
  });
}

template <class Sample>
void Reconstruction::predict_inter_block(const Dsp<Sample>& dsp, const Block& block) const {
  const std::size_t references = block.is_compound() ? 2 : 1;
  for (std::size_t which = 0; which < references; ++which) {
    if (InterAreas::needs_parts(block, scales_[reference_index(block, which)])) {
      predict_parts(dsp, block, which);
    } else {
      predict_whole(dsp, block, which);
    }
  }
}

// Predicts an area in one plane, or in both chroma planes.
template <class Sample>
inline void Reconstruction::predict_area(const Dsp<Sample>& dsp, const Block& block,
                                         std::size_t which, std::size_t begin, std::size_t end,
                                         const PlaneBlock& part, const ReferenceArea& area) const {
  const auto& planes = std::get<Planes<Sample>>(planes_);
  const auto& references = planes.references[reference_index(block, which)];
  const InterPrediction<Sample> predict(dsp, area, block.filter, which == 1,
                                        references[begin].width, references[begin].height);
  for (std::size_t plane = begin; plane < end; ++plane) {
    const auto& view = planes.frame[plane];
    predict(references[plane], view.row(part.y) + part.x, view.stride);
  }
}

template <class Sample>
void Reconstruction::predict_whole(const Dsp<Sample>& dsp, const Block& block,
                                   std::size_t which) const {
  areas_.for_whole_block(
      block, which,
      [&](std::size_t begin, std::size_t end, const PlaneBlock& part, const ReferenceArea& area)
          __attribute__((always_inline)) {
            predict_area(dsp, block, which, begin, end, part, area);
          });
}

// This code is a separate function, so that the common case needs no registers and stack for it.
template <class Sample>
void Reconstruction::predict_parts(const Dsp<Sample>& dsp, const Block& block,
                                   std::size_t which) const {
  areas_.for_each_part(
      block, which, scales_[reference_index(block, which)],
      [&](std::size_t begin, std::size_t end, const PlaneBlock& part, const ReferenceArea& area) {
        predict_area(dsp, block, which, begin, end, part, area);
      });
}

template <class Sample>
void Reconstruction::add_transforms(const Dsp<Sample>& dsp, const Block& block) const {
  for (std::uint32_t index = 0; index < block.transform_count; ++index) {
    const TransformBlock& transform = picture_.transforms[block.first_transform + index];
    add_transform(dsp, transform, std::get<Planes<Sample>>(planes_).frame[transform.plane]);
  }
}

template <class Sample>
void Reconstruction::add_transform(const Dsp<Sample>& dsp, const TransformBlock& transform,
                                   const video::PlaneView<Sample>& view) const {
  const auto* const coefficients = picture_.coefficients<typename Dsp<Sample>::Coefficient>();
  dsp.inverse_transform(transform.size, transform.type)(
      transform, coefficients + transform.first_coefficient, view.row(transform.y) + transform.x,
      view.stride);
}

}  // namespace sidecore::vp9
