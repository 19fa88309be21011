// Tests with files as players open them: the decoder that is chosen with the rank of
// docs/gstreamer.md, and the properties of the file that arrive.
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "cli/run_command.h"
#include "gst/recorder.h"
#include "temporary_directory.h"

namespace sidecore::test_gst_files {
namespace {

using test::Passed;
using test::Recorder;
using Words = std::vector<std::string>;

/// Rank that GST_PLUGIN_FEATURE_RANK=sidecorevp9dec:260 sets: above vp9dec, below
/// vp9alphadecodebin.
constexpr guint kAdvisedRank = 260;

class AdvisedRank {
 public:
  explicit AdvisedRank(guint rank) : factory_(gst_element_factory_find("sidecorevp9dec")) {
    gst_plugin_feature_set_rank(GST_PLUGIN_FEATURE(factory_), rank);
  }
  ~AdvisedRank() {
    gst_plugin_feature_set_rank(GST_PLUGIN_FEATURE(factory_), GST_RANK_NONE);
    gst_object_unref(factory_);
  }
  AdvisedRank(const AdvisedRank&) = delete;
  AdvisedRank& operator=(const AdvisedRank&) = delete;

 private:
  GstElementFactory* factory_;
};

/// Results of playing a file.
struct Played {
  std::vector<Passed> pictures;
  Words factories;  ///< names of the factories of all elements in the pipeline

  [[nodiscard]] bool used(const std::string& factory) const {
    return std::ranges::find(factories, factory) != factories.end();
  }
};

/// Names of the element factories in use; the pipeline's threads add to it.
struct Factories {
  std::mutex mutex;
  Words names;
};

/// Plays a file. `decoder` is decodebin, or a demuxer with the elements that follow it.
Played play(const std::string& file, const std::string& decoder = "decodebin") {
  Played played;
  GstElement* const pipeline = gst_parse_launch(
      ("filesrc location=" + file + " ! " + decoder + " ! fakesink name=sink sync=false").c_str(),
      nullptr);
  EXPECT_NE(pipeline, nullptr);
  Factories factories;
  const auto note = [](GstBin*, GstBin*, GstElement* element, gpointer all) {
    auto* const noted = static_cast<Factories*>(all);
    GstElementFactory* const factory = gst_element_get_factory(element);
    const std::lock_guard lock(noted->mutex);
    if (factory != nullptr) noted->names.emplace_back(GST_OBJECT_NAME(factory));
  };
  g_signal_connect(
      pipeline, "deep-element-added",
      G_CALLBACK(+static_cast<void (*)(GstBin*, GstBin*, GstElement*, gpointer)>(note)),
      &factories);
  GstElement* const sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  GstBus* const bus = gst_element_get_bus(pipeline);
  {
    Recorder recorder(gst_element_get_static_pad(sink, "sink"));
    gst_element_set_state(pipeline, GST_STATE_PLAYING);
    GstMessage* const message = gst_bus_timed_pop_filtered(
        bus, 120 * GST_SECOND, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
    EXPECT_NE(message, nullptr);
    if (message != nullptr) {
      EXPECT_EQ(GST_MESSAGE_TYPE(message), GST_MESSAGE_EOS);
      gst_message_unref(message);
    }
    gst_element_set_state(pipeline, GST_STATE_NULL);
    played.pictures = recorder.passed();
  }
  gst_object_unref(bus);
  gst_object_unref(sink);
  gst_object_unref(pipeline);
  played.factories = factories.names;
  return played;
}

void load(const char* plugin) {
  GError* error = nullptr;
  GstPlugin* const loaded = gst_plugin_load_file(
      (std::string(GSTREAMER_PLUGINS "/libgst") + plugin + ".so").c_str(), &error);
  ASSERT_NE(loaded, nullptr) << error->message;
  gst_object_unref(loaded);
}

class GstFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* const plugin :
         {"coreelements", "typefindfunctions", "playback", "matroska", "vpx", "debug"}) {
      load(plugin);
    }
  }
  /// Makes a file of five pictures in FFmpeg's pixel format, with FFmpeg's options of the output.
  std::string make(const std::string& name, const std::string& pixels, const Words& options = {}) {
    const std::string file = directory_ / name;
    const std::string source = "testsrc2=size=64x48:rate=25:duration=0.2,format=" + pixels;
    Words command{"ffmpeg", "-v",   "error",      "-nostdin",      "-f", "lavfi", "-i",
                  source,   "-c:v", "libvpx-vp9", "-auto-alt-ref", "0"};
    command.insert(command.end(), options.begin(), options.end());
    command.push_back(file);
    const test::CommandResult made = test::run_command(command);
    EXPECT_EQ(made.status, 0) << made.err;
    return file;
  }

  test::TemporaryDirectory directory_;
};

/// Tests of files with transparency, which GStreamer's vp9alphadecodebin decodes.
class GstTransparency : public GstFiles {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(GSTREAMER_PLUGINS "/libgstcodecalpha.so")) {
      GTEST_SKIP() << "gstreamer1.0-plugins-bad is not installed";
    }
    GstFiles::SetUp();
    load("videoparsersbad");
    load("codecalpha");
  }
};

