// Whole streams: every frame has the checksum that FFmpeg gives, the stream that which vpxdec
// gives.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "error_text.h"
#include "video/md5.h"
#include "video/planar_writer.h"
#include "vp9_streams.h"

namespace sidecore {
namespace {

using test::Bytes;

/// Both decoders' checksums of one stream, from ours.
struct Checksums {
  std::vector<std::string> frames;
  std::string stream;
};

Checksums decode(const std::vector<Bytes>& packets, int threads) {
  Checksums checksums;
  video::Md5 all;
  std::vector<std::byte> samples;
  vp9::DecoderOptions options;
  options.threads = threads;
  vp9::Decoder decoder(options);
  for (const Bytes& packet : packets) {
    decoder.decode(packet, [&](const std::shared_ptr<const vp9::FrameBuffer>& frame) {
      checksums.frames.push_back(test::checksum(*frame));
      video::pack_planar(frame->memory, frame->format(), samples);
      all.update(samples);
    });
  }
  checksums.stream = all.finish();
  return checksums;
}

void expect_agreement(const std::vector<std::string>& prefixes, std::size_t least_streams,
                      int threads = 1) {
  const std::vector<std::filesystem::path> streams = test::corpus_streams(prefixes);
  EXPECT_GE(streams.size(), least_streams);
  for (const std::filesystem::path& path : streams) {
    SCOPED_TRACE(path.filename());
    const Checksums ours = decode(test::read_packets(path), threads);
    EXPECT_EQ(ours.frames,
              test::lines_of(std::filesystem::path(path).replace_extension("framemd5")));
    EXPECT_EQ(ours.stream,
              test::lines_of(std::filesystem::path(path).replace_extension("md5")).at(0));
  }
}

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
  expect_agreement({"aq-"}, 4);
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
  expect_agreement({"tile", "size-66", "alt-ref-layers", "profile-2-10", "resize-odd"}, 8, 3);
}

TEST(Vp9Corpus, ChromaThatIsNotSupportedIsNamed) {
  const std::vector<Bytes> packets = test::corpus_packets("unsupported-422");
  const std::string text = test::error_text([&] { (void)decode(packets, 1); });
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
