// Samples of a picture as Y4M and raw files hold them: planes Y, Cb, Cr without padding.
#pragma once

#include <cstddef>
#include <vector>

#include "video/picture.h"

namespace sidecore::video {

/// Replaces `packed` by the picture's samples; 8-bit ones are bytes, deeper ones little-endian
/// words.
void pack_planar(const Picture& picture, std::vector<std::byte>& packed);

/// The same of the picture's top left part of `size` (whose sample type is the picture's, and whose
/// width and height are not larger).
void pack_planar(const Picture& picture, const PictureFormat& size, std::vector<std::byte>& packed);

}  // namespace sidecore::video
