// Decodes whole streams. Every frame must have FFmpeg's checksum, and every stream vpxdec's. Builds
// with sanitizers run one number of threads, and another one with low delay.
// ctest: streams, threads, long
// ctest: unsanitized *OnThreads*/1*:*OnThreads*/8*:*OnThreads*/2_low_delay:*OnThreads*/3
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/thread_pool.h"
#include "error_text.h"
#include "neon/vp9/dsp.h"
#include "vp9/filter_survey.h"
#include "vp9/vp9_streams.h"

namespace sidecore::test_vp9_corpus {
namespace {

using test::Bytes;
using test::expect_agreement;

// Suites with "Golden" in their names also run on 64-bit ARM.
TEST(Vp9CorpusGolden, SizesFrom1To66) {
  expect_agreement({"size-"}, 24);
}
TEST(Vp9CorpusGolden, ReferencesOfAnotherSize) {
  expect_agreement({"resize-"}, 5);
}
TEST(Vp9CorpusGolden, DeeperSamplesAndFullChroma) {
  expect_agreement({"profile-"}, 20);
}
TEST(Vp9Corpus, RatesAndLossless) {
  expect_agreement({"rate-", "q-", "lossless", "best"}, 7);
}
TEST(Vp9Corpus, Tiles) {
  expect_agreement({"tile"}, 4);
}
TEST(Vp9Corpus, Segmentation) {
  expect_agreement({"aq-", "inactive"}, 6);
}
// Levels of segments are on both sides of 32. The scale of deltas would change there if it depended
// on the segment's level.
TEST(Vp9Corpus, RegionsWithValuesOfTheirOwn) {
  expect_agreement({"regions-"}, 6);
}
// One stream keeps its segments without a new map while the size changes by less than a block. Any
// change of the size must discard the map.
TEST(Vp9Corpus, HeadersThatNoEncoderWrites) {
  expect_agreement({"headers-", "profile-2-headers"}, 6);
}
TEST(Vp9Corpus, SpatialLayers) {
  expect_agreement({"layers"}, 1);
}
TEST(Vp9Corpus, HiddenFramesAndCompoundPrediction) {
  expect_agreement({"alt-ref", "no-alt-ref"}, 4);
}
TEST(Vp9Corpus, AdaptationOnAndOff) {
  expect_agreement({"frame-parallel", "not-frame-parallel", "error-resilient", "key-frames"}, 5);
}
TEST(Vp9Corpus, OnePassAndRealTime) {
  expect_agreement({"one-pass", "real-time", "dropped", "static-threshold", "noise"}, 6);
}
TEST(Vp9Corpus, LoopFilterStrengths) {
  expect_agreement({"sharpness-", "no-loop-filter", "loop-filter-"}, 8);
}

// Any decoder would agree with sidecore on any header, so this test checks that the header has the
// intended value.
TEST(Vp9Corpus, HeadersAskForSharpness) {
  for (const int wanted : {1, 4, 5, 7}) {
    std::set<int> found;
    vp9::DecoderOptions options;
    options.observer.before_filter = [&](const vp9::FrameBuffer&, const vp9::LoopFilterEdges&,
                                         int sharpness) { found.insert(sharpness); };
    vp9::Decoder decoder(options);
    for (const Bytes& packet : test::corpus_packets(fmt::format("sharpness-{}-key", wanted))) {
      decoder.decode(packet, [](const auto&) {});
    }
    EXPECT_EQ(found, std::set<int>{wanted});
  }
}

// Tests that threads and frames in flight do not change the result.
class Vp9CorpusOnThreads : public testing::TestWithParam<std::tuple<int, bool>> {
 protected:
  static vp9::DecoderOptions options() {
    vp9::DecoderOptions options;
    std::tie(options.threads, options.low_delay) = GetParam();
    options.dsp = &neon::vp9_dsp();
    return options;
  }
};

TEST_P(Vp9CorpusOnThreads, EveryStreamGivesTheSameFrames) {
  expect_agreement(test::kBytes, 90, options());
  expect_agreement(test::kHighBitDepth, 11, options());
}

// With an observer, frames are filtered one after another but still parsed ahead.
TEST_P(Vp9CorpusOnThreads, WatchingChangesNothing) {
  vp9::FilterSurvey survey;
  vp9::DecoderOptions watched = options();
  watched.time_stages = true;
  watched.observer.before_filter = [&](const vp9::FrameBuffer& frame,
                                       const vp9::LoopFilterEdges& edges, int sharpness) {
    survey.add(frame, edges.all(), sharpness);
  };
  expect_agreement({"profile-2-10", "alt-ref-layers", "tiles-4", "resize-half"}, 4, watched);
  EXPECT_GT(survey.branches(vp9::LoopFilterKind::v_16).flat2, 0U);
}

// All frames of this stream are shown.
TEST_P(Vp9CorpusOnThreads, FramesAreShownAsLateAsSaid) {
  vp9::Decoder decoder(options());
  const bool at_once = options().low_delay || options().threads == 1;
  EXPECT_EQ(decoder.frames_in_flight() == 1, options().threads == 1);
  std::size_t taken = 0;
  std::size_t shown = 0;
  const auto show = [&](const auto& /*frame*/) { ++shown; };
  for (const Bytes& packet : test::corpus_packets("no-alt-ref")) {
    decoder.decode(packet, show);
    ++taken;
    EXPECT_EQ(taken - shown, at_once ? 0U : std::min(taken, decoder.frames_in_flight()));
  }
  decoder.flush(show);
  EXPECT_EQ(shown, taken);
  EXPECT_EQ(decoder.statistics().shown, taken);
}

INSTANTIATE_TEST_SUITE_P(Threads, Vp9CorpusOnThreads,
                         testing::Combine(testing::Values(1, 2, 3, 8), testing::Bool()),
                         [](const auto& with) {
                           return std::to_string(std::get<0>(with.param)) +
                                  (std::get<1>(with.param) ? "_low_delay" : "");
                         });

TEST(Vp9Corpus, DecodersTakeTurnsOnAPool) {
  ThreadPool pool(2);
  vp9::DecoderOptions options;
  options.threads = 3;
  options.pool = &pool;
  const std::vector<Bytes> packets = test::corpus_packets("no-alt-ref");
  for (int turn = 0; turn < 10; ++turn) {
    vp9::Decoder dropped(options);  // this decoder is destroyed while frames are in flight
    for (const Bytes& packet : packets) dropped.decode(packet, [](const auto& /*frame*/) {});
    EXPECT_LT(dropped.statistics().shown, packets.size());
  }
  expect_agreement({"alt-ref", "tile"}, 7, options);
}

TEST(Vp9CorpusNeon, TheNeonKernelsGiveTheSameFrames) {
  vp9::DecoderOptions options;
  options.dsp = &neon::vp9_dsp();
  expect_agreement(test::kBytes, 90, options);
}

TEST(Vp9CorpusNeon, TheNeonKernelsGiveTheSameFramesOfHighBitDepth) {
  vp9::DecoderOptions options;
  options.dsp = &neon::vp9_dsp();
  expect_agreement(test::kHighBitDepth, 11, options);
}

TEST(Vp9Corpus, FormatsAreThoseOfTheHeaders) {
  using enum video::Chroma;
  for (const auto& [stream, pixel, rgb] :
       {std::tuple{"profile-1-422", video::PixelFormat{c422, 8}, false},
        std::tuple{"profile-1-440", video::PixelFormat{c440, 8}, false},
        std::tuple{"profile-1-rgb", video::PixelFormat{c444, 8}, true},
        std::tuple{"profile-3-422-12", video::PixelFormat{c422, 12}, false},
        std::tuple{"profile-3-440-10", video::PixelFormat{c440, 10}, false},
        std::tuple{"profile-3-rgb-10", video::PixelFormat{c444, 10}, true}}) {
    SCOPED_TRACE(stream);
    vp9::Decoder decoder;
    std::shared_ptr<const vp9::FrameBuffer> shown;
    decoder.decode(test::corpus_packets(stream).front(), [&](const auto& frame) { shown = frame; });
    ASSERT_NE(shown, nullptr);
    EXPECT_EQ(shown->format().pixel, pixel);
    EXPECT_EQ(shown->color.space == vp9::ColorSpace::rgb, rgb);
    EXPECT_EQ(shown->color.full_range, rgb);
  }
}

// vpxdec shows only the last frame of each packet; NAME.last.md5 has its checksum.
TEST(Vp9Corpus, TheLastFrameOfAPacketAloneIsShownWhereAsked) {
  for (const int threads : {1, 3}) {
    vp9::DecoderOptions options;
    options.threads = threads;
    options.last_of_packet = true;
    const std::string shown = test::stream_checksum(test::corpus_packets("layers"), options);
    EXPECT_EQ(shown, test::lines_of(std::string(SIDECORE_VP9_CORPUS) + "/layers.last.md5").at(0));
  }
}

TEST(Vp9Corpus, FrameMemoryIsReused) {
  const std::vector<Bytes> packets = test::corpus_packets("alt-ref-layers");
  vp9::Decoder decoder;
  for (const Bytes& packet : packets) {
    decoder.decode(packet, [](const std::shared_ptr<const vp9::FrameBuffer>&) {});
  }
  // The limit is eight references and the frame that is being decoded.
  EXPECT_LE(decoder.statistics().frame_allocations, 9U);
  EXPECT_GE(decoder.statistics().frames, 40U);
}

TEST(Vp9Corpus, AFrameThatIsShownOnceMoreIsNotDecodedOnceMore) {
  const Bytes first = test::corpus_packets("key-frames").front();
  const Bytes show_slot_3 = {0b10'0'0'1'011};
  vp9::Decoder decoder({.stream = "s"});
  std::vector<std::shared_ptr<const vp9::FrameBuffer>> shown;
  const auto keep = [&](const auto& frame) { shown.push_back(frame); };
  decoder.decode(first, keep);
  decoder.decode(show_slot_3, keep);
  ASSERT_EQ(shown.size(), 2U);
  EXPECT_EQ(shown[0], shown[1]);
  EXPECT_EQ(decoder.statistics().shown, 2U);
  EXPECT_EQ(decoder.statistics().frames, 1U);
  EXPECT_TRUE(
      test::error_text([&] { decoder.decode(Bytes{0}, keep); }).starts_with("s: frame 2: "));
}

TEST(Vp9Corpus, TheSurveyAndTheDecoderCountTheSameEdges) {
  vp9::FilterSurvey survey;
  vp9::DecoderOptions options;
  options.observer.before_filter = [&](const vp9::FrameBuffer& frame,
                                       const vp9::LoopFilterEdges& edges, int sharpness) {
    survey.add(frame, edges.all(), sharpness);
  };
  vp9::Decoder decoder(options);
  for (const Bytes& packet : test::corpus_packets("resize-odd")) {
    decoder.decode(packet, [](const auto&) {});
  }
  const auto& edges = decoder.statistics().edges;
  for (const vp9::LoopFilterKind kind : vp9::kLoopFilterKinds) {
    const auto direction = static_cast<std::size_t>(vp9::direction_of(kind));
    const auto width = static_cast<std::size_t>(kind) & 3;
    EXPECT_EQ(survey.branches(kind).lines, 8 * edges[direction][width]) << to_string(kind);
  }
}

// Checks to which stage each duration is added, but not the durations.
TEST(Vp9Corpus, StagesAreTimedOnlyWhenAsked) {
  const std::vector<Bytes> packets = test::corpus_packets("rate-high");
  for (const int threads : {0, 1, 2}) {
    vp9::DecoderOptions options;
    options.time_stages = threads > 0;
    options.threads = std::max(threads, 1);
    vp9::Decoder decoder(options);
    for (const Bytes& packet : packets) decoder.decode(packet, [](const auto&) {});
    decoder.flush([](const auto&) {});
    const vp9::StageTimes stages = decoder.statistics().stages;
    for (const vp9::ClockRow stage : vp9::kClockRows) {
      EXPECT_EQ(stages[static_cast<std::size_t>(stage)].count() > 0,
                threads > 0 && !vp9::needs_gpu(stage))
          << to_string(stage) << ", " << threads << " threads";
    }
  }
}

}  // namespace
}  // namespace sidecore::test_vp9_corpus
