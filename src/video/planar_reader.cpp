#include "video/planar_reader.h"

#include <bit>

#include "base/error.h"
#include "video/sample_range.h"

// The host must be little-endian, because files are little-endian and bytes are not swapped.
static_assert(std::endian::native == std::endian::little);

namespace sidecore::video {
namespace {

std::size_t row_bytes(const PictureFormat& format, int plane) {
  return static_cast<std::size_t>(format.plane_width(plane)) * format.pixel.bytes_per_sample();
}

}  // namespace

std::size_t planar_bytes(const PictureFormat& format) {
  std::size_t bytes = 0;
  for (int plane = 0; plane < format.pixel.planes(); ++plane) {
    bytes += row_bytes(format, plane) * static_cast<std::size_t>(format.plane_height(plane));
  }
  return bytes;
}

void throw_truncated(const std::string& source, std::uint64_t number, const PictureFormat& format,
                     std::uint64_t taken) {
  const std::size_t expected = planar_bytes(format);
  throw usage_error("{}: picture {} is truncated: {} of the {} bytes of {} are missing", source,
                    number, expected - taken, expected, to_string(format));
}

std::size_t read_planar(ByteStream& stream, Picture& picture, std::uint64_t number) {
  const PictureFormat& format = picture.format();
  std::size_t taken = 0;
  for (int index = 0; index < format.pixel.planes(); ++index) {
    const PictureLayout::Plane& plane = picture.layout().planes[static_cast<std::size_t>(index)];
    taken += stream.read_rows(picture.bytes().data() + plane.offset, row_bytes(format, index),
                              plane.stride, static_cast<std::size_t>(format.plane_height(index)));
  }
  if (taken == planar_bytes(format)) check_sample_range(picture, stream.name(), number);
  return taken;
}

}  // namespace sidecore::video
