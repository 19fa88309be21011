// The symbols of one tile column: partitions, modes, vectors, coefficients.
// Source: VP9 specification v0.6, sections 6.4 and 9.3.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "vp9/bool_decoder.h"
#include "vp9/coefficient_reader.h"
#include "vp9/frame_context.h"
#include "vp9/motion_vectors.h"
#include "vp9/picture_data.h"
#include "vp9/probabilities.h"
#include "vp9/reference_contexts.h"

namespace sidecore::vp9 {

/// Contexts that blocks leave for those below (over the frame's width) or to the right (over a
/// superblock's height).
struct EdgeContext {
  std::array<std::vector<std::uint8_t>, 3> nonzero;  ///< by plane, per 4 samples of it
  std::vector<std::uint8_t> partition;               ///< per unit
  std::vector<std::uint8_t> segment_predicted;       ///< per unit

  void resize(int units, int subsampling);
  void clear(int first_unit, int end_unit, int subsampling);
};

/// Parses the tiles of one tile column, from the top, into the column's part of the picture.
/// Columns are independent: each has a parser, and they may run at the same time.
class TileParser {
 public:
  TileParser() = default;

  /// Gets ready for a frame's column; `above` spans the frame and is shared by its parsers.
  void start(const FrameContext& frame, PictureData& picture, TileColumn& column,
             EdgeContext& above);

  /// The superblocks that follow are those of a tile. Throws Error (usage) when its data is
  /// damaged.
  void start_tile(std::span<const std::uint8_t> bytes);
  /// Parses the column's next row of superblocks, whose first row of units is `row`. Throws Error
  /// (usage) when the tile's data is damaged or cut short.
  void parse_row(int row);

  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  void parse_superblock(int row, int column);
  template <int Log2Units>
  void parse_partition(int row, int column);
  template <int Log2Units>
  [[nodiscard]] Partition read_partition(int row, int column, int above_context, int left_context);
  void parse_block(int row, int column, BlockSize size);

  // Inline is what one place calls.
  inline void read_modes(Block& block);
  void read_intra_segment(Block& block);
  void read_inter_segment(Block& block);
  void store_segment(const Block& block);
  void keep_segments(const Block& block);
  [[nodiscard]] int predicted_segment(const Block& block) const;
  inline void read_skip(Block& block);
  [[nodiscard]] inline bool read_is_inter(const Block& block);
  inline void read_transform_size(Block& block, bool may_choose);
  inline void read_references(Block& block);
  inline void check_references(const Block& block) const;
  inline void read_intra_modes(Block& block);
  inline void read_key_modes(Block& block);
  [[nodiscard]] PredictionMode read_intra_mode(const Probability (&probabilities)[9]);
  inline void read_inter_modes(Block& block);
  [[nodiscard]] PredictionMode read_inter_mode(int context);
  [[nodiscard]] inline InterpolationFilter read_filter();
  [[nodiscard]] MotionVector read_vector(MotionVector predicted);
  [[nodiscard, gnu::always_inline]] inline int read_vector_component(BoolDecoder& decoder,
                                                                     int index,
                                                                     bool high_precision);

  void read_residual(const Block& block);
  template <class Coefficient>
  void read_planes(const Block& block, TransformSize size, int first, int end);
  template <class Coefficient, TransformSize Size>
  void read_planes(const Block& block, int first, int end);
  template <class Coefficient, TransformSize Size>
  void read_transform(const Block& block, const TokenContext& context, int plane, int x, int y,
                      int first_context);
  inline void clear_nonzero_context(const Block& block);

  inline void store(const Block& block, std::uint32_t index);

  const FrameContext* frame_ = nullptr;
  PictureData* picture_ = nullptr;
  TileColumn* column_ = nullptr;
  EdgeContext* above_ = nullptr;
  EdgeContext left_;
  BoolDecoder decoder_{{}};
  Neighbours neighbours_;
  Counts counts_{};
};

}  // namespace sidecore::vp9
