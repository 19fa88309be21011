// Tests WebM files that are made here, element by element.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "error_text.h"
#include "matroska.h"
#include "temporary_directory.h"
#include "video/byte_stream.h"
#include "video/packet_source.h"
#include "webm/open.h"

namespace sidecore::webm::test_webm_packets {
namespace {

using namespace std::string_literals;
using test::big_endian;
using test::element;
using test::error_text;

const std::string kEbml = element("\x1a\x45\xdf\xa3", element("\x42\x82", "webm"));
const std::string kVideo = element("\x83", "\1");

std::string size_element(const std::string& id, std::uint64_t value) {
  return element(id, big_endian(value, 2));
}
/// Returns a TrackEntry of number 1 with more elements.
std::string track(const std::string& more = "", const std::string& codec = "V_VP9") {
  return element("\xae", element("\xd7", "\1") + kVideo + element("\x86", codec) + more);
}
std::string tracks(const std::string& entries) {
  return element("\x16\x54\xae\x6b", entries);
}
std::string picture_size(const std::string& more = "") {
  return element("\xe0", size_element("\xb0", 64) + size_element("\xba", 48) + more);
}
/// Returns the content of a block without lacing, of track 1.
std::string block(std::int16_t time, const std::string& frame, char flags = '\0') {
  return "\x81" + big_endian(static_cast<std::uint16_t>(time), 2) + flags + frame;
}
std::string simple_block(std::int16_t time, const std::string& frame) {
  return element("\xa3", block(time, frame));
}
std::string cluster(std::uint64_t time, const std::string& blocks) {
  return element("\x1f\x43\xb6\x75", element("\xe7", big_endian(time, 4)) + blocks);
}
std::string segment(const std::string& content) {
  return element("\x18\x53\x80\x67", content);
}
/// Returns a file of one track with more elements after its clusters.
std::string file_of(const std::string& entry, const std::string& clusters) {
  return kEbml + segment(tracks(entry) + clusters);
}

class WebmPackets : public ::testing::Test {
 protected:
  /// Opens a file with this content; null if libavformat should open it.
  std::unique_ptr<video::PacketSource> open(const std::string& content) {
    auto stream = std::make_unique<video::ByteStream>(scratch_.write("clip.webm", content));
    return open_vp9_packets(stream);
  }
  /// Returns "TIME:BYTES" of each packet; TIME is - if it is unknown.
  static std::vector<std::string> packets_of(video::PacketSource& source) {
    std::vector<std::string> texts;
    video::Packet packet;
    while (source.read(packet)) texts.push_back(text_of(packet));
    return texts;
  }
  static std::string text_of(const video::Packet& packet) {
    EXPECT_FALSE(packet.discarded);
    return (packet.time_stamp ? std::to_string(*packet.time_stamp) : "-") + ":" +
           std::string(packet.bytes.begin(), packet.bytes.end());
  }
  std::vector<std::string> packets_of(const std::string& content) {
    const auto source = open(content);
    EXPECT_NE(source, nullptr);
    return source == nullptr ? std::vector<std::string>{} : packets_of(*source);
  }
  std::string reading_error(const std::string& content) {
    const auto source = open(content);
    EXPECT_NE(source, nullptr);
    return error_text([&] { (void)packets_of(*source); });
  }

