// GStreamer's values for the properties of a picture.
#pragma once

#include <gst/video/video.h>
#include <sidecore/decoder.h>

namespace sidecore::gst {

/// Returns the raw video format of a picture; GST_VIDEO_FORMAT_UNKNOWN if GStreamer has none.
GstVideoFormat format_of(const sidecore_picture_info& picture);

/// Returns the colorimetry of a picture. Each known part of `container`, the packets' caps, takes
/// precedence; the stream supplies the others. Parts that neither states are unknown.
GstVideoColorimetry colorimetry_of(const sidecore_picture_info& picture,
                                   const GstVideoColorimetry& container);

/// Shape of a pixel that gives the picture the proportions of its render size.
struct PixelAspectRatio {
  int width = 1;
  int height = 1;
};
PixelAspectRatio pixel_aspect_ratio_of(const sidecore_picture_info& picture);

}  // namespace sidecore::gst
