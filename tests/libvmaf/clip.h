// The synthetic clip, given to libvmaf's interface.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>

#include "libvmaf/libvmaf.h"
#include "video/synthetic_clip.h"

namespace sidecore::libvmaf_test {

struct Close {
  void operator()(VmafContext* context) const { vmaf_close(context); }
  void operator()(VmafModel* model) const { vmaf_model_destroy(model); }
  void operator()(VmafModelCollection* collection) const {
    vmaf_model_collection_destroy(collection);
  }
};
using Context = std::unique_ptr<VmafContext, Close>;
using Model = std::unique_ptr<VmafModel, Close>;
using Collection = std::unique_ptr<VmafModelCollection, Close>;

/// Returns a context that prints nothing; null if it cannot be opened.
inline Context open(unsigned threads = 0, unsigned subsample = 1) {
  VmafContext* context = nullptr;
  vmaf_init(&context, {VMAF_LOG_LEVEL_NONE, threads, subsample, 0, 0});
  return Context(context);
}

/// Returns a built-in model; null if it cannot be loaded.
inline Model load(const char* version, const char* name = nullptr,
                  std::uint64_t flags = VMAF_MODEL_FLAGS_DEFAULT) {
  VmafModel* model = nullptr;
  VmafModelConfig configuration{name, flags};
  vmaf_model_load(&model, &configuration, version);
  return Model(model);
}

inline VmafPixelFormat pixel_format(const video::PictureFormat& format) {
  switch (format.pixel.chroma) {
    case video::Chroma::c420:
      return VMAF_PIX_FMT_YUV420P;
    case video::Chroma::c422:
      return VMAF_PIX_FMT_YUV422P;
    case video::Chroma::c444:
      return VMAF_PIX_FMT_YUV444P;
    default:
      return VMAF_PIX_FMT_YUV400P;
  }
}

/// Copies a picture, without what libvmaf's chroma planes of odd sizes lack.
inline void copy(const video::Picture& from, VmafPicture& to) {
  for (int plane = 0; plane < from.format().pixel.planes(); ++plane) {
    const auto& layout = from.layout().planes[static_cast<std::size_t>(plane)];
    for (unsigned y = 0; y < to.h[plane]; ++y) {
      std::memcpy(static_cast<std::byte*>(to.data[plane]) + y * to.stride[plane],
                  from.bytes().data() + layout.offset + y * layout.stride,
                  to.w[plane] * from.format().pixel.bytes_per_sample());
    }
  }
}

inline int allocate(VmafPicture& picture, const video::PictureFormat& format) {
  return vmaf_picture_alloc(
      &picture, pixel_format(format), static_cast<unsigned>(format.pixel.bits),
      static_cast<unsigned>(format.width), static_cast<unsigned>(format.height));
}

/// Reads pair `t` of the synthetic clip under an index. After a failure it frees the pictures, and
/// returns the first error.
inline int read_pair(VmafContext* context, const video::SyntheticClip& clip, int t,
                     unsigned index) {
  VmafPicture reference{};
  VmafPicture distorted{};
  int error = allocate(reference, clip.format());
  if (error == 0) error = allocate(distorted, clip.format());
  if (error == 0) {
    copy(clip.reference(t), reference);
    copy(clip.distorted(t), distorted);
    error = vmaf_read_pictures(context, &reference, &distorted, index);
  }
  if (reference.ref != nullptr) vmaf_picture_unref(&reference);
  if (distorted.ref != nullptr) vmaf_picture_unref(&distorted);
  return error;
}

inline int flush(VmafContext* context) {
  return vmaf_read_pictures(context, nullptr, nullptr, 0);
}

}  // namespace sidecore::libvmaf_test
