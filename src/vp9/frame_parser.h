// A frame's bytes become its arrays: headers, symbols, adaptation, and what of them outlives the
// frame. No sample is needed for that, so frames are parsed ahead of their reconstruction.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/thread_team.h"
#include "vp9/frame_context.h"
#include "vp9/frame_header.h"
#include "vp9/picture_data.h"
#include "vp9/tile_parser.h"

namespace sidecore::vp9 {

/// Follows a stream's headers ahead of whoever parses it, and finds what is wrong with a frame
/// before its symbols are read.
class FrameChecker {
 public:
  /// A reference slot holds such a frame from now on; of width 0: none.
  void hold(std::size_t slot, const FrameSize& size, const video::PixelFormat& pixel) {
    context_.hold(slot, size, pixel);
  }
  /// The header of the next frame, of which `bytes` are the whole. Throws as FrameParser does for
  /// damaged headers, for tiles of which there are too few bytes, and for a frame without data of
  /// its own; then nothing has changed.
  [[nodiscard]] FrameHeader check(std::span<const std::uint8_t> bytes);
  /// Takes such a frame for parsed.
  void keep(const FrameHeader& header) { context_.keep(header); }

 private:
  HeaderContext context_;
  std::vector<std::span<const std::uint8_t>> tiles_;
};

/// Parses frames in the order of the stream: each needs what the one before it left.
class FrameParser {
 public:
  /// Frames of more luma samples are refused. What `residual` throws comes out of parse() and
  /// begin(); then the frame counts as not there, as a damaged one.
  explicit FrameParser(std::int64_t max_luma_samples, ResidualAllocator residual = {})
      : max_luma_samples_(max_luma_samples), residual_allocator_(std::move(residual)) {}

  /// The uncompressed header of the next frame. Throws as parse_frame_header() does, and for a
  /// frame that is too large.
  [[nodiscard]] FrameHeader parse_header(std::span<const std::uint8_t> bytes) const;
  /// The rest of a frame that has data of its own: `bytes` are the whole frame, tile columns are
  /// divided among the team. Throws Error (usage) when data is damaged; then the frame counts as
  /// not there, and a key frame can follow.
  void parse(const FrameHeader& header, std::span<const std::uint8_t> bytes, PictureData& picture,
             ThreadTeam& team);

  /// The same by rows of superblocks, of which the picture holds one row's residual at a time:
  /// begin(), then parse_row() for all rows from the top, by one thread. `bytes` and `picture` are
  /// needed until the last row is parsed. Both throw as parse().
  void begin(const FrameHeader& header, std::span<const std::uint8_t> bytes, PictureData& picture);
  void parse_row(int row);
  /// Whether a frame was begun whose last row has not been parsed.
  [[nodiscard]] bool parsing() const { return picture_ != nullptr; }

  /// Frames whose header does not say what their samples are have these, as if the last key frame
  /// had said so.
  void assume(const video::PixelFormat& pixel) { header_context_.pixel = pixel; }
  /// A reference slot is empty from now on.
  void forget(std::size_t slot) { header_context_.slot_sizes[slot] = {}; }
  /// A reference slot holds another frame from now on.
  void hold(std::size_t slot, const FrameSize& size, const video::PixelFormat& pixel) {
    header_context_.hold(slot, size, pixel);
  }

 private:
  void start(const FrameHeader& header, std::span<const std::uint8_t> bytes, PictureData& picture,
             ResidualRows residual);
  void start_frame(const FrameHeader& header);
  void start_tiles();
  void parse_row(std::size_t tile_column, int row);
  void finish();
  void adapt();
  void keep_for_the_next();

  std::int64_t max_luma_samples_;
  ResidualAllocator residual_allocator_;

  // What outlives a frame.
  HeaderContext header_context_;
  std::array<Probabilities, 4> saved_probabilities_{};
  std::vector<std::uint8_t> previous_segments_;
  std::vector<std::uint8_t> current_segments_;
  Storage<UnitMotion> previous_motion_;
  struct {
    FrameSize size;
    bool shown = false;
    bool key_frame = false;
  } last_;

  // Of the frame that is being parsed; kept for its memory.
  PictureData* picture_ = nullptr;
  FrameContext frame_;
  EdgeContext above_;
  std::vector<TileParser> parsers_;
  std::vector<std::span<const std::uint8_t>> tiles_;  ///< [row][column]
  Counts counts_{};
};

}  // namespace sidecore::vp9
