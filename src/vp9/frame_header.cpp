#include "vp9/frame_header.h"

#include <algorithm>

#include "base/error.h"
#include "vp9/bit_reader.h"

namespace sidecore::vp9 {
namespace {

constexpr std::uint32_t kSyncCode = 0x498342;
constexpr int kMinTileWidth = 4;   // smallest width of a tile, in superblocks
constexpr int kMaxTileWidth = 64;  // largest width of a tile, in superblocks

class HeaderParser {
 public:
  HeaderParser(std::span<const std::uint8_t> frame, const HeaderContext& context)
      : reader_(frame), context_(context) {
    header_.loop_filter = context.loop_filter;
    header_.segmentation = context.segmentation;
    header_.pixel = context.pixel;
    header_.color = context.color;
  }

  FrameHeader parse() {
    parse_start();
    if (!header_.show_existing_frame) {
      parse_frame_kind();
      parse_contexts();
      parse_loop_filter();
      parse_quantization();
      parse_segmentation();
      parse_tiles();
      header_.compressed_bytes = reader_.bits(16);
      if (!reader_.overrun() && header_.compressed_bytes == 0) {
        throw usage_error("the compressed header is empty");
      }
    }
    if (reader_.overrun()) throw usage_error("the frame header is cut short");
    header_.uncompressed_bytes = reader_.bytes_taken();
    return header_;
  }

 private:
  void parse_start() {
    if (reader_.bits(2) != 2) throw usage_error("the frame does not start with a VP9 frame marker");
    const std::uint32_t low = reader_.bits(1);
    header_.profile = static_cast<int>(reader_.bits(1) << 1 | low);
    if (header_.profile == 3 && reader_.flag())
      throw usage_error("the profile is unknown: VP9 has profiles 0 to 3");
    header_.show_existing_frame = reader_.flag();
    if (!header_.show_existing_frame) return;
    header_.existing_slot = static_cast<int>(reader_.bits(3));
    require_slot(header_.existing_slot);
  }

  void parse_frame_kind() {
    header_.key_frame = !reader_.flag();
    header_.show_frame = reader_.flag();
    header_.error_resilient = reader_.flag();
    if (header_.key_frame) {
      parse_sync_code();
      parse_color();
      parse_size();
      parse_render_size();
      header_.refresh_slots = 0xff;
      return;
    }
    header_.intra_only = !header_.show_frame && reader_.flag();
    if (!header_.error_resilient) header_.reset_frame_context = static_cast<int>(reader_.bits(2));
    if (header_.intra_only) {
      parse_sync_code();
      if (header_.profile > 0) {
        parse_color();
      } else {
        header_.pixel = {video::Chroma::c420, 8};
        header_.color = {.space = ColorSpace::bt601};
      }
      header_.refresh_slots = static_cast<std::uint8_t>(reader_.bits(8));
      parse_size();
      parse_render_size();
      return;
    }
    header_.refresh_slots = static_cast<std::uint8_t>(reader_.bits(8));
    parse_references();
  }

  void parse_sync_code() {
    if (reader_.bits(24) != kSyncCode && !reader_.overrun()) {
      throw usage_error("the synchronisation code is wrong: it must be 0x498342");
    }
  }

  void parse_color() {
    const bool any_sampling = header_.profile == 1 || header_.profile == 3;
    int depth = 8;
    if (header_.profile >= 2) depth = reader_.flag() ? 12 : 10;
    header_.color.space = static_cast<ColorSpace>(reader_.bits(3));
    header_.pixel = {video::Chroma::c420, depth};
    if (header_.color.space == ColorSpace::rgb) {
      if (!any_sampling)
        throw usage_error("profile {} cannot be RGB: only profiles 1 and 3 can", header_.profile);
      header_.color.full_range = true;
      header_.pixel.chroma = video::Chroma::c444;
      check_reserved_bit();
      return;
    }
    header_.color.full_range = reader_.flag();
    if (!any_sampling) return;
    const bool half_width = reader_.flag();
    const bool half_height = reader_.flag();
    check_reserved_bit();
    if (half_width && half_height) {
      throw usage_error("profile {} cannot be 4:2:0: only profiles 0 and 2 can", header_.profile);
    }
    using enum video::Chroma;
    header_.pixel.chroma = half_width ? c422 : half_height ? c440 : c444;
  }

