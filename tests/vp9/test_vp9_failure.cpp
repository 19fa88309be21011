// Tests exceptions: a superblock throws while its frame is reconstructed. Decoding must end in that
// error with any number of threads, and must continue at the next key frame.
// ctest: streams, threads, alone
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "vp9/back_end.h"
#include "vp9/reconstruction.h"
#include "vp9/vp9_streams.h"

namespace {

constexpr int kRows = 3;  // number of rows of superblocks in the stream kStream
constexpr int kColumns = 3;

constexpr std::uint32_t bit(int row, int column) {
  return std::uint32_t{1} << (row * kColumns + column);
}

/// Finds the frame of the stream that a superblock belongs to while several frames are in flight.
/// Frames use the places in turn, so each place has every n-th frame. Each superblock of a frame is
/// counted once, in any order.
class FramesInFlight {
 public:
  /// Starts counting frames that are decoded one after the other in `places` places.
  void start(int places) {
    const std::lock_guard lock(mutex_);
    frames_.clear();
    places_ = places;
  }
  int frame_of(const void* place, int row, int column) {
    const std::lock_guard lock(mutex_);
    Place& at = frames_.try_emplace(place, Place{static_cast<int>(frames_.size())}).first->second;
    const int superblock = row * kColumns + column;
    return at.first_frame + places_ * at.visits[static_cast<std::size_t>(superblock)]++;
  }

 private:
  struct Place {
    int first_frame = 0;
    std::array<int, std::size_t{kRows} * kColumns> visits{};
  };
  std::mutex mutex_;
  std::map<const void*, Place> frames_;
  int places_ = 1;
};
FramesInFlight frames_in_flight;
/// Index of the frame whose superblocks may throw; -1: all frames.
std::atomic<int> broken_frame = -1;

/// Bit masks of the superblocks that throw, and of those that have begun.
std::atomic<std::uint32_t> broken = 0;
std::atomic<std::uint32_t> begun = 0;
/// Index of the packet whose first superblock waits for the first superblock of the row below; -1:
/// no packet.
std::atomic<int> packet_that_waits = -1;
std::atomic<int> packet_now = 0;
/// If true, a superblock throws only after the row below has advanced as far as it can.
std::atomic<bool> let_next_row_come = false;

}  // namespace

// The linker replaces the decoder's calls of Reconstruction::superblock() by calls of the first
// function and provides the original as the second (--wrap, in tests/CMakeLists.txt).
extern "C" {
void __real__ZNK8sidecore3vp914Reconstruction10superblockEiiRKNS0_8PerStageIbEERNS0_10StageClockE(
    const sidecore::vp9::Reconstruction*, int row, int column, const sidecore::vp9::PerStage<bool>&,
    sidecore::vp9::StageClock&);

void __wrap__ZNK8sidecore3vp914Reconstruction10superblockEiiRKNS0_8PerStageIbEERNS0_10StageClockE(
    const sidecore::vp9::Reconstruction* self, int row, int column,
    const sidecore::vp9::PerStage<bool>& parts, sidecore::vp9::StageClock& clock) {
  begun |= bit(row, column);
  const int frame = frames_in_flight.frame_of(self, row, column);
  if (packet_now == packet_that_waits && row == 0 && column == 0) {
    while ((begun & bit(1, 0)) == 0) std::this_thread::yield();
  }
  const bool may_break = broken_frame < 0 || broken_frame == frame;
  if (may_break && (broken & bit(row, column)) != 0) {
    if (let_next_row_come && row + 1 < kRows && column > 0) {
      while ((begun & bit(row + 1, column - 1)) == 0) std::this_thread::yield();
    }
    throw sidecore::usage_error("superblock {}, {} is broken", row, column);
  }
  __real__ZNK8sidecore3vp914Reconstruction10superblockEiiRKNS0_8PerStageIbEERNS0_10StageClockE(
      self, row, column, parts, clock);
}
}

