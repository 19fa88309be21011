#include "video/picture.h"

#include <cassert>
#include <cstdlib>

#include "base/error.h"
#include "base/rounding.h"

namespace sidecore::video {
namespace {

// Allocates zeroed memory with calloc(), which does not touch large blocks. A large size from a
// damaged header then takes only address space; physical memory is used when rows are written.
std::shared_ptr<void> allocate_zeroed(std::size_t bytes, const PictureFormat& format) {
  constexpr std::size_t kAlignment = PictureLayout::kPlaneAlignment;
  void* const block = std::calloc(1, bytes + kAlignment);
  if (block == nullptr) {
    throw Error::of_memory("not enough memory for a picture of {} ({} bytes)", to_string(format),
                           bytes);
  }
  const std::shared_ptr<void> owner(block, [](void* memory) { std::free(memory); });
  void* aligned = block;
  std::size_t space = bytes + kAlignment;
  return {owner, std::align(kAlignment, bytes, aligned, space)};
}

const PictureFormat& checked(const PictureFormat& format) {
  check_format(format);
  return format;
}

}  // namespace

int PictureFormat::plane_width(int plane) const {
  const bool halved = pixel.chroma == Chroma::c420 || pixel.chroma == Chroma::c422;
  return plane > 0 && halved ? (width + 1) / 2 : width;
}

int PictureFormat::plane_height(int plane) const {
  const bool halved = pixel.chroma == Chroma::c420 || pixel.chroma == Chroma::c440;
  return plane > 0 && halved ? (height + 1) / 2 : height;
}

std::string to_string(const PictureFormat& format) {
  return fmt::format("{}x{} {}", format.width, format.height, to_string(format.pixel));
}

void check_format(const PictureFormat& format) {
  if (format.width < 1 || format.width > kMaxDimension || format.height < 1 ||
      format.height > kMaxDimension) {
    throw usage_error("a picture of {}x{} is not supported: the size must be 1x1 to {}x{}",
                      format.width, format.height, kMaxDimension, kMaxDimension);
  }
  if (format.pixel.bits < 8 || format.pixel.bits > 16) {
    throw usage_error("{} bits per sample are not supported: there must be 8 to 16",
                      format.pixel.bits);
  }
}

PictureLayout::PictureLayout(const PictureFormat& format) {
  for (int index = 0; index < format.pixel.planes(); ++index) {
    Plane& plane = planes[static_cast<std::size_t>(index)];
    plane.offset = round_up(bytes, kPlaneAlignment);
    plane.stride = round_up(
        static_cast<std::size_t>(format.plane_width(index)) * format.pixel.bytes_per_sample(),
        kRowAlignment);
    plane.bytes = plane.stride * static_cast<std::size_t>(format.plane_height(index));
    bytes = plane.offset + plane.bytes;
  }
}

Picture::Picture(const PictureFormat& format) : format_(checked(format)), layout_(format) {
  owner_ = allocate_zeroed(layout_.bytes, format);
  memory_ = {static_cast<std::byte*>(owner_.get()), layout_.bytes};
}

Picture::Picture(const PictureFormat& format, std::span<std::byte> memory,
                 std::shared_ptr<void> owner)
    : format_(checked(format)), layout_(format), owner_(std::move(owner)) {
  assert(memory.size() >= layout_.bytes);
  assert(reinterpret_cast<std::uintptr_t>(memory.data()) % PictureLayout::kRowAlignment == 0);
  memory_ = memory.first(layout_.bytes);
}

void Picture::assert_sample([[maybe_unused]] std::size_t sample_bytes,
                            [[maybe_unused]] int plane) const {
  assert(sample_bytes == format_.pixel.bytes_per_sample());
  assert(plane >= 0 && plane < format_.pixel.planes());
}

}  // namespace sidecore::video
