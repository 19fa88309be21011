#include "vp9/tile_parser.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "base/error.h"
#include "vp9/block_tables.h"
#include "vp9/coefficient_reader.h"
#include "vp9/tables.h"

namespace sidecore::vp9 {

namespace {

/// Returns a unit's row within its superblock.
std::size_t in_superblock(int row) {
  return static_cast<std::size_t>(row) % kUnitsInSuperblock;
}

/// Sets the mode of the 4x4 blocks that one part of a block smaller than 8x8 covers. Also sets the
/// 4x4 blocks below; a mode of their own that is read later replaces this one.
void set_covered(Block& block, std::size_t sub_block, PredictionMode mode) {
  const std::size_t step = kWidthIn4[block.size] == 1 ? 2 : 1;
  for (std::size_t covered = sub_block; covered < 4; covered += step) block.modes[covered] = mode;
}

/// Calls work() with a block's width or height of 1, 2, 4 or 8 units as a compile-time constant.
template <class Work>
[[gnu::always_inline]] inline void with_units(int units, const Work& work) {
  switch (units) {
    case 1:
      return work(std::integral_constant<int, 1>{});
    case 2:
      return work(std::integral_constant<int, 2>{});
    case 4:
      return work(std::integral_constant<int, 4>{});
    default:
      return work(std::integral_constant<int, 8>{});
  }
}

}  // namespace

void EdgeContext::resize(int units, int subsampling) {
  const auto count = static_cast<std::size_t>(units);
  for (std::size_t plane = 0; plane < nonzero.size(); ++plane) {
    nonzero[plane].resize(plane > 0 && subsampling > 0 ? count : 2 * count);
  }
  partition.resize(count);
  segment_predicted.resize(count);
}

void EdgeContext::clear(int first_unit, int end_unit, int subsampling) {
  const auto zero = [](std::vector<std::uint8_t>& values, int first, int end) {
    std::fill(values.begin() + first, values.begin() + end, std::uint8_t{0});
  };
  for (std::size_t plane = 0; plane < nonzero.size(); ++plane) {
    const int per_unit = plane > 0 && subsampling > 0 ? 1 : 2;
    zero(nonzero[plane], per_unit * first_unit, per_unit * end_unit);
  }
  zero(partition, first_unit, end_unit);
  zero(segment_predicted, first_unit, end_unit);
}

void TileParser::start(const FrameContext& frame, PictureData& picture, TileColumn& column,
                       EdgeContext& above) {
  frame_ = &frame;
  picture_ = &picture;
  column_ = &column;
  above_ = &above;
  left_.resize(kUnitsInSuperblock, frame.header.subsampling().y);
  counts_ = {};
  // Contexts are cleared once per column, not per tile, because they continue across tile rows.
  above.clear(column.begin,
              (column.end + kUnitsInSuperblock - 1) / kUnitsInSuperblock * kUnitsInSuperblock,
              frame.header.subsampling().x);
}

void TileParser::start_tile(std::span<const std::uint8_t> bytes) {
  decoder_ = BoolDecoder(bytes);
  if (decoder_.marker()) throw usage_error("the marker bit of a tile is set: it must be 0");
}

void TileParser::parse_row(int row) {
  picture_->start_row(*column_);
  left_.clear(0, kUnitsInSuperblock, frame_->header.subsampling().y);
  for (int column = column_->begin; column < column_->end; column += kUnitsInSuperblock) {
    parse_superblock(row, column);
    if (decoder_.overrun()) throw usage_error("a tile is cut short");
  }
}

void TileParser::parse_superblock(int row, int column) {
  Range& range = picture_->superblock(row / kUnitsInSuperblock, column / kUnitsInSuperblock);
  range.begin = column_->blocks.end;
  parse_partition<3>(row, column);
  range.end = column_->blocks.end;
}

template <int Log2Units>
Partition TileParser::read_partition(int row, int column, int above_context, int left_context) {
  constexpr int kHalf = 1 << Log2Units >> 1;
  const bool has_rows = row + kHalf < picture_->rows();
  const bool has_columns = column + kHalf < picture_->columns();
  const int context =
      Log2Units * 4 + (left_context >> Log2Units & 1) * 2 + (above_context >> Log2Units & 1);
  const Probability* const probabilities = frame_->header.intra_frame()
                                               ? kKeyFramePartitionProbabilities[context]
                                               : frame_->probabilities.partition[context];
  Partition partition = kPartitionSplit;
  if (has_rows && has_columns) [[likely]] {
    partition = static_cast<Partition>(decoder_.tree<kPartitionTree>(probabilities));
  } else if (has_columns) {
    partition = decoder_.read(probabilities[1]) ? kPartitionSplit : kPartitionHorizontal;
  } else if (has_rows) {
    partition = decoder_.read(probabilities[2]) ? kPartitionSplit : kPartitionVertical;
  }
  ++counts_.partition[context][partition];
  return partition;
}

/// Reads the partition of a square of 1 << Log2Units units.
template <int Log2Units>
void TileParser::parse_partition(int row, int column) {
  if (row >= picture_->rows() || column >= picture_->columns()) return;
  constexpr int kUnits = 1 << Log2Units;
  constexpr int kHalf = kUnits >> 1;
  std::uint8_t* const above = above_->partition.data() + column;
  std::uint8_t* const left = left_.partition.data() + in_superblock(row);
  const Partition partition = read_partition<Log2Units>(row, column, *above, *left);
  const BlockSize size = kSubsize[partition][Log2Units];
  if constexpr (Log2Units > 0) {
    if (partition == kPartitionSplit) {
      for (const int y : {0, kHalf}) {
        for (const int x : {0, kHalf}) parse_partition<Log2Units - 1>(row + y, column + x);
      }
      return;
    }
  }
  parse_block(row, column, size);
  if constexpr (Log2Units > 0) {
    if (partition == kPartitionHorizontal && row + kHalf < picture_->rows()) {
      parse_block(row + kHalf, column, size);
    } else if (partition == kPartitionVertical && column + kHalf < picture_->columns()) {
      parse_block(row, column + kHalf, size);
    }
  }
  std::memset(above, kPartitionContextAbove[size], kUnits);
  std::memset(left, kPartitionContextLeft[size], kUnits);
}

void TileParser::parse_block(int row, int column, BlockSize size) {
  const std::uint32_t index = column_->blocks.end++;
  Block& block = picture_->blocks[index];
  block = {};
  block.row = static_cast<std::uint16_t>(row);
  block.column = static_cast<std::uint16_t>(column);
  block.size = size;
  neighbours_.above = row > 0 ? &picture_->block_at(row - 1, column) : nullptr;
  neighbours_.left = column > column_->begin ? &picture_->block_at(row, column - 1) : nullptr;

  read_modes(block);
  block.chroma_transform = chroma_transform(size, block.transform, frame_->header.subsampling());
  const SegmentValues& values = frame_->segments[block.segment];
  block.filter_level = values.filter_levels[static_cast<std::size_t>(block.references[0])]
                                           [block.is_inter() && block.mode() != kZeroMv ? 1 : 0];

  block.first_transform = column_->transforms.end;
  if (block.skip) {
    clear_nonzero_context(block);
  } else {
    read_residual(block);
    block.transform_count = column_->transforms.end - block.first_transform;
    if (block.is_inter() && size >= kBlock8x8 && block.transform_count == 0) block.skip = true;
  }
  store(block, index);
}

void TileParser::store(const Block& block, std::uint32_t index) {
  const int width = kWidthIn8[block.size];
  const int rows = std::min<int>(kHeightIn8[block.size], picture_->rows() - block.row);
  const int visible_width = std::min(width, picture_->columns() - block.column);
  const std::size_t first = picture_->unit(block.row, block.column);
  picture_->motion().of_block[index] = {block.mv[3], block.references};
  const auto fill = [&](auto columns) {
    std::uint32_t* blocks = picture_->motion().block_of_unit.data() + first;
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < columns; ++column) blocks[column] = index;
      blocks += picture_->columns();
    }
  };
  if (visible_width < width) return fill(visible_width);
  with_units(width, fill);
}

