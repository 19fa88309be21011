// Facts that containers and streams state beside pictures: sidecore passes them on or rejects them.
// ctest: streams
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "cli/run_command.h"
#include "matroska.h"
#include "temporary_directory.h"

namespace sidecore::test_stream_facts {
namespace {

using test::big_endian;
using test::CommandResult;
using test::element;
using test::run_command;
using Words = std::vector<std::string>;

std::string read_file(const std::string& path) {
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  return content.str();
}

class StreamFacts : public ::testing::Test {
 protected:
  static std::string stream(const std::string& name) {
    return SIDECORE_VP9_CORPUS "/" + name + ".ivf";
  }
  static CommandResult sidecore(Words words) {
    words.insert(words.begin(), SIDECORE_COMMAND);
    return run_command(words);
  }
  /// Copies the packets to another container with output options of FFmpeg, and returns its file.
  std::string copied(const std::string& from, const std::string& name, const Words& options = {}) {
    const std::string to = directory_ / name;
    Words command{"ffmpeg", "-v", "error", "-nostdin", "-y", "-i", from, "-c", "copy"};
    command.insert(command.end(), options.begin(), options.end());
    command.push_back(to);
    const CommandResult result = run_command(command);
    EXPECT_EQ(result.status, 0) << result.err;
    return to;
  }
  std::string y4m(const std::string& file) {
    const std::string output = directory_ / "out.y4m";
    const CommandResult result = sidecore({"decode", file, "-q", "-o", output});
    EXPECT_EQ(result.status, 0) << result.err;
    return output;
  }
  std::string y4m_header(const std::string& file) {
    const std::string content = read_file(y4m(file));
    return content.substr(0, content.find('\n'));
  }
  /// Returns the lines of framemd5 output without those that name the program.
  static std::string frames_of(const CommandResult& framemd5) {
    EXPECT_EQ(framemd5.status, 0) << framemd5.err;
    std::istringstream lines(framemd5.out);
    std::string kept;
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("#software")) kept += line + "\n";
    }
    return kept;
  }
  static std::string ffmpeg_frames(const std::string& file) {
    return frames_of(
        run_command({"ffmpeg", "-v", "error", "-nostdin", "-i", file, "-f", "framemd5", "-"}));
  }
  static std::string our_frames(const std::string& file) {
    return frames_of(sidecore({"decode", file, "--framemd5"}));
  }
  /// Returns the mean of all samples of the pictures after conversion to RGB.
  static double rgb_mean(const std::string& file) {
    const CommandResult result = run_command({"ffmpeg", "-v", "error", "-nostdin", "-i", file,
                                              "-pix_fmt", "rgb24", "-f", "rawvideo", "-"});
    EXPECT_EQ(result.status, 0) << result.err;
    double sum = 0;
    for (const char sample : result.out) sum += static_cast<unsigned char>(sample);
    return sum / static_cast<double>(result.out.size());
  }
  /// Expects all commands that read streams to say that the file is encrypted, and to name it.
  static void expect_called_encrypted(const std::string& file) {
    for (const Words& command :
         {Words{"decode", file, "--md5"}, Words{"metrics", "-r", file, "-d", file},
          Words{"gate", "vp9_back_end", "--gates", "m4", "--input", file},
          Words{"gate", "float_psnr", "--content", "input", "--input", file},
          Words{"split", file}}) {
      const CommandResult result = sidecore(command);
      EXPECT_EQ(result.status, 2) << command[0];
      EXPECT_NE(result.err.find("'" + file + "': "), std::string::npos) << result.err;
      EXPECT_NE(result.err.find(" is encrypted"), std::string::npos)
          << command[0] << ": " << result.err;
    }
  }

  test::TemporaryDirectory directory_;
};

