// Buffers, and the images through which players read surfaces.
#include <algorithm>
#include <cstring>
#include <utility>

#include "va/display.h"

namespace sidecore::va {
namespace {

/// Limit of a buffer's size. No frame that fits a surface is larger, and the limit protects the
/// process from a hostile player.
constexpr std::size_t kMaxBufferBytes = std::size_t{256} << 20;

/// Limit of the memory that is kept from a destroyed image for the next one. An image of 4096x2160
/// with 10 bits needs less. Larger images are rare, and would keep too much unused memory.
constexpr std::size_t kMaxSpareBytes = std::size_t{64} << 20;

VAImageFormat describe(const ImageFormat& format) {
  VAImageFormat described{};
  described.fourcc = format.fourcc;
  described.byte_order = VA_LSB_FIRST;
  described.bits_per_pixel = format.bits > 8 ? 24 : 12;
  return described;
}

}  // namespace

std::shared_ptr<Buffer> Display::buffer(VABufferID id) {
  return get(buffers_, id, VA_STATUS_ERROR_INVALID_BUFFER);
}

void Display::create_buffer(VAContextID context_id, VABufferType type, unsigned bytes,
                            unsigned elements, void* data, VABufferID* id) {
  require_places(id);
  static_cast<void>(context(context_id));
  require(
      type == VAPictureParameterBufferType || type == VASliceParameterBufferType ||
          type == VASliceDataBufferType,
      VA_STATUS_ERROR_UNSUPPORTED_BUFFERTYPE,
      "the buffer type is not supported: VP9 uses picture parameters, slice parameters and data");
  require(bytes > 0 && elements > 0 && std::size_t{bytes} * elements <= kMaxBufferBytes,
          VA_STATUS_ERROR_INVALID_PARAMETER, "a buffer's size must be 1 byte to 256 MiB");
  const auto made = std::make_shared<Buffer>();
  made->type = type;
  made->element_bytes = bytes;
  made->elements = elements;
  made->bytes.resize(std::size_t{bytes} * elements);
  if (data != nullptr) std::memcpy(made->bytes.data(), data, made->bytes.size());
  *id = add(buffers_, made);
}

void Display::set_elements(VABufferID id, unsigned elements) {
  const auto changed = buffer(id);
  const std::lock_guard lock(changed->mutex);
  require(
      changed->type != VAImageBufferType && elements > 0 &&
          elements * changed->element_bytes <= changed->bytes.size(),
      VA_STATUS_ERROR_INVALID_PARAMETER,
      "the number of elements must be at least 1 and fit the buffer's memory; images have none");
  changed->elements = elements;
}

void Display::map_buffer(VABufferID id, void** data) {
  require_places(data);
  const auto mapped = buffer(id);
  if (mapped->surface != nullptr) {
    const Surface& surface = *mapped->surface;
    const HeldPicture held = surface.held();
    const vp9::FrameBuffer* const frame = held.wait();
    const ImageFormat& format = native_format(surface.bits());
    const std::lock_guard lock(mapped->mutex);
    write_image(frame, {0, 0, surface.width(), surface.height()}, format,
                ImageLayout(format, surface.width(), surface.height()), mapped->bytes);
  }
  *data = mapped->bytes.data();
}

void Display::unmap_buffer(VABufferID id) {
  static_cast<void>(buffer(id));
}

void Display::destroy_buffer(VABufferID id) {
  static_cast<void>(take(buffers_, id, VA_STATUS_ERROR_INVALID_BUFFER));
}

void Display::buffer_info(VABufferID id, VABufferType* type, unsigned* bytes, unsigned* elements) {
  require_places(type, bytes, elements);
  const auto asked = buffer(id);
  const std::lock_guard lock(asked->mutex);
  *type = asked->type;
  *bytes = static_cast<unsigned>(asked->element_bytes);
  *elements = static_cast<unsigned>(asked->elements);
}

void Display::query_image_formats(VAImageFormat* formats, int* count) {
  require_places(formats, count);
  std::ranges::transform(image_formats(), formats, describe);
  *count = static_cast<int>(image_formats().size());
}

void Display::add_image(const ImageFormat& format, int width, int height,
                        std::shared_ptr<Surface> surface, VAImage& image) {
  const ImageLayout layout(format, width, height);
  const auto buffer = std::make_shared<Buffer>();
  buffer->type = VAImageBufferType;
  buffer->element_bytes = layout.bytes;
  buffer->elements = 1;
  {
    const std::lock_guard lock(mutex_);
    if (spare_bytes_.size() == layout.bytes) buffer->bytes.swap(spare_bytes_);
  }
  buffer->bytes.resize(layout.bytes);
  buffer->surface = std::move(surface);
  const auto made = std::make_shared<Image>(Image{&format, width, height, VA_INVALID_ID, buffer});
  made->buffer_id = add(buffers_, buffer);
  image = {};
  try {
    image.image_id = add(images_, made);
  } catch (...) {  // removes the buffer, because the player would never learn its id
    destroy_buffer(made->buffer_id);
    throw;
  }
  image.format = describe(format);
  image.buf = made->buffer_id;
  image.width = static_cast<std::uint16_t>(width);
  image.height = static_cast<std::uint16_t>(height);
  image.data_size = layout.bytes;
  image.num_planes = layout.planes;
  std::ranges::copy(layout.pitches, image.pitches);
  std::ranges::copy(layout.offsets, image.offsets);
}

void Display::create_image(VAImageFormat* format, int width, int height, VAImage* image) {
  require_places(image);
  require(format != nullptr, VA_STATUS_ERROR_INVALID_PARAMETER, "the image format is null");
  const ImageFormat* const known = find_image_format(format->fourcc);
  require(known != nullptr, VA_STATUS_ERROR_INVALID_IMAGE_FORMAT,
          "the image format's fourcc is not supported");
  require(
      1 <= width && width <= video::kMaxDimension && 1 <= height && height <= video::kMaxDimension,
      VA_STATUS_ERROR_INVALID_PARAMETER, "an image's width and height must be 1 to 16384 samples");
  add_image(*known, width, height, nullptr, *image);
}

void Display::derive_image(VASurfaceID id, VAImage* image) {
  require_places(image);
  const auto from = surface(id);
  add_image(native_format(from->bits()), from->width(), from->height(), from, *image);
}

void Display::destroy_image(VAImageID id) {
  const auto image = take(images_, id, VA_STATUS_ERROR_INVALID_IMAGE);
  std::vector<std::byte> freed;  // declared before the lock, so that the memory is freed after it
  const std::lock_guard lock(mutex_);
  // `image` still holds the buffer, so its memory is not freed here.
  static_cast<void>(buffers_.remove(image->buffer_id));
  // The memory may be reused only if this function holds the only references: then no other thread
  // can get it any more.
  if (image.use_count() != 1 || image->buffer.use_count() != 1) return;
  if (image->buffer->element_bytes > kMaxSpareBytes) return;
  // The lock orders this code after the last user of the memory.
  const std::lock_guard buffer_lock(image->buffer->mutex);
  freed = std::exchange(spare_bytes_, std::move(image->buffer->bytes));
}

void Display::get_image(VASurfaceID id, int x, int y, unsigned width, unsigned height,
                        VAImageID image_id) {
  const auto from = surface(id);
  const auto image = get(images_, image_id, VA_STATUS_ERROR_INVALID_IMAGE);
  require(image->format->bits == from->bits(), VA_STATUS_ERROR_INVALID_IMAGE_FORMAT,
          "the image and the surface have different bits per sample");
  const auto inside = [](int begin, unsigned size, int of_surface, int of_image) {
    return begin >= 0 && begin % 2 == 0 && size > 0 && size <= static_cast<unsigned>(of_image) &&
           std::int64_t{begin} + size <= of_surface;
  };
  require(inside(x, width, from->width(), image->width) &&
              inside(y, height, from->height(), image->height),
          VA_STATUS_ERROR_INVALID_PARAMETER,
          "the region must begin at an even sample and lie inside both the surface and the image");
  const HeldPicture held = from->held();
  const vp9::FrameBuffer* const frame = held.wait();
  const std::lock_guard lock(image->buffer->mutex);
  write_image(frame, {x, y, static_cast<int>(width), static_cast<int>(height)}, *image->format,
              ImageLayout(*image->format, image->width, image->height), image->buffer->bytes);
}

}  // namespace sidecore::va