void TileParser::read_modes(Block& block) {
  const bool intra_frame = frame_->header.intra_frame();
  if (frame_->header.segmentation.enabled) {
    if (intra_frame) {
      read_intra_segment(block);
    } else {
      read_inter_segment(block);
    }
  }
  read_skip(block);
  const bool is_inter = !intra_frame && read_is_inter(block);
  read_transform_size(block, !block.skip || !is_inter);
  if (is_inter) {
    read_references(block);
    check_references(block);
    read_inter_modes(block);
  } else if (intra_frame) {
    read_key_modes(block);
  } else {
    read_intra_modes(block);
  }
}

bool TileParser::read_is_inter(const Block& block) {
  const Segmentation& segmentation = frame_->header.segmentation;
  if (segmentation.active(block.segment, kSegmentReference)) {
    return segmentation.value(block.segment, kSegmentReference) != kIntra;
  }
  const int context = is_inter_context(neighbours_);
  const bool is_inter = decoder_.read(frame_->probabilities.is_inter[context]);
  ++counts_.is_inter[context][is_inter];
  return is_inter;
}

void TileParser::read_intra_segment(Block& block) {
  const Segmentation& segmentation = frame_->header.segmentation;
  if (segmentation.update_map) {
    block.segment = static_cast<std::uint8_t>(
        decoder_.tree<kSegmentTree>(segmentation.tree_probabilities.data()));
  }
  store_segment(block);
}

