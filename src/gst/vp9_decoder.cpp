#include "gst/vp9_decoder.h"

#include <sidecore/decoder.h>

#include <span>
#include <string>
#include <utility>

#include "base/error.h"
#include "gst/picture_buffer.h"
#include "gst/picture_format.h"
#include "players/settings.h"
#include "vp9/superframe.h"

GST_DEBUG_CATEGORY_STATIC(sidecore_vp9_dec_debug);
#define GST_CAT_DEFAULT sidecore_vp9_dec_debug

namespace {

using Statistics = sidecore_decoder_statistics;

/// The element's properties as the application sets them; the object's lock guards them.
struct RequestedProperties {
  std::string plan = "neon";
  int threads = 0;
  bool low_delay = false;
  std::string device;
  gint64 max_pixels = 0;
  bool last_layer = false;
  bool stage_times = false;
};

/// Properties of a picture on which the caps depend: if one changes, the caps change.
struct Shape {
  int width = 0;
  int height = 0;
  int render_width = 0;
  int render_height = 0;
  int chroma = 0;
  int bits = 0;
  int color_space = 0;
  int full_range = 0;
  bool operator==(const Shape&) const = default;
};

Shape shape_of(const sidecore_picture_info& info) {
  return {info.width,  info.height, info.render_width, info.render_height,
          info.chroma, info.bits,   info.color_space,  info.full_range};
}

/// The element's own state. The stream's lock guards it, except `requested` and `statistics`.
struct Decoding {
  RequestedProperties requested;
  /// Counters; the object's lock guards them, because applications read them.
  Statistics statistics{};
  guint64 told_frames = 0;  ///< number of frames in the last statistics message

  sidecore_decoder* decoder = nullptr;
  GstVideoCodecState* input = nullptr;  ///< state with the caps of the packets
  Shape shape;            ///< shape of the last picture; a width of 0 means that caps must be made
  bool wraps = false;     ///< true if downstream accepts GstVideoMeta, so that buffers need no copy
  int frames_behind = 0;  ///< largest delay of a picture after its packet, in packets
  bool on_device = false;      ///< true if the QPU runs stages of the decoder
  bool whole_packets = false;  ///< true if the decoder gets packets of several frames undivided
  GstPadChainFunction chain = nullptr;  ///< chain function of the base class
};

}  // namespace

struct SidecoreVp9Dec {
  GstVideoDecoder parent;
  Decoding* state;
};
struct SidecoreVp9DecClass {
  GstVideoDecoderClass parent;
};

G_DEFINE_TYPE(SidecoreVp9Dec, sidecore_vp9_dec, GST_TYPE_VIDEO_DECODER)

namespace {

enum Property : guint {
  kPlan = 1,
  kThreads,
  kLowDelay,
  kDevice,
  kMaxPixels,
  kLastLayer,
  kStageTimes,
  kStats,
};

GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS("video/x-vp9"));
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
#define SIDECORE_WORDS(format) format "LE"
#else
#define SIDECORE_WORDS(format) format "BE"
#endif
GstStaticPadTemplate source_template = GST_STATIC_PAD_TEMPLATE(
    "src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS(GST_VIDEO_CAPS_MAKE("{ I420, " SIDECORE_WORDS("I420_10") ", " SIDECORE_WORDS(
        "I420_12") ", "
                   "Y42B, " SIDECORE_WORDS("I422_10") ", " SIDECORE_WORDS(
                       "I422_12") ", "
                                  "Y444, " SIDECORE_WORDS("Y444_10") ", " SIDECORE_WORDS(
                                      "Y444_12") ", "
                                                 "GBR, " SIDECORE_WORDS(
                                                     "GBR_10") ", " SIDECORE_WORDS("GBR_12") " "
                                                                                             "}")));

SidecoreVp9Dec* element_of(gpointer object) {
  return static_cast<SidecoreVp9Dec*>(object);
}
Decoding& state_of(gpointer object) {
  return *element_of(object)->state;
}

void log(void* element, int level, const char* message) {
  if (level == SIDECORE_LOG_ERROR) {
    GST_WARNING_OBJECT(element, "%s", message);
  } else {
    GST_INFO_OBJECT(element, "%s", message);
  }
}

