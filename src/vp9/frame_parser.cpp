#include "vp9/frame_parser.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/error.h"
#include "vp9/compressed_header.h"
#include "vp9/tables.h"

namespace sidecore::vp9 {
namespace {

std::uint32_t big_endian_32(std::span<const std::uint8_t> bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
         std::uint32_t{bytes[2]} << 8 | bytes[3];
}

}  // namespace

FrameHeader FrameParser::parse_header(std::span<const std::uint8_t> bytes) const {
  FrameHeader header = parse_frame_header(bytes, header_context_);
  if (std::int64_t{header.size.width} * header.size.height > max_luma_samples_) {
    throw usage_error("{}x{} is more than the {} samples that are allowed", header.size.width,
                      header.size.height, max_luma_samples_);
  }
  return header;
}

void FrameParser::parse(const FrameHeader& header, std::span<const std::uint8_t> bytes,
                        PictureData& picture, ThreadTeam& team) {
  bytes = bytes.subspan(header.uncompressed_bytes);
  start_frame(header, picture);
  if (header.compressed_bytes > bytes.size()) {
    throw usage_error("its compressed header is cut short");
  }
  const auto context = static_cast<std::size_t>(frame_.header.frame_context);
  frame_.probabilities = saved_probabilities_[context];
  frame_.compressed = parse_compressed_header(bytes.first(header.compressed_bytes), frame_.header,
                                              frame_.probabilities);
  frame_.derive();
  parse_tiles(bytes.subspan(header.compressed_bytes), picture, team);
  adapt(picture.tile_columns.size());
  keep_for_the_next(header, picture);
}

void FrameParser::start_frame(const FrameHeader& header, PictureData& picture) {
  frame_.header = header;
  picture.prepare(header);
  const auto units =
      static_cast<std::size_t>(header.columns()) * static_cast<std::size_t>(header.rows());
  const bool same_units = header.columns() == (last_.size.width + kUnit - 1) / kUnit &&
                          header.rows() == (last_.size.height + kUnit - 1) / kUnit;
  if (header.independent() || !same_units) {
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
  frame_.previous_motion = motion_persists ? previous_motion_.data() : nullptr;
  frame_.previous_segments = previous_segments_.data();
  frame_.current_segments = current_segments_.data();
}

void FrameParser::parse_tiles(std::span<const std::uint8_t> bytes, PictureData& picture,
                              ThreadTeam& team) {
  const FrameHeader& header = frame_.header;
  const std::size_t columns = picture.tile_columns.size();
  const std::size_t rows = std::size_t{1} << header.tile_rows_log2;
  tiles_.clear();
  for (std::size_t tile = 0; tile < rows * columns; ++tile) {
    std::size_t size = bytes.size();
    if (tile + 1 < rows * columns) {
      if (bytes.size() < 4) throw usage_error("tile {} is cut short", tile);
      size = big_endian_32(bytes);
      bytes = bytes.subspan(4);
      if (size > bytes.size()) throw usage_error("tile {} is cut short", tile);
    }
    tiles_.push_back(bytes.first(size));
    bytes = bytes.subspan(size);
  }
  above_.resize(picture.superblock_columns() * kUnitsInSuperblock, header.subsampling_x());
  parsers_.resize(std::max(parsers_.size(), columns));
  team.run(columns, [&](std::size_t column) {
    TileParser& parser = parsers_[column];
    parser.start(frame_, picture, picture.tile_columns[column], above_);
    for (std::size_t row = 0; row < rows; ++row) {
      const auto index = static_cast<int>(row);
      parser.parse(tiles_[row * columns + column],
                   tile_offset(index, header.rows(), header.tile_rows_log2),
                   tile_offset(index + 1, header.rows(), header.tile_rows_log2));
    }
  });
}

void FrameParser::adapt(std::size_t tile_columns) {
  const FrameHeader& header = frame_.header;
  Probabilities& saved = saved_probabilities_[static_cast<std::size_t>(header.frame_context)];
  if (header.adapts()) {
    counts_ = parsers_.front().counts();
    for (std::size_t column = 1; column < tile_columns; ++column) {
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

void FrameParser::keep_for_the_next(const FrameHeader& header, PictureData& picture) {
  for (std::size_t slot = 0; slot < kReferenceSlots; ++slot) {
    if ((header.refresh_slots >> slot & 1) == 0) continue;
    header_context_.slot_sizes[slot] = header.size;
    header_context_.slot_pixels[slot] = header.pixel;
  }
  header_context_.loop_filter = header.loop_filter;
  header_context_.segmentation = header.segmentation;
  header_context_.pixel = header.pixel;
  std::swap(previous_motion_, picture.motion);
  if (header.segmentation.enabled) std::swap(previous_segments_, current_segments_);
  last_ = {.size = header.size, .shown = header.show_frame, .key_frame = header.key_frame};
}

}  // namespace sidecore::vp9
