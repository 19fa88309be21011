#include "vp9/frame_parser.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/error.h"
#include "vp9/bool_decoder.h"
#include "vp9/compressed_header.h"
#include "vp9/tables.h"

namespace sidecore::vp9 {
namespace {

std::uint32_t big_endian_32(std::span<const std::uint8_t> bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
         std::uint32_t{bytes[2]} << 8 | bytes[3];
}

/// Splits the data after a frame's headers into tiles, [row][column]. Throws Error (usage).
void divide_tiles(const FrameHeader& header, std::span<const std::uint8_t> bytes,
                  std::vector<std::span<const std::uint8_t>>& tiles) {
  const std::size_t count = std::size_t{1} << (header.tile_rows_log2 + header.tile_columns_log2);
  tiles.clear();
  tiles.reserve(count);
  for (std::size_t tile = 0; tile < count; ++tile) {
    std::size_t size = bytes.size();
    if (tile + 1 < count) {
      if (bytes.size() < 4) throw usage_error("tile {} is cut short", tile);
      size = big_endian_32(bytes);
      bytes = bytes.subspan(4);
      if (size > bytes.size()) throw usage_error("tile {} is cut short", tile);
    }
    tiles.push_back(bytes.first(size));
    bytes = bytes.subspan(size);
  }
}

/// Returns the data after the uncompressed header. Throws Error (usage).
std::span<const std::uint8_t> after_header(const FrameHeader& header,
                                           std::span<const std::uint8_t> bytes) {
  bytes = bytes.subspan(header.uncompressed_bytes);
  if (header.compressed_bytes > bytes.size()) {
    throw usage_error("the compressed header is cut short");
  }
  return bytes;
}

}  // namespace

FrameHeader FrameChecker::check(std::span<const std::uint8_t> bytes) {
  const FrameHeader header = parse_frame_header(bytes, context_);
  if (header.show_existing_frame)
    throw usage_error("the frame repeats an earlier one and has no data of its own");
  const std::span<const std::uint8_t> rest = after_header(header, bytes);
  // The syntax does not depend on the probabilities' values.
  Probabilities probabilities = kDefaultProbabilities;
  static_cast<void>(
      parse_compressed_header(rest.first(header.compressed_bytes), header, probabilities));
  divide_tiles(header, rest.subspan(header.compressed_bytes), tiles_);
  for (const std::span<const std::uint8_t> tile : tiles_) {
    if (BoolDecoder(tile).marker())
      throw usage_error("the marker bit of a tile is set: it must be 0");
  }
  return header;
}

FrameHeader FrameParser::parse_header(std::span<const std::uint8_t> bytes) const {
  FrameHeader header = parse_frame_header(bytes, header_context_);
  if (std::int64_t{header.size.width} * header.size.height > max_luma_samples_) {
    throw usage_error("a frame of {}x{} exceeds the limit of {} luma samples", header.size.width,
                      header.size.height, max_luma_samples_);
  }
  return header;
}

void FrameParser::parse(const FrameHeader& header, std::span<const std::uint8_t> bytes,
                        PictureData& picture, ThreadTeam& team) {
  start(header, bytes, picture, ResidualRows::all);
  team.run(picture.tile_columns.size(), [&](std::size_t column) {
    for (int row = 0; row < picture.superblock_rows(); ++row) parse_row(column, row);
  });
  finish();
}

void FrameParser::begin(const FrameHeader& header, std::span<const std::uint8_t> bytes,
                        PictureData& picture) {
  start(header, bytes, picture, ResidualRows::one);
}

void FrameParser::parse_row(int row) {
  for (std::size_t column = 0; column < picture_->tile_columns.size(); ++column) {
    parse_row(column, row);
  }
  if (row + 1 == picture_->superblock_rows()) finish();
}

void FrameParser::start(const FrameHeader& header, std::span<const std::uint8_t> bytes,
                        PictureData& picture, ResidualRows residual) {
  bytes = after_header(header, bytes);
  // The tiles are checked before memory is allocated for the size that the header states.
  divide_tiles(header, bytes.subspan(header.compressed_bytes), tiles_);
  picture.prepare(header, residual, residual_allocator_);
  picture_ = &picture;
  start_frame(header);
  const auto context = static_cast<std::size_t>(frame_.header.frame_context);
  frame_.probabilities = saved_probabilities_[context];
  frame_.compressed = parse_compressed_header(bytes.first(header.compressed_bytes), frame_.header,
                                              frame_.probabilities);
  frame_.derive();
  start_tiles();
}

void FrameParser::finish() {
  adapt();
  store_state_for_next_frame();
  picture_ = nullptr;
}

void FrameParser::start_frame(const FrameHeader& header) {
  frame_.header = header;
  const auto units =
      static_cast<std::size_t>(header.columns()) * static_cast<std::size_t>(header.rows());
  // A frame of another size starts a new segmentation map, even if it has the same number of units,
  // as in other decoders. The map's size is compared too, because a damaged frame of another size
  // may have been parsed since the frame of last_.
  const bool same_size = header.size == last_.size && previous_segments_.size() == units;
  if (header.independent() || !same_size) {
    previous_segments_.assign(units, 0);
    current_segments_.assign(units, 0);
  }
  if (header.independent()) {
    if (header.key_frame || header.error_resilient || header.reset_frame_context == 3) {
      saved_probabilities_.fill(kDefaultProbabilities);
    } else if (header.reset_frame_context == 2) {
      saved_probabilities_[static_cast<std::size_t>(header.frame_context)] = kDefaultProbabilities;
    }
    frame_.header.frame_context = 0;
  }
  const bool motion_persists = !header.error_resilient && last_.shown && header.size == last_.size;
  frame_.previous_motion = motion_persists ? previous_motion_.get() : nullptr;
  frame_.previous_segments = previous_segments_.data();
  frame_.current_segments = current_segments_.data();
}

void FrameParser::start_tiles() {
  const FrameHeader& header = frame_.header;
  const std::size_t columns = picture_->tile_columns.size();
  above_.resize(picture_->superblock_columns() * kUnitsInSuperblock, header.subsampling().x);
  parsers_.resize(std::max(parsers_.size(), columns));
  for (std::size_t column = 0; column < columns; ++column) {
    parsers_[column].start(frame_, *picture_, picture_->tile_columns[column], above_);
  }
}

void FrameParser::parse_row(std::size_t tile_column, int row) {
  const FrameHeader& header = frame_.header;
  const int first = row * kUnitsInSuperblock;
  TileParser& parser = parsers_[tile_column];
  // If there are more tile rows than superblock rows, several tiles begin at one row; all but the
  // last are empty.
  for (int tile = 0; tile < 1 << header.tile_rows_log2; ++tile) {
    if (tile_offset(tile, header.rows(), header.tile_rows_log2) != first) continue;
    const auto of_row = static_cast<std::size_t>(tile) * picture_->tile_columns.size();
    parser.start_tile(tiles_[of_row + tile_column]);
  }
  parser.parse_row(first);
}

void FrameParser::adapt() {
  const FrameHeader& header = frame_.header;
  Probabilities& saved = saved_probabilities_[static_cast<std::size_t>(header.frame_context)];
  if (header.adapts()) {
    counts_ = parsers_.front().counts();
    for (std::size_t column = 1; column < picture_->tile_columns.size(); ++column) {
      add_counts(counts_, parsers_[column].counts());
    }
    const AdaptationRules rules{
        .intra_frame = header.intra_frame(),
        .after_key_frame = last_.key_frame,
        .switchable_filter = header.filter == kSwitchable,
        .select_transform = frame_.compressed.transform_mode == TransformMode::select,
        .high_precision_mv = header.high_precision_mv};
    adapt_probabilities(frame_.probabilities, saved, counts_, rules);
  }
  if (header.refresh_frame_context) saved = frame_.probabilities;
}

void FrameParser::store_state_for_next_frame() {
  const FrameHeader& header = frame_.header;
  header_context_.keep(header);
  previous_motion_ = picture_->shared_motion();
  if (header.segmentation.enabled) std::swap(previous_segments_, current_segments_);
  last_ = {.size = header.size, .shown = header.show_frame, .key_frame = header.key_frame};
}

}  // namespace sidecore::vp9