int TileParser::predicted_segment(const Block& block) const {
  const int rows = std::min<int>(kHeightIn8[block.size], picture_->rows() - block.row);
  const int columns = std::min<int>(kWidthIn8[block.size], picture_->columns() - block.column);
  int least = kMaxSegments - 1;
  for (int row = 0; row < rows; ++row) {
    const std::uint8_t* const first =
        frame_->previous_segments + picture_->unit(block.row + row, block.column);
    least = std::min<int>(least, *std::min_element(first, first + columns));
  }
  return least;
}

void TileParser::read_inter_segment(Block& block) {
  const Segmentation& segmentation = frame_->header.segmentation;
  const int predicted = predicted_segment(block);
  if (!segmentation.update_map) {
    keep_segments(block);
    block.segment = static_cast<std::uint8_t>(predicted);
    return;
  }
  const auto read = [&] {
    return decoder_.tree<kSegmentTree>(segmentation.tree_probabilities.data());
  };
  int segment = predicted;
  if (segmentation.temporal_update) {
    const std::size_t row = in_superblock(block.row);
    const int context = left_.segment_predicted[row] + above_->segment_predicted[block.column];
    const bool use_predicted =
        decoder_.read(segmentation.prediction_probabilities[static_cast<std::size_t>(context)]);
    if (!use_predicted) segment = read();
    std::fill_n(above_->segment_predicted.begin() + block.column, kWidthIn8[block.size],
                std::uint8_t{use_predicted});
    std::fill_n(left_.segment_predicted.data() + in_superblock(block.row), kHeightIn8[block.size],
                std::uint8_t{use_predicted});
  } else {
    segment = read();
  }
  block.segment = static_cast<std::uint8_t>(segment);
  store_segment(block);
}

void TileParser::store_segment(const Block& block) {
  const int rows = std::min<int>(kHeightIn8[block.size], picture_->rows() - block.row);
  const int columns = std::min<int>(kWidthIn8[block.size], picture_->columns() - block.column);
  for (int row = 0; row < rows; ++row) {
    std::fill_n(frame_->current_segments + picture_->unit(block.row + row, block.column), columns,
                block.segment);
  }
}

void TileParser::keep_segments(const Block& block) {
  const int rows = std::min<int>(kHeightIn8[block.size], picture_->rows() - block.row);
  const int columns = std::min<int>(kWidthIn8[block.size], picture_->columns() - block.column);
  for (int row = 0; row < rows; ++row) {
    const std::size_t first = picture_->unit(block.row + row, block.column);
    std::copy_n(frame_->previous_segments + first, columns, frame_->current_segments + first);
  }
}

void TileParser::read_skip(Block& block) {
  if (frame_->header.segmentation.active(block.segment, kSegmentSkip)) {
    block.skip = true;
    return;
  }
  const int context = int{neighbours_.above != nullptr && neighbours_.above->skip} +
                      int{neighbours_.left != nullptr && neighbours_.left->skip};
  block.skip = decoder_.read(frame_->probabilities.skip[context]);
  ++counts_.skip[context][block.skip];
}

