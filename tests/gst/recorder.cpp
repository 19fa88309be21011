#include "gst/recorder.h"

#include <gtest/gtest.h>

#include "libav/md5.h"

namespace sidecore::test {
namespace {

std::string checksum(GstBuffer* buffer, const GstVideoInfo& info) {
  GstVideoFrame frame;
  if (!gst_video_frame_map(&frame, &info, buffer, GST_MAP_READ)) return "cannot be read";
  libav::Md5 md5;
  std::size_t bytes = 0;
  for (guint plane = 0; plane < GST_VIDEO_FRAME_N_PLANES(&frame); ++plane) {
    const auto* row = static_cast<const std::byte*>(GST_VIDEO_FRAME_PLANE_DATA(&frame, plane));
    const auto length = static_cast<std::size_t>(GST_VIDEO_FRAME_COMP_WIDTH(&frame, plane) *
                                                 GST_VIDEO_FRAME_COMP_PSTRIDE(&frame, plane));
    for (int y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT(&frame, plane); ++y) {
      md5.update({row, length});
      row += GST_VIDEO_FRAME_PLANE_STRIDE(&frame, plane);
      bytes += length;
    }
  }
  gst_video_frame_unmap(&frame);
  return std::to_string(bytes) + " " + md5.finish();
}

}  // namespace

Recorder::Recorder(GstPad* pad) : pad_(pad) {
  const auto types =
      static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM);
  probe_ = gst_pad_add_probe(
      pad, types,
      [](GstPad*, GstPadProbeInfo* info, gpointer self) {
        static_cast<Recorder*>(self)->take(info);
        return GST_PAD_PROBE_OK;
      },
      this, nullptr);
}

Recorder::~Recorder() {
  gst_pad_remove_probe(pad_, probe_);
  gst_object_unref(pad_);
}

void Recorder::take(GstPadProbeInfo* info) {
  const std::lock_guard lock(mutex_);
  if ((GST_PAD_PROBE_INFO_TYPE(info) & GST_PAD_PROBE_TYPE_BUFFER) == 0) {
    GstEvent* const event = GST_PAD_PROBE_INFO_EVENT(info);
    if (GST_EVENT_TYPE(event) != GST_EVENT_CAPS) return;
    GstCaps* caps = nullptr;
    gst_event_parse_caps(event, &caps);
    EXPECT_TRUE(gst_video_info_from_caps(&info_, caps));
    GstCaps* const promised = gst_pad_get_pad_template_caps(pad_);
    EXPECT_TRUE(gst_caps_is_subset(caps, promised))
        << "the caps are not among those of the pad's template";
    gst_caps_unref(promised);
    ++negotiations_;
    return;
  }
  GstBuffer* const buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  passed_.push_back(
      {.checksum = checksum(buffer, info_),
       .time = GST_BUFFER_PTS(buffer),
       .corrupted = GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_CORRUPTED) != FALSE,
       .copied = gst_buffer_get_size(buffer) == GST_VIDEO_INFO_SIZE(&info_),
       .info = info_});
}

std::vector<Passed> Recorder::passed() {
  const std::lock_guard lock(mutex_);
  return passed_;
}

std::vector<std::string> Recorder::checksums() {
  std::vector<std::string> all;
  for (const Passed& picture : passed()) all.push_back(picture.checksum);
  return all;
}

std::size_t Recorder::count() {
  return passed().size();
}

int Recorder::negotiations() {
  const std::lock_guard lock(mutex_);
  return negotiations_;
}

void Recorder::forget() {
  const std::lock_guard lock(mutex_);
  passed_.clear();
}

}  // namespace sidecore::test
