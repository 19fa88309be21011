// Parses the symbols of one tile column: partitions, modes, vectors and coefficients.
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

/// Contexts that blocks store for the blocks below (across the frame's width) or to the right
/// (across a superblock's height).
struct EdgeContext {
  /// Context of coefficients: [plane], one element per 4 samples.
  std::array<std::vector<std::uint8_t>, 3> nonzero;
  std::vector<std::uint8_t> partition;  ///< context of partitions, one element per 8x8 unit
  /// True where the segment id was predicted; one element per 8x8 unit.
  std::vector<std::uint8_t> segment_predicted;

  void resize(int units, int subsampling);
  void clear(int first_unit, int end_unit, int subsampling);
};

/// Parses the tiles of one tile column, from the top, into the column's part of the picture. Each
/// column has its own parser, and the parsers of different columns may run at the same time.
class TileParser {
 public:
  TileParser() = default;

  /// Prepares to parse one tile column of a frame. `above`, the context of the row above, covers
  /// the frame's whole width; the parsers of all columns share it.
  void start(const FrameContext& frame, PictureData& picture, TileColumn& column,
             EdgeContext& above);

  /// Starts a tile: parse_row() reads from `bytes` until the next call. Throws Error (usage) if the
  /// data is damaged.
  void start_tile(std::span<const std::uint8_t> bytes);
  /// Parses the column's next row of superblocks; `row` is its first row of units. Throws Error
  /// (usage) if the tile's data is damaged or too short.
  void parse_row(int row);

  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  void parse_superblock(int row, int column);
  template <int Log2Units>
  void parse_partition(int row, int column);
  template <int Log2Units>
  [[nodiscard]] Partition read_partition(int row, int column, int above_context, int left_context);
  void parse_block(int row, int column, BlockSize size);

  // These functions are inline because each is called from only one place.
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
