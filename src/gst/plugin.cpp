// The plugin that GStreamer loads.
#include <gst/gst.h>

#include "gst/vp9_decoder.h"

#define PACKAGE "sidecore"

namespace {

gboolean register_elements(GstPlugin* plugin) {
  // The rank is "none", so players use the element only if the user raises its rank
  // (GST_PLUGIN_FEATURE_RANK).
  return gst_element_register(plugin, "sidecorevp9dec", GST_RANK_NONE, sidecore_vp9_dec_get_type());
}

}  // namespace

GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, sidecore,
                  "VP9 decoding on NEON and the Raspberry Pi's GPU", register_elements,
                  SIDECORE_VERSION, "BSD", "sidecore", "https://sidecore.invalid")
