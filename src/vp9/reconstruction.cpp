#include "vp9/reconstruction.h"

#include <algorithm>
#include <type_traits>

#include "vp9/block_tables.h"
#include "vp9/intra_prediction.h"
#include "vp9/inverse_transform.h"

namespace sidecore::vp9 {

/// A part of a block in one plane, in the plane's samples.
struct PlaneBlock {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
};

namespace {

template <class Sample>
using CoefficientOf = std::conditional_t<sizeof(Sample) == 1, std::int16_t, std::int32_t>;

PlaneBlock plane_block(const Block& block, int subsampling) {
  return {(block.column * kUnit) >> subsampling, (block.row * kUnit) >> subsampling,
          (kWidthIn8[block.size] * kUnit) >> subsampling,
          (kHeightIn8[block.size] * kUnit) >> subsampling};
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

// Section 8.5.2.2: how far a vector may point beyond the frame, in 16ths of the plane's samples.
// `position` and `size` are the block's, `units` the frame's size in 8x8 luma units.
int clamped_component(int value, int position, int size, int units, int subsampling) {
  constexpr int kTapsReach = 4;
  const int in_plane = value * (2 >> subsampling);
  const int frame = (units * kUnit) >> subsampling;
  const int least = -(position + kTapsReach + size) * 16;
  const int most = (frame - position + kTapsReach) * 16 - 16;
  return std::clamp(in_plane, least, most);
}

int scaled(int value, int scale) {
  return static_cast<int>((std::int64_t{value} * scale) >> 14);
}

// Section 8.5.2.3, along one axis: first sample, in 16ths. `position` is the part's own in the
// plane, `offset` its place in the block, `luma` the block's position in luma samples.
int reference_start(int position, int offset, int luma, int mv, int scale) {
  if (scale == 1 << 14) return position * 16 + mv;
  const int fraction = scaled((luma + offset) * 16, scale) & 15;
  return scaled(position, scale) * 16 + scaled(mv, scale) + fraction;
}

}  // namespace

Reconstruction::Reconstruction(
    StreamDsp dsp, const FrameHeader& header, const PictureData& picture, FrameBuffer& frame,
    const std::array<std::shared_ptr<FrameBuffer>, kActiveReferences>& references)
    : dsp_(dsp), header_(header), picture_(picture), frame_(frame) {
  if (header.intra_frame()) return;
  for (std::size_t index = 0; index < references.size(); ++index) {
    references_[index] = references[index].get();
    scales_[index] = reference_scale(references[index]->size, header.size);
  }
}

void Reconstruction::superblock(int row, int column, StageClock& clock) const {
  const Range range = picture_.superblock(row, column);
  const auto all = [&](const auto* dsp) {
    for (std::uint32_t index = range.begin; index < range.end; ++index) {
      reconstruct(*dsp, picture_.blocks[index], clock);
    }
  };
  std::visit(all, dsp_);
}

template <class Sample>
void Reconstruction::reconstruct(const Dsp<Sample>& dsp, const Block& block,
                                 StageClock& clock) const {
  if (!block.is_inter()) {
    for (int plane = 0; plane < 3; ++plane) reconstruct_intra_plane(dsp, block, plane, clock);
    clock.lap(Stage::prediction);
    return;
  }
  for (int plane = 0; plane < 3; ++plane) predict_inter_plane(dsp, block, plane);
  clock.lap(Stage::prediction);
  if (block.transform_count == 0) return;
  add_transforms(dsp, block);
  clock.lap(Stage::residual);
}

int Reconstruction::tile_begin(int column) const {
  for (const TileColumn& tile : picture_.tile_columns) {
    if (column >= tile.begin && column < tile.end) return tile.begin;
  }
  return 0;
}

// An intra block is predicted transform block by transform block, each from the one before.
template <class Sample>
void Reconstruction::reconstruct_intra_plane(const Dsp<Sample>& dsp, const Block& block, int plane,
                                             StageClock& clock) const {
  const int subsampling = plane > 0 ? header_.subsampling_x() : 0;
  const PlaneBlock area = plane_block(block, subsampling);
  const TransformSize size = plane > 0 ? block.chroma_transform : block.transform;
  const int step = 4 << size;
  const video::PlaneView<Sample> view = frame_.memory.plane<Sample>(plane);
  const bool has_left = block.column > tile_begin(block.column);
  IntraSurroundings where;
  where.end_x = (picture_.columns() * kUnit) >> subsampling;
  where.end_y = (picture_.rows() * kUnit) >> subsampling;
  const TransformBlock* transform = picture_.transforms.data() + block.first_transform;
  const TransformBlock* const end = transform + block.transform_count;
  while (transform != end && transform->plane < plane) ++transform;
  for (int y = 0; y < area.height && area.y + y < where.end_y; y += step) {
    for (int x = 0; x < area.width && area.x + x < where.end_x; x += step) {
      where.x = area.x + x;
      where.y = area.y + y;
      where.above = y > 0 || block.row > 0;
      where.left = x > 0 || has_left;
      where.above_right = x + step < area.width;
      PredictionMode mode = block.uv_mode;
      if (plane == 0) {
        const int sub_block = block.size < kBlock8x8 ? y / 4 * 2 + x / 4 : 3;
        mode = block.modes[static_cast<std::size_t>(sub_block)];
      }
      predict_intra(dsp, view, where, size, mode);
      if (transform != end && transform->plane == plane && transform->x == where.x &&
          transform->y == where.y) {
        clock.lap(Stage::prediction);
        const auto* const coefficients =
            picture_.coefficients<CoefficientOf<Sample>>() + transform->first_coefficient;
        add_residual(*transform, coefficients, view.row(where.y) + where.x, view.stride, dsp.bits);
        clock.lap(Stage::residual);
        ++transform;
      }
    }
  }
}

template <class Sample>
void Reconstruction::predict_inter_plane(const Dsp<Sample>& dsp, const Block& block,
                                         int plane) const {
  const int subsampling = plane > 0 ? header_.subsampling_x() : 0;
  const PlaneBlock area = plane_block(block, subsampling);
  const std::size_t references = block.is_compound() ? 2 : 1;
  for (std::size_t which = 0; which < references; ++which) {
    if (block.size >= kBlock8x8) {
      predict_from(dsp, block, plane, which, area, block.mv[0][which]);
    } else if (area.width == 4) {
      predict_from(dsp, block, plane, which, area, mean_vector(block, which));
    } else {
      for (std::size_t sub = 0; sub < 4; ++sub) {
        const auto index = static_cast<int>(sub);
        const PlaneBlock part{area.x + index % 2 * 4, area.y + index / 2 * 4, 4, 4};
        predict_from(dsp, block, plane, which, part, block.mv[sub][which]);
      }
    }
  }
}

template <class Sample>
void Reconstruction::predict_from(const Dsp<Sample>& dsp, const Block& block, int plane,
                                  std::size_t which, const PlaneBlock& part,
                                  MotionVector mv) const {
  const auto index = static_cast<std::size_t>(block.references[which] - kLast);
  const ReferenceScale& scale = scales_[index];
  const int subsampling = plane > 0 ? header_.subsampling_x() : 0;
  const PlaneBlock whole = plane_block(block, subsampling);
  const int mv_x =
      clamped_component(mv.column, whole.x, whole.width, picture_.columns(), subsampling);
  const int mv_y = clamped_component(mv.row, whole.y, whole.height, picture_.rows(), subsampling);
  const ReferenceArea area{
      .x = reference_start(part.x, part.x - whole.x, block.column * kUnit, mv_x, scale.x),
      .y = reference_start(part.y, part.y - whole.y, block.row * kUnit, mv_y, scale.y),
      .step_x = scaled(16, scale.x),
      .step_y = scaled(16, scale.y),
      .width = part.width,
      .height = part.height};
  const video::PlaneView<Sample> view = frame_.memory.plane<Sample>(plane);
  predict_inter(references_[index]->visible<Sample>(plane), area, block.filter, which == 1,
                view.row(part.y) + part.x, view.stride, dsp.bits);
}

template <class Sample>
void Reconstruction::add_transforms(const Dsp<Sample>& dsp, const Block& block) const {
  const auto* const coefficients = picture_.coefficients<CoefficientOf<Sample>>();
  for (std::uint32_t index = 0; index < block.transform_count; ++index) {
    const TransformBlock& transform = picture_.transforms[block.first_transform + index];
    const video::PlaneView<Sample> view = frame_.memory.plane<Sample>(transform.plane);
    add_residual(transform, coefficients + transform.first_coefficient,
                 view.row(transform.y) + transform.x, view.stride, dsp.bits);
  }
}

}  // namespace sidecore::vp9