GstStructure* structure_of(const Statistics& statistics) {
  return gst_structure_new("sidecore-vp9-statistics",                             //
                           "frames", G_TYPE_UINT64, statistics.frames,            //
                           "shown", G_TYPE_UINT64, statistics.shown,              //
                           "submissions", G_TYPE_UINT64, statistics.submissions,  //
                           "fence-waits", G_TYPE_UINT64, statistics.fence_waits,  //
                           "dispatches", G_TYPE_UINT64, statistics.dispatches,    //
                           "prediction-dispatches", G_TYPE_UINT64, statistics.prediction_dispatches,
                           "residual-dispatches", G_TYPE_UINT64, statistics.residual_dispatches,
                           "intra-dispatches", G_TYPE_UINT64, statistics.intra_dispatches,
                           "loop-filter-dispatches", G_TYPE_UINT64,
                           statistics.loop_filter_dispatches,                    //
                           "parsing", G_TYPE_INT64, statistics.parsing,          //
                           "prediction", G_TYPE_INT64, statistics.prediction,    //
                           "intra", G_TYPE_INT64, statistics.intra,              //
                           "residual", G_TYPE_INT64, statistics.residual,        //
                           "edges", G_TYPE_INT64, statistics.edges,              //
                           "loop-filter", G_TYPE_INT64, statistics.loop_filter,  //
                           "submission", G_TYPE_INT64, statistics.submission,    //
                           "waiting", G_TYPE_INT64, statistics.waiting,          //
                           "other", G_TYPE_INT64, statistics.other, nullptr);
}

void note_statistics(SidecoreVp9Dec* self) {
  Statistics statistics{};
  statistics.size = sizeof statistics;
  sidecore_decoder_get_statistics(self->state->decoder, &statistics);
  GST_OBJECT_LOCK(self);
  self->state->statistics = statistics;
  GST_OBJECT_UNLOCK(self);
}

/// Makes caps for a picture and negotiates them downstream. Returns false on failure.
bool make_caps(SidecoreVp9Dec* self, const sidecore_picture_info& info) {
  Decoding& state = *self->state;
  const GstVideoFormat format = sidecore::gst::format_of(info);
  if (format == GST_VIDEO_FORMAT_UNKNOWN) {
    const bool is_440 = info.chroma == SIDECORE_CHROMA_440;
    GST_ELEMENT_ERROR(self, STREAM, FORMAT,
                      ("GStreamer has no raw video format for %s with %d bits per sample",
                       is_440 ? "chroma 4:4:0" : "this chroma", info.bits),
                      (nullptr));
    return false;
  }
  GstVideoDecoder* const decoder = &self->parent;
  GstVideoCodecState* const output =
      gst_video_decoder_set_output_state(decoder, format, static_cast<guint>(info.width),
                                         static_cast<guint>(info.height), state.input);
  if (output == nullptr) return false;
  const GstStructure* const said = gst_caps_get_structure(state.input->caps, 0);
  output->info.colorimetry = sidecore::gst::colorimetry_of(
      info, gst_structure_has_field(said, "colorimetry") ? state.input->info.colorimetry
                                                         : GstVideoColorimetry{});
  // The chroma site is copied from the packets' caps, because GStreamer 1.26 does not copy it (1.22
  // does).
  const char* const site = gst_structure_get_string(said, "chroma-site");
  output->info.chroma_site =
      site == nullptr ? GST_VIDEO_CHROMA_SITE_UNKNOWN : gst_video_chroma_site_from_string(site);
  if (!gst_structure_has_field(said, "pixel-aspect-ratio")) {
    const sidecore::gst::PixelAspectRatio ratio = sidecore::gst::pixel_aspect_ratio_of(info);
    output->info.par_n = ratio.width;
    output->info.par_d = ratio.height;
  }
  gst_video_codec_state_unref(output);
  return gst_video_decoder_negotiate(decoder) != FALSE;
}

