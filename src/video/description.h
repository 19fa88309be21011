// The meaning of samples and pixels: colours, range, siting, aspect. Containers and streams state
// it, and picture files pass it on; no sample depends on it.
#pragma once

#include <cstdint>

namespace sidecore::video {

/// Whether samples use all their values, or leave room at both ends as in a studio.
enum class SampleRange : std::uint8_t { unknown, limited, full };

/// Where a chroma sample of 4:2:0 lies among its four luma samples; `left` is between the two of
/// the left column.
enum class ChromaSiting : std::uint8_t { unknown, center, left, top_left };

/// Width of a pixel divided by its height, in lowest terms.
struct PixelAspect {
  int width = 0;  ///< 0 when unknown
  int height = 1;
  [[nodiscard]] bool known() const { return width > 0 && height > 0; }
  bool operator==(const PixelAspect&) const = default;
};

/// The aspect of pixels of a `width` x `height` picture that is to be shown in the proportions of
/// `shown_width` x `shown_height`, all from 1 to 65536; unknown if that does not fit.
[[nodiscard]] PixelAspect pixel_aspect_of(int width, int height, int shown_width, int shown_height);

struct Description {
  SampleRange range = SampleRange::unknown;
  PixelAspect aspect{};
  ChromaSiting siting = ChromaSiting::unknown;

  /// This, and what `other` says where this says nothing.
  [[nodiscard]] Description or_else(const Description& other) const;
  bool operator==(const Description&) const = default;
};

}  // namespace sidecore::video