void TileParser::read_transform_size(Block& block, bool may_choose) {
  const TransformSize largest = kLargestTransform[block.size];
  const TransformMode mode = frame_->compressed.transform_mode;
  if (mode != TransformMode::select || !may_choose || block.size < kBlock8x8) {
    const auto of_mode = static_cast<TransformSize>(
        std::min(static_cast<int>(mode), static_cast<int>(kTransform32x32)));
    block.transform = std::min(largest, of_mode);
    return;
  }
  const auto size_of = [&](const Block* neighbour) {
    return neighbour != nullptr && !neighbour->skip ? neighbour->transform : largest;
  };
  int above = size_of(neighbours_.above);
  int left = size_of(neighbours_.left);
  if (neighbours_.left == nullptr) left = above;
  if (neighbours_.above == nullptr) above = left;
  const int context = above + left > largest ? 1 : 0;
  const Probabilities& probabilities = frame_->probabilities;
  int size = 0;
  if (largest == kTransform8x8) {
    size = decoder_.tree<kTransform8x8Tree>(probabilities.transform_8x8[context]);
    ++counts_.transform_8x8[context][size];
  } else if (largest == kTransform16x16) {
    size = decoder_.tree<kTransform16x16Tree>(probabilities.transform_16x16[context]);
    ++counts_.transform_16x16[context][size];
  } else {
    size = decoder_.tree<kTransform32x32Tree>(probabilities.transform_32x32[context]);
    ++counts_.transform_32x32[context][size];
  }
  block.transform = static_cast<TransformSize>(size);
}

void TileParser::check_references(const Block& block) const {
  const std::array<bool, kActiveReferences>& usable = frame_->header.usable_references;
  for (const ReferenceFrame reference : block.references) {
    if (reference > kIntra && !usable[static_cast<std::size_t>(reference - kLast)]) {
      throw usage_error("a block uses a reference whose size cannot predict the frame");
    }
  }
}

void TileParser::read_references(Block& block) {
  const Segmentation& segmentation = frame_->header.segmentation;
  if (segmentation.active(block.segment, kSegmentReference)) {
    block.references[0] =
        static_cast<ReferenceFrame>(segmentation.value(block.segment, kSegmentReference));
    return;
  }
  const Probabilities& probabilities = frame_->probabilities;
  const auto read = [&](Probability probability, Count(&counts)[2]) {
    const bool bit = decoder_.read(probability);
    ++counts[bit];
    return bit;
  };
  bool compound = frame_->compressed.reference_mode == ReferenceMode::compound;
  if (frame_->compressed.reference_mode == ReferenceMode::select) {
    const int context = compound_mode_context(neighbours_, frame_->compound);
    compound = read(probabilities.compound_mode[context], counts_.compound_mode[context]);
  }
  if (compound) {
    const CompoundReferences& roles = frame_->compound;
    const std::array<bool, 4>& sign_bias = frame_->header.sign_bias;
    const int context = compound_reference_context(neighbours_, roles, sign_bias);
    const bool second =
        read(probabilities.compound_reference[context], counts_.compound_reference[context]);
    const std::size_t fixed = sign_bias[static_cast<std::size_t>(roles.fixed)] ? 1 : 0;
    block.references[fixed] = roles.fixed;
    block.references[1 - fixed] = roles.variable[second ? 1 : 0];
    return;
  }
  const int context = single_reference_context_1(neighbours_);
  block.references[0] = kLast;
  if (!read(probabilities.single_reference[context][0], counts_.single_reference[context][0])) {
    return;
  }
  const int context_2 = single_reference_context_2(neighbours_);
  block.references[0] =
      read(probabilities.single_reference[context_2][1], counts_.single_reference[context_2][1])
          ? kAltRef
          : kGolden;
}

PredictionMode TileParser::read_intra_mode(const Probability (&probabilities)[9]) {
  return static_cast<PredictionMode>(decoder_.tree<kIntraModeTree>(probabilities));
}