  test::TemporaryDirectory scratch_;
};

using Texts = std::vector<std::string>;

TEST_F(WebmPackets, BlocksOfTheVideoTrackComeBack) {
  const std::string other = element("\xa3", "\x82\0\0\0sound"s);
  const std::string additions = element("\x75\xa1", element("\xa6", element("\xa5", "alpha")));
  const std::string group =
      element("\xa0", element("\xa1", block(5, "third")) + element("\x9b", "\x28") + additions);
  const std::string sound = element("\xae", element("\xd7", "\2") + element("\x83", "\2"));
  const std::string cues = element("\x1c\x53\xbb\x6b", std::string(300, 'c'));
  const std::string empty_space = element("\xec", std::string(5000, '\0'));
  const std::string content =
      kEbml +
      segment(empty_space + tracks(sound + track()) + cues +
              cluster(1000, simple_block(0, "first") + other + simple_block(-40, "second")) +
              cluster(70000, group + empty_space + simple_block(45, "")) +
              cluster(80000, simple_block(0, "") + simple_block(1, "last")) + cues);
  EXPECT_EQ(packets_of(content),
            (Texts{"1000:first", "960:second", "70005:third", "70045:", "-:", "80001:last"}));
}

TEST_F(WebmPackets, FramesOfABlockWithLacingComeBack) {
  const std::string xiph = "\2"s + "\2\3" + "aabbbcccc";
  const std::string ebml = "\2"s + "\x82\xc0" + "aabbbcccc";
  const std::string fixed = "\2"s + "aaabbbccc";
  EXPECT_EQ(
      packets_of(file_of(track(), cluster(0, element("\xa3", block(1, xiph, '\x02')) +
                                                 element("\xa3", block(2, ebml, '\x06')) +
                                                 element("\xa3", block(3, fixed, '\x04'))))),
      (Texts{"1:aa", "-:bbb", "-:cccc", "2:aa", "-:bbb", "-:cccc", "3:aaa", "-:bbb", "-:ccc"}));
}

TEST_F(WebmPackets, TheTrackSaysTheRateAndThePixels) {
  const std::string duration = element("\x23\xe3\x83", big_endian(33366667, 4));
  const std::string colour =
      element("\x55\xb0",
              element("\x55\xb9", "\2") + element("\x55\xb7", "\1") + element("\x55\xb8", "\2"));
  const std::string shown = size_element("\x54\xb0", 85) + size_element("\x54\xba", 48);
  const auto source = open(file_of(track(duration + picture_size(colour + shown)), cluster(0, "")));
  ASSERT_NE(source, nullptr);
  EXPECT_EQ(source->frame_rate().numerator, 30000);
  EXPECT_EQ(source->frame_rate().denominator, 1001);
  EXPECT_EQ(source->ticks().numerator, 1000);
  EXPECT_EQ(source->ticks().denominator, 1);
  EXPECT_EQ(source->packets(), std::nullopt);
  EXPECT_EQ(source->description(),
            (video::Description{video::SampleRange::full, {85, 64}, video::ChromaSiting::left}));
  EXPECT_NE(source->name().find("clip.webm"), std::string::npos);
}

TEST_F(WebmPackets, APixelIsASquareIfNoOtherSizeIsStated) {
  const auto source = open(file_of(track(picture_size()), cluster(0, "")));
  ASSERT_NE(source, nullptr);
  EXPECT_EQ(source->description().aspect, (video::PixelAspect{1, 1}));
  EXPECT_FALSE(open(file_of(track(), cluster(0, "")))->description().aspect.known());
}

TEST_F(WebmPackets, TheRateFollowsFromTimeStampsIfTheTrackDoesNotStateIt) {
  std::string blocks;
  for (const int time : {0, 33, 67, 100, 133, 167}) {
    blocks += simple_block(static_cast<std::int16_t>(time), "frame");
  }
  const auto source = open(file_of(track(), cluster(0, blocks)));
  ASSERT_NE(source, nullptr);
  EXPECT_EQ(source->frame_rate().numerator, 30);
  EXPECT_EQ(source->frame_rate().denominator, 1);
  EXPECT_EQ(packets_of(*source).size(), 6U);
}

TEST_F(WebmPackets, TheUnitOfTimeStampsIsTheFiles) {
  const std::string info =
      element("\x15\x49\xa9\x66", element("\x2a\xd7\xb1", big_endian(20000000, 4)));
  const auto source =
      open(kEbml + segment(info + tracks(track()) + cluster(7, simple_block(1, "a"))));
  ASSERT_NE(source, nullptr);
  EXPECT_EQ(source->ticks().numerator, 50);
  EXPECT_EQ(source->ticks().denominator, 1);
  EXPECT_EQ(packets_of(*source), Texts{"8:a"});
}

TEST_F(WebmPackets, OtherFilesAreLeftToLibavformat) {
  const std::string clusters = cluster(0, simple_block(0, "frame"));
  const std::string encryption =
      element("\x6d\x80", element("\x62\x40", element("\x50\x33", "\1")));
  const std::string unknown_size = big_endian(0x01ffffffffffffff, 8);
  const std::string whole = tracks(track()) + clusters;
  for (const auto& [what, content] :
       {std::pair{"two video tracks", file_of(track() + track(), clusters)},
        {"no video track", file_of(element("\xae", element("\x83", "\2")), clusters)},
        {"no tracks", kEbml + segment(clusters)},
        {"tracks after clusters", kEbml + segment(clusters + tracks(track()))},
        {"VP8", file_of(track("", "V_VP8"), clusters)},
        {"a long name of a codec", file_of(track("", std::string(1000, 'V')), clusters)},
        {"a disabled track", file_of(track(element("\xb9", "\0"s)), clusters)},
        {"stereo", file_of(track(picture_size(element("\x53\xb8", "\1"))), clusters)},
        {"another scale of time", file_of(track(element("\x23\x31\x4f", "\x3f\0\0\0"s)), clusters)},
        {"encryption", file_of(track(encryption), clusters)},
        {"a time unit of 0",
         kEbml + segment(element("\x15\x49\xa9\x66", element("\x2a\xd7\xb1", "\0"s)) + whole)},
        {"no cluster", file_of(track(), "")},
        {"a segment of unknown size", kEbml + "\x18\x53\x80\x67" + unknown_size + whole},
        {"a cluster of unknown size", kEbml + segment(tracks(track()) + "\x1f\x43\xb6\x75" +
                                                      unknown_size + element("\xe7", "\0"s))},
        {"damage", kEbml + segment("\0\0\0\0"s + whole)},
        {"a header that is cut short", (kEbml + segment(whole)).substr(0, 40)},
        {"a large element",
         kEbml + segment("\x16\x54\xae\x6b" + big_endian(0x01fffffffffffff0, 8) + clusters)}}) {
    EXPECT_EQ(open(content), nullptr) << what;
  }
}

TEST_F(WebmPackets, DamageComesAfterThePacketsBeforeIt) {
  const std::string duration = element("\x23\xe3\x83", big_endian(40000000, 4));
  const std::string start = tracks(track(duration)) + cluster(0, simple_block(0, "first"));
  const auto error_after_first = [&](const std::string& after) {
    const auto source = open(kEbml + segment(start + after));
    video::Packet packet;
    EXPECT_TRUE(source->read(packet));
    EXPECT_EQ(text_of(packet), "0:first");
    return error_text([&] { (void)source->read(packet); });
  };
  EXPECT_NE(error_after_first(std::string(8, '\0')).find("clip.webm': packet 1 cannot be read"),
            std::string::npos);
  EXPECT_NE(
      error_after_first("\x1f\x43\xb6\x75" + big_endian(0x01ffffffffffffff, 8)).find("no size"),
      std::string::npos);
  // The elements claim more bytes than their parents or the file have.
  const std::string huge = "\xa3" + big_endian(0x01fffffffffffff0, 8);
  EXPECT_NE(error_after_first(cluster(0, huge)).find("damaged"), std::string::npos);
  const std::string content =
      kEbml + "\x18\x53\x80\x67" + big_endian(0x01fffffffffffffe, 8) + start;
  EXPECT_NE(reading_error(content).find("packet 1 is cut short"), std::string::npos);
  EXPECT_NE(reading_error(content + "\x1f\x43\xb6\x75" + big_endian(0x01ff000000000000, 8) +
                          element("\xe7", "\0"s) + "\xa3" + big_endian(0x0100ff0000000000, 8) +
                          block(1, "second"))
                .find("packet 1 cannot be read: its size is impossible"),
            std::string::npos);
}

TEST_F(WebmPackets, AFileCutAnywhereGivesTheFirstPacketsOrAnError) {
  const std::string content =
      file_of(track(element("\x23\xe3\x83", big_endian(40000000, 4))),
              cluster(0, simple_block(0, "first") + simple_block(1, "second")) +
                  cluster(9, element("\xa0", element("\xa1", block(0, "third")))));
  const Texts all = packets_of(content);
  ASSERT_EQ(all.size(), 3U);
  int errors = 0;
  for (std::size_t size = 5; size < content.size(); ++size) {
    const auto source = open(content.substr(0, size));
    if (source == nullptr) continue;
    video::Packet packet;
    std::size_t count = 0;
    try {
      while (source->read(packet)) {
        ASSERT_LT(count, all.size());
        EXPECT_EQ(text_of(packet), all[count++]) << size;
      }
      ADD_FAILURE() << "cut at " << size << ", but no error";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("is cut short"), std::string::npos) << error.what();
      ++errors;
    }
  }
  EXPECT_GT(errors, 40);
}

TEST_F(WebmPackets, ChangedBytesGivePacketsOrAnError) {
  const std::string lacing = "\2"s + "\x82\xc0" + "aabbbcccc";
  const std::string content =
      file_of(track(picture_size()),
              cluster(0, element("\xa3", block(2, lacing, '\x06')) + simple_block(3, "")) +
                  cluster(9, element("\xa0", element("\xa1", block(0, "third")))));
  Random random(5);
  int opened = 0;
  int failed = 0;
  for (int run = 0; run < 1000; ++run) {
    std::string changed = content;
    for (int change = 0; change <= run % 3; ++change) {
      changed[4 + random.below(static_cast<std::uint32_t>(changed.size() - 4))] =
          static_cast<char>(random.below(256));
    }
    const auto source = open(changed);
    if (source == nullptr) continue;
    ++opened;
    try {
      EXPECT_LE(packets_of(*source).size(), 300U);  // 256 frames of a block at most
    } catch (const Error&) {
      ++failed;
    }
  }
  EXPECT_GT(opened, 300);
  EXPECT_GT(failed, 60);
}

// libavformat also continues with a second file.
TEST_F(WebmPackets, ASecondFileContinuesTheFirst) {
  const std::string one = file_of(track(), cluster(5, simple_block(0, "a")));
  EXPECT_EQ(packets_of(one + one), (Texts{"5:a", "5:a"}));
  EXPECT_EQ(packets_of(one + "bytes of no file"), Texts{"5:a"});
}

}  // namespace
}  // namespace sidecore::webm::test_webm_packets
