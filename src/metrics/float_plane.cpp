#include "metrics/float_plane.h"

#include <algorithm>
#include <cassert>
#include <cstdint>

#include "base/error.h"

namespace sidecore::metrics {
namespace {

template <class Sample>
void convert(video::PlaneView<const Sample> from, float unit, FloatView to) {
  assert(from.width == to.width && from.height == to.height);
  for (int y = 0; y < from.height; ++y) {
    const Sample* const row = from.row(y);
    std::transform(row, row + from.width, to.row(y),
                   [unit](Sample v) { return static_cast<float>(v) * unit; });
  }
}

float unit_of(int bits) {
  return 1.0F / static_cast<float>(1 << (bits - 8));
}

template <class Sample>
void convert_centred(video::PlaneView<const Sample> from, int bits, int y, float* to) {
  const float unit = unit_of(bits);
  std::transform(from.row(y), from.row(y) + from.width, to,
                 [unit](Sample v) { return static_cast<float>(v) * unit - 128.0F; });
}

}  // namespace

void to_float(video::PlaneView<const std::uint8_t> from, FloatView to) {
  convert(from, 1.0F, to);
}

void to_float(video::PlaneView<const std::uint16_t> from, int bits, FloatView to) {
  convert(from, unit_of(bits), to);
}

void luma_to_float(const video::Picture& picture, FloatView luma) {
  const int bits = picture.format().pixel.bits;
  if (bits == 8) {
    to_float(picture.plane<std::uint8_t>(0), luma);
  } else {
    to_float(picture.plane<std::uint16_t>(0), bits, luma);
  }
}

void centred_luma_to_float(const video::Picture& picture, int y, float* to) {
  const int bits = picture.format().pixel.bits;
  if (bits == 8) {
    convert_centred(picture.plane<std::uint8_t>(0), bits, y, to);
  } else {
    convert_centred(picture.plane<std::uint16_t>(0), bits, y, to);
  }
}

void check_float_depth(const char* feature, int bits) {
  if (bits == 8 || bits == 10 || bits == 12 || bits == 16) return;
  throw usage_error("{} is defined for 8, 10, 12 and 16 bits a sample, not for {}", feature, bits);
}

}  // namespace sidecore::metrics
