#include "vp9/reconstruction.h"

#include <algorithm>

#include "vp9/block_tables.h"
#include "vp9/intra_blocks.h"
#include "vp9/intra_prediction.h"

namespace sidecore::vp9 {

/// A part of a block in one plane, in the plane's samples.
struct PlaneBlock {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
};

namespace {

PlaneBlock plane_block(const Block& block, int subsampling) {
  return {(block.column * kUnit) >> subsampling, (block.row * kUnit) >> subsampling,
          (kWidthIn8[block.size] * kUnit) >> subsampling,
          (kHeightIn8[block.size] * kUnit) >> subsampling};
}

std::size_t reference_index(const Block& block, std::size_t which) {
  return static_cast<std::size_t>(block.references[which] - kLast);
}

// Section 8.5.2.1: chroma of a block below 8x8 moves by the mean of its four vectors.
MotionVector mean_vector(const Block& block, std::size_t which) {
  const auto mean = [](int sum) {
    return static_cast<std::int16_t>((sum < 0 ? sum - 2 : sum + 2) / 4);
  };
  int row = 0;
  int column = 0;
  for (const auto& mv : block.mv) {
    row += mv[which].row;
    column += mv[which].column;
  }
  return {mean(row), mean(column)};
}

int scaled(int value, int scale) {
  return static_cast<int>((std::int64_t{value} * scale) >> 14);
}

// Section 8.5.2.2, along one axis of a plane: where a block begins in a reference of the frame's
// size, in 16ths of a sample, as is `vector`. `end` is the plane's, in whole units. A vector points
// no farther beyond the frame than the taps do.
int reference_start(int position, int size, int end, int vector) {
  constexpr int kTapsReach = 4;
  return std::clamp(position * 16 + vector, -(kTapsReach + size) * 16,
                    (end + kTapsReach) * 16 - 16);
}

// Section 8.5.2.3: the same for the block's part at `offset`, in a reference of any size. `start`
// is what reference_start() says, `luma` the block's position in luma samples.
int part_start(int position, int start, int offset, int luma, int scale) {
  if (scale == 1 << 14) return start + offset * 16;
  const int fraction = scaled((luma + offset) * 16, scale) & 15;
  return scaled(position + offset, scale) * 16 + scaled(start - position * 16, scale) + fraction;
}

}  // namespace

Reconstruction::Reconstruction(
    StreamDsp dsp, const FrameHeader& header, const PictureData& picture, FrameBuffer& frame,
    const std::array<std::shared_ptr<FrameBuffer>, kActiveReferences>& references)
    : dsp_(dsp), header_(header), picture_(picture) {
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

void Reconstruction::superblock(int row, int column, const ReconstructionParts& parts,
                                StageClock& clock) const {
  const Range range = picture_.superblock(row, column);
  const auto all = [&](const auto* dsp) {
    for (std::uint32_t index = range.begin; index < range.end; ++index) {
      reconstruct(*dsp, picture_.blocks[index], parts, clock);
    }
  };
  std::visit(all, dsp_);
}

template <class Sample>
void Reconstruction::reconstruct(const Dsp<Sample>& dsp, const Block& block,
                                 const ReconstructionParts& parts, StageClock& clock) const {
  if (!block.is_inter()) {
    if (!parts.intra) return;
    reconstruct_intra(dsp, block, clock);
    clock.lap(Stage::prediction);
    return;
  }
  if (parts.prediction) {
    predict_inter_block(dsp, block);
    clock.lap(Stage::prediction);
  }
  if (!parts.residual || block.transform_count == 0) return;
  add_transforms(dsp, block);
  clock.lap(Stage::residual);
}

// An intra block is predicted transform block by transform block, each from the one before.
template <class Sample>
void Reconstruction::reconstruct_intra(const Dsp<Sample>& dsp, const Block& block,
                                       StageClock& clock) const {
  for_each_intra_block(header_, picture_, block, [&](const IntraBlock& intra) {
    const video::PlaneView<Sample>& view = std::get<Planes<Sample>>(planes_).frame[intra.plane];
    predict_intra(dsp, view, intra.where, intra.size, intra.mode);
    if (intra.transform == nullptr) return;
    clock.lap(Stage::prediction);
    add_transform(dsp, *intra.transform, view);
    clock.lap(Stage::residual);
  });
}

template <class Sample>
void Reconstruction::predict_inter_block(const Dsp<Sample>& dsp, const Block& block) const {
  const std::size_t references = block.is_compound() ? 2 : 1;
  for (std::size_t which = 0; which < references; ++which) {
    const ReferenceScale& scale = scales_[reference_index(block, which)];
    if (block.size < kBlock8x8 || scale.scaled()) {
      for (std::size_t plane = 0; plane < 3; ++plane) predict_parts(dsp, block, which, plane);
    } else {
      predict_whole(dsp, block, which);
    }
  }
}

// A block that has one vector, from a reference of the frame's size.
template <class Sample>
void Reconstruction::predict_whole(const Dsp<Sample>& dsp, const Block& block,
                                   std::size_t which) const {
  const auto& planes = std::get<Planes<Sample>>(planes_);
  const auto& references = planes.references[reference_index(block, which)];
  const MotionVector mv = block.mv[0][which];
  const auto predict_planes = [&](std::size_t begin, std::size_t end, int subsampling)
      __attribute__((always_inline)) {
    const int units = 2 >> subsampling;  // 16ths of a sample that a vector counts
    const PlaneBlock whole = plane_block(block, subsampling);
    const ReferenceArea area{
        .x = reference_start(whole.x, whole.width, (picture_.columns() * kUnit) >> subsampling,
                             mv.column * units),
        .y = reference_start(whole.y, whole.height, (picture_.rows() * kUnit) >> subsampling,
                             mv.row * units),
        .width = whole.width,
        .height = whole.height};
    const InterPrediction<Sample> predict(dsp, area, block.filter, which == 1,
                                          references[begin].width, references[begin].height);
    for (std::size_t plane = begin; plane < end; ++plane) {
      const auto& view = planes.frame[plane];
      predict(references[plane], view.row(whole.y) + whole.x, view.stride);
    }
  };
  predict_planes(0, 1, 0);
  predict_planes(1, 3, header_.subsampling_x());
}

template <class Sample>
void Reconstruction::predict_parts(const Dsp<Sample>& dsp, const Block& block, std::size_t which,
                                   std::size_t plane) const {
  const int subsampling = plane > 0 ? header_.subsampling_x() : 0;
  const int units = 2 >> subsampling;
  const PlaneBlock whole = plane_block(block, subsampling);
  const auto& planes = std::get<Planes<Sample>>(planes_);
  const auto& view = planes.frame[plane];
  const std::size_t index = reference_index(block, which);
  const ReferenceScale& scale = scales_[index];
  const auto predict = [&](const PlaneBlock& part, MotionVector mv) {
    const int start_x = reference_start(
        whole.x, whole.width, (picture_.columns() * kUnit) >> subsampling, mv.column * units);
    const int start_y = reference_start(whole.y, whole.height,
                                        (picture_.rows() * kUnit) >> subsampling, mv.row * units);
    const ReferenceArea area{
        .x = part_start(whole.x, start_x, part.x - whole.x, block.column * kUnit, scale.x),
        .y = part_start(whole.y, start_y, part.y - whole.y, block.row * kUnit, scale.y),
        .step_x = scaled(16, scale.x),
        .step_y = scaled(16, scale.y),
        .width = part.width,
        .height = part.height};
    predict_inter(dsp, planes.references[index][plane], area, block.filter, which == 1,
                  view.row(part.y) + part.x, view.stride);
  };
  if (block.size >= kBlock8x8) {
    predict(whole, block.mv[0][which]);
  } else if (whole.width == 4) {
    predict(whole, mean_vector(block, which));
  } else {
    for (std::size_t sub = 0; sub < 4; ++sub) {
      const auto at = static_cast<int>(sub);
      predict({whole.x + at % 2 * 4, whole.y + at / 2 * 4, 4, 4}, block.mv[sub][which]);
    }
  }
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
