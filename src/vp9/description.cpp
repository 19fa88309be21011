#include "vp9/description.h"

namespace sidecore::vp9 {

video::Description description_of(const FrameBuffer& frame) {
  video::Description description;
  description.range =
      frame.color.full_range ? video::SampleRange::full : video::SampleRange::limited;
  if (!(frame.render_size == frame.size)) {
    description.aspect = video::pixel_aspect_of(frame.size.width, frame.size.height,
                                                frame.render_size.width, frame.render_size.height);
  }
  return description;
}

ColorCodes color_codes_of(ColorSpace space, int bits) {
  switch (space) {
    case ColorSpace::bt601:  // bt601 and smpte170 differ only in name
    case ColorSpace::smpte170:
      return {.primaries = 6, .transfer = 6, .matrix = 6};
    case ColorSpace::bt709:
      return {.primaries = 1, .transfer = 1, .matrix = 1};
    case ColorSpace::smpte240:
      return {.primaries = 7, .transfer = 7, .matrix = 7};
    case ColorSpace::bt2020:
      return {.primaries = 9, .transfer = bits > 10 ? 15 : 14, .matrix = 9};
    case ColorSpace::rgb:
      return {.primaries = 1, .transfer = 13, .matrix = 0};
    default:
      return {};
  }
}

}  // namespace sidecore::vp9
