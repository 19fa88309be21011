#include "gst/picture_format.h"

namespace sidecore::gst {
namespace {

/// Returns GStreamer's name for a color_space of the stream; null if there is none. The name
/// implies a transfer function, which VP9 does not state; BT.2020 has one per depth.
const char* colorimetry_name(int color_space, int bits) {
  switch (color_space) {
    case SIDECORE_COLOR_BT601:
    case SIDECORE_COLOR_SMPTE170:
      return GST_VIDEO_COLORIMETRY_BT601;
    case SIDECORE_COLOR_BT709:
      return GST_VIDEO_COLORIMETRY_BT709;
    case SIDECORE_COLOR_SMPTE240:
      return GST_VIDEO_COLORIMETRY_SMPTE240M;
    case SIDECORE_COLOR_BT2020:
      return bits == 12 ? GST_VIDEO_COLORIMETRY_BT2020 : GST_VIDEO_COLORIMETRY_BT2020_10;
    case SIDECORE_COLOR_RGB:
      return GST_VIDEO_COLORIMETRY_SRGB;
    default:
      return nullptr;
  }
}

/// Formats for the three bit depths of VP9.
struct Depths {
  GstVideoFormat of_8, of_10, of_12;
};

GstVideoFormat of_depth(const Depths& depths, int bits) {
  switch (bits) {
    case 8:
      return depths.of_8;
    case 10:
      return depths.of_10;
    case 12:
      return depths.of_12;
    default:
      return GST_VIDEO_FORMAT_UNKNOWN;
  }
}

#if G_BYTE_ORDER == G_LITTLE_ENDIAN
#define SIDECORE_IN_HOST_ORDER(name) GST_VIDEO_FORMAT_##name##LE
#else
#define SIDECORE_IN_HOST_ORDER(name) GST_VIDEO_FORMAT_##name##BE
#endif
constexpr Depths k420{GST_VIDEO_FORMAT_I420, SIDECORE_IN_HOST_ORDER(I420_10),
                      SIDECORE_IN_HOST_ORDER(I420_12)};
constexpr Depths k422{GST_VIDEO_FORMAT_Y42B, SIDECORE_IN_HOST_ORDER(I422_10),
                      SIDECORE_IN_HOST_ORDER(I422_12)};
constexpr Depths k444{GST_VIDEO_FORMAT_Y444, SIDECORE_IN_HOST_ORDER(Y444_10),
                      SIDECORE_IN_HOST_ORDER(Y444_12)};
constexpr Depths kRgb{GST_VIDEO_FORMAT_GBR, SIDECORE_IN_HOST_ORDER(GBR_10),
                      SIDECORE_IN_HOST_ORDER(GBR_12)};
#undef SIDECORE_IN_HOST_ORDER

}  // namespace

GstVideoFormat format_of(const sidecore_picture_info& picture) {
  switch (picture.chroma) {
    case SIDECORE_CHROMA_420:
      return of_depth(k420, picture.bits);
    case SIDECORE_CHROMA_422:
      return of_depth(k422, picture.bits);
    case SIDECORE_CHROMA_444:
      return of_depth(picture.color_space == SIDECORE_COLOR_RGB ? kRgb : k444, picture.bits);
    default:  // GStreamer has no format for 4:4:0
      return GST_VIDEO_FORMAT_UNKNOWN;
  }
}

GstVideoColorimetry colorimetry_of(const sidecore_picture_info& picture,
                                   const GstVideoColorimetry& container) {
  GstVideoColorimetry own{};
  if (const char* const name = colorimetry_name(picture.color_space, picture.bits)) {
    gst_video_colorimetry_from_string(&own, name);
  }
  // A stream always states its range. If it states no matrix, only the unusual full range is passed
  // on.
  own.range = picture.full_range != 0                        ? GST_VIDEO_COLOR_RANGE_0_255
              : own.matrix != GST_VIDEO_COLOR_MATRIX_UNKNOWN ? GST_VIDEO_COLOR_RANGE_16_235
                                                             : GST_VIDEO_COLOR_RANGE_UNKNOWN;
  GstVideoColorimetry chosen = container;
  if (chosen.range == GST_VIDEO_COLOR_RANGE_UNKNOWN) chosen.range = own.range;
  if (chosen.matrix == GST_VIDEO_COLOR_MATRIX_UNKNOWN) chosen.matrix = own.matrix;
  if (chosen.transfer == GST_VIDEO_TRANSFER_UNKNOWN) chosen.transfer = own.transfer;
  if (chosen.primaries == GST_VIDEO_COLOR_PRIMARIES_UNKNOWN) chosen.primaries = own.primaries;
  return chosen;
}

PixelAspectRatio pixel_aspect_ratio_of(const sidecore_picture_info& picture) {
  PixelAspectRatio ratio;
  // GStreamer reduces the quotient of four numbers of up to 65,536 until it fits an int.
  if (!gst_util_fraction_multiply(picture.render_width, picture.render_height, picture.height,
                                  picture.width, &ratio.width, &ratio.height)) {
    return {};
  }
  return ratio;
}

}  // namespace sidecore::gst
