#include "kernels/picture_region.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/rounding.h"

namespace sidecore::bench {
namespace {

template <class Sample>
void copy_extended(const video::PlaneView<const Sample>& from, const video::PlaneView<Sample>& to) {
  for (int y = 0; y < to.height; ++y) {
    const Sample* const row = from.row(std::min(y, from.height - 1));
    Sample* const end = std::copy_n(row, from.width, to.row(y));
    std::fill(end, to.row(y) + to.width, row[from.width - 1]);
  }
}

}  // namespace

PictureRegion::PictureRegion(GuardedBlock& block, std::string name,
                             const video::PictureFormat& format)
    : format_(format),
      layout_(format),
      region_(block.region(block.add(std::move(name), layout_.bytes))) {}

void PictureRegion::write(std::span<std::byte> memory, const video::Picture& picture) const {
  assert(picture.format() == format_);
  std::ranges::copy(picture.bytes(), memory.subspan(region_.offset, region_.bytes).begin());
}

std::optional<PictureRegion::Place> PictureRegion::place_of(std::size_t byte) const {
  for (std::size_t index = 0; index < static_cast<std::size_t>(format_.pixel.planes()); ++index) {
    const video::PictureLayout::Plane& plane = layout_.planes[index];
    const std::size_t first = region_.offset + plane.offset;
    if (byte < first || byte - first >= plane.bytes) continue;
    const Place place{index, (byte - first) % plane.stride / format_.pixel.bytes_per_sample(),
                      (byte - first) / plane.stride};
    const int width = format_.plane_width(static_cast<int>(index));
    if (place.x < static_cast<std::size_t>(width)) return place;
  }
  return std::nullopt;
}

std::string to_string(const PictureRegion::Place& place) {
  return fmt::format("{}, x {}, y {}", kPlaneNames[place.plane], place.x, place.y);
}

video::Picture copy_rounded_up(const video::Picture& picture, int side) {
  video::PictureFormat format = picture.format();
  format.width = round_up(format.width, side);
  format.height = round_up(format.height, side);
  video::Picture copy(format);
  for (int plane = 0; plane < format.pixel.planes(); ++plane) {
    if (format.pixel.bits == 8) {
      copy_extended(picture.plane<std::uint8_t>(plane), copy.plane<std::uint8_t>(plane));
    } else {
      copy_extended(picture.plane<std::uint16_t>(plane), copy.plane<std::uint16_t>(plane));
    }
  }
  return copy;
}

}  // namespace sidecore::bench