/// Reports the delay of pictures as latency. A stream without a frame rate counts as 25 frames per
/// second.
void report_latency(SidecoreVp9Dec* self) {
  const Decoding& state = *self->state;
  const GstVideoInfo& info = state.input->info;
  const bool paced = info.fps_n > 0 && info.fps_d > 0;
  const GstClockTime latency = gst_util_uint64_scale(
      static_cast<guint64>(state.frames_behind) * GST_SECOND,
      static_cast<guint64>(paced ? info.fps_d : 1), static_cast<guint64>(paced ? info.fps_n : 25));
  gst_video_decoder_set_latency(&self->parent, latency, latency);
}

/// Negotiates caps if the picture's shape differs from the last one's, or if downstream asks for
/// it.
bool negotiate(SidecoreVp9Dec* self, const sidecore_picture_info& info) {
  Decoding& state = *self->state;
  GstPad* const pad = GST_VIDEO_DECODER_SRC_PAD(&self->parent);
  const Shape shape = shape_of(info);
  if (gst_pad_check_reconfigure(pad) == FALSE && shape == state.shape) return true;
  if (!make_caps(self, info)) {
    gst_pad_mark_reconfigure(pad);
    return false;
  }
  state.shape = shape;
  report_latency(self);
  return true;
}

/// Puts a picture into its packet's frame and pushes it downstream. Takes both references.
GstFlowReturn finish(SidecoreVp9Dec* self, GstVideoCodecFrame* frame, sidecore_picture* picture,
                     const sidecore_picture_info& info) {
  GstVideoDecoder* const decoder = &self->parent;
  if (!negotiate(self, info)) {
    sidecore_picture_unref(picture);
    gst_video_decoder_drop_frame(decoder, frame);
    return GST_PAD_IS_FLUSHING(GST_VIDEO_DECODER_SRC_PAD(decoder)) ? GST_FLOW_FLUSHING
                                                                   : GST_FLOW_NOT_NEGOTIATED;
  }
  GstVideoCodecState* const output = gst_video_decoder_get_output_state(decoder);
  GstFlowReturn flow = GST_FLOW_OK;
  if (self->state->wraps) {
    frame->output_buffer = sidecore::gst::wrap(picture, info, output->info);
  } else {
    flow = gst_video_decoder_allocate_output_frame(decoder, frame);
    if (flow == GST_FLOW_OK && !sidecore::gst::copy(info, output->info, frame->output_buffer)) {
      GST_ELEMENT_ERROR(self, RESOURCE, WRITE, (nullptr), ("cannot map an output buffer"));
      flow = GST_FLOW_ERROR;
    }
    sidecore_picture_unref(picture);
  }
  gst_video_codec_state_unref(output);
  if (flow != GST_FLOW_OK) {
    gst_video_decoder_drop_frame(decoder, frame);
    return flow;
  }
  if ((info.flags & SIDECORE_PICTURE_DAMAGED) != 0) {
    GST_BUFFER_FLAG_SET(frame->output_buffer, GST_BUFFER_FLAG_CORRUPTED);
  }
  return gst_video_decoder_finish_frame(decoder, frame);
}

/// Releases the frames with numbers below `end`, because they will have no picture. `lost` is true
/// if an error is the reason.
void forget_frames(SidecoreVp9Dec* self, gint64 end, bool lost) {
  GstVideoDecoder* const decoder = &self->parent;
  GList* const frames = gst_video_decoder_get_frames(decoder);
  for (GList* item = frames; item != nullptr; item = item->next) {
    auto* const frame = static_cast<GstVideoCodecFrame*>(item->data);
    if (frame->system_frame_number >= end) {
      gst_video_codec_frame_unref(frame);
    } else if (lost) {
      gst_video_decoder_drop_frame(decoder, frame);
    } else {
      gst_video_decoder_release_frame(decoder, frame);
    }
  }
  g_list_free(frames);
}

/// Pushes all decoded pictures downstream. Pictures come in the order of their packets, so earlier
/// packets without a picture either show nothing or are damaged.
GstFlowReturn take_pictures(SidecoreVp9Dec* self) {
  GstFlowReturn flow = GST_FLOW_OK;
  sidecore_picture* picture = nullptr;
  while (sidecore_decoder_get_picture(self->state->decoder, &picture) == SIDECORE_OK) {
    sidecore_picture_info info{};
    info.size = sizeof info;
    sidecore_picture_get_info(picture, &info);
    forget_frames(self, info.time_stamp, false);
    GstVideoCodecFrame* const frame =
        gst_video_decoder_get_frame(&self->parent, static_cast<int>(info.time_stamp));
    if (frame == nullptr || flow != GST_FLOW_OK) {
      if (frame != nullptr) gst_video_decoder_release_frame(&self->parent, frame);
      sidecore_picture_unref(picture);
      continue;
    }
    flow = finish(self, frame, picture, info);
  }
  note_statistics(self);
  return flow;
}

