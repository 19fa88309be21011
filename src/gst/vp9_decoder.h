// sidecorevp9dec, a GStreamer element: video/x-vp9 in, video/x-raw out.
#pragma once

#include <gst/video/gstvideodecoder.h>

GType sidecore_vp9_dec_get_type();
