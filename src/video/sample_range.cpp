#include "video/sample_range.h"

#include "base/error.h"

namespace sidecore::video {
namespace {

void check_row(const std::uint16_t* row, int width, int limit, const auto& complain) {
  // `bits` is the bitwise OR of a row's samples, by which an invalid row is recognised; compilers
  // vectorise this loop.
  unsigned bits = 0;
  for (int x = 0; x < width; ++x) bits |= row[x];
  if (bits <= static_cast<unsigned>(limit)) return;
  for (int x = 0; x < width; ++x) {
    if (row[x] > limit) complain(x, row[x]);
  }
}

}  // namespace

void check_sample_range(const Picture& picture, const std::string& source, std::uint64_t number) {
  const PixelFormat& pixel = picture.format().pixel;
  if (pixel.bits == 8 || pixel.bits == 16) return;
  for (int index = 0; index < pixel.planes(); ++index) {
    const PlaneView<const std::uint16_t> plane = picture.plane<std::uint16_t>(index);
    for (int y = 0; y < plane.height; ++y) {
      check_row(plane.row(y), plane.width, pixel.max_value(), [&](int x, int value) {
        throw usage_error(
            "{}: picture {} has the sample {} at column {}, row {} of plane {}; the limit of {} is "
            "{}",
            source, number, value, x, y, index, to_string(pixel), pixel.max_value());
      });
    }
  }
}

}  // namespace sidecore::video
