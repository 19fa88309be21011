// Surfaces, and waiting for them.
#include <algorithm>
#include <chrono>

#include "va/display.h"

namespace sidecore::va {
namespace {

int bits_of(unsigned rt_format) {
  require(rt_format == VA_RT_FORMAT_YUV420 || rt_format == VA_RT_FORMAT_YUV420_10,
          VA_STATUS_ERROR_UNSUPPORTED_RT_FORMAT, "surfaces are 4:2:0 of 8 or 10 bits");
  return rt_format == VA_RT_FORMAT_YUV420_10 ? 10 : 8;
}

// Of one call: more than any player's pool, and few enough to count in an int.
constexpr unsigned kMaxSurfaces = 4096;

int size_of(std::int64_t size) {
  require(1 <= size && size <= video::kMaxDimension, VA_STATUS_ERROR_RESOLUTION_NOT_SUPPORTED,
          "a surface has 1 to 16384 samples each way");
  return static_cast<int>(size);
}

}  // namespace

std::shared_ptr<Surface> Display::surface(VASurfaceID id) {
  return get(surfaces_, id, VA_STATUS_ERROR_INVALID_SURFACE);
}

void Display::add_surfaces(int width, int height, int bits, std::span<VASurfaceID> ids) {
  std::size_t made = 0;
  try {
    for (; made < ids.size(); ++made) {
      ids[made] = add(surfaces_, std::make_shared<Surface>(width, height, bits));
    }
  } catch (...) {  // all or none: nobody else knows the ids of a part
    destroy_surfaces(ids.data(), static_cast<int>(made));
    throw;
  }
}

void Display::create_surfaces(int width, int height, int rt_format, int count, VASurfaceID* ids) {
  require(count > 0 && ids != nullptr, VA_STATUS_ERROR_INVALID_PARAMETER,
          "no surface is asked for");
  require(static_cast<unsigned>(count) <= kMaxSurfaces, VA_STATUS_ERROR_MAX_NUM_EXCEEDED,
          "that many surfaces at once");
  add_surfaces(size_of(width), size_of(height), bits_of(static_cast<unsigned>(rt_format)),
               {ids, static_cast<std::size_t>(count)});
}

void Display::create_surfaces_with(unsigned rt_format, unsigned width, unsigned height,
                                   VASurfaceID* ids, unsigned count, VASurfaceAttrib* attributes,
                                   unsigned attribute_count) {
  require(count > 0 && ids != nullptr, VA_STATUS_ERROR_INVALID_PARAMETER,
          "no surface is asked for");
  require(count <= kMaxSurfaces, VA_STATUS_ERROR_MAX_NUM_EXCEEDED, "that many surfaces at once");
  const int bits = bits_of(rt_format);
  for (const VASurfaceAttrib& asked :
       std::span(attributes, attributes == nullptr ? 0 : attribute_count)) {
    if ((asked.flags & VA_SURFACE_ATTRIB_SETTABLE) == 0) continue;
    const auto value = static_cast<std::uint32_t>(asked.value.value.i);
    if (asked.type == VASurfaceAttribPixelFormat) {
      const ImageFormat* const format = find_image_format(value);
      require(format != nullptr && format->bits == bits, VA_STATUS_ERROR_INVALID_IMAGE_FORMAT,
              "a surface's fourcc is one of its depth's image formats");
    } else if (asked.type == VASurfaceAttribMemoryType) {
      require(value == VA_SURFACE_ATTRIB_MEM_TYPE_VA, VA_STATUS_ERROR_UNSUPPORTED_MEMORY_TYPE,
              "surfaces live in the driver's own memory");
    }
  }
  add_surfaces(size_of(width), size_of(height), bits, {ids, count});
}

// Frames of those in the queue go on being references, and readers finish what they read.
void Display::destroy_surfaces(VASurfaceID* ids, int count) {
  const std::span asked(ids, static_cast<std::size_t>(std::max(count, 0)));
  std::vector<std::shared_ptr<Surface>> ended;  // outside of the lock
  ended.reserve(asked.size());
  const std::lock_guard lock(mutex_);
  for (const VASurfaceID id : asked) {
    require(surfaces_.find(id) != nullptr, VA_STATUS_ERROR_INVALID_SURFACE,
            "there is no such surface");
  }
  for (const VASurfaceID id : asked) ended.push_back(surfaces_.remove(id));
}

void Display::sync_surface(VASurfaceID id) {
  const HeldPicture held = surface(id)->held();
  static_cast<void>(held.wait());
}

void Display::sync_surface_for(VASurfaceID id, std::uint64_t nanoseconds) {
  const HeldPicture held = surface(id)->held();
  if (held.picture == nullptr) return;
  constexpr std::uint64_t kForEver = std::uint64_t{1} << 60;  // the clock's sums must not overflow
  const std::chrono::nanoseconds time(std::min(nanoseconds, kForEver));
  require(held.picture->wait_for(time), VA_STATUS_ERROR_TIMEDOUT, "it is still being decoded");
}

void Display::query_surface_status(VASurfaceID id, VASurfaceStatus* status) {
  const HeldPicture held = surface(id)->held();
  *status = held.picture == nullptr || held.picture->done() ? VASurfaceReady : VASurfaceRendering;
}

void Display::export_surface(VASurfaceID id, std::uint32_t /*memory_type*/, std::uint32_t /*flags*/,
                             void* /*descriptor*/) {
  static_cast<void>(surface(id));
  throw Refusal(VA_STATUS_ERROR_UNSUPPORTED_MEMORY_TYPE,
                "no dma-buf: surfaces are the decoder's memory, which a display cannot import");
}

}  // namespace sidecore::va