// FFmpeg writes time stamps in milliseconds if it copies a WebM file to IVF.
TEST_F(StreamFacts, TheRateOfIvfIsThatOfItsFrames) {
  const std::string webm = copied(stream("alt-ref"), "clip.webm");
  for (const char* const rate : {"24", "25", "30", "50"}) {
    const std::string stamps = std::string("round(N*1000/") + rate + ")";
    const Words timed{"-bsf:v", "setts=ts='" + stamps + "':time_base=1/1000"};
    Words later = timed;
    later.insert(later.end(), {"-output_ts_offset", "1.875"});
    for (const std::string& file : {copied(webm, "a.ivf", timed), copied(webm, "b.ivf", later)}) {
      const std::string header = y4m_header(file);
      EXPECT_NE(header.find(std::string(" F") + rate + ":1 "), std::string::npos)
          << file << ": " << header;
    }
  }
  EXPECT_NE(y4m_header(webm).find(" F25:1 "), std::string::npos);
}

TEST_F(StreamFacts, ARateThatNothingTellsIsUnknown) {
  const std::string webm = copied(stream("size-66x66"), "clip.webm");
  const std::string one = copied(webm, "one.ivf", {"-frames:v", "1"});
  EXPECT_NE(y4m_header(one).find(" F0:0 "), std::string::npos);
  EXPECT_NE(our_frames(one).find("#tb 0: 1/25\n"), std::string::npos);
  EXPECT_EQ(
      run_command({"ffmpeg", "-v", "error", "-nostdin", "-i", y4m(one), "-f", "null", "-"}).status,
      0);
  std::string file = read_file(stream("size-66x66"));
  file.replace(20, 4, std::string(4, '\0'));  // sets the frame rate's denominator to 0
  const std::string none = directory_.write("none.ivf", file);
  EXPECT_NE(y4m_header(none).find(" F0:0 "), std::string::npos);
  const std::string numbered = our_frames(none);
  EXPECT_EQ(
      numbered.substr(numbered.find("#media")),
      our_frames(stream("size-66x66")).substr(our_frames(stream("size-66x66")).find("#media")));
}

TEST_F(StreamFacts, FramesHaveTheTimesOfTheirPackets) {
  const std::string late = "N*40+if(gt(N\\,3)\\,120\\,0)+if(gt(N\\,6)\\,400\\,0)";
  const std::string webm = copied(stream("size-66x66"), "late.webm",
                                  {"-bsf:v", "setts=ts='" + late + "':time_base=1/1000"});
  for (const std::string& file : {webm, copied(webm, "late.ivf")}) {
    const std::string ours = our_frames(file);
    EXPECT_EQ(ours, ffmpeg_frames(file)) << file;
    EXPECT_NE(ours.find("\n0,          7,          7, "), std::string::npos) << ours;
    EXPECT_EQ(ours.find("\n0,          4,          4, "), std::string::npos) << ours;
  }
}

TEST_F(StreamFacts, Y4mSaysRangeAndAspect) {
  const std::string webm = directory_ / "full.webm";
  const CommandResult made = run_command(
      {"ffmpeg", "-v", "error", "-nostdin", "-f", "lavfi", "-i",
       "testsrc2=size=64x64:rate=25:duration=0.2,scale=out_range=full,format=yuv420p,setsar=85/64",
       "-c:v", "libvpx-vp9", "-color_range", "pc", webm});
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(y4m_header(webm), "YUV4MPEG2 W64 H64 F25:1 Ip A85:64 C420jpeg XCOLORRANGE=FULL");
  EXPECT_NEAR(rgb_mean(y4m(webm)), rgb_mean(webm), 0.01);
  // IVF does not state a range, so the stream's range is used.
  EXPECT_EQ(y4m_header(copied(webm, "full.ivf")),
            "YUV4MPEG2 W64 H64 F25:1 Ip C420jpeg XCOLORRANGE=FULL");
  EXPECT_EQ(y4m_header(copied(webm, "full.mp4")),
            "YUV4MPEG2 W64 H64 F25:1 Ip A85:64 C420jpeg XCOLORRANGE=FULL");
  // The container's statement overrides the stream's.
  EXPECT_EQ(y4m_header(copied(webm, "tv.mkv", {"-color_range", "tv", "-aspect", "4:3"})),
            "YUV4MPEG2 W64 H64 F25:1 Ip A4:3 C420jpeg XCOLORRANGE=LIMITED");
  EXPECT_EQ(
      y4m_header(stream("profile-2-alt-ref")).find(" XCOLORRANGE=LIMITED") != std::string::npos,
      true);
}

