// A superblock that throws while a frame is reconstructed: decoding ends in its error, on however
// many threads, and goes on with the next key frame.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "vp9/reconstruction.h"
#include "vp9/vp9_streams.h"

namespace {

constexpr int kRows = 3;  // of the stream below
constexpr int kColumns = 3;

constexpr std::uint32_t bit(int row, int column) {
  return std::uint32_t{1} << (row * kColumns + column);
}

/// The superblocks that throw, and those that were begun.
std::atomic<std::uint32_t> broken = 0;
std::atomic<std::uint32_t> begun = 0;
/// Whether a superblock throws only when the row below it has come as far as it can.
std::atomic<bool> let_next_row_come = false;

}  // namespace

// The linker gives the decoder's calls of Reconstruction::superblock() to the first of these, and
// the function itself as the second (--wrap, in tests/CMakeLists.txt).
extern "C" {
void __real__ZNK8sidecore3vp914Reconstruction10superblockEiiRNS0_10StageClockE(
    const sidecore::vp9::Reconstruction*, int row, int column, sidecore::vp9::StageClock&);

void __wrap__ZNK8sidecore3vp914Reconstruction10superblockEiiRNS0_10StageClockE(
    const sidecore::vp9::Reconstruction* self, int row, int column,
    sidecore::vp9::StageClock& clock) {
  begun |= bit(row, column);
  if ((broken & bit(row, column)) != 0) {
    if (let_next_row_come && row + 1 < kRows && column > 0) {
      while ((begun & bit(row + 1, column - 1)) == 0) std::this_thread::yield();
    }
    throw sidecore::usage_error("superblock {}, {} is broken", row, column);
  }
  __real__ZNK8sidecore3vp914Reconstruction10superblockEiiRNS0_10StageClockE(self, row, column,
                                                                            clock);
}
}

namespace sidecore {
namespace {

using test::Bytes;

/// 176x144, three by three superblocks, all frames shown, every fifth a key frame.
constexpr const char* kStream = "key-frames";
constexpr std::size_t kKeyFrameDistance = 5;

class Vp9Failure : public ::testing::TestWithParam<int> {
 protected:
  // What this is about is a decoder that waits for ever.
  void SetUp() override { ::alarm(60); }
  void TearDown() override {
    ::alarm(0);
    broken = 0;
    let_next_row_come = false;
  }
};

TEST_P(Vp9Failure, OfASuperblockIsThrownAndTheNextKeyFrameIsDecoded) {
  let_next_row_come = GetParam() > 1;
  const std::vector<Bytes> packets = test::corpus_packets(kStream);
  const std::vector<std::string> expected = test::decoded_checksums(packets);
  ASSERT_EQ(expected.size(), packets.size());
  ASSERT_GT(packets.size(), 3 * kKeyFrameDistance);

  vp9::Decoder decoder({.threads = GetParam()});
  std::vector<std::string> seen;
  const auto decode = [&](std::size_t packet) {
    seen.clear();
    decoder.decode(packets[packet], [&](const std::shared_ptr<const vp9::FrameBuffer>& frame) {
      seen.push_back(test::checksum(*frame));
    });
  };
  // At first a key frame breaks, then one that refers to others.
  for (const std::size_t which : {std::size_t{0}, kKeyFrameDistance + 2}) {
    for (int index = 0; index < kRows * kColumns; ++index) {
      for (std::size_t packet = 0; packet < which; ++packet) decode(packet);
      const int row = index / kColumns;
      const int column = index % kColumns;
      begun = 0;
      broken = bit(row, column);
      std::string failure;
      try {
        decode(which);
      } catch (const Error& error) {
        failure = error.what();
      }
      EXPECT_TRUE(failure.ends_with(fmt::format(": superblock {}, {} is broken", row, column)))
          << failure;
      EXPECT_TRUE(seen.empty());
      broken = 0;
      const std::size_t key_frame = (which / kKeyFrameDistance + 1) * kKeyFrameDistance;
      for (std::size_t packet = key_frame; packet < key_frame + kKeyFrameDistance; ++packet) {
        decode(packet);
        EXPECT_EQ(seen, std::vector<std::string>{expected[packet]}) << "packet " << packet;
      }
    }
  }
}

TEST_P(Vp9Failure, OfTwoRowsIsThatOfTheUpperOne) {
  // The lower one's superblock needs the first of the upper row alone, and may be there before.
  for (int round = 0; round < 50; ++round) {
    vp9::Decoder decoder({.stream = "clip", .threads = GetParam()});
    broken = bit(0, 2) | bit(1, 0);
    try {
      decoder.decode(test::corpus_packets(kStream)[0],
                     [](const std::shared_ptr<const vp9::FrameBuffer>&) {});
      FAIL() << "it was decoded";
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "clip: frame 0: superblock 0, 2 is broken");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, Vp9Failure, ::testing::Values(1, 2, 3, 8),
                         [](const auto& threads) { return std::to_string(threads.param); });

}  // namespace
}  // namespace sidecore