void TileParser::read_key_modes(Block& block) {
  // Returns the mode of a 4x4 block in a neighbour; kDcPrediction if that is missing or inter.
  const auto mode_of = [](const Block* neighbour, std::size_t sub_block) {
    return neighbour != nullptr && !neighbour->is_inter() ? neighbour->modes[sub_block]
                                                          : kDcPrediction;
  };
  const auto read = [&](std::size_t sub_block) {
    const PredictionMode above =
        sub_block >= 2 ? block.modes[sub_block - 2] : mode_of(neighbours_.above, sub_block + 2);
    const PredictionMode left =
        sub_block % 2 == 1 ? block.modes[sub_block - 1] : mode_of(neighbours_.left, sub_block + 1);
    return read_intra_mode(kKeyFrameYModeProbabilities[above][left]);
  };
  if (block.size >= kBlock8x8) {
    block.modes.fill(read(0));
  } else {
    const std::size_t wide = kWidthIn4[block.size];
    const std::size_t high = kHeightIn4[block.size];
    for (std::size_t y = 0; y < 2; y += high) {
      for (std::size_t x = 0; x < 2; x += wide) {
        const PredictionMode mode = read(2 * y + x);
        set_covered(block, 2 * y + x, mode);
      }
    }
  }
  block.uv_mode = read_intra_mode(kKeyFrameUvModeProbabilities[block.mode()]);
}

void TileParser::read_intra_modes(Block& block) {
  const auto read = [&](int context) {
    const PredictionMode mode = read_intra_mode(frame_->probabilities.y_mode[context]);
    ++counts_.y_mode[context][mode];
    return mode;
  };
  if (block.size >= kBlock8x8) {
    block.modes.fill(read(kSizeGroup[block.size]));
  } else {
    const std::size_t wide = kWidthIn4[block.size];
    const std::size_t high = kHeightIn4[block.size];
    for (std::size_t y = 0; y < 2; y += high) {
      for (std::size_t x = 0; x < 2; x += wide) {
        const PredictionMode mode = read(0);
        set_covered(block, 2 * y + x, mode);
      }
    }
  }
  block.uv_mode = read_intra_mode(frame_->probabilities.uv_mode[block.mode()]);
  ++counts_.uv_mode[block.mode()][block.uv_mode];
}

PredictionMode TileParser::read_inter_mode(int context) {
  const int mode = decoder_.tree<kInterModeTree>(frame_->probabilities.inter_mode[context]);
  ++counts_.inter_mode[context][mode];
  return static_cast<PredictionMode>(kNearestMv + mode);
}

InterpolationFilter TileParser::read_filter() {
  if (frame_->header.filter != kSwitchable) return frame_->header.filter;
  constexpr int kNoFilter = 3;
  const auto filter_of = [](const Block* neighbour) {
    return neighbour != nullptr && neighbour->is_inter() ? int{neighbour->filter} : kNoFilter;
  };
  const int above = filter_of(neighbours_.above);
  const int left = filter_of(neighbours_.left);
  const int context = left == above || above == kNoFilter ? left
                      : left == kNoFilter                 ? above
                                                          : kNoFilter;
  const int filter =
      decoder_.tree<kInterpolationFilterTree>(frame_->probabilities.interpolation_filter[context]);
  ++counts_.interpolation_filter[context][filter];
  return static_cast<InterpolationFilter>(filter);
}

void TileParser::read_inter_modes(Block& block) {
  MotionVectorPredictor predictor(*frame_, *picture_, column_->begin, column_->end, block);
  const std::size_t references = block.is_compound() ? 2 : 1;
  const int mode_context = predictor.mode_context();
  PredictionMode mode = kZeroMv;
  if (frame_->header.segmentation.active(block.segment, kSegmentSkip)) {
    if (block.size < kBlock8x8)
      throw usage_error(
          "a block is smaller than 8x8, but its segment has the feature 'skip': blocks there must "
          "be "
          "at least 8x8");
  } else if (block.size >= kBlock8x8) {
    mode = read_inter_mode(mode_context);
  }
  block.filter = read_filter();

  // Returns the vectors for the mode `how`; `predict` computes the predicted ones.
  const auto vectors = [&](PredictionMode how, const auto& predict) {
    std::array<MotionVector, 2> mv{};
    if (how == kZeroMv) return mv;
    for (std::size_t which = 0; which < references; ++which) {
      mv[which] =
          how == kNewMv ? read_vector(predictor.predict(which, kNearestMv)) : predict(which);
    }
    return mv;
  };
  if (block.size >= kBlock8x8) {
    block.modes.fill(mode);
    block.mv.fill(vectors(mode, [&](std::size_t which) { return predictor.predict(which, mode); }));
    return;
  }
  const std::size_t wide = kWidthIn4[block.size];
  const std::size_t high = kHeightIn4[block.size];
  for (std::size_t y = 0; y < 2; y += high) {
    for (std::size_t x = 0; x < 2; x += wide) {
      const std::size_t sub = 2 * y + x;
      const PredictionMode sub_mode = read_inter_mode(mode_context);
      const std::array<MotionVector, 2> mv = vectors(sub_mode, [&](std::size_t which) {
        return predictor.predict_sub_block(which, sub, sub_mode);
      });
      set_covered(block, sub, sub_mode);
      for (std::size_t covered = sub; covered < 4; covered += wide == 1 ? 2 : 1) {
        block.mv[covered] = mv;
      }
    }
  }
}