namespace sidecore::test_vp9_failure {
namespace {

using test::Bytes;

/// A stream of 176x144, which is three by three superblocks. All frames are shown and every fifth
/// is a key frame.
constexpr const char* kStream = "key-frames";
constexpr std::size_t kKeyFrameDistance = 5;

class Vp9Failure : public ::testing::TestWithParam<int> {
 protected:
  // The alarm ends a decoder that waits for ever.
  void SetUp() override { ::alarm(60); }
  void TearDown() override {
    ::alarm(0);
    broken = 0;
    broken_frame = -1;
    let_next_row_come = false;
    packet_that_waits = -1;
  }
};

TEST_P(Vp9Failure, OfASuperblockIsThrownAndTheNextKeyFrameIsDecoded) {
  let_next_row_come = GetParam() > 1;
  const std::vector<Bytes> packets = test::corpus_packets(kStream);
  const std::vector<std::string> expected = test::decoded_checksums(packets);
  ASSERT_EQ(expected.size(), packets.size());
  ASSERT_GT(packets.size(), 3 * kKeyFrameDistance);

  vp9::Decoder decoder({.threads = GetParam(), .low_delay = true});
  std::vector<std::string> seen;
  const auto decode = [&](std::size_t packet) {
    seen.clear();
    decoder.decode(packets[packet], [&](const std::shared_ptr<const vp9::FrameBuffer>& frame) {
      seen.push_back(test::checksum(*frame));
    });
  };
  // First a key frame fails, then a frame that has references.
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

// Rows of inter blocks need nothing from the row above. If they waited for it in this test, they
// would wait for ever.
TEST_P(Vp9Failure, IsNotThatRowsOfInterBlocksWaitForOneAnother) {
  if (GetParam() == 1) GTEST_SKIP() << "one thread processes row after row";
  const std::vector<Bytes> packets = test::corpus_packets(kStream);
  vp9::Decoder decoder({.threads = GetParam(), .low_delay = true});
  packet_that_waits = 2;
  std::vector<std::string> seen;
  for (std::size_t packet = 0; packet < kKeyFrameDistance; ++packet) {
    packet_now = static_cast<int>(packet);
    begun = 0;
    decoder.decode(packets[packet],
                   [&](const auto& frame) { seen.push_back(test::checksum(*frame)); });
  }
  std::vector<std::string> expected = test::decoded_checksums(packets);
  expected.resize(kKeyFrameDistance);
  EXPECT_EQ(seen, expected);
}

TEST_P(Vp9Failure, OfTwoRowsIsThatOfTheUpperOne) {
  // The superblock of the lower row needs only the first superblock of the upper row, so it may be
  // reconstructed earlier.
  for (int round = 0; round < 50; ++round) {
    vp9::Decoder decoder({.stream = "clip", .threads = GetParam(), .low_delay = true});
    broken = bit(0, 2) | bit(1, 0);
    try {
      decoder.decode(test::corpus_packets(kStream)[0],
                     [](const std::shared_ptr<const vp9::FrameBuffer>&) {});
      FAIL() << "the frame was decoded without an error";
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "clip: frame 0: superblock 0, 2 is broken");
    }
  }
}

/// The stream with one frame per packet, and the frames that it shows.
struct Frames {
  Frames() {
    const std::vector<Bytes> packets = test::corpus_packets(kStream);
    frames = test::frames_of(packets);
    vp9::Decoder decoder;
    for (const Bytes& frame : frames) {
      shown_before.push_back(shown.size());
      decoder.decode(frame, [&](const auto& seen) { shown.push_back(test::checksum(*seen)); });
    }
    for (std::size_t packet = 0; packet < packets.size(); packet += kKeyFrameDistance) {
      key_frames.push_back(
          test::frames_of({packets.begin(), packets.begin() + static_cast<long>(packet)}).size());
    }
  }
  [[nodiscard]] std::vector<std::string> shown_of(std::size_t begin, std::size_t end) const {
    return {shown.begin() + static_cast<long>(begin), shown.begin() + static_cast<long>(end)};
  }

