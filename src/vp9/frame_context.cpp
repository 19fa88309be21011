#include "vp9/frame_context.h"

#include <algorithm>

#include "vp9/tables.h"

namespace sidecore::vp9 {
namespace {

CompoundReferences compound_references(const std::array<bool, 4>& sign_bias) {
  if (sign_bias[kLast] == sign_bias[kGolden]) return {kAltRef, {kLast, kGolden}};
  if (sign_bias[kLast] == sign_bias[kAltRef]) return {kGolden, {kLast, kAltRef}};
  return {kLast, {kGolden, kAltRef}};
}

/// Returns a frame's value as a segment changes it: by the segment's feature, which replaces the
/// value or is added to it.
int with_feature(int value, const Segmentation& segmentation, int segment, SegmentFeature feature,
                 int most) {
  if (!segmentation.active(segment, feature)) return value;
  const int change = segmentation.value(segment, feature);
  return std::clamp(segmentation.absolute ? change : value + change, 0, most);
}

// Computes the quantiser steps of a segment; section 8.6.1.
QuantizerSteps quantizer_steps(const FrameHeader& header, int segment) {
  const QuantizationParameters& base = header.quantization;
  const int index =
      with_feature(base.base_index, header.segmentation, segment, kSegmentQuantizer, 255);
  const int depth = (header.pixel.bits - 8) / 2;
  const auto step = [&](const std::int16_t(&table)[256], int delta) {
    return int{table[std::clamp(index + delta, 0, 255)]};
  };
  return {
      {{step(kDcQuantizer[depth], base.y_dc_delta), step(kAcQuantizer[depth], 0)},
       {step(kDcQuantizer[depth], base.uv_dc_delta), step(kAcQuantizer[depth], base.uv_ac_delta)}}};
}

// Computes the filter levels of a segment; section 8.8.1, except for the scale of the deltas. The
// specification derives the scale from the segment's level. libvpx (vp9_loop_filter_frame_init) and
// FFmpeg derive it from the frame's level, and encoders rely on that, so this function does the
// same.
FilterLevels filter_levels(const FrameHeader& header, int segment) {
  FilterLevels levels{};
  const LoopFilterParameters& filter = header.loop_filter;
  if (filter.level == 0) return levels;
  const int level =
      with_feature(filter.level, header.segmentation, segment, kSegmentLoopFilter, 63);
  const int scale = 1 << (filter.level >> 5);
  for (std::size_t reference = 0; reference < levels.size(); ++reference) {
    for (std::size_t moving = 0; moving < 2; ++moving) {
      int value = level;
      if (filter.deltas_enabled) {
        value += filter.reference_deltas[reference] * scale;
        if (reference != kIntra) value += filter.mode_deltas[moving] * scale;
      }
      levels[reference][moving] = static_cast<std::uint8_t>(std::clamp(value, 0, 63));
    }
  }
  return levels;
}

}  // namespace

void FrameContext::derive() {
  compound = compound_references(header.sign_bias);
  for (int segment = 0; segment < kMaxSegments; ++segment) {
    segments[static_cast<std::size_t>(segment)] = {quantizer_steps(header, segment),
                                                   filter_levels(header, segment)};
  }
}

}  // namespace sidecore::vp9
