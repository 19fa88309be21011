#include "libav/open.h"
#include "video/packet_source.h"

#include <gtest/gtest.h>

#include <string>

#include "error_text.h"
#include "libav/md5.h"
#include "temporary_directory.h"

namespace sidecore::video::test_packet_source {
namespace {

using test::error_text;
using test::TemporaryDirectory;

std::string number(std::uint64_t value, int bytes) {
  std::string text;
  for (int index = 0; index < bytes; ++index) {
    text.push_back(static_cast<char>(value >> (8 * index) & 0xff));
  }
  return text;
}

std::string ivf_header(const std::string& codec = "VP90", std::uint64_t ticks = 30,
                       std::uint64_t seconds = 1) {
  return "DKIF" + number(0, 2) + number(32, 2) + codec + number(16, 2) + number(8, 2) +
         number(ticks, 4) + number(seconds, 4) + number(2, 4) + number(0, 4);
}
std::string ivf_packet(const std::string& bytes, std::uint64_t time_stamp = 0) {
  return number(bytes.size(), 4) + number(time_stamp, 8) + bytes;
}

/// Reads the file to its end and returns the error.
std::string reading_error(const std::string& path) {
  return error_text([&] {
    const auto source = libav::open_packets(path);
    Packet packet;
    while (source->read(packet)) {
    }
  });
}

TEST(PacketSource, IvfPacketsComeBack) {
  const TemporaryDirectory scratch;
  const auto source = libav::open_packets(scratch.write(
      "a.ivf", ivf_header() + ivf_packet("first") + ivf_packet("") + ivf_packet("x")));
  EXPECT_EQ(source->frame_rate().numerator, 30);
  EXPECT_EQ(source->packets(), 2U);
  Packet packet;
  for (const std::string expected : {"first", "", "x"}) {
    ASSERT_TRUE(source->read(packet));
    EXPECT_EQ(std::string(packet.bytes.begin(), packet.bytes.end()), expected);
  }
  EXPECT_FALSE(source->read(packet));
}

// An IVF header states only the unit of time stamps, not the frame rate.
TEST(PacketSource, TheFrameRateOfIvfFollowsFromTimeStamps) {
  const TemporaryDirectory scratch;
  std::string packets;
  for (std::uint64_t frame = 0; frame < 100; ++frame) {
    packets += ivf_packet("frame", 1875 + 40 * frame);
  }
  const auto source =
      libav::open_packets(scratch.write("a.ivf", ivf_header("VP90", 1000) + packets));
  EXPECT_EQ(source->frame_rate().numerator, 25);
  EXPECT_EQ(source->frame_rate().denominator, 1);
  EXPECT_EQ(source->ticks().numerator, 1000);
  EXPECT_EQ(source->description(), Description{});
  Packet packet;
  // Packets must be in order, also those after the ones read ahead.
  for (std::int64_t frame = 0; frame < 100; ++frame) {
    ASSERT_TRUE(source->read(packet)) << frame;
    EXPECT_EQ(packet.time_stamp, 1875 + 40 * frame);
  }
  EXPECT_FALSE(source->read(packet));
}

TEST(PacketSource, IvfHeadersWithoutAUnitHaveNoFrameRate) {
  const TemporaryDirectory scratch;
  for (const auto& [ticks, seconds] :
       {std::pair{0U, 1U}, {30U, 0U}, {0U, 0U}, {0xffffffffU, 1U}, {30U, 0x80000000U}}) {
    const auto source = libav::open_packets(
        scratch.write("a.ivf", ivf_header("VP90", ticks, seconds) + ivf_packet("a", 0) +
                                   ivf_packet("b", 1) + ivf_packet("c", 2)));
    EXPECT_EQ(source->frame_rate().numerator, 0) << ticks << "/" << seconds;
    EXPECT_EQ(video::read_packets(*source).size(), 3U);
  }
}

// Packets are read ahead to estimate the frame rate. An error that is found then must be thrown
// only after the packets before it have been taken.
TEST(PacketSource, DamageComesAfterThePacketsBeforeIt) {
  const TemporaryDirectory scratch;
  const auto source = libav::open_packets(scratch.write(
      "a.ivf", ivf_header() + ivf_packet("first") + ivf_packet("second", 1).substr(0, 14)));
  Packet packet;
  ASSERT_TRUE(source->read(packet));
  EXPECT_EQ(packet.bytes.size(), 5U);
  EXPECT_NE(error_text([&] { (void)source->read(packet); }).find("packet 1 is cut short"),
            std::string::npos);
}

TEST(PacketSource, DamagedIvfFilesAreNamed) {
  const TemporaryDirectory scratch;
  const auto error = [&](const std::string& content) {
    return reading_error(scratch.write("bad.ivf", content));
  };
  EXPECT_NE(error("DKIF").find("bad.ivf': the IVF header is cut short"), std::string::npos);
  EXPECT_NE(error(ivf_header("VP80")).find("not VP9"), std::string::npos);
  EXPECT_NE(error(ivf_header() + ivf_packet("first").substr(0, 6)).find("packet 0 is cut short"),
            std::string::npos);
  EXPECT_NE(error(ivf_header() + ivf_packet("a") + ivf_packet("second").substr(0, 14))
                .find("packet 1 is cut short"),
            std::string::npos);
  EXPECT_NE(error(ivf_header() + number(0xfffffff0, 4) + number(0, 8)).find("impossible size"),
            std::string::npos);
}

TEST(PacketSource, OtherFilesAreNoStreams) {
  const TemporaryDirectory scratch;
  EXPECT_NE(reading_error(scratch.write("text", "nothing of the kind")).find("no video file"),
            std::string::npos);
}

TEST(Md5, KnownDigests) {
  libav::Md5 md5;
  EXPECT_EQ(md5.finish(), "d41d8cd98f00b204e9800998ecf8427e");
  const std::string text = "message digest";
  md5.update(std::as_bytes(std::span(text)));
  EXPECT_EQ(md5.finish(), "f96b697d7cb7938d525a2f31aaf161d0");
}

}  // namespace
}  // namespace sidecore::video::test_packet_source