/// Returns the flow after an `error` of sending or draining, and posts the error's message. Drops
/// all frames in flight.
GstFlowReturn flow_after_error(SidecoreVp9Dec* self, int error) {
  forget_frames(self, G_MAXINT64, true);
  if (error == SIDECORE_ERROR_DATA || error == SIDECORE_ERROR_MEMORY) {
    GstFlowReturn flow = GST_FLOW_OK;
    if (error == SIDECORE_ERROR_DATA) {
      GST_VIDEO_DECODER_ERROR(self, 1, STREAM, DECODE, (nullptr), ("%s", sidecore_last_error()),
                              flow);
    } else {
      GST_VIDEO_DECODER_ERROR(self, 1, RESOURCE, NO_SPACE_LEFT, (nullptr),
                              ("%s", sidecore_last_error()), flow);
    }
    return flow;
  }
  // After a device failure the library continues on the CPU. If it cannot, the next call fails
  // again.
  if (error == SIDECORE_ERROR_DEVICE && std::exchange(self->state->on_device, false)) {
    GST_ELEMENT_WARNING(self, RESOURCE, FAILED,
                        ("The GPU failed: the CPU now runs all stages of the decoder"),
                        ("%s", sidecore_last_error()));
    return GST_FLOW_OK;
  }
  GST_ELEMENT_ERROR(self, LIBRARY, FAILED, (nullptr), ("%s", sidecore_last_error()));
  return GST_FLOW_ERROR;
}

GstFlowReturn drain(GstVideoDecoder* decoder) {
  SidecoreVp9Dec* const self = element_of(decoder);
  const int error = sidecore_decoder_drain(self->state->decoder);
  const GstFlowReturn flow = take_pictures(self);
  if (error != SIDECORE_OK) {
    const GstFlowReturn flow_of_error = flow_after_error(self, error);
    return flow == GST_FLOW_OK ? flow_of_error : flow;
  }
  forget_frames(self, G_MAXINT64, false);
  return flow;
}

/// Posts the statistics as a message and logs them.
void post_statistics(SidecoreVp9Dec* self) {
  Decoding& state = *self->state;
  GstStructure* const structure = structure_of(state.statistics);
  GST_INFO_OBJECT(self, "%" GST_PTR_FORMAT, structure);
  state.told_frames = state.statistics.frames;
  gst_element_post_message(GST_ELEMENT(self), gst_message_new_element(GST_OBJECT(self), structure));
}

GstFlowReturn finish_stream(GstVideoDecoder* decoder) {
  const GstFlowReturn flow = drain(decoder);
  post_statistics(element_of(decoder));
  return flow;
}

GstFlowReturn handle_frame(GstVideoDecoder* decoder, GstVideoCodecFrame* frame) {
  SidecoreVp9Dec* const self = element_of(decoder);
  GstMapInfo packet;
  if (!gst_buffer_map(frame->input_buffer, &packet, GST_MAP_READ)) {
    GST_ELEMENT_ERROR(self, RESOURCE, READ, (nullptr), ("cannot map a packet's buffer"));
    gst_video_decoder_drop_frame(decoder, frame);
    return GST_FLOW_ERROR;
  }
  // The frame's number is the time stamp, so that pictures can be matched to their packet.
  const int error = sidecore_decoder_send(self->state->decoder, packet.data, packet.size,
                                          frame->system_frame_number, nullptr);
  gst_buffer_unmap(frame->input_buffer, &packet);
  gst_video_codec_frame_unref(frame);
  const GstFlowReturn flow = take_pictures(self);
  if (error == SIDECORE_OK) return flow;
  const GstFlowReturn flow_of_error = flow_after_error(self, error);
  return flow == GST_FLOW_OK ? flow_of_error : flow;
}

