// Whole streams: every frame has the checksum that FFmpeg gives, the stream that which vpxdec
// gives.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "error_text.h"
#include "neon/deep_loop_filter.h"
#include "neon/loop_filter.h"
#include "vp9_streams.h"

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
  expect_agreement({"sharpness-", "no-loop-filter", "loop-filter-"}, 4);
}

TEST(Vp9Corpus, ThreadsChangeNothing) {
  vp9::DecoderOptions options;
  options.threads = 3;
  expect_agreement({"tile", "size-66", "alt-ref-layers", "profile-", "resize-odd"}, 12, options);
}

TEST(Vp9CorpusNeon, TheNeonLoopFilterGivesTheSameFrames) {
  vp9::DecoderOptions options;
  options.filter = vp9::make_cpu_filter(neon::filter_edges_in_order, "NEON");
  expect_agreement({"size-", "alt-ref", "rate-", "sharpness", "tile", "resize-", "aq-"}, 40,
                   options);
  options.threads = 3;
  expect_agreement({"alt-ref-layers", "resize-odd", "profile-1"}, 3, options);
}

TEST(Vp9CorpusNeon, TheNeonLoopFilterGivesTheSameDeeperFrames) {
  vp9::DecoderOptions options;
  options.filter =
      vp9::make_cpu_filter(neon::filter_edges_in_order, "NEON", neon::filter_deep_edges_in_order);
  expect_agreement({"profile-2", "profile-3"}, 4, options);
  options.threads = 3;
  expect_agreement({"profile-2-12", "profile-3"}, 2, options);
}

TEST(Vp9Corpus, AFilterOf8BitSamplesRefusesDeeperOnes) {
  vp9::DecoderOptions options;
  options.filter = vp9::make_cpu_filter(neon::filter_edges_in_order, "NEON");
  const std::string text = test::error_text(
      [&] { (void)test::decoded_checksums(test::corpus_packets("profile-2-10"), options); });
  EXPECT_EQ(text, "frame 0: the NEON loop filter is for samples of 8 bits, not 10");
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
  EXPECT_GT(decoder.statistics().frames, 40U);
}

}  // namespace
}  // namespace sidecore
