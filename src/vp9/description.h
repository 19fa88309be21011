// Describes the pictures of a VP9 stream: colours and the shape of a pixel.
#pragma once

#include "video/description.h"
#include "vp9/frame_buffer.h"

namespace sidecore::vp9 {

/// Returns the sample range, and the pixel aspect ratio if the frame's render size differs from its
/// size. A VP9 stream does not give the position of chroma samples.
[[nodiscard]] video::Description description_of(const FrameBuffer& frame);

/// Colour code points of ITU-T H.273 (ISO/IEC 23091-2). The value 2 means unknown.
struct ColorCodes {
  int primaries = 2;
  int transfer = 2;
  int matrix = 2;
  bool operator==(const ColorCodes&) const = default;
};

/// Returns the codes for a stream's colour space. VP9 names only the matrix; primaries and transfer
/// function are those of the same recommendation. `bits` is the bit depth: BT.2020 has a separate
/// transfer function for 12 bits.
[[nodiscard]] ColorCodes color_codes_of(ColorSpace space, int bits);

}  // namespace sidecore::vp9