/// Returns the frames of a packet; none if it is empty or its index is damaged, which the decoder
/// reports later. This function catches the error, because in the caller gcc might assign a partial
/// result before the exception.
sidecore::vp9::Superframe frames_of(std::span<const std::uint8_t> packet) {
  try {
    return sidecore::vp9::split_superframe(packet);
  } catch (const sidecore::Error&) {
    return {};
  }
}

/// Splits a packet of several frames into one buffer per frame, because each may have a picture.
/// With last-layer the packet stays whole: the decoder must see which frame is its last.
GstFlowReturn chain(GstPad* pad, GstObject* parent, GstBuffer* buffer) {
  const GstPadChainFunction base = state_of(parent).chain;
  GstMapInfo packet;
  if (!gst_buffer_map(buffer, &packet, GST_MAP_READ)) return base(pad, parent, buffer);
  const sidecore::vp9::Superframe superframe = frames_of({packet.data, packet.size});
  if (superframe.count < 2 || state_of(parent).whole_packets) {
    gst_buffer_unmap(buffer, &packet);
    return base(pad, parent, buffer);
  }
  GstFlowReturn flow = GST_FLOW_OK;
  for (std::size_t index = 0; index < superframe.count && flow == GST_FLOW_OK; ++index) {
    const auto offset = static_cast<gsize>(superframe.frames[index].data() - packet.data);
    GstBuffer* const part = gst_buffer_copy_region(buffer, GST_BUFFER_COPY_ALL, offset,
                                                   superframe.frames[index].size());
    GST_BUFFER_PTS(part) = GST_BUFFER_PTS(buffer);
    GST_BUFFER_DTS(part) = GST_BUFFER_DTS(buffer);
    GST_BUFFER_DURATION(part) = GST_BUFFER_DURATION(buffer);
    if (index > 0) {
      GST_BUFFER_FLAG_UNSET(part, GST_BUFFER_FLAG_DISCONT);
      GST_BUFFER_FLAG_SET(part, GST_BUFFER_FLAG_DELTA_UNIT);
    }
    flow = base(pad, parent, part);
  }
  gst_buffer_unmap(buffer, &packet);
  gst_buffer_unref(buffer);
  return flow;
}

gboolean start(GstVideoDecoder* decoder) {
  SidecoreVp9Dec* const self = element_of(decoder);
  Decoding& state = *self->state;
  GST_OBJECT_LOCK(self);
  const RequestedProperties requested = state.requested;
  state.statistics = {};
  GST_OBJECT_UNLOCK(self);
  state.told_frames = 0;
  state.whole_packets = requested.last_layer;
  sidecore_decoder_options options{};
  options.size = sizeof options;
  options.threads = requested.threads;
  options.low_delay = requested.low_delay ? 1 : 0;
  options.device = requested.device.empty() ? nullptr : requested.device.c_str();
  options.log = log;
  options.log_cookie = self;
  options.max_luma_samples = requested.max_pixels;
  options.stage_times = requested.stage_times ? 1 : 0;
  options.last_layer = requested.last_layer ? 1 : 0;
  int error = sidecore_plan_parse(requested.plan.c_str(), &options.plan);
  if (error == SIDECORE_OK) error = sidecore_decoder_open(&state.decoder, &options);
  if (error == SIDECORE_ERROR_ARGUMENT) {
    GST_ELEMENT_ERROR(self, LIBRARY, SETTINGS, (nullptr), ("%s", sidecore_last_error()));
  } else if (error != SIDECORE_OK) {
    GST_ELEMENT_ERROR(self, LIBRARY, INIT, (nullptr), ("%s", sidecore_last_error()));
  }
  const auto is_on_device = [](int processor) {
    return processor == SIDECORE_PROCESSOR_QPU || processor == SIDECORE_PROCESSOR_DIVIDED;
  };
  const sidecore_plan& plan = options.plan;
  state.on_device = is_on_device(plan.prediction) || is_on_device(plan.residual) ||
                    is_on_device(plan.intra) || is_on_device(plan.loop_filter);
  constexpr int kFramesInFlight = 4;  // decoder.h
  state.frames_behind = requested.threads == 1 || requested.low_delay ? 0 : kFramesInFlight;
  return error == SIDECORE_OK ? TRUE : FALSE;
}