  void check_reserved_bit() {
    if (reader_.flag())
      throw usage_error("a reserved bit of the frame header is set: it must be 0");
  }

  void parse_size() {
    header_.size.width = static_cast<int>(reader_.bits(16)) + 1;
    header_.size.height = static_cast<int>(reader_.bits(16)) + 1;
    video::check_format({header_.size.width, header_.size.height, header_.pixel});
  }

  void parse_render_size() {
    header_.render_size = header_.size;
    if (!reader_.flag()) return;
    header_.render_size.width = static_cast<int>(reader_.bits(16)) + 1;
    header_.render_size.height = static_cast<int>(reader_.bits(16)) + 1;
  }

  void require_slot(int slot) const {
    if (context_.slot_sizes[static_cast<std::size_t>(slot)].width > 0 || reader_.overrun()) return;
    const auto is_empty = [](const FrameSize& size) { return size.width == 0; };
    if (std::ranges::all_of(context_.slot_sizes, is_empty)) {
      throw usage_error(
          "the frame refers to slot {}, which holds no frame: the stream does not begin with a key "
          "frame",
          slot);
    }
    throw usage_error("the frame refers to slot {}, which holds no frame", slot);
  }

  void parse_references() {
    for (std::size_t index = 0; index < kActiveReferences; ++index) {
      header_.reference_slots[index] = static_cast<std::uint8_t>(reader_.bits(3));
      header_.sign_bias[index + 1] = reader_.flag();
      require_slot(header_.reference_slots[index]);
    }
    bool found = false;
    for (std::size_t index = 0; index < kActiveReferences && !found; ++index) {
      found = reader_.flag();
      if (found) header_.size = context_.slot_sizes[header_.reference_slots[index]];
    }
    if (!found) parse_size();
    parse_render_size();
    if (!reader_.overrun()) check_references();
    header_.high_precision_mv = reader_.flag();
    constexpr InterpolationFilter kLiteral[4] = {kEightTapSmooth, kEightTap, kEightTapSharp,
                                                 kBilinear};
    header_.filter = reader_.flag() ? kSwitchable : kLiteral[reader_.bits(2)];
  }

  void check_references() {
    for (std::size_t index = 0; index < kActiveReferences; ++index) {
      const std::uint8_t slot = header_.reference_slots[index];
      const FrameSize& reference = context_.slot_sizes[slot];
      header_.usable_references[index] = 2 * header_.size.width >= reference.width &&
                                         2 * header_.size.height >= reference.height &&
                                         header_.size.width <= 16 * reference.width &&
                                         header_.size.height <= 16 * reference.height;
      if (context_.slot_pixels[slot] != header_.pixel) {
        throw usage_error("a reference of pixel format {} cannot predict a frame of {}",
                          to_string(context_.slot_pixels[slot]), to_string(header_.pixel));
      }
    }
    if (std::ranges::find(header_.usable_references, true) == header_.usable_references.end()) {
      const FrameSize& last = context_.slot_sizes[header_.reference_slots[0]];
      throw usage_error("no reference can predict a frame of {}x{}: LAST has {}x{}",
                        header_.size.width, header_.size.height, last.width, last.height);
    }
  }

  void parse_contexts() {
    header_.frame_parallel = true;
    if (!header_.error_resilient) {
      header_.refresh_frame_context = reader_.flag();
      header_.frame_parallel = reader_.flag();
    }
    header_.frame_context = static_cast<int>(reader_.bits(2));
    if (!header_.independent()) return;
    header_.segmentation = {};
    header_.loop_filter = {.deltas_enabled = true, .reference_deltas = {1, 0, -1, -1}};
  }

