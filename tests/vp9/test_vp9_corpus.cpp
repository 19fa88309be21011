// Whole streams: every frame has the checksum that FFmpeg gives, the stream that which vpxdec
// gives.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "error_text.h"
#include "neon/vp9/dsp.h"
#include "vp9/filter_survey.h"
#include "vp9/vp9_streams.h"

namespace sidecore {
namespace {

using test::Bytes;
using test::expect_agreement;

// "Golden" suites run on 64-bit ARM as well.
TEST(Vp9CorpusGolden, SizesFrom1To66) {
  expect_agreement({"size-"}, 24);
}
TEST(Vp9CorpusGolden, ReferencesOfAnotherSize) {
  expect_agreement({"resize-"}, 5);
}
TEST(Vp9CorpusGolden, DeeperSamplesAndFullChroma) {
  expect_agreement({"profile-"}, 5);
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

// Other decoders would agree on any header: this one asks for what it was made for.
TEST(Vp9Corpus, HeadersAskForSharpness) {
  for (const int wanted : {1, 4, 5, 7}) {
    std::set<int> found;
    vp9::DecoderOptions options;
    options.before_filter = [&](const vp9::FrameBuffer&, const vp9::LoopFilterEdges&,
                                int sharpness) { found.insert(sharpness); };
    vp9::Decoder decoder(options);
    for (const Bytes& packet : test::corpus_packets(fmt::format("sharpness-{}-key", wanted))) {
      decoder.decode(packet, [](const auto&) {});
    }
    EXPECT_EQ(found, std::set<int>{wanted});
  }
}

TEST(Vp9Corpus, ThreadsChangeNothing) {
  vp9::DecoderOptions options;
  options.threads = 3;
  expect_agreement({"tile", "size-66", "alt-ref-layers", "profile-", "resize-odd"}, 12, options);
}

TEST(Vp9CorpusNeon, TheNeonKernelsGiveTheSameFrames) {
  vp9::DecoderOptions options;
  options.dsp = &neon::vp9_dsp();
  expect_agreement(test::kBytes, 66, options);
  options.threads = 3;
  expect_agreement({"alt-ref-layers", "resize-odd", "profile-1"}, 3, options);
}

TEST(Vp9CorpusNeon, TheNeonKernelsGiveTheSameFramesOfHighBitDepth) {
  vp9::DecoderOptions options;
  options.dsp = &neon::vp9_dsp();
  expect_agreement(test::kHighBitDepth, 7, options);
  options.threads = 3;
  expect_agreement({"profile-2-12", "profile-3"}, 2, options);
}

TEST(Vp9Corpus, ChromaThatIsNotSupportedIsNamed) {
  const std::vector<Bytes> packets = test::corpus_packets("unsupported-422");
  const std::string text = test::error_text([&] { (void)test::decoded_checksums(packets); });
  EXPECT_NE(text.find("frame 0: chroma sampling 4:2:2 is not supported"), std::string::npos)
      << text;
}

TEST(Vp9Corpus, FrameMemoryIsReused) {
  const std::vector<Bytes> packets = test::corpus_packets("alt-ref-layers");
  vp9::Decoder decoder;
  for (const Bytes& packet : packets) {
    decoder.decode(packet, [](const std::shared_ptr<const vp9::FrameBuffer>&) {});
  }
  // Eight references and the frame that is being decoded.
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

TEST(Vp9Corpus, WatchingChangesNothing) {
  vp9::FilterSurvey survey;
  vp9::DecoderOptions options;
  options.time_stages = true;
  options.before_filter = [&](const vp9::FrameBuffer& frame, const vp9::LoopFilterEdges& edges,
                              int sharpness) { survey.add(frame, edges.all(), sharpness); };
  expect_agreement({"profile-2-10", "alt-ref-layers"}, 2, options);
  options.threads = 3;
  expect_agreement({"tiles-4"}, 1, options);
  EXPECT_GT(survey.branches(vp9::LoopFilterKind::v_16).flat2, 0U);
}

TEST(Vp9Corpus, TheSurveyAndTheDecoderCountTheSameEdges) {
  vp9::FilterSurvey survey;
  vp9::DecoderOptions options;
  options.before_filter = [&](const vp9::FrameBuffer& frame, const vp9::LoopFilterEdges& edges,
                              int sharpness) { survey.add(frame, edges.all(), sharpness); };
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

// Which stage a lap is counted for, not how long it was.
TEST(Vp9Corpus, StagesAreTimedOnlyWhenAsked) {
  const std::vector<Bytes> packets = test::corpus_packets("rate-high");
  for (const int threads : {0, 1, 2}) {
    vp9::DecoderOptions options;
    options.time_stages = threads > 0;
    options.threads = std::max(threads, 1);
    vp9::Decoder decoder(options);
    for (const Bytes& packet : packets) decoder.decode(packet, [](const auto&) {});
    const vp9::StageTimes stages = decoder.statistics().stages;
    for (const vp9::Stage stage : vp9::kStages) {
      EXPECT_EQ(stages[static_cast<std::size_t>(stage)].count() > 0, threads > 0)
          << to_string(stage) << ", " << threads << " threads";
    }
  }
}

}  // namespace
}  // namespace sidecore