gboolean stop(GstVideoDecoder* decoder) {
  Decoding& state = state_of(decoder);
  // Prints statistics here too, because many players stop before the stream ends.
  if (state.decoder != nullptr) {
    note_statistics(element_of(decoder));
    if (state.statistics.frames != state.told_frames) post_statistics(element_of(decoder));
  }
  sidecore_decoder_close(state.decoder);
  state.decoder = nullptr;
  g_clear_pointer(&state.input, gst_video_codec_state_unref);
  state.shape = {};
  return TRUE;
}

gboolean set_format(GstVideoDecoder* decoder, GstVideoCodecState* input) {
  Decoding& state = state_of(decoder);
  // Drains the decoder, because earlier pictures belong to the old caps.
  if (state.input != nullptr) drain(decoder);
  g_clear_pointer(&state.input, gst_video_codec_state_unref);
  state.input = gst_video_codec_state_ref(input);
  state.shape = {};
  return TRUE;
}

gboolean flush(GstVideoDecoder* decoder) {
  sidecore_decoder_flush(state_of(decoder).decoder);
  return TRUE;
}

gboolean decide_allocation(GstVideoDecoder* decoder, GstQuery* query) {
  state_of(decoder).wraps =
      gst_query_find_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr) != FALSE;
  return GST_VIDEO_DECODER_CLASS(sidecore_vp9_dec_parent_class)->decide_allocation(decoder, query);
}

std::string text_of(const GValue* value) {
  const gchar* const text = g_value_get_string(value);
  return text != nullptr ? text : "";
}

void set_property(GObject* object, guint id, const GValue* value, GParamSpec* spec) {
  RequestedProperties& requested = state_of(object).requested;
  GST_OBJECT_LOCK(object);
  switch (id) {
    case kPlan:
      requested.plan = text_of(value);
      break;
    case kThreads:
      requested.threads = g_value_get_int(value);
      break;
    case kLowDelay:
      requested.low_delay = g_value_get_boolean(value) != FALSE;
      break;
    case kDevice:
      requested.device = text_of(value);
      break;
    case kMaxPixels:
      requested.max_pixels = g_value_get_int64(value);
      break;
    case kLastLayer:
      requested.last_layer = g_value_get_boolean(value) != FALSE;
      break;
    case kStageTimes:
      requested.stage_times = g_value_get_boolean(value) != FALSE;
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
  }
  GST_OBJECT_UNLOCK(object);
}

void get_property(GObject* object, guint id, GValue* value, GParamSpec* spec) {
  const Decoding& state = state_of(object);
  GST_OBJECT_LOCK(object);
  switch (id) {
    case kPlan:
      g_value_set_string(value, state.requested.plan.c_str());
      break;
    case kThreads:
      g_value_set_int(value, state.requested.threads);
      break;
    case kLowDelay:
      g_value_set_boolean(value, state.requested.low_delay ? TRUE : FALSE);
      break;
    case kDevice:
      g_value_set_string(value, state.requested.device.c_str());
      break;
    case kMaxPixels:
      g_value_set_int64(value, state.requested.max_pixels);
      break;
    case kLastLayer:
      g_value_set_boolean(value, state.requested.last_layer ? TRUE : FALSE);
      break;
    case kStageTimes:
      g_value_set_boolean(value, state.requested.stage_times ? TRUE : FALSE);
      break;
    case kStats:
      g_value_take_boxed(value, structure_of(state.statistics));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
  }
  GST_OBJECT_UNLOCK(object);
}

void finalize(GObject* object) {
  delete element_of(object)->state;
  G_OBJECT_CLASS(sidecore_vp9_dec_parent_class)->finalize(object);
}

