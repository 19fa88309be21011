#include "video/planar_writer.h"

#include <bit>
#include <cstring>

#include "video/planar_reader.h"

// The host must be little-endian, because samples are copied without byte swapping.
static_assert(std::endian::native == std::endian::little);

namespace sidecore::video {

void pack_planar(const Picture& picture, std::vector<std::byte>& packed) {
  pack_planar(picture, picture.format(), packed);
}

void pack_planar(const Picture& picture, const PictureFormat& size,
                 std::vector<std::byte>& packed) {
  packed.resize(planar_bytes(size));
  std::byte* to = packed.data();
  for (int index = 0; index < size.pixel.planes(); ++index) {
    const PictureLayout::Plane& plane = picture.layout().planes[static_cast<std::size_t>(index)];
    const std::size_t row_bytes =
        static_cast<std::size_t>(size.plane_width(index)) * size.pixel.bytes_per_sample();
    const std::byte* from = picture.bytes().data() + plane.offset;
    for (int y = 0; y < size.plane_height(index); ++y) {
      std::memcpy(to, from, row_bytes);
      to += row_bytes;
      from += plane.stride;
    }
  }
}

}  // namespace sidecore::video
