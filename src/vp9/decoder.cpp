#include "vp9/decoder.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/error.h"
#include "vp9/compressed_header.h"
#include "vp9/reconstruction.h"
#include "vp9/superframe.h"
#include "vp9/tables.h"

namespace sidecore::vp9 {
namespace {

std::uint32_t big_endian_32(std::span<const std::uint8_t> bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
         std::uint32_t{bytes[2]} << 8 | bytes[3];
}

}  // namespace

Decoder::Decoder(DecoderOptions options)
    : options_(std::move(options)),
      team_(static_cast<std::size_t>(options_.threads) - 1),
      pool_(options_.allocator),
      clock_(options_.time_stages) {
  if (!options_.loop_filter) options_.loop_filter = make_cpu_loop_filter();
}

DecoderStatistics Decoder::statistics() const {
  DecoderStatistics statistics = statistics_;
  statistics.stages = clock_.times();
  return statistics;
}

template <class Step>
auto Decoder::locate(const Step& step) {
  try {
    return step();
  } catch (const Error& error) {
    const std::string stream = options_.stream.empty() ? "" : options_.stream + ": ";
    throw Error(error.kind(), fmt::format("{}frame {}: {}", stream, frame_number_++, error.what()));
  }
}

void Decoder::decode(std::span<const std::uint8_t> packet, const Show& show) {
  clock_.restart();
  const Superframe superframe = locate([&] { return split_superframe(packet); });
  for (std::size_t index = 0; index < superframe.count; ++index) {
    const auto shown = locate([&] { return decode_frame(superframe.frames[index]); });
    if (shown != nullptr) present(shown, show);
    ++frame_number_;
  }
  clock_.lap(Stage::other);
}

std::shared_ptr<const FrameBuffer> Decoder::decode_frame(std::span<const std::uint8_t> bytes) {
  const FrameHeader header = parse_frame_header(bytes, header_context_);
  if (header.show_existing_frame) return slots_[static_cast<std::size_t>(header.existing_slot)];
  start_frame(header);
  parse(bytes.subspan(header.uncompressed_bytes));
  clock_.lap(Stage::parsing);
  edges_.derive(header, picture_);
  clock_.lap(Stage::edges);
  const std::shared_ptr<FrameBuffer> frame = pool_.acquire(header.size, header.pixel);
  statistics_.frame_allocations = pool_.allocations();
  clock_.lap(Stage::other);
  reconstruct(*frame);
  filter(*frame);
  finish_frame(frame);
  ++statistics_.frames;
  return header.show_frame ? frame : nullptr;
}

void Decoder::present(const std::shared_ptr<const FrameBuffer>& frame, const Show& show) {
  ++statistics_.shown;
  clock_.lap(Stage::other);
  show(frame);
  clock_.restart();
}

void Decoder::start_frame(const FrameHeader& header) {
  if (std::int64_t{header.size.width} * header.size.height > options_.max_luma_samples) {
    throw usage_error("{}x{} is more than the {} samples that are allowed", header.size.width,
                      header.size.height, options_.max_luma_samples);
  }
  if (header.pixel.bits != dsp_bits_) {
    dsp_bits_ = header.pixel.bits;
    dsp_ = options_.dsp->of(dsp_bits_);
  }
  frame_.header = header;
  picture_.prepare(header);
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

void Decoder::parse(std::span<const std::uint8_t> bytes) {
  const FrameHeader& header = frame_.header;
  if (header.compressed_bytes > bytes.size()) {
    throw usage_error("its compressed header is cut short");
  }
  frame_.probabilities = saved_probabilities_[static_cast<std::size_t>(header.frame_context)];
  frame_.compressed =
      parse_compressed_header(bytes.first(header.compressed_bytes), header, frame_.probabilities);
  frame_.derive();
  parse_tiles(bytes.subspan(header.compressed_bytes));
  adapt();
}

void Decoder::parse_tiles(std::span<const std::uint8_t> bytes) {
  const FrameHeader& header = frame_.header;
  const std::size_t columns = picture_.tile_columns.size();
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
  above_.resize(picture_.superblock_columns() * kUnitsInSuperblock, header.subsampling_x());
  parsers_.resize(std::max(parsers_.size(), columns));
  team_.run(columns, [&](std::size_t column) {
    TileParser& parser = parsers_[column];
    parser.start(frame_, picture_, picture_.tile_columns[column], above_);
    for (std::size_t row = 0; row < rows; ++row) {
      const auto index = static_cast<int>(row);
      parser.parse(tiles_[row * columns + column],
                   tile_offset(index, header.rows(), header.tile_rows_log2),
                   tile_offset(index + 1, header.rows(), header.tile_rows_log2));
    }
  });
  for (const TileColumn& tile : picture_.tile_columns) {
    const auto first_block = static_cast<std::uint32_t>(tile.begin * header.rows());
    statistics_.blocks += tile.blocks.end - first_block;
  }
}

void Decoder::adapt() {
  const FrameHeader& header = frame_.header;
  Probabilities& saved = saved_probabilities_[static_cast<std::size_t>(header.frame_context)];
  if (!header.error_resilient && !header.frame_parallel) {
    counts_ = parsers_.front().counts();
    for (std::size_t column = 1; column < picture_.tile_columns.size(); ++column) {
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

void Decoder::reconstruct(FrameBuffer& frame) {
  options_.loop_filter->finish(frame);  // of whoever had its memory before
  std::array<std::shared_ptr<FrameBuffer>, kActiveReferences> references;
  if (!frame_.header.intra_frame()) {
    for (std::size_t index = 0; index < references.size(); ++index) {
      references[index] = slots_[frame_.header.reference_slots[index]];
      options_.loop_filter->finish(*references[index]);
    }
  }
  clock_.lap(Stage::filter);
  const Reconstruction reconstruction(dsp_, frame_.header, picture_, frame, references);
  if (team_.threads() > 1) return reconstruct_rows(reconstruction);
  for (int row = 0; row < picture_.superblock_rows(); ++row) {
    for (int column = 0; column < picture_.superblock_columns(); ++column) {
      reconstruction.superblock(row, column, clock_);
    }
  }
}

// Rows start in order, and each keeps behind the one above.
void Decoder::reconstruct_rows(const Reconstruction& reconstruction) {
  const int rows = picture_.superblock_rows();
  const int columns = picture_.superblock_columns();
  std::atomic<Nanoseconds::rep> prediction = 0;
  std::atomic<Nanoseconds::rep> residual = 0;
  row_progress_.start(rows, columns);
  team_.run(static_cast<std::size_t>(rows), [&](std::size_t row) {
    StageClock clock(clock_.on());
    RowProgress::Row progress(row_progress_, row);
    for (int column = 0; column < columns; ++column) {
      if (!progress.wait_for_above()) return;  // that row throws
      clock.restart();
      reconstruction.superblock(static_cast<int>(row), column, clock);
      progress.advance();
    }
    prediction += clock[Stage::prediction].count();
    residual += clock[Stage::residual].count();
  });
  const auto work = static_cast<double>(prediction + residual);
  clock_.lap(Stage::residual, work > 0 ? static_cast<double>(residual) / work : 0,
             Stage::prediction);
}

void Decoder::filter(FrameBuffer& frame) {
  for (const LoopFilterEdge& edge : edges_.all()) {
    const std::size_t width = edge.width == 16 ? 2 : edge.width / 8;
    ++statistics_.edges[static_cast<std::size_t>(edge.direction)][width];
  }
  const int sharpness = frame_.header.loop_filter.sharpness;
  clock_.lap(Stage::other);
  if (options_.before_filter) options_.before_filter(frame, edges_, sharpness);
  clock_.restart();
  options_.loop_filter->filter(frame, edges_, sharpness, {dsp_, team_});
  clock_.lap(Stage::filter);
}

void Decoder::finish_frame(const std::shared_ptr<FrameBuffer>& frame) {
  const FrameHeader& header = frame_.header;
  for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
    if ((header.refresh_slots >> slot & 1) == 0) continue;
    slots_[slot] = frame;
    header_context_.slot_sizes[slot] = header.size;
    header_context_.slot_pixels[slot] = header.pixel;
  }
  header_context_.loop_filter = header.loop_filter;
  header_context_.segmentation = header.segmentation;
  header_context_.pixel = header.pixel;
  std::swap(previous_motion_, picture_.motion);
  if (header.segmentation.enabled) std::swap(previous_segments_, current_segments_);
  last_ = {.size = header.size, .shown = header.show_frame, .key_frame = header.key_frame};
}

}  // namespace sidecore::vp9
