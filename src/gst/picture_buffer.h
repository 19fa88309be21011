// Makes GStreamer buffers from the decoder's pictures.
#pragma once

#include <gst/video/video.h>
#include <sidecore/decoder.h>

namespace sidecore::gst {

/// Makes a read-only buffer from the picture's own memory; its GstVideoMeta describes the planes.
/// The buffer takes the caller's reference to the picture, and releases it at its end.
GstBuffer* wrap(sidecore_picture* picture, const sidecore_picture_info& info,
                const GstVideoInfo& format);

/// Copies the picture into a buffer of the same format. Returns false if the buffer cannot be
/// mapped.
bool copy(const sidecore_picture_info& info, const GstVideoInfo& format, GstBuffer* buffer);

}  // namespace sidecore::gst
