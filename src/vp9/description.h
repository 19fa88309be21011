// A VP9 stream's description of its pictures: colours and the shape of a pixel.
#pragma once

#include "video/description.h"
#include "vp9/frame_buffer.h"

namespace sidecore::vp9 {

/// The range, and the aspect of pixels where the frame is to be shown at other proportions than its
/// own. A stream does not say where chroma lies.
[[nodiscard]] video::Description description_of(const FrameBuffer& frame);

/// Colours as numbers of ITU-T H.273 (ISO/IEC 23091-2), in which 2 stands for unknown.
struct ColorCodes {
  int primaries = 2;
  int transfer = 2;
  int matrix = 2;
  bool operator==(const ColorCodes&) const = default;
};

/// A stream names its matrix; primaries and transfer function are those that belong to it in the
/// recommendation of that name. `bits` are a sample's: BT.2020 has a transfer function of its own
/// for 12.
[[nodiscard]] ColorCodes color_codes_of(ColorSpace space, int bits);

}  // namespace sidecore::vp9