void expect_pictures(const Played& played, GstVideoFormat format) {
  ASSERT_EQ(played.pictures.size(), 5U);
  for (const Passed& picture : played.pictures) {
    EXPECT_STREQ(gst_video_format_to_string(GST_VIDEO_INFO_FORMAT(&picture.info)),
                 gst_video_format_to_string(format));
  }
}

TEST_F(GstFiles, WithTheAdvisedRankAFileIsPlayedByThisElement) {
  const std::string file = make("plain.webm", "yuv420p");
  const Played usual = play(file);
  EXPECT_TRUE(usual.used("vp9dec"));
  EXPECT_FALSE(usual.used("sidecorevp9dec"));
  const AdvisedRank rank(kAdvisedRank);
  const Played played = play(file);
  EXPECT_TRUE(played.used("sidecorevp9dec"));
  EXPECT_FALSE(played.used("vp9dec"));
  expect_pictures(played, GST_VIDEO_FORMAT_I420);
  ASSERT_EQ(usual.pictures.size(), played.pictures.size());
  for (std::size_t index = 0; index < usual.pictures.size(); ++index) {
    EXPECT_EQ(usual.pictures[index].checksum, played.pictures[index].checksum);
  }
}

TEST_F(GstTransparency, StaysWithTheAdvisedRank) {
  const std::string file = make("alpha.webm", "yuva420p");
  const Played usual = play(file);
  const AdvisedRank rank(kAdvisedRank);
  const Played played = play(file);
  EXPECT_TRUE(played.used("vp9alphadecodebin"));
  // GStreamer 1.26's elements for transparency sometimes lose the last picture, with and without
  // this element.
  guint major = 0;
  guint minor = 0;
  guint micro = 0;
  guint nano = 0;
  gst_version(&major, &minor, &micro, &nano);
  EXPECT_EQ(major, 1U);
  const std::size_t least = minor < 24 ? 5 : 4;
  ASSERT_GE(usual.pictures.size(), least);
  ASSERT_GE(played.pictures.size(), least);
  for (std::size_t index = 0; index < least; ++index) {
    for (const Played* const each : {&usual, &played}) {
      const GstVideoInfo& info = each->pictures[index].info;
      EXPECT_STREQ(gst_video_format_to_string(GST_VIDEO_INFO_FORMAT(&info)), "A420");
    }
    EXPECT_EQ(usual.pictures[index].checksum, played.pictures[index].checksum);
  }
}

// Shows why docs/gstreamer.md advises a rank below vp9alphadecodebin's.
TEST_F(GstTransparency, WouldGoWithAHigherRank) {
  GstElementFactory* const alpha = gst_element_factory_find("vp9alphadecodebin");
  ASSERT_NE(alpha, nullptr);
  EXPECT_EQ(gst_plugin_feature_get_rank(GST_PLUGIN_FEATURE(alpha)), 266U);
  gst_object_unref(alpha);
  const AdvisedRank rank(300);
  const Played played = play(make("alpha.webm", "yuva420p"));
  EXPECT_TRUE(played.used("sidecorevp9dec"));
  expect_pictures(played, GST_VIDEO_FORMAT_I420);
}

// A demuxer states these properties in the caps of packets. Not all demuxers state the chroma site,
// so another element of the test's pipeline adds it.
TEST_F(GstFiles, RangeShapeAndSitingArrive) {
  const std::string file = make("full.webm", "yuv420p",
                                {"-color_range", "pc", "-colorspace", "bt709", "-color_primaries",
                                 "bt709", "-color_trc", "bt709", "-aspect", "16:9"});
  const AdvisedRank rank(kAdvisedRank);
  const std::string sited = "matroskademux ! capssetter caps=video/x-vp9,chroma-site=(string)";
  for (const auto& [decoder, site] :
       {std::pair{sited + "mpeg2 ! sidecorevp9dec", GST_VIDEO_CHROMA_SITE_MPEG2},
        {sited + "jpeg ! sidecorevp9dec", GST_VIDEO_CHROMA_SITE_JPEG},
        {sited + "cosited ! sidecorevp9dec", GST_VIDEO_CHROMA_SITE_COSITED}}) {
    const Played played = play(file, decoder);
    expect_pictures(played, GST_VIDEO_FORMAT_I420);
    const GstVideoInfo& info = played.pictures.at(0).info;
    EXPECT_EQ(info.colorimetry.range, GST_VIDEO_COLOR_RANGE_0_255);
    EXPECT_EQ(info.colorimetry.matrix, GST_VIDEO_COLOR_MATRIX_BT709);
    EXPECT_EQ(info.colorimetry.transfer, GST_VIDEO_TRANSFER_BT709);
    EXPECT_EQ(info.colorimetry.primaries, GST_VIDEO_COLOR_PRIMARIES_BT709);
    EXPECT_EQ(info.par_n, 85) << "WebM has the size at which 64x48 is shown: 85x48";
    EXPECT_EQ(info.par_d, 64);
    EXPECT_EQ(info.chroma_site, site) << decoder;
  }
}

}  // namespace
}  // namespace sidecore::test_gst_files
