// The uncompressed header of a frame, and the parts of it that later headers use.
// Source: VP9 specification v0.6, sections 6.2 and 7.2.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "video/picture.h"
#include "vp9/types.h"

namespace sidecore::vp9 {

/// Loop filter parameters of a frame: loop_filter_params() in the specification.
struct LoopFilterParameters {
  std::uint8_t level = 0;      ///< 0..63; 0: the frame is not filtered
  std::uint8_t sharpness = 0;  ///< 0..7
  bool deltas_enabled = false;
  std::array<std::int8_t, 4> reference_deltas{};  ///< indexed by ReferenceFrame
  std::array<std::int8_t, 2> mode_deltas{};       ///< [0]: ZEROMV, [1]: other inter modes
};

/// Quantiser parameters of a frame: quantization_params() in the specification.
struct QuantizationParameters {
  int base_index = 0;  ///< 0..255
  int y_dc_delta = 0;
  int uv_dc_delta = 0;
  int uv_ac_delta = 0;
  [[nodiscard]] bool lossless() const {
    return base_index == 0 && y_dc_delta == 0 && uv_dc_delta == 0 && uv_ac_delta == 0;
  }
};

/// Frame values that a segment may override.
enum SegmentFeature : std::uint8_t {
  kSegmentQuantizer,
  kSegmentLoopFilter,
  kSegmentReference,
  kSegmentSkip,
  kSegmentFeatures
};

/// Segmentation parameters of a frame: segmentation_params() in the specification.
struct Segmentation {
  bool enabled = false;
  bool update_map = false;
  bool temporal_update = false;
  bool absolute = false;  ///< true: features replace the frame's values; false: they are added
  std::array<std::uint8_t, 7> tree_probabilities{};
  std::array<std::uint8_t, 3> prediction_probabilities{};
  struct Feature {
    bool enabled = false;
    std::int16_t value = 0;
  };
  std::array<std::array<Feature, kSegmentFeatures>, kMaxSegments> features{};

  [[nodiscard]] bool active(int segment, SegmentFeature feature) const {
    return enabled && features[static_cast<std::size_t>(segment)][feature].enabled;
  }
  [[nodiscard]] int value(int segment, SegmentFeature feature) const {
    return features[static_cast<std::size_t>(segment)][feature].value;
  }
};

/// Size of a frame or of a reference frame.
struct FrameSize {
  int width = 0;  ///< `width` and `height` are in luma samples
  int height = 0;
  bool operator==(const FrameSize&) const = default;
};

/// color_space (section 7.2.2), in the specification's order.
enum class ColorSpace : std::uint8_t {
  unknown,
  bt601,
  bt709,
  smpte170,
  smpte240,
  bt2020,
  reserved,
  rgb  ///< planes 0, 1 and 2 are green, blue and red
};

/// Meaning of sample values as colours. It does not affect decoding.
struct ColorDescription {
  ColorSpace space = ColorSpace::unknown;
  bool full_range = false;  ///< true: 0 to the largest value; false: limited (studio) range
};

/// Fields of a frame's uncompressed header.
struct FrameHeader {
  int profile = 0;
  bool show_existing_frame = false;
  int existing_slot = 0;  ///< slot to show again; the members below are not set then
  bool key_frame = false;
  bool show_frame = false;
  bool error_resilient = false;
  bool intra_only = false;
  int reset_frame_context = 0;
  std::uint8_t refresh_slots = 0;  ///< bit i: slot i holds this frame after it is decoded
  FrameSize size;
  FrameSize render_size;  ///< size at which the frame should be shown
  video::PixelFormat pixel;
  ColorDescription color;
  std::array<std::uint8_t, kActiveReferences> reference_slots{};  ///< slots of LAST, GOLDEN, ALTREF
  /// True if the reference's size allows prediction: in both directions at most 2 times and at
  /// least 1/16 of the frame's size (section 7.2.5). At least one reference is usable. A block that
  /// uses an unusable one is an error.
  std::array<bool, kActiveReferences> usable_references{};
  std::array<bool, 4> sign_bias{};  ///< indexed by ReferenceFrame
  bool high_precision_mv = false;
  InterpolationFilter filter = kEightTap;
  bool refresh_frame_context = false;
  bool frame_parallel = false;
  int frame_context = 0;
  LoopFilterParameters loop_filter;
  QuantizationParameters quantization;
  Segmentation segmentation;
  int tile_columns_log2 = 0;
  int tile_rows_log2 = 0;
  std::size_t uncompressed_bytes = 0;
  std::size_t compressed_bytes = 0;

  [[nodiscard]] bool intra_frame() const { return key_frame || intra_only; }
  /// Returns true if the decoder must reset all values learned from earlier frames before this
  /// frame.
  [[nodiscard]] bool independent() const { return intra_frame() || error_resilient; }
  /// Returns true if the symbols of this frame change the probabilities of later frames.
  [[nodiscard]] bool adapts() const { return !error_resilient && !frame_parallel; }
  /// Returns the frame's width in units of 8x8 luma samples (MiCols); rows() returns its height
  /// (MiRows).
  [[nodiscard]] int columns() const { return (size.width + kUnit - 1) / kUnit; }
  [[nodiscard]] int rows() const { return (size.height + kUnit - 1) / kUnit; }
  /// Returns the subsampling of the chroma planes.
  [[nodiscard]] Subsampling subsampling() const {
    using enum video::Chroma;
    return {pixel.chroma == c420 || pixel.chroma == c422 ? 1 : 0,
            pixel.chroma == c420 || pixel.chroma == c440 ? 1 : 0};
  }
  [[nodiscard]] Subsampling subsampling(int plane) const {
    return plane > 0 ? subsampling() : Subsampling{};
  }
};

/// State from earlier frames that a header refers to.
struct HeaderContext {
  /// Size and sample format of the frame in each slot; width 0 if the slot is empty.
  std::array<FrameSize, kReferenceSlots> slot_sizes{};
  std::array<video::PixelFormat, kReferenceSlots> slot_pixels{};
  LoopFilterParameters loop_filter;
  Segmentation segmentation;
  video::PixelFormat pixel;  ///< format of the last key frame or intra-only frame
  ColorDescription color;    ///< colours of the last key frame or intra-only frame

  /// Records that the slot holds a frame of this size and format from now on. A width of 0 empties
  /// the slot.
  void hold(std::size_t slot, const FrameSize& size, const video::PixelFormat& pixel_of_slot) {
    slot_sizes[slot] = size;
    slot_pixels[slot] = pixel_of_slot;
  }
  /// Records the values of a parsed frame's header that later headers refer to.
  void keep(const FrameHeader& header);
};

/// Parses the header at the start of `frame` and returns it. Takes missing values from `context`,
/// which does not change. Throws Error (usage) for headers that the specification forbids, for
/// references that are missing or of another format, and for sizes beyond video::kMaxDimension.
[[nodiscard]] FrameHeader parse_frame_header(std::span<const std::uint8_t> frame,
                                             const HeaderContext& context);

}  // namespace sidecore::vp9
