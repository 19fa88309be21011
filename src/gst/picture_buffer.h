// Pictures of the decoder in GStreamer's buffers.
#pragma once

#include <gst/video/video.h>
#include <sidecore/decoder.h>

namespace sidecore::gst {

/// A buffer of the picture's own memory, read only, whose GstVideoMeta says where the planes lie.
/// It takes the caller's reference, and lets the picture go with the buffer.
GstBuffer* wrap(sidecore_picture* picture, const sidecore_picture_info& info,
                const GstVideoInfo& format);

/// Copies the picture into a buffer of the same format. False when that cannot be written.
bool copy(const sidecore_picture_info& info, const GstVideoInfo& format, GstBuffer* buffer);

}  // namespace sidecore::gst