TEST_F(StreamFacts, Y4mSaysWhereChromaLies) {
  for (const auto& [location, field] :
       {std::pair{"left", " C420mpeg2 "}, {"topleft", " C420paldv "}, {"center", " C420jpeg "}}) {
    const std::string file =
        copied(stream("size-66x66"), "sited.mkv", {"-chroma_sample_location", location});
    const std::string header = y4m_header(file);
    EXPECT_NE(header.find(field), std::string::npos) << location << ": " << header;
  }
}

/// Returns the number of bytes of an identifier or a size, from its first byte.
std::size_t length_at(const std::string& file, std::size_t at) {
  std::size_t length = 1;
  for (auto first = static_cast<unsigned char>(file.at(at)); (first & 0x80U) == 0; ++length) {
    first = static_cast<unsigned char>(first << 1U);
  }
  return length;
}

std::uint64_t size_at(const std::string& file, std::size_t at) {
  const std::size_t length = length_at(file, at);
  std::uint64_t value = static_cast<unsigned char>(file[at]) & (0xffU >> length);
  for (std::size_t byte = 1; byte < length; ++byte) {
    value = value << 8U | static_cast<unsigned char>(file.at(at + byte));
  }
  return value;
}

/// Appends `content` to the first element at the path of identifiers, and adds its length to the
/// sizes of all elements on the path.
std::string with_element(std::string file, const std::vector<std::string>& path,
                         const std::string& content) {
  std::size_t at = 0;
  std::vector<std::size_t> sizes;
  for (const std::string& id : path) {
    while (file.compare(at, id.size(), id) != 0) {
      const std::size_t size = at + length_at(file, at);
      at = size + length_at(file, size) + size_at(file, size);
    }
    sizes.push_back(at + id.size());
    at = sizes.back() + length_at(file, sizes.back());
  }
  const std::size_t end = at + size_at(file, sizes.back());
  for (const std::size_t size : sizes) {
    const std::size_t length = length_at(file, size);
    const std::uint64_t grown = (size_at(file, size) + content.size()) | 1ULL << (7 * length);
    file.replace(size, length, big_endian(grown, length));
  }
  return file.insert(end, content);
}

/// Returns a WebM file whose track has a ContentEncoding of encryption, as WebM specifies it.
std::string encrypted_webm(const std::string& file, bool with_key_id) {
  using namespace std::string_literals;
  const std::string aes = element("\x47\xe1", "\x05");
  const std::string key = with_key_id ? element("\x47\xe2", std::string(16, 'k')) : "";
  const std::string encoding = element("\x50\x31", "\0"s) + element("\x50\x32", "\1") +
                               element("\x50\x33", "\1") + element("\x50\x35", aes + key);
  return with_element(file, {"\x18\x53\x80\x67", "\x16\x54\xae\x6b", "\xae"},
                      element("\x6d\x80", element("\x62\x40", encoding)));
}

TEST_F(StreamFacts, EncryptedMatroskaIsCalledSo) {
  const std::string webm = read_file(copied(stream("size-66x66"), "plain.webm"));
  expect_called_encrypted(directory_.write("key.webm", encrypted_webm(webm, true)));
  expect_called_encrypted(directory_.write("no-key.webm", encrypted_webm(webm, false)));
  EXPECT_EQ(our_frames(directory_.write("plain.webm", webm)),
            our_frames(copied(stream("size-66x66"), "again.webm")));
}

