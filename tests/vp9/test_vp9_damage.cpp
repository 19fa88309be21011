// Decodes damaged streams: with any bytes, decoding must end in pictures or in an error that names
// the frame.
// ctest: streams, threads
// Sanitizers use memory for address space that is only reserved.
// ctest: unsanitized *TouchesNoMemory*
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "error_text.h"
#include "vp9/rewritten_frames.h"
#include "vp9/vp9_streams.h"

namespace sidecore::test_vp9_damage {
namespace {

using test::Bytes;

/// Decodes packets until the first error, and returns the error's text; empty if there is none.
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
  EXPECT_GT(errors, 12 * kMutations / 4);
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
    EXPECT_EQ(test::resized_frame({}, {1}, wrong), right) << "no block uses GOLDEN";
    EXPECT_EQ(test::resized_frame({}, {0}, wrong),
              "frame 6: a block uses a reference whose size cannot predict the frame");
    EXPECT_EQ(test::resized_frame({}, {0, 1, 2}, wrong),
              fmt::format("frame 6: no reference can predict a frame of {}x{}: LAST has {}x{}",
                          size.width, size.height, wrong.width, wrong.height));
  }
}

/// Returns a key frame of 16384x16384 samples in four tiles of a few bytes each.
Bytes huge_key_frame() {
  test::BitWriter header;
  header.bits(2, 2);  // frame marker
  header.bits(0, 4);  // profile 0; shows no existing frame; a key frame
  header.bits(2, 2);  // the frame is shown and not error resilient
  header.bits(0x498342, 24);
  header.bits(1, 3);  // colour space BT.601
  header.bits(0, 1);
  header.bits(16383, 16);
  header.bits(16383, 16);
  header.bits(0, 1);   // there is no render size
  header.bits(3, 2);   // the context is refreshed; frame-parallel mode is on
  header.bits(0, 2);   // frame context 0
  header.bits(32, 6);  // level of the loop filter
  header.bits(0, 4);   // sharpness 0; no deltas
  header.bits(60, 8);  // quantiser index
  header.bits(0, 3);   // the quantiser has no deltas
  header.bits(0, 1);   // no segmentation
  header.bits(0, 2);   // the number of tiles is the smallest for this width
  constexpr std::size_t kCompressed = 8;
  header.bits(kCompressed, 16);
  Bytes frame = header.bytes();
  frame.resize(frame.size() + kCompressed);
  constexpr std::uint8_t kTile = 8;
  for (int tile = 0; tile < 4; ++tile) {
    if (tile < 3) frame.insert(frame.end(), {0, 0, 0, kTile});
    frame.resize(frame.size() + kTile);
  }
  return frame;
}

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0;
  file >> pages >> pages;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

// One picture of this size takes 400 MB.
TEST(Vp9Damage, ASizeThatAPacketCannotHoldTouchesNoMemoryForIt) {
  const Bytes packet = huge_key_frame();
  for (const int threads : {1, 2}) {
    vp9::DecoderOptions options;
    options.threads = threads;
    vp9::Decoder decoder(options);
    const std::size_t before = resident_bytes();
    const std::string error =
        test::error_text([&] { decoder.decode(packet, [](const auto& /*frame*/) {}); });
    EXPECT_NE(error.find("a tile is cut short"), std::string::npos) << error;
    EXPECT_LT(resident_bytes(), before + (std::size_t{128} << 20U)) << threads;
  }
}

TEST(Vp9Damage, AFrameThatIsTooLargeIsRefusedBeforeMemoryIsTaken) {
  vp9::DecoderOptions options;
  options.max_luma_samples = 100;
  vp9::Decoder decoder(options);
  const std::vector<Bytes> packets = test::corpus_packets("size-66x66");
  try {
    decoder.decode(packets[0], [](const std::shared_ptr<const vp9::FrameBuffer>&) {});
    FAIL() << "the frame was decoded without an error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "frame 0: a frame of 66x66 exceeds the limit of 100 luma samples");
  }
  EXPECT_EQ(decoder.statistics().frame_allocations, 0U);
}

}  // namespace
}  // namespace sidecore::test_vp9_damage
