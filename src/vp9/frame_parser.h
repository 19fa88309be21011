// Parses a frame's bytes into arrays: headers, symbols, probability adaptation, and the state for
// the next frame. Parsing needs no samples, so frames are parsed ahead of their reconstruction.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/thread_team.h"
#include "vp9/frame_context.h"
#include "vp9/frame_header.h"
#include "vp9/picture_data.h"
#include "vp9/tile_parser.h"

namespace sidecore::vp9 {

/// Reads a stream's headers ahead of the decoder and finds faults in a frame before its symbols are
/// decoded.
class FrameChecker {
 public:
  /// Records that the slot holds a frame of this size and format from now on. A width of 0 empties
  /// the slot.
  void hold(std::size_t slot, const FrameSize& size, const video::PixelFormat& pixel) {
    context_.hold(slot, size, pixel);
  }
  /// Checks the next frame and returns its header; `bytes` is the whole frame. Throws Error (usage)
  /// for damaged headers, for tiles that are cut short, and for a frame without data of its own.
  /// The checker does not change.
  [[nodiscard]] FrameHeader check(std::span<const std::uint8_t> bytes);
  /// Records the header of a frame that will be parsed.
  void keep(const FrameHeader& header) { context_.keep(header); }

 private:
  HeaderContext context_;
  std::vector<std::span<const std::uint8_t>> tiles_;
};

/// Parses frames in stream order, because each frame depends on the state that the previous one
/// left.
class FrameParser {
 public:
  /// Creates a parser that rejects frames of more than `max_luma_samples`. parse() and begin() pass
  /// on exceptions of `residual`; the parser then continues as if the frame did not exist, as after
  /// a damaged one.
  explicit FrameParser(std::int64_t max_luma_samples, ResidualAllocator residual = {})
      : max_luma_samples_(max_luma_samples), residual_allocator_(std::move(residual)) {}

  /// Parses the uncompressed header of the next frame. Throws the errors of parse_frame_header(),
  /// and Error (usage) for a frame with more luma samples than allowed.
  [[nodiscard]] FrameHeader parse_header(std::span<const std::uint8_t> bytes) const;
  /// Parses a frame that has data of its own. `bytes` is the whole frame; the team's threads share
  /// its tile columns. Throws Error (usage) if the data is damaged. The parser then continues as if
  /// the frame did not exist, and the next key frame decodes correctly.
  void parse(const FrameHeader& header, std::span<const std::uint8_t> bytes, PictureData& picture,
             ThreadTeam& team);

  /// Starts to parse a frame by rows of superblocks, so that `picture` holds the residual of one
  /// row only. The caller then calls parse_row() for all rows from the top, on one thread. `bytes`
  /// and `picture` must stay valid until the last row is parsed. Both functions throw as parse()
  /// does.
  void begin(const FrameHeader& header, std::span<const std::uint8_t> bytes, PictureData& picture);
  void parse_row(int row);
  /// Returns true if begin() was called for a frame whose last row is not parsed yet.
  [[nodiscard]] bool parsing() const { return picture_ != nullptr; }

  /// Sets the sample format for frames whose header does not state it, instead of the last key
  /// frame's.
  void assume(const video::PixelFormat& pixel) { header_context_.pixel = pixel; }
  /// Marks a reference slot as empty.
  void forget(std::size_t slot) { header_context_.slot_sizes[slot] = {}; }
  /// Records that a reference slot holds another frame from now on.
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
  void store_state_for_next_frame();

  std::int64_t max_luma_samples_;
  ResidualAllocator residual_allocator_;

  // State of the stream that later frames use.
  HeaderContext header_context_;
  std::array<Probabilities, 4> saved_probabilities_{};
  std::vector<std::uint8_t> previous_segments_;
  std::vector<std::uint8_t> current_segments_;
  std::shared_ptr<const MotionField> previous_motion_;
  struct {
    FrameSize size;
    bool shown = false;
    bool key_frame = false;
  } last_;

  // State of the frame that is being parsed; kept so that its memory is reused.
  PictureData* picture_ = nullptr;
  FrameContext frame_;
  EdgeContext above_;
  std::vector<TileParser> parsers_;
  std::vector<std::span<const std::uint8_t>> tiles_;  ///< data of the tiles: [row][column]
  Counts counts_{};
};

}  // namespace sidecore::vp9
