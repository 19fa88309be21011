#include "qpu/vp9/picture_planes.h"

#include "base/error.h"

namespace sidecore::qpu {

PicturePlanes PicturePlanes::of(const video::PictureFormat& format) {
  PicturePlanes result;
  const video::PictureLayout layout(format);
  for (std::size_t plane = 0; plane < result.planes.size(); ++plane) {
    const video::PictureLayout::Plane& from = layout.planes[plane];
    result.planes[plane] = {from.offset, from.stride,
                            static_cast<std::size_t>(format.plane_height(static_cast<int>(plane)))};
  }
  return result;
}

void PicturePlanes::check(std::size_t bytes, std::size_t alignment) const {
  for (std::size_t index = 0; index < planes.size(); ++index) {
    const Plane& plane = planes[index];
    if (plane.offset % alignment != 0 || plane.stride % alignment != 0) {
      throw usage_error("plane {}: offset {} and stride {} are not multiples of {}", index,
                        plane.offset, plane.stride, alignment);
    }
    // The check divides instead of multiplying, because the product of damaged values could
    // overflow.
    if (plane.offset > bytes ||
        (plane.rows != 0 && plane.stride > (bytes - plane.offset) / plane.rows)) {
      throw usage_error(
          "plane {}: {} rows of {} bytes at offset {} end beyond the picture's {} bytes", index,
          plane.rows, plane.stride, plane.offset, bytes);
    }
  }
  if (planes[1].stride != planes[2].stride) {
    throw usage_error("chroma planes must have the same stride, not {} and {}", planes[1].stride,
                      planes[2].stride);
  }
}

}  // namespace sidecore::qpu
