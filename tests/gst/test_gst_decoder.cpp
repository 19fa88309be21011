// Tests of the GStreamer element: streams have the corpus' checksums, also if the pipeline seeks,
// flushes or changes.
#include <gst/check/gstharness.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/run_command.h"
#include "gst/environment.h"
#include "gst/recorder.h"
#include "process_state.h"
#include "temporary_directory.h"
#include "vp9/key_frame_header.h"
#include "vp9/vp9_streams.h"

namespace sidecore {
namespace {

using test::Bytes;
using test::load;
using test::Passed;
using test::Recorder;

constexpr GstClockTime kFrame = GST_SECOND / 25;

[[maybe_unused]] testing::Environment* const gstreamer =
    testing::AddGlobalTestEnvironment(new test::GStreamer);  // gtest deletes the object

std::vector<std::string> checksums_of(const std::string& stream) {
  return test::lines_of(SIDECORE_VP9_CORPUS "/" + stream + ".framemd5");
}

bool is_key(const Bytes& packet) {
  return !packet.empty() && (packet[0] & 0x0cU) == 0;  // a shown key frame, in profiles 0 to 2
}

/// The element under test between two pads of the test.
class Element {
 public:
  enum class Planes { copied, wherever };

  explicit Element(const std::string& properties = {}, Planes planes = Planes::wherever,
                   const std::string& caps = "video/x-vp9,framerate=25/1")
      : harness_(gst_harness_new_parse(("sidecorevp9dec " + properties).c_str())),
        decoder_(gst_harness_find_element(harness_, "sidecorevp9dec")),
        recorder_(gst_element_get_static_pad(decoder_, "src")),
        bus_(gst_bus_new()) {
    if (planes == Planes::wherever) {
      gst_harness_add_propose_allocation_meta(harness_, GST_VIDEO_META_API_TYPE, nullptr);
    }
    gst_element_set_bus(decoder_, bus_);
    gst_harness_set_src_caps_str(harness_, caps.c_str());
  }
  ~Element() {
    gst_element_set_bus(decoder_, nullptr);
    gst_object_unref(decoder_);
    gst_harness_teardown(harness_);
    gst_object_unref(bus_);
  }
  Element(const Element&) = delete;
  Element& operator=(const Element&) = delete;

