// What GStreamer calls the properties of a picture.
#pragma once

#include <gst/video/video.h>
#include <sidecore/decoder.h>

namespace sidecore::gst {

/// GST_VIDEO_FORMAT_UNKNOWN for what GStreamer has no name for.
GstVideoFormat format_of(const sidecore_picture_info& picture);

/// `container` is what the caps of the packets say: each of its parts counts, and the stream's
/// where it says nothing. All is unknown where both say nothing.
GstVideoColorimetry colorimetry_of(const sidecore_picture_info& picture,
                                   const GstVideoColorimetry& container);

/// The shape of a sample, such that the picture has the proportions of its render size.
struct PixelAspectRatio {
  int width = 1;
  int height = 1;
};
PixelAspectRatio pixel_aspect_ratio_of(const sidecore_picture_info& picture);

}  // namespace sidecore::gst