TEST_F(StreamFacts, EncryptedMp4IsCalledSo) {
  const Words scheme{"-encryption_scheme", "cenc-aes-ctr",
                     "-encryption_key",    "00112233445566778899aabbccddeeff",
                     "-encryption_kid",    "112233445566778899aabbccddeeff00"};
  expect_called_encrypted(copied(stream("size-66x66"), "whole.mp4", scheme));
  Words fragmented = scheme;
  fragmented.insert(fragmented.end(), {"-movflags", "frag_keyframe+empty_moov"});
  const std::string path = copied(stream("size-66x66"), "fragments.mp4", fragmented);
  expect_called_encrypted(path);
  // FFmpeg writes two boxes of a fragment in the wrong order; other programs do not.
  std::string file = read_file(path);
  const std::size_t offsets = file.find("saio") - 4;
  const std::size_t sizes = file.find("saiz") - 4;
  ASSERT_LT(offsets, sizes);
  const auto length = static_cast<std::size_t>(static_cast<unsigned char>(file[sizes + 3]));
  const std::string moved = file.substr(sizes, length);
  file.erase(sizes, length).insert(offsets, moved);
  expect_called_encrypted(directory_.write("ordered.mp4", file));
}

TEST_F(StreamFacts, EncryptionIsNamedOfOtherCodecsAndOfAPipeToo) {
  const std::string path = directory_ / "mpeg4.mp4";
  const CommandResult made =
      run_command({"ffmpeg", "-v", "error", "-nostdin", "-f", "lavfi", "-i",
                   "testsrc2=size=64x64:duration=0.2", "-c:v", "mpeg4", "-encryption_scheme",
                   "cenc-aes-ctr", "-encryption_key", "00112233445566778899aabbccddeeff",
                   "-encryption_kid", "112233445566778899aabbccddeeff00", path});
  ASSERT_EQ(made.status, 0) << made.err;
  const CommandResult scored = sidecore({"metrics", "-r", path, "-d", path});
  EXPECT_EQ(scored.status, 2);
  EXPECT_NE(scored.err.find("mpeg4.mp4': the video stream is encrypted"), std::string::npos)
      << scored.err;
  const std::string webm = directory_.write(
      "key.webm", encrypted_webm(read_file(copied(stream("size-66x66"), "plain.webm")), true));
  const CommandResult piped =
      run_command({"sh", "-c", "cat '" + webm + "' | '" SIDECORE_COMMAND "' decode - --md5"});
  EXPECT_NE(piped.err.find("standard input: the video stream is encrypted"), std::string::npos)
      << piped.err;
}

// FFmpeg recognises any file with one H.263 start code as H.263, with its lowest score.
TEST_F(StreamFacts, BytesThatLookALittleLikeACodecsAreCalledUnrecognised) {
  using namespace std::string_literals;
  const std::string segment =
      std::string(300, '\x55') + "\x00\x00\x80\x02\x04"s + std::string(2000, '\x55');
  const std::string file = directory_.write("segment.m4s", segment);
  for (const Words& command :
       {Words{"decode", file, "--md5"}, Words{"metrics", "-r", file, "-d", file},
        Words{"compare", "-r", file, "-d", file}, Words{"split", file},
        Words{"gate", "float_psnr", "--content", "input", "--input", file}}) {
    const CommandResult result = sidecore(command);
    EXPECT_EQ(result.status, 2) << command[0];
    EXPECT_NE(result.err.find("segment.m4s': its container format was not recognised\n"),
              std::string::npos)
        << command[0] << ": " << result.err;
  }
  // A raw H.263 stream with pictures is recognised.
  const std::string bare = directory_ / "bare.h263";
  const CommandResult made =
      run_command({"ffmpeg", "-v", "error", "-nostdin", "-f", "lavfi", "-i",
                   "testsrc2=size=176x144:duration=0.2", "-c:v", "h263", bare});
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(sidecore({"metrics", "-r", bare, "-d", bare, "-q"}).status, 0);
  EXPECT_NE(sidecore({"decode", bare, "--md5"}).err.find("the video stream is h263, not VP9"),
            std::string::npos);
}

}  // namespace
}  // namespace sidecore::test_stream_facts
