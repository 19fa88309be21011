// Damaged streams: whatever the bytes, decoding ends, in pictures or in an error that names the
// frame.
// ctest: streams, threads
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "vp9/vp9_streams.h"

namespace sidecore::test_vp9_damage {
namespace {

using test::Bytes;

/// Decodes until the first error; returns it, or nothing.
std::string error_of(const std::vector<Bytes>& packets) {
  vp9::DecoderOptions options;
  options.max_luma_samples = 1 << 20;
  vp9::Decoder decoder(options);
  try {
    for (const Bytes& packet : packets) {
      decoder.decode(packet, [](const std::shared_ptr<const vp9::FrameBuffer>&) {});
    }
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(Vp9Damage, EveryDamagedStreamEndsInPicturesOrInAnErrorThatNamesTheFrame) {
  constexpr int kMutations = 100;
  std::size_t errors = 0;
  test::for_each_damaged_stream(kMutations,
                                [&](const std::vector<Bytes>& packets, const std::string& name) {
                                  const std::string error = error_of(packets);
                                  if (error.empty()) return;
                                  ++errors;
                                  EXPECT_TRUE(error.starts_with("frame ")) << name << ": " << error;
                                  EXPECT_EQ(error.find('\n'), std::string::npos) << error;
                                });
  EXPECT_GT(errors, 11 * kMutations / 4);
}

TEST(Vp9Damage, EveryLengthOfAFrameIsSurvived) {
  const std::vector<Bytes> packets = test::corpus_packets("size-35x66");
  for (std::size_t size = 1; size < packets[0].size(); ++size) {
    const std::string error = error_of(
        {Bytes(packets[0].begin(), packets[0].begin() + static_cast<std::ptrdiff_t>(size))});
    EXPECT_TRUE(error.starts_with("frame 0: ")) << size << ": " << error;
  }
}

TEST(Vp9Damage, AFrameThatRefersToNothingIsRefused) {
  std::vector<Bytes> packets = test::corpus_packets("key-frames");
  packets.erase(packets.begin());
  const std::string error = error_of(packets);
  EXPECT_NE(error.find("which holds no frame"), std::string::npos) << error;
}

TEST(Vp9Damage, AReferenceThatCannotPredictIsRefusedOnlyWhereABlockAsksForIt) {
  const std::string right = test::resized_frame(vp9::DecoderOptions{}, {}, {});
  EXPECT_EQ(right, test::lines_of(test::corpus_streams({"resize-odd"})
                                      .front()
                                      .replace_extension(".framemd5"))[test::kResizedFrame]);
  const vp9::FrameSize& size = test::kResizedSize;
  for (const vp9::FrameSize wrong : {vp9::FrameSize{size.width / 16, size.height},
                                     {size.width, size.height / 16},
                                     {2 * size.width + 1, size.height},
                                     {size.width, 2 * size.height + 1}}) {
    EXPECT_EQ(test::resized_frame({}, {1}, wrong), right) << "no block asks for GOLDEN";
    EXPECT_EQ(test::resized_frame({}, {0}, wrong),
              "frame 6: a block asks for a reference whose size cannot predict the frame");
    EXPECT_EQ(
        test::resized_frame({}, {0, 1, 2}, wrong),
        fmt::format("frame 6: no reference can predict a frame of {}x{}, the last one is {}x{}",
                    size.width, size.height, wrong.width, wrong.height));
  }
}

TEST(Vp9Damage, AFrameThatIsTooLargeIsRefusedBeforeMemoryIsTaken) {
  vp9::DecoderOptions options;
  options.max_luma_samples = 100;
  vp9::Decoder decoder(options);
  const std::vector<Bytes> packets = test::corpus_packets("size-66x66");
  try {
    decoder.decode(packets[0], [](const std::shared_ptr<const vp9::FrameBuffer>&) {});
    FAIL() << "it was decoded";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "frame 0: 66x66 is more than the 100 samples that are allowed");
  }
  EXPECT_EQ(decoder.statistics().frame_allocations, 0U);
}

}  // namespace
}  // namespace sidecore::test_vp9_damage