  std::vector<Bytes> frames;
  std::vector<std::string> shown;
  std::vector<std::size_t> shown_before;  ///< number of frames shown before each frame
  std::vector<std::size_t> key_frames;
};

// Frames before the failed one must be shown in order; later ones must not, even if they are
// complete.
TEST_P(Vp9Failure, OfAFrameInFlightIsThrownInItsPlace) {
  const Frames stream;
  for (const std::size_t which : {stream.key_frames[2], stream.key_frames[2] + 2}) {
    for (int index = 0; index < kRows * kColumns; ++index) {
      vp9::Decoder decoder({.stream = "clip", .threads = GetParam()});
      std::vector<std::string> seen;
      const vp9::Decoder::Show show = [&](const std::shared_ptr<const vp9::FrameBuffer>& frame) {
        seen.push_back(test::checksum(*frame));
      };
      frames_in_flight.start(static_cast<int>(decoder.frames_in_flight()));
      broken_frame = static_cast<int>(which);
      broken = bit(index / kColumns, index % kColumns);
      std::size_t frame = 0;
      std::string failure;
      try {
        for (; frame < stream.frames.size(); ++frame) {
          decoder.decode(stream.frames[frame], show);
          // Flushing makes the decoder use the places of frames in flight in order.
          if (frame < decoder.frames_in_flight()) decoder.flush(show);
        }
      } catch (const Error& error) {
        failure = error.what();
      }
      EXPECT_EQ(failure, fmt::format("clip: frame {}: superblock {}, {} is broken", which,
                                     index / kColumns, index % kColumns));
      EXPECT_LE(frame, which + decoder.frames_in_flight());
      EXPECT_EQ(seen, stream.shown_of(0, stream.shown_before[which]));
      // Decoding continues at the next key frame.
      broken = 0;
      seen.clear();
      frame = *std::ranges::upper_bound(stream.key_frames, frame);
      const std::size_t before = stream.shown_before[frame];
      for (; frame < stream.frames.size(); ++frame) decoder.decode(stream.frames[frame], show);
      decoder.flush(show);
      EXPECT_EQ(seen, stream.shown_of(before, stream.shown.size()));
    }
  }
}

// The data of a frame is damaged while earlier frames are in flight.
TEST_P(Vp9Failure, OfDataIsThrownBehindTheFramesBeforeIt) {
  Frames stream;
  constexpr std::size_t kDamaged = 7;
  stream.frames[kDamaged].resize(stream.frames[kDamaged].size() / 2);
  vp9::Decoder decoder({.threads = GetParam()});
  std::vector<std::string> seen;
  const vp9::Decoder::Show show = [&](const std::shared_ptr<const vp9::FrameBuffer>& frame) {
    seen.push_back(test::checksum(*frame));
  };
  std::string failure;
  try {
    for (const Bytes& frame : stream.frames) decoder.decode(frame, show);
  } catch (const Error& error) {
    failure = error.what();
  }
  EXPECT_TRUE(failure.starts_with("frame 7: ")) << failure;
  EXPECT_EQ(seen, stream.shown_of(0, stream.shown_before[kDamaged]));
}

// A frame that is not parsed completely must not become a reference, even if its first rows were
// reconstructed. Later frames then predict from the previous references.
TEST_P(Vp9Failure, OfDataLeavesTheReferencesAsTheyWere) {
  Frames stream;
  constexpr std::size_t kDamaged = 7;
  stream.frames[kDamaged].resize(stream.frames[kDamaged].size() - 8);
  const auto behind_the_damage = [&](const vp9::DecoderOptions& options) {
    vp9::Decoder decoder(options);
    std::vector<std::string> seen;
    const vp9::Decoder::Show show = [&](const std::shared_ptr<const vp9::FrameBuffer>& frame) {
      seen.push_back(test::checksum(*frame));
    };
    for (std::size_t frame = 0; frame < kDamaged; ++frame) {
      decoder.decode(stream.frames[frame], show);
    }
    EXPECT_THROW(decoder.decode(stream.frames[kDamaged], show), Error);
    EXPECT_EQ(seen, stream.shown_of(0, stream.shown_before[kDamaged]));
    seen.clear();
    decoder.decode(stream.frames[kDamaged + 1], show);
    decoder.flush(show);
    return seen;
  };
  // A decoder with an observer parses whole frames before it reconstructs them.
  vp9::DecoderOptions whole;
  whole.observer.before_filter = [](const auto&, const auto&, int) {};
  const std::vector<std::string> expected = behind_the_damage(whole);
  EXPECT_EQ(expected.size(), 1U);
  EXPECT_EQ(behind_the_damage({.threads = GetParam()}), expected);
}

/// A back end that filters on the CPU and throws when one frame is waited for, as after the loss of
/// a device.
class LostStage final : public vp9::BackEnd {
 public:
  void filter(vp9::FrameBuffer& frame, const vp9::LoopFilterEdges& edges, int sharpness,
              const vp9::StageContext& context) override {
    filter_->filter(frame, edges, sharpness, context);
  }
  void wait(const vp9::FrameBuffer& frame) override {
    if (frame.memory.bytes().data() != lost_) return;
    // Gives the row below time to begin, so that it waits for this row, which then fails.
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    throw environment_error("the device is lost");
  }
  void lose(const std::byte* memory) { lost_ = memory; }

 private:
  std::unique_ptr<vp9::BackEnd> filter_ = vp9::make_cpu_loop_filter();
  std::atomic<const std::byte*> lost_ = nullptr;
};

TEST_P(Vp9Failure, OfAStageThatAReferenceWaitsForIsThrownAndTheNextKeyFrameIsDecoded) {
  const std::vector<Bytes> packets = test::corpus_packets(kStream);
  const std::vector<std::string> expected = test::decoded_checksums(packets);
  const auto stage = std::make_shared<LostStage>();
  vp9::Decoder decoder({.threads = GetParam(), .low_delay = true, .back_end = stage});
  const std::byte* reference = nullptr;
  std::vector<std::string> seen;
  const auto show = [&](const std::shared_ptr<const vp9::FrameBuffer>& frame) {
    reference = frame->memory.bytes().data();
    seen.push_back(test::checksum(*frame));
  };
  decoder.decode(packets[0], show);
  stage->lose(reference);
  EXPECT_THROW(decoder.decode(packets[1], show), Error);
  stage->lose(nullptr);
  decoder.decode(packets[kKeyFrameDistance], show);
  EXPECT_EQ(seen, (std::vector<std::string>{expected[0], expected[kKeyFrameDistance]}));
}

TEST_P(Vp9Failure, OfWhoeverIsShownAFrameGoesThrough) {
  vp9::Decoder decoder({.threads = GetParam()});
  const std::vector<Bytes> packets = test::corpus_packets(kStream);
  EXPECT_THROW(
      {
        const auto show = [](const auto& /*frame*/) { throw std::runtime_error("enough"); };
        for (const Bytes& packet : packets) decoder.decode(packet, show);
      },
      std::runtime_error);
}

INSTANTIATE_TEST_SUITE_P(Threads, Vp9Failure, ::testing::Values(1, 2, 3, 8),
                         [](const auto& threads) { return std::to_string(threads.param); });

}  // namespace
}  // namespace sidecore::test_vp9_failure
