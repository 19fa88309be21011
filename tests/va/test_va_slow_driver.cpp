// Tests of calls while pictures are being decoded, with a driver whose back end takes 20 ms more
// for each picture.
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "va/player.h"
#include "vp9/rewritten_frames.h"

namespace sidecore {
namespace {

using std::chrono_literals::operator""ms;
using Clock = std::chrono::steady_clock;
using test::Bytes;
using test::checksums_of;
using test::expect_status;
using test::frames_of;
using test::OpenDisplay;
using test::Player;
using test::Resizing;

// A stream of the corpus in which every frame is shown.
constexpr const char* kStream = "no-alt-ref";
constexpr auto kDelay = 20ms;

/// Returns the frames of a stream's first packets, each of which shows one frame.
std::vector<Bytes> beginning_of(const std::string& stream, std::size_t count) {
  std::vector<Bytes> packets = test::corpus_packets(stream);
  packets.resize(count);
  return test::frames_of(packets);
}

VASurfaceStatus status_of(VADisplay display, VASurfaceID surface) {
  VASurfaceStatus status{};
  expect_status(vaQuerySurfaceStatus(display, surface, &status));
  return status;
}

class VaSlowDriver : public ::testing::Test {
 protected:
  OpenDisplay display_;
  std::vector<Bytes> frames_ = frames_of(kStream);
  std::vector<std::string> expected_ = checksums_of(kStream);
};

TEST_F(VaSlowDriver, EndPictureDoesNotWaitForThePicture) {
  Player player(display_);
  player.postponed = true;
  const auto begun = Clock::now();
  expect_status(player.decode(frames_[0]));
  const VASurfaceID target = player.target();
  const VASurfaceStatus status = status_of(display_, target);
  const VAStatus synchronised = vaSyncSurface2(display_, target, 1);
  // On a busy machine the picture may already be decoded here.
  if (Clock::now() - begun < kDelay) {
    EXPECT_EQ(status, VASurfaceRendering);
    expect_status(synchronised, VA_STATUS_ERROR_TIMEDOUT);
  }
  expect_status(vaSyncSurface(display_, target));
  EXPECT_GE(Clock::now() - begun, kDelay);
  EXPECT_EQ(status_of(display_, target), VASurfaceReady);
  expect_status(vaSyncSurface2(display_, target, 0));
  player.read_postponed();
  EXPECT_EQ(player.checksums().front(), expected_.front());
}

// At most four pictures wait in the queue and four are being decoded.
TEST_F(VaSlowDriver, EndPictureWaitsWhenManyPicturesDo) {
  constexpr std::size_t kFrames = 16;
  // Eight pictures, and one that has left the queue but not reached the decoder.
  constexpr int kInFlight = 9;
  frames_.resize(kFrames);
  expected_.resize(kFrames);
  Player player(display_);
  player.postponed = true;
  const auto begun = Clock::now();
  player.decode_all(frames_);
  EXPECT_GE(Clock::now() - begun, (static_cast<int>(kFrames) - kInFlight) * kDelay);
  player.read_postponed();
  EXPECT_EQ(player.checksums(), expected_);
}

// vaGetImage and the mapping of a derived image wait for the picture themselves, as GStreamer
// expects.
TEST_F(VaSlowDriver, WhoReadsWaits) {
  frames_.resize(6);
  expected_.resize(6);
  for (const bool derived : {false, true}) {
    Player player(display_);
    player.derived = derived;
    player.decode_all(frames_);
    EXPECT_EQ(player.checksums(), expected_);
  }
}

// All pictures go to one surface. Each is queued while the decoder still decodes the previous one
// to that surface.
TEST_F(VaSlowDriver, ABusySurfaceTakesTheNextPicture) {
  const std::vector<std::string> streams{"key-frames", kStream,      "key-frames",
                                         kStream,      "key-frames", kStream};
  Player player(display_);
  player.one_surface = true;
  player.postponed = true;
  for (const std::string& stream : streams) {
    expect_status(player.decode(frames_of(stream).front()));  // a key frame
  }
  expect_status(vaSyncSurface(display_, player.target()));
  player.read_postponed();  // each read finds the picture that was decoded last
  EXPECT_EQ(player.checksums(), std::vector<std::string>(streams.size(), expected_.front()));
}

TEST_F(VaSlowDriver, WhoWaitsIsServedThoughAllIsDestroyed) {
  for (const bool derived : {false, true}) {
    OpenDisplay display;
    std::thread waiting;
    VAImage image{};
    {
      Player player(display);
      player.postponed = true;
      for (std::size_t index = 0; index < 5; ++index) {
        expect_status(player.decode(frames_[index]));
      }
      const VASurfaceID target = player.target();
      if (derived) {
        expect_status(vaDeriveImage(display, target, &image));
      } else {
        waiting = std::thread([&display, target] {
          // The surface may already be destroyed when this call asks for it.
          const VAStatus status = vaSyncSurface(display, target);
          EXPECT_TRUE(status == VA_STATUS_SUCCESS || status == VA_STATUS_ERROR_INVALID_SURFACE)
              << vaErrorStr(status);
        });
      }
    }  // the player destroys its surfaces, context and configuration here
    if (derived) {
      void* data = nullptr;
      expect_status(vaMapBuffer(display, image.buf, &data));
      const std::vector<std::uint8_t> samples =
          test::planes_of(image, static_cast<const std::uint8_t*>(data), image.width, image.height);
      EXPECT_EQ(test::checksum_of(samples), expected_[4]);
      expect_status(vaDestroyImage(display, image.image_id));
    } else {
      waiting.join();
    }
  }
}

// Contexts and surfaces change while pictures of the previous size are being decoded.
TEST_F(VaSlowDriver, PicturesChangeTheirSizeWhileOthersAreQueued) {
  std::vector<Bytes> frames = frames_of("resize-tiny");
  std::vector<std::string> expected = checksums_of("resize-tiny");
  ASSERT_EQ(frames.size(), expected.size());
  frames.resize(14);  // three sizes
  expected.resize(14);
  for (const Resizing style :
       {Resizing::new_context, Resizing::new_surfaces, Resizing::same_surfaces}) {
    SCOPED_TRACE(static_cast<int>(style));
    Player player(display_, style);
    player.postponed = true;
    player.decode_all(frames);
    EXPECT_EQ(player.contexts(), style == Resizing::new_context ? 3 : 1);
    player.read_postponed();
    EXPECT_EQ(player.checksums(), expected);
  }
}

// A one-byte packet may show a frame that is still being decoded.
TEST_F(VaSlowDriver, HiddenFramesAreShownLater) {
  std::vector<Bytes> frames;
  for (const Bytes& packet : test::corpus_packets("alt-ref")) {
    const std::vector<Bytes> of_packet = test::frames_of({packet});
    frames.insert(frames.end(), of_packet.begin(), of_packet.end());
    for (unsigned slot = 0; of_packet.size() > 1 && slot < 3; ++slot) {
      frames.push_back(test::show_existing(slot));
    }
    if (frames.size() > 10) break;
  }
  for (const bool postponed : {false, true}) {
    Player player(display_);
    player.postponed = postponed;
    player.decode_all(frames);
    player.read_postponed();
    EXPECT_GE(player.repeated(), 3);
    EXPECT_EQ(player.checksums(), test::decoded_checksums(frames));
  }
}

TEST_F(VaSlowDriver, TwoStreamsAreDecodedAtATime) {
  std::vector<std::thread> threads;
  for (const char* const stream : {kStream, "profile-2-10"}) {
    threads.emplace_back([this, stream] {
      std::vector<std::string> expected = checksums_of(stream);
      expected.resize(6);
      Player player(display_);
      player.postponed = true;
      player.decode_all(beginning_of(stream, 6));
      player.read_postponed();
      EXPECT_EQ(player.checksums(), expected) << stream;
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(VaSlowDriver, WhoReads10BitsWaits) {
  std::vector<std::string> expected = checksums_of("profile-2-10");
  expected.resize(5);
  for (const bool derived : {false, true}) {
    Player player(display_);
    player.derived = derived;
    player.decode_all(beginning_of("profile-2-10", 5));
    EXPECT_EQ(player.checksums(), expected);
  }
}

// No call waits for the pictures, so the driver drops the queued ones.
TEST_F(VaSlowDriver, DisplaysMayEndWhilePicturesAreQueued) {
  for (int time = 0; time < 3; ++time) {
    OpenDisplay display;
    Player player(display);
    player.postponed = true;
    for (std::size_t index = 0; index < 6; ++index) expect_status(player.decode(frames_[index]));
    EXPECT_TRUE(display.errors().empty());
  }
}

}  // namespace
}  // namespace sidecore