  void parse_loop_filter() {
    LoopFilterParameters& filter = header_.loop_filter;
    filter.level = static_cast<std::uint8_t>(reader_.bits(6));
    filter.sharpness = static_cast<std::uint8_t>(reader_.bits(3));
    filter.deltas_enabled = reader_.flag();
    if (!filter.deltas_enabled || !reader_.flag()) return;
    const auto update = [&](std::int8_t& delta) {
      if (reader_.flag()) delta = static_cast<std::int8_t>(reader_.signed_bits(6));
    };
    for (std::int8_t& delta : filter.reference_deltas) update(delta);
    for (std::int8_t& delta : filter.mode_deltas) update(delta);
  }

  void parse_quantization() {
    const auto delta = [&] { return reader_.flag() ? reader_.signed_bits(4) : 0; };
    header_.quantization.base_index = static_cast<int>(reader_.bits(8));
    header_.quantization.y_dc_delta = delta();
    header_.quantization.uv_dc_delta = delta();
    header_.quantization.uv_ac_delta = delta();
  }

  void parse_segmentation() {
    Segmentation& segmentation = header_.segmentation;
    segmentation.update_map = false;
    segmentation.temporal_update = false;
    segmentation.enabled = reader_.flag();
    if (!segmentation.enabled) return;
    const auto probability = [&] {
      return static_cast<std::uint8_t>(reader_.flag() ? reader_.bits(8) : 255);
    };
    segmentation.update_map = reader_.flag();
    if (segmentation.update_map) {
      for (std::uint8_t& value : segmentation.tree_probabilities) value = probability();
      segmentation.temporal_update = reader_.flag();
      for (std::uint8_t& value : segmentation.prediction_probabilities) {
        value = segmentation.temporal_update ? probability() : std::uint8_t{255};
      }
    }
    if (reader_.flag()) parse_segment_features();
  }

  void parse_segment_features() {
    constexpr int kBits[kSegmentFeatures] = {8, 6, 2, 0};
    constexpr bool kSigned[kSegmentFeatures] = {true, true, false, false};
    header_.segmentation.absolute = reader_.flag();
    for (auto& features : header_.segmentation.features) {
      for (std::size_t kind = 0; kind < kSegmentFeatures; ++kind) {
        Segmentation::Feature& feature = features[kind];
        feature = {};
        feature.enabled = reader_.flag();
        if (!feature.enabled) continue;
        feature.value =
            static_cast<std::int16_t>(kSigned[kind] ? reader_.signed_bits(kBits[kind])
                                                    : static_cast<int>(reader_.bits(kBits[kind])));
      }
    }
  }

  void parse_tiles() {
    const int superblocks = (header_.columns() + kUnitsInSuperblock - 1) / kUnitsInSuperblock;
    int least = 0;
    while (kMaxTileWidth << least < superblocks) ++least;
    int most = 0;
    while (superblocks >> (most + 1) >= kMinTileWidth) ++most;
    header_.tile_columns_log2 = least;
    while (header_.tile_columns_log2 < most && reader_.flag()) ++header_.tile_columns_log2;
    header_.tile_rows_log2 = reader_.flag() ? 1 : 0;
    if (header_.tile_rows_log2 == 1 && reader_.flag()) header_.tile_rows_log2 = 2;
  }

  BitReader reader_;
  const HeaderContext& context_;
  FrameHeader header_;
};

}  // namespace

void HeaderContext::keep(const FrameHeader& header) {
  for (std::size_t slot = 0; slot < kReferenceSlots; ++slot) {
    if ((header.refresh_slots >> slot & 1) != 0) hold(slot, header.size, header.pixel);
  }
  loop_filter = header.loop_filter;
  segmentation = header.segmentation;
  pixel = header.pixel;
  color = header.color;
}

FrameHeader parse_frame_header(std::span<const std::uint8_t> frame, const HeaderContext& context) {
  return HeaderParser(frame, context).parse();
}

}  // namespace sidecore::vp9
