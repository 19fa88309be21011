// The GStreamer element as one of the interfaces under test.
#include <gst/check/gstharness.h>
#include <gtest/gtest.h>

#include "environment_variable.h"
#include "gst/environment.h"
#include "gst/recorder.h"
#include "players/interface.h"
#include "qpu/vp9/back_end.h"

namespace sidecore::test {
namespace {

constexpr GstClockTime kFrame = GST_SECOND / 25;

std::string name_of(GstFlowReturn flow) {
  switch (flow) {
    case GST_FLOW_OK:
      return code("GST_FLOW_OK");
    case GST_FLOW_NOT_NEGOTIATED:
      return code("GST_FLOW_NOT_NEGOTIATED");
    case GST_FLOW_ERROR:
      return code("GST_FLOW_ERROR");
    default:
      return gst_flow_get_name(flow);
  }
}

std::string name_of(const GError& error) {
  if (error.domain == GST_STREAM_ERROR) {
    if (error.code == GST_STREAM_ERROR_DECODE) return code("GST_STREAM_ERROR_DECODE");
    if (error.code == GST_STREAM_ERROR_FORMAT) return code("GST_STREAM_ERROR_FORMAT");
  } else if (error.domain == GST_LIBRARY_ERROR) {
    if (error.code == GST_LIBRARY_ERROR_INIT) return code("GST_LIBRARY_ERROR_INIT");
    if (error.code == GST_LIBRARY_ERROR_FAILED) return code("GST_LIBRARY_ERROR_FAILED");
  } else if (error.domain == GST_RESOURCE_ERROR) {
    if (error.code == GST_RESOURCE_ERROR_FAILED) return code("GST_RESOURCE_ERROR_FAILED");
  }
  return error.message;
}

class Element final : public Interface {
 public:
  explicit Element(const Wishes& wishes) {
    const EnvironmentVariable plan("SIDECORE_PLAN", wishes.plan);
    const EnvironmentVariable device("SIDECORE_DEVICE", wishes.device);
    const EnvironmentVariable max_pixels("SIDECORE_MAX_PIXELS", std::to_string(wishes.max_pixels));
    const EnvironmentVariable threads("SIDECORE_THREADS", std::to_string(wishes.threads));
    gst_debug_remove_log_function(gst_debug_log_default);
    gst_debug_set_active(TRUE);
    gst_debug_set_threshold_for_name("sidecorevp9dec", GST_LEVEL_INFO);
    gst_debug_add_log_function(count_line, &logged_, nullptr);
    decoder_ = gst_element_factory_make("sidecorevp9dec", nullptr);
    gst_object_ref_sink(decoder_);
    bus_ = gst_bus_new();
    gst_element_set_bus(decoder_, bus_);
    const GstStateChangeReturn changed = gst_element_set_state(decoder_, GST_STATE_PAUSED);
    if (changed == GST_STATE_CHANGE_FAILURE) {
      refusal_ = with_messages(code("GST_STATE_CHANGE_FAILURE"));
      return;
    }
    harness_ = gst_harness_new_with_element(decoder_, "sink", "src");
    gst_harness_add_propose_allocation_meta(harness_, GST_VIDEO_META_API_TYPE, nullptr);
    gst_element_set_bus(decoder_, bus_);
    recorder_ = std::make_unique<Recorder>(gst_element_get_static_pad(decoder_, "src"));
    gst_harness_set_src_caps_str(harness_, kCaps);
  }
  ~Element() override {
    gst_element_set_bus(decoder_, nullptr);
    gst_element_set_state(decoder_, GST_STATE_NULL);
    recorder_.reset();
    if (harness_ != nullptr) gst_harness_teardown(harness_);
    gst_object_unref(decoder_);
    gst_object_unref(bus_);
    gst_debug_remove_log_function_by_data(&logged_);
  }
  Element(const Element&) = delete;
  Element& operator=(const Element&) = delete;

  [[nodiscard]] std::string refusal() const override { return refusal_; }
  [[nodiscard]] std::string success() const override { return name_of(GST_FLOW_OK); }

  std::string give(const Packet& packet, const Bytes* sent) override {
    const Bytes& bytes = sent != nullptr ? *sent : packet.bytes;
    submissions_before_ = submissions();
    logged_.warnings = 0;
    const GstFlowReturn flow = push(packet, bytes);
    decoded();
    while (GstBuffer* const shown = gst_harness_try_pull(harness_)) gst_buffer_unref(shown);
    return with_messages(name_of(flow));
  }

