// Damaged streams: whatever the bytes, decoding ends, in pictures or in an error that names the
// frame.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "vp9/vp9_streams.h"

namespace sidecore {
namespace {

using test::Bytes;

/// Streams that are small, and between them use most of the format.
constexpr std::array kStreams = {"size-35x66",
                                 "size-10x6",
                                 "aq-cyclic",
                                 "resize-tiny",
                                 "lossless-odd",
                                 "tile-rows-columns",
                                 "profile-2-10",
                                 "key-frames",
                                 "alt-ref-aq",
                                 "profile-1-444",
                                 "error-resilient-alt-ref"};

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

/// Changes a packet in one of the ways in which data is damaged.
void damage(Bytes& packet, Random& random) {
  if (packet.empty()) return;
  const auto size = static_cast<std::uint32_t>(packet.size());
  // The headers are at the start, and say most.
  const std::uint32_t reach = random.below(2) == 0 ? std::min(size, 24U) : size;
  switch (random.below(4)) {
    case 0:
      packet[random.below(reach)] ^= static_cast<std::uint8_t>(1U << random.below(8));
      break;
    case 1:
      packet[random.below(reach)] = static_cast<std::uint8_t>(random.below(256));
      break;
    case 2:
      packet.resize(random.below(size));
      break;
    default: {
      const auto from = static_cast<std::ptrdiff_t>(random.below(size));
      const auto count =
          std::min<std::ptrdiff_t>(random.below(16), packet.end() - packet.begin() - from);
      packet.erase(packet.begin() + from, packet.begin() + from + count);
    }
  }
}

TEST(Vp9Damage, EveryDamagedStreamEndsInPicturesOrInAnErrorThatNamesTheFrame) {
  constexpr int kMutations = 100;
  Random random(0x5eed);
  std::size_t errors = 0;
  for (const char* const name : kStreams) {
    std::vector<Bytes> packets = test::corpus_packets(name);
    packets.resize(std::min<std::size_t>(packets.size(), 8));
    for (int mutation = 0; mutation < kMutations; ++mutation) {
      std::vector<Bytes> damaged = packets;
      for (std::uint32_t count = 1 + random.below(3); count > 0; --count) {
        damage(damaged[random.below(static_cast<std::uint32_t>(damaged.size()))], random);
      }
      const std::string error = error_of(damaged);
      if (error.empty()) continue;
      ++errors;
      EXPECT_TRUE(error.starts_with("frame ")) << name << " " << mutation << ": " << error;
      EXPECT_EQ(error.find('\n'), std::string::npos) << error;
    }
  }
  EXPECT_GT(errors, kStreams.size() * kMutations / 4);
}

TEST(Vp9Damage, EveryLengthOfAFrameIsSurvived) {
  const std::vector<Bytes> packets = test::corpus_packets("size-35x66");
  for (std::size_t size = 0; size < packets[0].size(); ++size) {
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
}  // namespace sidecore