void install_properties(GObjectClass* klass) {
  constexpr auto kWhenStopped = static_cast<GParamFlags>(
      G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY);
  g_object_class_install_property(
      klass, kPlan,
      g_param_spec_string(
          "plan", "Plan",
          "Processor of each pixel stage: scalar, neon, qpu or divided, for all "
          "stages or by stage as in intra=qpu,loop_filter=qpu (NEON runs the others)",
          "neon", kWhenStopped));
  g_object_class_install_property(
      klass, kThreads,
      g_param_spec_int("threads", "Threads", "Number of decoding threads (0: one per CPU)", 0, 256,
                       0, kWhenStopped));
  g_object_class_install_property(
      klass, kLowDelay,
      g_param_spec_boolean("low-delay", "Low delay",
                           "Show a packet's picture before accepting the next packet", FALSE,
                           kWhenStopped));
  g_object_class_install_property(
      klass, kDevice,
      g_param_spec_string("device", "Device",
                          "Vulkan device for the QPU's stages: index, type or part of its name "
                          "(empty: the best one)",
                          "", kWhenStopped));
  g_object_class_install_property(
      klass, kMaxPixels,
      g_param_spec_int64("max-pixels", "Largest frame",
                         "Reject frames with more luma samples than this (0: 16384x16384)", 0,
                         16384 * 16384, sidecore::vp9::kMaxLumaSamplesOfAnyLevel, kWhenStopped));
  g_object_class_install_property(
      klass, kLastLayer,
      g_param_spec_boolean("last-layer", "Last layer",
                           "Show only the last frame of each packet, the largest spatial layer",
                           FALSE, kWhenStopped));
  g_object_class_install_property(
      klass, kStageTimes,
      g_param_spec_boolean("stage-times", "Stage times", "Measure each stage's time for stats",
                           FALSE, kWhenStopped));
  g_object_class_install_property(
      klass, kStats,
      g_param_spec_boxed("stats", "Statistics",
                         "Numbers of frames decoded and shown, of the QPU's submissions and "
                         "dispatches, and each stage's time in nanoseconds",
                         GST_TYPE_STRUCTURE,
                         static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)));
}

}  // namespace

static void sidecore_vp9_dec_class_init(SidecoreVp9DecClass* klass) {
  GST_DEBUG_CATEGORY_INIT(sidecore_vp9_dec_debug, "sidecorevp9dec", 0, "sidecore's VP9 decoder");
  GObjectClass* const object = G_OBJECT_CLASS(klass);
  object->set_property = set_property;
  object->get_property = get_property;
  object->finalize = finalize;
  install_properties(object);

  GstElementClass* const element = GST_ELEMENT_CLASS(klass);
  gst_element_class_add_static_pad_template(element, &sink_template);
  gst_element_class_add_static_pad_template(element, &source_template);
  gst_element_class_set_static_metadata(element, "sidecore VP9 decoder", "Codec/Decoder/Video",
                                        "Decodes VP9 on NEON and the Raspberry Pi's GPU",
                                        "sidecore");

  GstVideoDecoderClass* const decoder = GST_VIDEO_DECODER_CLASS(klass);
  decoder->start = start;
  decoder->stop = stop;
  decoder->set_format = set_format;
  decoder->handle_frame = handle_frame;
  decoder->drain = drain;
  decoder->finish = finish_stream;
  decoder->flush = flush;
  decoder->decide_allocation = decide_allocation;
}

static void sidecore_vp9_dec_init(SidecoreVp9Dec* self) {
  self->state = new Decoding;
  GstVideoDecoder* const decoder = &self->parent;
  gst_video_decoder_set_packetized(decoder, TRUE);
  gst_video_decoder_set_needs_format(decoder, TRUE);
  gst_video_decoder_set_needs_sync_point(decoder, TRUE);
  gst_video_decoder_set_use_default_pad_acceptcaps(decoder, TRUE);
  GstPad* const sink = GST_VIDEO_DECODER_SINK_PAD(decoder);
  GST_PAD_SET_ACCEPT_TEMPLATE(sink);
  self->state->chain = GST_PAD_CHAINFUNC(sink);
  gst_pad_set_chain_function(sink, chain);

  // The settings come from the user's files, which the VA-API driver also reads, because players do
  // not set properties.
  const sidecore::players::Settings settings = sidecore::players::read_settings(
      [self](const std::string& line) { GST_WARNING_OBJECT(self, "%s", line.c_str()); });
  RequestedProperties& requested = self->state->requested;
  requested.plan = settings.plan_text;
  requested.threads = settings.threads;
  requested.device = settings.device;
  requested.max_pixels = settings.max_pixels;
  requested.stage_times = settings.stage_times;
}
