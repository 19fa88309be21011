// Description of a picture's samples and pixels: range, chroma siting, pixel aspect. Containers and
// streams state these values, and picture files pass them on. It does not affect any sample.
#pragma once

#include <cstdint>

namespace sidecore::video {

/// Range of sample values: `full` uses all values, `limited` leaves room at both ends (studio
/// range).
enum class SampleRange : std::uint8_t { unknown, limited, full };

/// Position of a 4:2:0 chroma sample among its four luma samples. `left` is halfway between the two
/// luma samples of the left column.
enum class ChromaSiting : std::uint8_t { unknown, center, left, top_left };

/// Pixel aspect ratio: width of a pixel divided by its height, in lowest terms.
struct PixelAspect {
  int width = 0;  ///< width of a pixel relative to `height`; 0 if the aspect is unknown
  int height = 1;
  [[nodiscard]] bool known() const { return width > 0 && height > 0; }
  bool operator==(const PixelAspect&) const = default;
};

/// Returns the pixel aspect ratio of a `width` x `height` picture that is shown in the proportions
/// of `shown_width` x `shown_height`. All arguments must be 1 to 65536. The result is unknown if
/// its terms do not fit.
[[nodiscard]] PixelAspect pixel_aspect_of(int width, int height, int shown_width, int shown_height);

/// Range, chroma siting and pixel aspect of a sequence of pictures.
struct Description {
  SampleRange range = SampleRange::unknown;
  PixelAspect aspect{};
  ChromaSiting siting = ChromaSiting::unknown;

  /// Returns this description, with unknown values taken from `other`.
  [[nodiscard]] Description or_else(const Description& other) const;
  bool operator==(const Description&) const = default;
};

}  // namespace sidecore::video