  // Marks the packet as encrypted in the way of demuxers.
  std::string give_encrypted(const Packet& packet) override {
    gst_harness_push_event(harness_,
                           gst_event_new_caps(gst_caps_from_string(
                               "application/x-webm-enc,original-media-type=video/x-vp9")));
    const std::string answer = give(packet, nullptr);
    EXPECT_TRUE(gst_harness_push_event(harness_, gst_event_new_caps(gst_caps_from_string(kCaps))));
    return answer;
  }

  void seek() override {
    EXPECT_TRUE(gst_harness_push_event(harness_, gst_event_new_flush_start()));
    EXPECT_TRUE(gst_harness_push_event(harness_, gst_event_new_flush_stop(TRUE)));
    GstSegment segment;
    gst_segment_init(&segment, GST_FORMAT_TIME);
    EXPECT_TRUE(gst_harness_push_event(harness_, gst_event_new_segment(&segment)));
  }

  std::string close() override {
    return gst_element_set_state(decoder_, GST_STATE_NULL) == GST_STATE_CHANGE_SUCCESS
               ? code("GST_STATE_CHANGE_SUCCESS")
               : code("GST_STATE_CHANGE_FAILURE");
  }

  [[nodiscard]] bool uses_device() override { return submissions() > submissions_before_; }
  [[nodiscard]] std::ptrdiff_t count_device_messages() override { return logged_.of_the_device; }
  [[nodiscard]] std::vector<Shown> shown() override {
    std::vector<Shown> all;
    for (const Passed& picture : recorder_->passed()) {
      all.push_back({.packet = static_cast<std::size_t>(picture.time / kFrame),
                     .checksum = picture.checksum.substr(picture.checksum.find(' ') + 1),
                     .damaged = picture.corrupted});
    }
    return all;
  }

 private:
  static constexpr const char* kCaps = "video/x-vp9,framerate=25/1";

  struct Logged {
    int warnings = 0;
    std::ptrdiff_t of_the_device = 0;
  };
  static void count_line(GstDebugCategory* category, GstDebugLevel level, const gchar* /*file*/,
                         const gchar* /*function*/, gint /*line*/, GObject* /*object*/,
                         GstDebugMessage* message, gpointer counts) {
    if (std::string(gst_debug_category_get_name(category)) != "sidecorevp9dec") return;
    auto& logged = *static_cast<Logged*>(counts);
    if (level <= GST_LEVEL_WARNING) ++logged.warnings;
    if (std::string(gst_debug_message_get(message)) == qpu::kCpuTakesOverMessage) {
      ++logged.of_the_device;
    }
  }

  GstFlowReturn push(const Packet& packet, const Bytes& bytes) {
    GstBuffer* const buffer =
        bytes.empty() ? gst_buffer_new() : gst_buffer_new_memdup(bytes.data(), bytes.size());
    GST_BUFFER_PTS(buffer) = packet.number * kFrame;
    GST_BUFFER_DURATION(buffer) = kFrame;
    if (!packet.frames.front().header.intra_frame()) {
      GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_DELTA_UNIT);
    }
    return gst_harness_push(harness_, buffer);
  }

  /// Returns the answer with the messages to the application; if there are none, with the log's
  /// lines.
  std::string with_messages(std::string answer) {
    bool told = false;
    const auto types = static_cast<GstMessageType>(GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
    while (GstMessage* const message = gst_bus_pop_filtered(bus_, types)) {
      GError* error = nullptr;
      const bool is_error = GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR;
      if (is_error) {
        gst_message_parse_error(message, &error, nullptr);
      } else {
        gst_message_parse_warning(message, &error, nullptr);
      }
      // If the element does not start, the base class adds an error of its own.
      if (!told) answer += (is_error ? ", error " : ", warning ") + name_of(*error);
      told = true;
      g_error_free(error);
      gst_message_unref(message);
    }
    if (logged_.warnings > 0 && !told) answer += ", a warning in the log";
    return answer;
  }

  [[nodiscard]] std::uint64_t submissions() const {
    GstStructure* stats = nullptr;
    g_object_get(decoder_, "stats", &stats, nullptr);
    guint64 count = 0;
    gst_structure_get_uint64(stats, "submissions", &count);
    gst_structure_free(stats);
    return count;
  }

  GstHarness* harness_ = nullptr;
  GstElement* decoder_ = nullptr;
  GstBus* bus_ = nullptr;
  std::unique_ptr<Recorder> recorder_;
  std::string refusal_;
  std::uint64_t submissions_before_ = 0;
  Logged logged_;
};

[[maybe_unused]] testing::Environment* const gstreamer =
    testing::AddGlobalTestEnvironment(new GStreamer);  // gtest deletes the object

}  // namespace

std::unique_ptr<Interface> open_element(const Wishes& wishes) {
  return std::make_unique<Element>(wishes);
}

}  // namespace sidecore::test
