#include "libvmaf/picture_memory.h"

#include <algorithm>
#include <utility>

#include "libvmaf/boundary.h"

namespace sidecore::libvmaf {
namespace {

video::Chroma chroma_of(VmafPixelFormat format) {
  switch (format) {
    case VMAF_PIX_FMT_YUV420P:
      return video::Chroma::c420;
    case VMAF_PIX_FMT_YUV422P:
      return video::Chroma::c422;
    case VMAF_PIX_FMT_YUV444P:
      return video::Chroma::c444;
    case VMAF_PIX_FMT_YUV400P:
      return video::Chroma::c400;
    case VMAF_PIX_FMT_UNKNOWN:
      break;
  }
  throw usage_error("unknown pixel format {}", static_cast<int>(format));
}

/// Sets the size of all planes. Subsampled sizes round down, as in libvmaf; the memory has the
/// column and row that are left out.
void set_sizes(VmafPicture& picture, const video::PictureFormat& format) {
  const auto width = static_cast<unsigned>(format.width);
  const auto height = static_cast<unsigned>(format.height);
  const video::Chroma chroma = format.pixel.chroma;
  for (int plane = 0; plane < 3; ++plane) {
    const bool none = plane > 0 && chroma == video::Chroma::c400;
    const bool halves_width = plane > 0 && chroma != video::Chroma::c444;
    const bool halves_height = plane > 0 && chroma == video::Chroma::c420;
    picture.w[plane] = none ? 0 : width >> halves_width;
    picture.h[plane] = none ? 0 : height >> halves_height;
  }
}

/// Returns a picture that owns `memory`.
VmafPicture make_picture(VmafPixelFormat pixel_format, std::unique_ptr<VmafRef> ref) {
  const video::PictureFormat& format = ref->memory.format();
  VmafPicture picture{};
  picture.pix_fmt = pixel_format;
  picture.bpc = static_cast<unsigned>(format.pixel.bits);
  set_sizes(picture, format);
  for (std::size_t plane = 0; plane < static_cast<std::size_t>(format.pixel.planes()); ++plane) {
    const video::PictureLayout::Plane& layout = ref->memory.layout().planes[plane];
    picture.data[plane] = ref->memory.bytes().data() + layout.offset;
    picture.stride[plane] = static_cast<std::ptrdiff_t>(layout.stride);
  }
  picture.ref = ref.release();
  return picture;
}

}  // namespace

video::PictureFormat picture_format(VmafPixelFormat pixel_format, unsigned bits, unsigned width,
                                    unsigned height) {
  const auto side = [](unsigned samples) {
    return static_cast<int>(std::min<unsigned>(samples, video::kMaxDimension + 1));
  };
  const video::PictureFormat format{
      side(width), side(height), {chroma_of(pixel_format), side(bits)}};
  video::check_format(format);
  return format;
}

video::PictureFormat picture_format(const VmafPicture& picture) {
  require(picture.ref != nullptr, "the picture has no memory: use vmaf_picture_alloc()");
  const video::PictureFormat format =
      picture_format(picture.pix_fmt, picture.bpc, picture.w[0], picture.h[0]);
  VmafPicture expected{};
  set_sizes(expected, format);
  for (int plane = 0; plane < format.pixel.planes(); ++plane) {
    require(picture.w[plane] == expected.w[plane] && picture.h[plane] == expected.h[plane],
            "a picture's chroma planes do not have the size that its format gives them");
    require(picture.data[plane] != nullptr, "the data pointer of a plane is null");
  }
  return format;
}

PicturePool::PicturePool(VmafPixelFormat pixel_format, const video::PictureFormat& format,
                         unsigned count)
    : pixel_format_(pixel_format) {
  for (unsigned i = 0; i < count; ++i) free_.emplace_back(format);
}

VmafPicture PicturePool::fetch() {
  auto ref = std::make_unique<VmafRef>();
  ref->pool = shared_from_this();
  std::unique_lock lock(mutex_);
  freed_.wait(lock, [this] { return !free_.empty(); });
  ref->memory = std::move(free_.back());
  free_.pop_back();
  return make_picture(pixel_format_, std::move(ref));
}

void PicturePool::give_back(video::Picture memory) noexcept {
  {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(memory));  // within the capacity that the constructor made
  }
  freed_.notify_one();
}

}  // namespace sidecore::libvmaf

using sidecore::libvmaf::error_of;
using sidecore::libvmaf::require;

int vmaf_picture_alloc(VmafPicture* pic, VmafPixelFormat pix_fmt, unsigned bpc, unsigned w,
                       unsigned h) {
  return error_of([&] {
    require(pic != nullptr, "pic is null");
    *pic = {};
    auto ref = std::make_unique<VmafRef>();
    ref->memory = sidecore::video::Picture(sidecore::libvmaf::picture_format(pix_fmt, bpc, w, h));
    *pic = sidecore::libvmaf::make_picture(pix_fmt, std::move(ref));
  });
}

int vmaf_picture_unref(VmafPicture* pic) {
  return error_of([&] {
    require(pic != nullptr && pic->ref != nullptr, "the picture has no memory");
    VmafRef* const ref = pic->ref;
    *pic = {};
    if (--ref->references > 0) return;
    const std::unique_ptr<VmafRef> last(ref);
    if (last->pool) last->pool->give_back(std::move(last->memory));
  });
}