  GstFlowReturn push(const Bytes& packet, std::size_t number) {
    GstBuffer* const buffer =
        packet.empty() ? gst_buffer_new() : gst_buffer_new_memdup(packet.data(), packet.size());
    GST_BUFFER_PTS(buffer) = number * kFrame;
    GST_BUFFER_DURATION(buffer) = kFrame;
    if (!is_key(packet)) GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_DELTA_UNIT);
    const GstFlowReturn flow = gst_harness_push(harness_, buffer);
    while (GstBuffer* const shown = gst_harness_try_pull(harness_)) gst_buffer_unref(shown);
    return flow;
  }
  void push_all(const std::vector<Bytes>& packets) {
    for (std::size_t number = 0; number < packets.size(); ++number) {
      EXPECT_EQ(push(packets[number], number), GST_FLOW_OK) << number;
    }
  }
  void end() {
    EXPECT_TRUE(gst_harness_push_event(harness_, gst_event_new_eos()));
    while (GstBuffer* const shown = gst_harness_try_pull(harness_)) gst_buffer_unref(shown);
  }
  /// Sends the events of a seek in the stream.
  void flush() {
    EXPECT_TRUE(gst_harness_push_event(harness_, gst_event_new_flush_start()));
    EXPECT_TRUE(gst_harness_push_event(harness_, gst_event_new_flush_stop(TRUE)));
    GstSegment segment;
    gst_segment_init(&segment, GST_FORMAT_TIME);
    EXPECT_TRUE(gst_harness_push_event(harness_, gst_event_new_segment(&segment)));
  }
  void stop() {
    EXPECT_EQ(gst_element_set_state(decoder_, GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
  }
  void change_caps(const std::string& caps) {
    EXPECT_TRUE(
        gst_harness_push_event(harness_, gst_event_new_caps(gst_caps_from_string(caps.c_str()))));
  }
  /// Returns the next message of a type; null if there is none.
  std::shared_ptr<GstMessage> message(GstMessageType type) {
    return {gst_bus_pop_filtered(bus_, type), [](GstMessage* message) {
              if (message != nullptr) gst_message_unref(message);
            }};
  }
  [[nodiscard]] GstHarness* harness() const { return harness_; }
  [[nodiscard]] Recorder& recorder() { return recorder_; }
  [[nodiscard]] guint64 statistic(const char* name) const {
    GstStructure* stats = nullptr;
    g_object_get(decoder_, "stats", &stats, nullptr);
    guint64 count = 0;
    EXPECT_TRUE(gst_structure_get_uint64(stats, name, &count)) << name;
    gst_structure_free(stats);
    return count;
  }

 private:
  GstHarness* harness_;
  GstElement* decoder_;
  Recorder recorder_;
  GstBus* bus_;
};

std::vector<std::string> decode(const std::vector<Bytes>& packets, const std::string& properties,
                                Element::Planes planes = Element::Planes::wherever) {
  Element element(properties, planes);
  element.push_all(packets);
  element.end();
  return element.recorder().checksums();
}

TEST(GstDecoder, EveryFrameOfTheCorpusIsRight) {
#ifdef SIDECORE_SANITIZED
  const auto streams = test::corpus_streams({"size-", "resize-tiny", "alt-ref", "profile-"});
  const std::size_t least = 30;
#else
  std::vector<std::string> prefixes = test::kBytes;
  prefixes.insert(prefixes.end(), test::kHighBitDepth.begin(), test::kHighBitDepth.end());
  const auto streams = test::corpus_streams(prefixes);
  const std::size_t least = 99;
#endif
  EXPECT_GE(streams.size(), least);
  for (const auto& path : streams) {
    const std::string stream = path.stem();
    SCOPED_TRACE(stream);
    // Streams with 4:4:0 are skipped, because GStreamer has no format for it.
    if (stream.find("-440") != std::string::npos) continue;
    const std::vector<Bytes> packets = test::corpus_packets(stream);
    EXPECT_EQ(decode(packets, "threads=1", Element::Planes::copied), checksums_of(stream));
    EXPECT_EQ(decode(packets, "threads=3"), checksums_of(stream));
  }
}

TEST(GstDecoder, PlanesAreCopiedOnlyForWhoTakesThemInNoOtherPlace) {
  const std::vector<Bytes> packets = test::corpus_packets("size-35x66");
  for (const auto planes : {Element::Planes::copied, Element::Planes::wherever}) {
    Element element("threads=1", planes);
    element.push_all(packets);
    ASSERT_EQ(element.recorder().count(), packets.size());
    for (const Passed& picture : element.recorder().passed()) {
      EXPECT_EQ(picture.copied, planes == Element::Planes::copied);
    }
  }
}

TEST(GstDecoder, WhatFollowsMayAskForItAnew) {
  const std::vector<Bytes> packets = test::corpus_packets("size-35x66");
  Element element("threads=1", Element::Planes::copied);
  ASSERT_EQ(element.push(packets[0], 0), GST_FLOW_OK);
  gst_harness_add_propose_allocation_meta(element.harness(), GST_VIDEO_META_API_TYPE, nullptr);
  ASSERT_EQ(element.push(packets[1], 1), GST_FLOW_OK);
  EXPECT_TRUE(gst_harness_push_upstream_event(element.harness(), gst_event_new_reconfigure()));
  ASSERT_EQ(element.push(packets[2], 2), GST_FLOW_OK);
  const std::vector<Passed> passed = element.recorder().passed();
  ASSERT_EQ(passed.size(), 3U);
  EXPECT_TRUE(passed[1].copied);
  EXPECT_FALSE(passed[2].copied);
  EXPECT_EQ(passed[2].checksum, checksums_of("size-35x66")[2]);
}

TEST(GstDecoder, StagesMayRunOnTheQpu) {
  for (const auto& [stream, plan] : {std::pair{"size-16x16", "qpu"},
                                     {"profile-2-10", "qpu"},
                                     {"size-35x66", "loop_filter=qpu"}}) {
    SCOPED_TRACE(stream);
    Element element(std::string("threads=2 plan=") + plan);
    element.push_all(test::corpus_packets(stream));
    element.end();
    EXPECT_EQ(element.recorder().checksums(), checksums_of(stream));
    EXPECT_GT(element.statistic("submissions"), 0U);
    const auto of = [&](const char* stage) {
      return element.statistic((std::string(stage) + "-dispatches").c_str());
    };
    EXPECT_GT(of("loop-filter"), 0U);
    EXPECT_EQ(of("intra") > 0, std::string(plan) == "qpu");
    EXPECT_EQ(of("prediction") + of("residual") + of("intra") + of("loop-filter"),
              element.statistic("dispatches"));
    EXPECT_EQ(element.statistic("fence-waits"), element.statistic("submissions"));
  }
}

TEST(GstDecoder, PicturesHaveTheTimesOfTheirPackets) {
  const std::vector<Bytes> packets = test::corpus_packets("alt-ref");
  for (const char* const properties : {"threads=1", "threads=4", "threads=4 low-delay=true"}) {
    Element element(properties);
    for (std::size_t number = 0; number < packets.size(); ++number) {
      ASSERT_EQ(element.push(packets[number], number * number), GST_FLOW_OK);
      if (properties != std::string("threads=4")) {
        EXPECT_EQ(element.recorder().count(), number + 1) << "at once";
      }
    }
    element.end();
    const std::vector<Passed> passed = element.recorder().passed();
    ASSERT_EQ(passed.size(), packets.size());
    for (std::size_t number = 0; number < passed.size(); ++number) {
      EXPECT_EQ(passed[number].time, number * number * kFrame) << "which nothing could foresee";
    }
  }
}

TEST(GstDecoder, TheEndOfTheStreamShowsWhatIsInFlight) {
  const std::vector<Bytes> packets = test::corpus_packets("size-66x66");
  Element element("threads=3 stage-times=true");
  element.push_all(packets);
  EXPECT_LT(element.recorder().count(), packets.size());
  EXPECT_EQ(gst_harness_query_latency(element.harness()), 4 * kFrame);
  element.end();
  EXPECT_EQ(element.recorder().checksums(), checksums_of("size-66x66"));
  EXPECT_EQ(element.statistic("shown"), packets.size());
  EXPECT_GE(element.statistic("frames"), packets.size());

  const auto message = element.message(GST_MESSAGE_ELEMENT);
  ASSERT_NE(message, nullptr);
  const GstStructure* const said = gst_message_get_structure(message.get());
  EXPECT_TRUE(gst_structure_has_name(said, "sidecore-vp9-statistics"));
  for (const char* const stage :
       {"parsing", "prediction", "intra", "residual", "edges", "loop-filter", "other"}) {
    gint64 time = 0;
    EXPECT_TRUE(gst_structure_get_int64(said, stage, &time)) << stage;
    EXPECT_GT(time, 0) << stage;
  }
}

// Stops before the stream ends, like players whose user stops them.
TEST(GstDecoder, AnElementThatStopsSaysWhatItHasDone) {
  const std::vector<Bytes> packets = test::corpus_packets("size-66x66");
  for (const bool ended : {false, true}) {
    Element element("threads=1 stage-times=true");
    element.push_all(packets);
    if (ended) {
      element.end();
      EXPECT_NE(element.message(GST_MESSAGE_ELEMENT), nullptr);
    } else {
      EXPECT_EQ(element.message(GST_MESSAGE_ELEMENT), nullptr);
    }
    element.stop();
    const auto message = element.message(GST_MESSAGE_ELEMENT);
    ASSERT_EQ(message == nullptr, ended) << "said once";
    if (ended) continue;
    const GstStructure* const said = gst_message_get_structure(message.get());
    EXPECT_TRUE(gst_structure_has_name(said, "sidecore-vp9-statistics"));
    guint64 shown = 0;
    EXPECT_TRUE(gst_structure_get_uint64(said, "shown", &shown));
    EXPECT_EQ(shown, packets.size());
    gint64 parsing = 0;
    EXPECT_TRUE(gst_structure_get_int64(said, "parsing", &parsing));
    EXPECT_GT(parsing, 0);
  }
}

// vp9parse can split packets so that each hidden frame is a packet, which shows nothing.
TEST(GstDecoder, HiddenFramesMayComeAlone) {
  const std::vector<Bytes> packets = test::corpus_packets("alt-ref");
  const std::vector<Bytes> frames = test::frames_of(packets);
  ASSERT_GT(frames.size(), packets.size());
  for (const char* const properties : {"threads=1", "threads=3"}) {
    EXPECT_EQ(decode(frames, properties), checksums_of("alt-ref"));
  }
}

/// Makes a superframe (VP9 specification, annex B) of frames below 64 KiB.
Bytes superframe(const std::vector<Bytes>& frames) {
  Bytes packet;
  for (const Bytes& frame : frames) packet.insert(packet.end(), frame.begin(), frame.end());
  const auto marker = static_cast<std::uint8_t>(0xc8 | (frames.size() - 1));
  packet.push_back(marker);
  for (const Bytes& frame : frames) {
    packet.push_back(static_cast<std::uint8_t>(frame.size() & 0xff));
    packet.push_back(static_cast<std::uint8_t>(frame.size() >> 8));
  }
  packet.push_back(marker);
  return packet;
}

TEST(GstDecoder, FramesAreShownOnceMoreAndSeveralOfAPacket) {
  std::vector<Bytes> frames;
  for (const Bytes& packet : test::corpus_packets("alt-ref")) {
    const std::vector<Bytes> of_packet = test::frames_of({packet});
    frames.insert(frames.end(), of_packet.begin(), of_packet.end());
    if (of_packet.size() < 2) continue;
    for (std::uint8_t slot = 0; slot < 8; ++slot) {
      frames.push_back({static_cast<std::uint8_t>(0x88 | slot)});
    }
  }
  const std::vector<std::string> expected = test::decoded_checksums(frames);
  ASSERT_GE(expected.size(), checksums_of("alt-ref").size() + 8);
  std::vector<Bytes> packets;
  for (std::size_t at = 0; at < frames.size(); at += 3) {
    packets.push_back(superframe(
        {frames.begin() + static_cast<std::ptrdiff_t>(at),
         frames.begin() + static_cast<std::ptrdiff_t>(std::min(at + 3, frames.size()))}));
  }
  for (const char* const properties : {"threads=1", "threads=3"}) {
    EXPECT_EQ(decode(frames, properties), expected);
    EXPECT_EQ(decode(packets, properties), expected);
  }
}

TEST(GstDecoder, AFlushForgetsAndTheNextKeyFrameIsWaitedFor) {
  const std::vector<Bytes> packets = test::corpus_packets("key-frames");
  const auto expected = checksums_of("key-frames");
  ASSERT_EQ(packets.size(), expected.size());
  std::size_t key = 7;
  while (!is_key(packets.at(key))) ++key;
  // With max-errors=0 the first frame that cannot be decoded is a fatal error.
  for (const char* const properties : {"threads=1 max-errors=0", "threads=3 max-errors=0"}) {
    Element element(properties);
    for (std::size_t number = 0; number < 7; ++number) {
      ASSERT_EQ(element.push(packets[number], number), GST_FLOW_OK);
    }
    const std::size_t before = element.recorder().count();
    element.flush();
    element.recorder().forget();
    for (std::size_t number = key - 1; number < packets.size(); ++number) {
      ASSERT_EQ(element.push(packets[number], number), GST_FLOW_OK);
    }
    element.end();
    EXPECT_EQ(element.recorder().checksums(),
              std::vector(expected.begin() + static_cast<std::ptrdiff_t>(key), expected.end()));
    EXPECT_EQ(element.statistic("shown"), before + element.recorder().count());
    EXPECT_EQ(element.message(GST_MESSAGE_ERROR), nullptr);
  }
}

TEST(GstDecoder, CapsFollowTheSizeOfPictures) {
  const std::vector<Bytes> packets = test::corpus_packets("resize-odd");
  Element element("threads=3");
  element.push_all(packets);
  element.end();
  std::vector<std::pair<int, int>> sizes;
  for (const Passed& picture : element.recorder().passed()) {
    const std::pair size(GST_VIDEO_INFO_WIDTH(&picture.info), GST_VIDEO_INFO_HEIGHT(&picture.info));
    if (sizes.empty() || sizes.back() != size) sizes.push_back(size);
  }
  EXPECT_EQ(sizes,
            (std::vector<std::pair<int, int>>{{352, 288}, {177, 145}, {301, 199}, {200, 288}}));
  EXPECT_EQ(element.recorder().negotiations(), static_cast<int>(sizes.size()));
  EXPECT_EQ(element.recorder().checksums(), checksums_of("resize-odd"));
}

TEST(GstDecoder, FormatsAreNamedAsGStreamerDoes) {
  for (const auto& [stream, format] : {std::pair{"size-16x16", GST_VIDEO_FORMAT_I420},
                                       {"profile-2-10", GST_VIDEO_FORMAT_I420_10LE},
                                       {"profile-2-12", GST_VIDEO_FORMAT_I420_12LE},
                                       {"profile-1-444", GST_VIDEO_FORMAT_Y444},
                                       {"profile-1-422", GST_VIDEO_FORMAT_Y42B},
                                       {"profile-1-rgb", GST_VIDEO_FORMAT_GBR},
                                       {"profile-3-444-10", GST_VIDEO_FORMAT_Y444_10LE}}) {
    Element element("threads=1");
    ASSERT_EQ(element.push(test::corpus_packets(stream).at(0), 0), GST_FLOW_OK);
    const std::vector<Passed> passed = element.recorder().passed();
    ASSERT_EQ(passed.size(), 1U);
    EXPECT_EQ(GST_VIDEO_INFO_FORMAT(&passed[0].info), format) << stream;
    EXPECT_EQ(GST_VIDEO_INFO_FPS_N(&passed[0].info), 25);
  }
  Element none("threads=1");  // not supported, because GStreamer has no format for 4:4:0
  EXPECT_NE(none.push(test::corpus_packets("profile-1-440").at(0), 0), GST_FLOW_OK);
  EXPECT_NE(none.message(GST_MESSAGE_ERROR), nullptr);
}

GstVideoInfo negotiated(const Bytes& packet, const std::string& caps) {
  Element element("threads=1", Element::Planes::wherever, caps);
  EXPECT_EQ(element.push(packet, 0), GST_FLOW_OK);
  const std::vector<Passed> passed = element.recorder().passed();
  EXPECT_EQ(passed.size(), 1U);
  return passed.at(0).info;
}

TEST(GstDecoder, ColoursAreTheContainersOrTheStreams) {
  const auto colours = [](const Bytes& packet, const std::string& caps = "video/x-vp9") {
    const GstVideoInfo info = negotiated(packet, caps);
    gchar* const text = gst_video_colorimetry_to_string(&info.colorimetry);
    const std::string said = text != nullptr ? text : "";
    g_free(text);
    return said;
  };
  const auto coloured = [](unsigned space, bool full_range) {
    return test::with_colour(test::corpus_packets("size-66x66").at(0), space, full_range);
  };
  EXPECT_EQ(colours(coloured(1, false)), "bt601");
  EXPECT_EQ(colours(coloured(2, false)), "bt709");
  EXPECT_EQ(colours(coloured(4, false)), "smpte240m");
  EXPECT_EQ(colours(coloured(5, false)), "bt2020-10");
  EXPECT_EQ(colours(coloured(2, true)), "1:3:5:1");
  EXPECT_EQ(colours(coloured(2, true), "video/x-vp9,colorimetry=bt2020"), "bt2020");
  EXPECT_EQ(colours(coloured(2, true), "video/x-vp9,colorimetry=(string)0:4:0:0"), "1:4:5:1");
}

TEST(GstDecoder, TheRenderSizeGivesPixelsTheirShapeUnlessTheContainerDoes) {
  const Bytes packet = test::corpus_packets("size-66x66").at(0);
  const auto shape = [](const Bytes& key_frame, const std::string& caps) {
    const GstVideoInfo info = negotiated(key_frame, caps);
    EXPECT_EQ(std::pair(GST_VIDEO_INFO_WIDTH(&info), GST_VIDEO_INFO_HEIGHT(&info)),
              std::pair(66, 66));
    return std::pair(GST_VIDEO_INFO_PAR_N(&info), GST_VIDEO_INFO_PAR_D(&info));
  };
  EXPECT_EQ(shape(packet, "video/x-vp9"), std::pair(1, 1));
  const Bytes wide = test::with_render_size(packet, 1920, 1080);
  EXPECT_EQ(shape(wide, "video/x-vp9"), std::pair(16, 9));
  EXPECT_EQ(shape(wide, "video/x-vp9,pixel-aspect-ratio=4/3"), std::pair(4, 3));
}

TEST(GstDecoder, PicturesOfMoreSamplesThanAllowedDoNotCome) {
  EXPECT_TRUE(decode(test::corpus_packets("size-66x66"), "max-pixels=4355").empty());
}

TEST(GstDecoder, OfSpatialLayersTheLargestAloneIsShownWhenThatIsAsked) {
  const std::vector<Bytes> packets = test::corpus_packets("layers");
  EXPECT_EQ(decode(packets, ""), checksums_of("layers"));
  const auto largest = decode(packets, "last-layer=true");
  EXPECT_EQ(largest.size(), packets.size());
  EXPECT_LT(largest.size(), checksums_of("layers").size());
}

TEST(GstDecoder, DamageCostsNothingBehindTheNextKeyFrame) {
  // After a lost frame, all four later frames of the second stream may be wrong. In the first
  // stream some or all of them cannot be decoded, depending on the references that the encoder
  // chose.
  for (const std::string stream : {"key-frames", "error-resilient"}) {
    const auto expected = checksums_of(stream);
    std::vector<Bytes> packets = test::corpus_packets(stream);
    packets[3].assign(5, 0xff);
    std::size_t key = 4;
    while (!is_key(packets.at(key))) ++key;
    for (const std::string threads : {"threads=1", "threads=3"}) {
      SCOPED_TRACE(stream + " " + threads);
      Element element(threads);
      element.push_all(packets);
      element.end();
      std::size_t right = 0;
      std::size_t corrupted = 0;
      for (const Passed& picture : element.recorder().passed()) {
        const std::size_t number = picture.time / kFrame;
        ASSERT_NE(number, 3U);
        EXPECT_EQ(picture.corrupted, number > 3 && number < key) << number;
        if (picture.corrupted) {
          ++corrupted;
          continue;
        }
        EXPECT_EQ(picture.checksum, expected[number]) << number;
        ++right;
      }
      EXPECT_LE(corrupted, key - 4);
      if (stream == "error-resilient") {
        EXPECT_EQ(corrupted, key - 4);
      }
      EXPECT_GE(right, packets.size() - key + 1);
      EXPECT_EQ(element.message(GST_MESSAGE_ERROR), nullptr);
      Element careful(threads + " discard-corrupted-frames=true");
      careful.push_all(packets);
      careful.end();
      EXPECT_EQ(careful.recorder().count(), right);
    }
  }
  std::vector<Bytes> packets = test::corpus_packets("key-frames");
  packets[3].assign(5, 0xff);
  Element strict("threads=1 max-errors=0");
  EXPECT_EQ(strict.push(packets[0], 0), GST_FLOW_OK);
  EXPECT_EQ(strict.push(packets[3], 1), GST_FLOW_ERROR);
  const auto message = strict.message(GST_MESSAGE_ERROR);
  ASSERT_NE(message, nullptr);
  GError* error = nullptr;
  gst_message_parse_error(message.get(), &error, nullptr);
  EXPECT_TRUE(g_error_matches(error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE));
  g_error_free(error);
}

// An encoder that drops a frame leaves an empty packet. A superframe's index may name more bytes
// than the packet has, or no frame.
TEST(GstDecoder, PacketsWithoutAFrameArePassedOver) {
  const std::vector<Bytes> packets = test::corpus_packets("key-frames");
  const auto expected = checksums_of("key-frames");
  const Bytes no_frames{0xc1, 0, 0, 0xc1};
  for (const std::string threads : {"threads=1", "threads=3"}) {
    for (const Bytes& frameless : {Bytes{}, no_frames}) {
      SCOPED_TRACE(threads + ", " + std::to_string(frameless.size()) + " bytes");
      Element element(threads + " max-errors=0");
      for (std::size_t number = 0; number < packets.size(); ++number) {
        EXPECT_EQ(element.push(frameless, number), GST_FLOW_OK) << number;
        EXPECT_EQ(element.push(packets[number], number), GST_FLOW_OK) << number;
      }
      EXPECT_EQ(element.push(frameless, packets.size()), GST_FLOW_OK);
      element.end();
      EXPECT_EQ(element.recorder().checksums(), expected);
    }
    Element element(threads);
    element.push({0x82, 0x49, 0xc9, 0xff, 0xff, 0xff, 0xff, 0xc9}, 0);  // two frames of 65535 bytes
    element.push_all(packets);
    element.end();
    EXPECT_EQ(element.recorder().checksums(), expected);
  }
}

TEST(GstDecoder, CapsMayChangeWhilePicturesAreInFlight) {
  Element element("threads=3");
  const std::vector<Bytes> first = test::corpus_packets("size-16x16");
  const std::vector<Bytes> second = test::corpus_packets("profile-2-10");
  element.push_all(first);
  element.change_caps("video/x-vp9,framerate=50/1");
  EXPECT_EQ(element.recorder().checksums(), checksums_of("size-16x16"));
  element.push_all(second);
  element.end();
  std::vector<std::string> expected = checksums_of("size-16x16");
  const auto more = checksums_of("profile-2-10");
  expected.insert(expected.end(), more.begin(), more.end());
  EXPECT_EQ(element.recorder().checksums(), expected);
}

TEST(GstDecoder, WhatCannotBeDoneIsSaidWhenTheElementStarts) {
  for (const auto& [property, value] :
       {std::pair{"plan", "loop_filter=gpu"}, {"plan", "loop_filter=qpu"}}) {
    GstElement* const decoder = gst_element_factory_make("sidecorevp9dec", nullptr);
    gst_object_ref_sink(decoder);
    GstBus* const bus = gst_bus_new();
    gst_element_set_bus(decoder, bus);
    g_object_set(decoder, property, value, "device", "no such device", nullptr);
    EXPECT_EQ(gst_element_set_state(decoder, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
    GstMessage* const message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR);
    ASSERT_NE(message, nullptr);
    gchar* details = nullptr;
    gst_message_parse_error(message, nullptr, &details);
    EXPECT_NE(std::string(details).find(value == std::string("loop_filter=gpu") ? value
                                                                                : "no such device"),
              std::string::npos)
        << details;
    g_free(details);
    gst_message_unref(message);
    gst_element_set_state(decoder, GST_STATE_NULL);
    gst_object_unref(bus);
    gst_object_unref(decoder);
  }
}

TEST(GstDecoder, PlayersTakeItOnlyWhenAsked) {
  GstElementFactory* const factory = gst_element_factory_find("sidecorevp9dec");
  ASSERT_NE(factory, nullptr);
  EXPECT_EQ(gst_plugin_feature_get_rank(GST_PLUGIN_FEATURE(factory)), guint{GST_RANK_NONE});
  gst_object_unref(factory);
}

/// Settings of a new element, and the warnings that it logs.
struct Made {
  std::string plan;
  int threads = 0;
  std::string device;
  gint64 max_pixels = 0;
  bool stage_times = false;
  std::vector<std::string> warnings;
};

Made make_with(const std::vector<std::pair<const char*, const char*>>& variables) {
  Made made;
  for (const auto& [name, value] : variables) g_setenv(name, value, TRUE);
  const GstLogFunction log = [](GstDebugCategory* category, GstDebugLevel level,
                                const gchar* /*file*/, const gchar* /*function*/, gint /*line*/,
                                GObject* /*object*/, GstDebugMessage* message, gpointer warnings) {
    if (level > GST_LEVEL_WARNING ||
        std::string(gst_debug_category_get_name(category)) != "sidecorevp9dec") {
      return;
    }
    static_cast<std::vector<std::string>*>(warnings)->emplace_back(gst_debug_message_get(message));
  };
  gst_debug_set_active(TRUE);
  gst_debug_set_threshold_for_name("sidecorevp9dec", GST_LEVEL_WARNING);
  gst_debug_add_log_function(log, &made.warnings, nullptr);
  GstElement* const decoder = gst_element_factory_make("sidecorevp9dec", nullptr);
  gst_debug_remove_log_function_by_data(&made.warnings);
  for (const auto& [name, value] : variables) g_unsetenv(name);
  gchar* plan = nullptr;
  gchar* device = nullptr;
  gboolean stage_times = FALSE;
  g_object_get(decoder, "plan", &plan, "threads", &made.threads, "device", &device, "max-pixels",
               &made.max_pixels, "stage-times", &stage_times, nullptr);
  made.plan = plan;
  made.device = device;
  made.stage_times = stage_times != FALSE;
  g_free(plan);
  g_free(device);
  gst_object_unref(gst_object_ref_sink(decoder));
  return made;
}

TEST(GstDecoder, APlayerSetsItByTheEnvironment) {
  const Made made = make_with({{"SIDECORE_PLAN", "scalar"},
                               {"SIDECORE_THREADS", "2"},
                               {"SIDECORE_DEVICE", "V3D"},
                               {"SIDECORE_MAX_PIXELS", "4356"},
                               {"SIDECORE_STAGE_TIMES", "on"}});
  EXPECT_EQ(made.max_pixels, 4356);
  EXPECT_EQ(made.plan, "scalar");
  EXPECT_EQ(made.threads, 2);
  EXPECT_EQ(made.device, "V3D");
  EXPECT_TRUE(made.stage_times);
  EXPECT_TRUE(made.warnings.empty());
}

TEST(GstDecoder, AUserSetsItByAFile) {
  const test::TemporaryDirectory directory;
  const std::string usual = g_getenv("XDG_CONFIG_HOME");
  g_setenv("XDG_CONFIG_HOME", directory.path().c_str(), TRUE);
  static_cast<void>(directory.write("sidecore.conf",
                                    "plan = loop_filter=scalar\nthreads = 3\ndevice = V3D "
                                    "7\nstage_times = on\ndma_heap = off\n"));
  const Made made = make_with({{"SIDECORE_THREADS", "2"}});
  g_setenv("XDG_CONFIG_HOME", usual.c_str(), TRUE);
  EXPECT_EQ(made.plan, "loop_filter=scalar");
  EXPECT_EQ(made.threads, 2);
  EXPECT_EQ(made.device, "V3D 7");
  EXPECT_TRUE(made.stage_times);
  EXPECT_TRUE(made.warnings.empty());
}

TEST(GstDecoder, WhatIsSetWronglyIsOneWarning) {
  const Made plain = make_with({});
  EXPECT_EQ(plain.plan, "neon");
  EXPECT_GE(plain.threads, 1);
  EXPECT_EQ(plain.max_pixels, 35651584);
  EXPECT_TRUE(plain.warnings.empty());
  const Made made = make_with({{"SIDECORE_PLAN", "loop_filter=gpu"},
                               {"SIDECORE_THREADS", "abc"},
                               {"SIDECORE_STAGE_TIMES", "yes"}});
  EXPECT_EQ(made.plan, plain.plan);
  EXPECT_EQ(made.threads, plain.threads);
  EXPECT_FALSE(made.stage_times);
  ASSERT_EQ(made.warnings.size(), 3U);
  EXPECT_NE(made.warnings[0].find("SIDECORE_PLAN: plan: 'loop_filter=gpu'"), std::string::npos);
  EXPECT_EQ(made.warnings[1],
            "SIDECORE_THREADS: threads: 'abc' is not a whole number from 1 to 256");
  EXPECT_EQ(made.warnings[2], "SIDECORE_STAGE_TIMES: stage_times: 'yes' is neither on nor off");
}

// Tests a whole pipeline, in which the demuxer seeks to key frames.
TEST(GstDecoder, AFileIsPlayedAndSoughtIn) {
  for (const char* const plugin : {"coreelements", "matroska"}) {
    load(std::string(GSTREAMER_PLUGINS "/libgst") + plugin + ".so");
  }
  const auto expected = checksums_of("key-frames");
  const test::TemporaryDirectory directory;
  const std::string file = directory / "key-frames.webm";
  ASSERT_EQ(test::run_command({"ffmpeg", "-v", "error", "-nostdin", "-i",
                               SIDECORE_VP9_CORPUS "/key-frames.ivf", "-c", "copy", file})
                .status,
            0);
  GstElement* const pipeline = gst_parse_launch(
      ("filesrc location=" + file +
       " ! matroskademux ! sidecorevp9dec name=decoder threads=3 ! fakesink name=sink sync=false")
          .c_str(),
      nullptr);
  ASSERT_NE(pipeline, nullptr);
  GstElement* const decoder = gst_bin_get_by_name(GST_BIN(pipeline), "decoder");
  GstBus* const bus = gst_element_get_bus(pipeline);
  const auto play_to_the_end = [&] {
    gst_element_set_state(pipeline, GST_STATE_PLAYING);
    GstMessage* const message = gst_bus_timed_pop_filtered(
        bus, 120 * GST_SECOND, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
    ASSERT_NE(message, nullptr);
    EXPECT_EQ(GST_MESSAGE_TYPE(message), GST_MESSAGE_EOS);
    gst_message_unref(message);
  };
  {
    Recorder recorder(gst_element_get_static_pad(decoder, "src"));
    play_to_the_end();
    EXPECT_EQ(recorder.checksums(), expected);
    recorder.forget();
    // The seek ends at a multiple of five, because every fifth frame is a key frame.
    gst_element_set_state(pipeline, GST_STATE_PAUSED);
    EXPECT_TRUE(gst_element_seek_simple(
        pipeline, GST_FORMAT_TIME,
        static_cast<GstSeekFlags>(GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_KEY_UNIT),
        static_cast<gint64>(22 * kFrame)));
    play_to_the_end();
    const std::vector<std::string> behind = recorder.checksums();
    ASSERT_LT(behind.size(), expected.size());
    ASSERT_GE(behind.size(), expected.size() - 22);
    EXPECT_EQ((expected.size() - behind.size()) % 5, 0U);
    EXPECT_TRUE(std::ranges::equal(
        behind,
        std::vector(expected.end() - static_cast<std::ptrdiff_t>(behind.size()), expected.end())));
    gst_element_set_state(pipeline, GST_STATE_NULL);
  }
  gst_object_unref(bus);
  gst_object_unref(decoder);
  gst_object_unref(pipeline);
}

// The process of the application must not change, and no thread of the element may take its
// signals.
TEST(GstDecoder, TheProcessStaysAsItIs) {
  const std::vector<Bytes> packets = test::corpus_packets("size-66x66");
  for (const char* const properties : {"threads=3 plan=neon", "threads=3 plan=qpu device=cpu"}) {
    SCOPED_TRACE(properties);
    // A first element is not counted, because GStreamer keeps memory of it.
    { const Element first(properties); }
    const test::ProcessState before;
    {
      Element element(properties);
      for (std::size_t number = 0; number < packets.size(); ++number) {
        EXPECT_EQ(element.push(packets[number], number), GST_FLOW_OK);
        before.expect_unchanged_while_used();
      }
      EXPECT_GT(before.new_threads(), 0U);
      element.end();
      EXPECT_EQ(element.recorder().checksums(), checksums_of("size-66x66"));
      element.stop();
    }
    before.expect_unchanged();
  }
}

TEST(GstDecoder, NothingButThePluginsEntriesLeavesIt) {
  const test::CommandResult result =
      test::run_command({"nm", "-D", "--defined-only", SIDECORE_GST_PLUGIN});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(std::ranges::count(result.out, '\n'), 2) << result.out;
  EXPECT_NE(result.out.find(" T gst_plugin_sidecore_get_desc"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find(" T gst_plugin_sidecore_register"), std::string::npos) << result.out;
}

}  // namespace
}  // namespace sidecore