MotionVector TileParser::read_vector(MotionVector predicted) {
  const bool high_precision = frame_->header.high_precision_mv && uses_high_precision(predicted);
  BoolDecoder decoder = decoder_;
  const int joint = decoder.tree<kMvJointTree>(frame_->probabilities.mv_joint);
  ++counts_.mv_joint[joint];
  int row = predicted.row;
  int column = predicted.column;
  if (joint >= 2) row += read_vector_component(decoder, 0, high_precision);
  if (joint % 2 == 1) column += read_vector_component(decoder, 1, high_precision);
  decoder_ = decoder;
  constexpr int kLimit = 1 << 14;
  if (std::max(std::abs(row), std::abs(column)) >= kLimit) {
    throw usage_error("a motion vector has a component of 16384 or more eighths of a sample");
  }
  return {static_cast<std::int16_t>(row), static_cast<std::int16_t>(column)};
}

int TileParser::read_vector_component(BoolDecoder& decoder, int index, bool high_precision) {
  const MvComponentProbabilities& probabilities = frame_->probabilities.mv_component[index];
  MvComponentCounts& counts = counts_.mv_component[index];
  const bool negative = decoder.read(probabilities.sign);
  ++counts.sign[negative];
  const int mv_class = decoder.tree<kMvClassTree>(probabilities.classes);
  ++counts.classes[mv_class];
  int integer = 0;
  int fraction = 0;
  // If the eighth is not coded, its value is 1, and it is counted as if it had been coded.
  bool eighth = true;
  int magnitude = 1;
  if (mv_class == 0) {
    integer = int{decoder.read(probabilities.class0)};
    ++counts.class0[integer];
    fraction = decoder.tree<kMvFractionTree>(probabilities.class0_fraction[integer]);
    ++counts.class0_fraction[integer][fraction];
    if (high_precision) eighth = decoder.read(probabilities.class0_high_precision);
    ++counts.class0_high_precision[eighth];
  } else {
    for (int bit = 0; bit < mv_class; ++bit) {
      const bool set = decoder.read(probabilities.bits[bit]);
      ++counts.bits[bit][set];
      integer |= int{set} << bit;
    }
    magnitude += 2 << (mv_class + 2);
    fraction = decoder.tree<kMvFractionTree>(probabilities.fraction);
    ++counts.fraction[fraction];
    if (high_precision) eighth = decoder.read(probabilities.high_precision);
    ++counts.high_precision[eighth];
  }
  magnitude += integer << 3 | fraction << 1 | int{eighth};
  return negative ? -magnitude : magnitude;
}

void TileParser::clear_nonzero_context(const Block& block) {
  const auto clear = [](EdgeContext& context, std::size_t unit, int units, bool subsampled) {
    with_units(units, [&]<int Units>(std::integral_constant<int, Units>) {
      auto& [luma, cb, cr] = context.nonzero;
      std::memset(luma.data() + 2 * unit, 0, 2 * Units);
      if (subsampled) {
        std::memset(cb.data() + unit, 0, Units);
        std::memset(cr.data() + unit, 0, Units);
      } else {
        std::memset(cb.data() + 2 * unit, 0, 2 * Units);
        std::memset(cr.data() + 2 * unit, 0, 2 * Units);
      }
    });
  };
  const Subsampling chroma = frame_->header.subsampling();
  clear(*above_, block.column, kWidthIn8[block.size], chroma.x > 0);
  clear(left_, in_superblock(block.row), kHeightIn8[block.size], chroma.y > 0);
}

}  // namespace sidecore::vp9
