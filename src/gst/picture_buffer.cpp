#include "gst/picture_buffer.h"

#include <cstddef>
#include <cstring>

namespace sidecore::gst {

GstBuffer* wrap(sidecore_picture* picture, const sidecore_picture_info& info,
                const GstVideoInfo& format) {
  // One block holds all planes, in order (struct sidecore_memory_layout).
  const auto* const begin = static_cast<const std::byte*>(info.data[0]);
  gsize offsets[GST_VIDEO_MAX_PLANES] = {};
  gint strides[GST_VIDEO_MAX_PLANES] = {};
  gsize bytes = 0;
  for (int plane = 0; plane < 3; ++plane) {
    const auto offset = static_cast<gsize>(static_cast<const std::byte*>(info.data[plane]) - begin);
    offsets[plane] = offset;
    strides[plane] = static_cast<gint>(info.stride[plane]);
    bytes = offset +
            static_cast<gsize>(info.stride[plane]) * static_cast<gsize>(info.plane_height[plane]);
  }
  GstBuffer* const buffer = gst_buffer_new();
  gst_buffer_append_memory(
      buffer, gst_memory_new_wrapped(GST_MEMORY_FLAG_READONLY, const_cast<void*>(info.data[0]),
                                     bytes, 0, bytes, picture, [](gpointer held) {
                                       sidecore_picture_unref(static_cast<sidecore_picture*>(held));
                                     }));
  gst_buffer_add_video_meta_full(buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT(&format),
                                 static_cast<guint>(info.width), static_cast<guint>(info.height), 3,
                                 offsets, strides);
  return buffer;
}

bool copy(const sidecore_picture_info& info, const GstVideoInfo& format, GstBuffer* buffer) {
  GstVideoFrame frame;
  if (!gst_video_frame_map(&frame, &format, buffer, GST_MAP_WRITE)) return false;
  for (int plane = 0; plane < 3; ++plane) {
    const auto bytes = static_cast<gsize>(info.plane_width[plane]) * (info.bits > 8 ? 2 : 1);
    const auto* from = static_cast<const std::byte*>(info.data[plane]);
    auto* to = static_cast<std::byte*>(GST_VIDEO_FRAME_PLANE_DATA(&frame, plane));
    for (int row = 0; row < info.plane_height[plane]; ++row) {
      std::memcpy(to, from, bytes);
      from += info.stride[plane];
      to += GST_VIDEO_FRAME_PLANE_STRIDE(&frame, plane);
    }
  }
  gst_video_frame_unmap(&frame);
  return true;
}

}  // namespace sidecore::gst
