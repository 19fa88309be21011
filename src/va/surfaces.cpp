// Surfaces: making them, waiting for their pictures, and exporting their memory.
#include <va/va_drmcommon.h>

#include <algorithm>
#include <chrono>
#include <span>

#include "va/display.h"

namespace sidecore::va {
namespace {

int bits_of(unsigned rt_format) {
  for (const int bits : {8, 10, 12}) {
    if (rt_format == rt_format_of(bits)) return bits;
  }
  throw Refusal(VA_STATUS_ERROR_UNSUPPORTED_RT_FORMAT,
                "surfaces must be 4:2:0 of 8, 10 or 12 bits");
}

// Largest number of surfaces in one request: more than any player's pool, and small enough for an
// int.
constexpr unsigned kMaxSurfaces = 4096;

int size_of(std::int64_t size) {
  require(1 <= size && size <= video::kMaxDimension, VA_STATUS_ERROR_RESOLUTION_NOT_SUPPORTED,
          "a surface's width and height must be 1 to 16384 samples");
  return static_cast<int>(size);
}

// Format codes of the kernel (drm_fourcc.h) that have no constant in VA-API.
constexpr std::uint32_t kR8 = VA_FOURCC('R', '8', ' ', ' ');
constexpr std::uint32_t kGr88 = VA_FOURCC('G', 'R', '8', '8');
constexpr std::uint32_t kR16 = VA_FOURCC('R', '1', '6', ' ');
constexpr std::uint32_t kGr1616 = VA_FOURCC('G', 'R', '3', '2');

constexpr std::uint64_t kLinear = 0;  // equals DRM_FORMAT_MOD_LINEAR

/// Returns true if the player's list of modifiers allows linear surfaces.
bool has_linear(const VADRMFormatModifierList* list) {
  if (list == nullptr || list->modifiers == nullptr) return false;
  const std::span modifiers(list->modifiers, list->num_modifiers);
  return std::ranges::find(modifiers, kLinear) != modifiers.end();
}

/// Describes an exported image with a new descriptor of its memory, which the player must close.
/// Throws Error (environment).
VADRMPRIMESurfaceDescriptor describe(const ExportedImage& image, bool separate_layers) {
  const ImageLayout& layout = image.layout();
  VADRMPRIMESurfaceDescriptor described{};
  described.fourcc = image.format().fourcc;
  described.width = static_cast<std::uint32_t>(image.width());
  described.height = static_cast<std::uint32_t>(image.height());
  described.num_objects = 1;
  described.objects[0].size = layout.bytes;
  described.objects[0].drm_format_modifier = kLinear;
  described.num_layers = separate_layers ? layout.planes : 1;
  for (std::uint32_t plane = 0; plane < layout.planes; ++plane) {
    auto& layer = described.layers[separate_layers ? plane : 0];
    const std::uint32_t index = separate_layers ? 0 : plane;
    layer.num_planes = index + 1;
    layer.offset[index] = layout.offsets[plane];
    layer.pitch[index] = layout.pitches[plane];
    if (!separate_layers) {
      layer.drm_format = image.format().fourcc;
    } else if (image.format().bits > 8) {
      layer.drm_format = plane == 0 ? kR16 : kGr1616;
    } else {
      layer.drm_format = plane == 0 ? kR8 : kGr88;
    }
  }
  described.objects[0].fd = image.share();
  return described;
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
  } catch (...) {  // makes all surfaces or none, because the player gets no ids if this fails
    destroy_surfaces(ids.data(), static_cast<int>(made));
    throw;
  }
}

void Display::create_surfaces(int width, int height, int rt_format, int count, VASurfaceID* ids) {
  require(count > 0 && ids != nullptr, VA_STATUS_ERROR_INVALID_PARAMETER,
          "the number of surfaces must be at least 1, and the list of ids must not be null");
  require(static_cast<unsigned>(count) <= kMaxSurfaces, VA_STATUS_ERROR_MAX_NUM_EXCEEDED,
          "too many surfaces in one request: the limit is 4096");
  add_surfaces(size_of(width), size_of(height), bits_of(static_cast<unsigned>(rt_format)),
               {ids, static_cast<std::size_t>(count)});
}

void Display::create_surfaces_with(unsigned rt_format, unsigned width, unsigned height,
                                   VASurfaceID* ids, unsigned count, VASurfaceAttrib* attributes,
                                   unsigned attribute_count) {
  require(count > 0 && ids != nullptr, VA_STATUS_ERROR_INVALID_PARAMETER,
          "the number of surfaces must be at least 1, and the list of ids must not be null");
  require(count <= kMaxSurfaces, VA_STATUS_ERROR_MAX_NUM_EXCEEDED,
          "too many surfaces in one request: the limit is 4096");
  const int bits = bits_of(rt_format);
  std::uint32_t memory = VA_SURFACE_ATTRIB_MEM_TYPE_VA;
  bool foreign = false;
  for (const VASurfaceAttrib& asked : list_of(attributes, attribute_count)) {
    if ((asked.flags & VA_SURFACE_ATTRIB_SETTABLE) == 0) continue;
    if (asked.type == VASurfaceAttribExternalBufferDescriptor) {
      foreign = asked.value.value.p != nullptr;
      continue;
    }
    if (asked.type == VASurfaceAttribDRMFormatModifiers) {
      require(has_linear(static_cast<const VADRMFormatModifierList*>(asked.value.value.p)),
              VA_STATUS_ERROR_ATTR_NOT_SUPPORTED,
              "the list of modifiers must contain linear, the only layout of surfaces");
      continue;
    }
    const auto value = static_cast<std::uint32_t>(asked.value.value.i);
    if (asked.type == VASurfaceAttribPixelFormat) {
      const ImageFormat* const format = find_image_format(value);
      require(format != nullptr && format->bits == bits, VA_STATUS_ERROR_INVALID_IMAGE_FORMAT,
              "the surface's fourcc must be an image format with the surface's bits per sample");
    } else if (asked.type == VASurfaceAttribMemoryType) {
      memory = value;
    }
  }
  // The memory must be the driver's own or dma-bufs that the driver allocates, but not the
  // player's.
  require(
      memory == VA_SURFACE_ATTRIB_MEM_TYPE_VA ||
          (memory == VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME_2 && !foreign && dma_heap() != nullptr),
      VA_STATUS_ERROR_UNSUPPORTED_MEMORY_TYPE, "a surface's memory must be the driver's own");
  add_surfaces(size_of(width), size_of(height), bits, {ids, count});
}

// Queued pictures keep the frames of destroyed surfaces as references, and readers finish reading.
void Display::destroy_surfaces(VASurfaceID* ids, int count) {
  const std::span asked = list_of(ids, count);
  std::vector<std::shared_ptr<Surface>> ended;  // surfaces to release after the lock
  ended.reserve(asked.size());
  const std::lock_guard lock(mutex_);
  for (const VASurfaceID id : asked) {
    require(surfaces_.find(id) != nullptr, VA_STATUS_ERROR_INVALID_SURFACE,
            "a surface id is unknown: no surface was destroyed");
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
  // The longest wait is so small that its sum with the clock does not overflow.
  constexpr std::uint64_t kLongestWait = std::uint64_t{1} << 60;
  const std::chrono::nanoseconds time(std::min(nanoseconds, kLongestWait));
  require(held.picture->wait_for(time), VA_STATUS_ERROR_TIMEDOUT,
          "the surface's picture is still being decoded");
}

void Display::query_surface_status(VASurfaceID id, VASurfaceStatus* status) {
  require_places(status);
  const HeldPicture held = surface(id)->held();
  *status = held.picture == nullptr || held.picture->done() ? VASurfaceReady : VASurfaceRendering;
}

// Reports damage. Waiting for a damaged picture succeeds instead, because players exit (ffmpeg) or
// stop using the driver if the wait fails.
void Display::query_surface_error(VASurfaceID id, VAStatus error, void** errors) {
  require_places(errors);
  require(error == VA_STATUS_ERROR_DECODING_ERROR, VA_STATUS_ERROR_INVALID_PARAMETER,
          "the error must be VA_STATUS_ERROR_DECODING_ERROR: surfaces have no other errors");
  const auto asked = surface(id);
  const HeldPicture held = asked->held();
  const bool damaged = held.picture != nullptr && held.picture->is_damaged();
  *errors = asked->make_error_list(damaged);
}

const DmaHeap* Display::dma_heap() {
  const std::string& wanted = settings().dma_heap;
  const std::lock_guard lock(settings_mutex_);
  if (!missing_heap_reason_) {
    std::string why = "dma_heap is off";
    if (wanted != "off") dma_heap_ = DmaHeap::open(wanted, why);
    missing_heap_reason_ = std::move(why);
  }
  return dma_heap_.get();
}

// Waits for the surface's picture. Players that export every picture do not call vaSyncSurface():
// they rely on fences in the memory, which only a GPU's driver can set.
void Display::export_surface(VASurfaceID id, std::uint32_t memory_type, std::uint32_t flags,
                             void* descriptor) {
  const auto exported = surface(id);
  require(memory_type == VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME_2,
          VA_STATUS_ERROR_UNSUPPORTED_MEMORY_TYPE,
          "surfaces can be exported only as VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME_2");
  require(descriptor != nullptr, VA_STATUS_ERROR_INVALID_PARAMETER, "the descriptor is null");
  const DmaHeap* const heap = dma_heap();
  if (heap == nullptr) {
    throw Refusal(VA_STATUS_ERROR_UNSUPPORTED_MEMORY_TYPE,
                  "surfaces cannot be exported: " + *missing_heap_reason_);
  }
  const auto image = exported->exported(*heap);
  const HeldPicture held = exported->held();
  static_cast<void>(held.wait());
  *static_cast<VADRMPRIMESurfaceDescriptor*>(descriptor) =
      describe(*image, (flags & VA_EXPORT_SURFACE_SEPARATE_LAYERS) != 0);
}

}  // namespace sidecore::va
