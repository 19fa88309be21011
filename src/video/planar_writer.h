// Packs samples of a picture as stored in Y4M and raw files: planes Y, Cb, Cr without padding.
#pragma once

#include <cstddef>
#include <vector>

#include "video/picture.h"

namespace sidecore::video {

/// Replaces the content of `packed` by the picture's samples: bytes for 8 bits, little-endian
/// 16-bit words for more.
void pack_planar(const Picture& picture, std::vector<std::byte>& packed);

/// Packs only the top left part of the picture. `size` must have the picture's sample type and must
/// not be larger than the picture.
void pack_planar(const Picture& picture, const PictureFormat& size, std::vector<std::byte>& packed);

}  // namespace sidecore::video
