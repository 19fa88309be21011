// Inputs of `sidecore metrics`: VP9, which the project's own decoder reads; clips of different
// lengths; and options of the `vmaf` command.
// ctest: streams
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/run_command.h"
#include "temporary_directory.h"

namespace sidecore::test_metrics_inputs {
namespace {

using test::CommandResult;
using test::run_command;
using Json = nlohmann::json;

std::string stream(const std::string& name) {
  return std::string(SIDECORE_VP9_CORPUS) + "/" + name + ".ivf";
}

std::string bytes_of(const std::string& path) {
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  return content.str();
}

void write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// Parts of an IVF file: its header, and its packets with their headers.
struct Ivf {
  std::string header;
  std::vector<std::string> packets;

  explicit Ivf(const std::string& path) {
    const std::string bytes = bytes_of(path);
    header = bytes.substr(0, 32);
    for (std::size_t at = 32; at < bytes.size();) {
      std::size_t size = 12;
      for (std::size_t byte = 0; byte < 4; ++byte) {
        size += std::size_t{static_cast<unsigned char>(bytes[at + byte])} << (8 * byte);
      }
      packets.push_back(bytes.substr(at, size));
      at += size;
    }
  }
  /// Keeps only the first `bytes` bytes of a packet.
  void cut(std::size_t packet, std::size_t bytes) {
    std::string& cut = packets.at(packet);
    cut.resize(12 + bytes);
    for (std::size_t byte = 0; byte < 4; ++byte) {
      cut[byte] = static_cast<char>(bytes >> (8 * byte) & 0xff);
    }
  }
  void save(const std::string& path) const {
    std::string bytes = header;
    for (const std::string& packet : packets) bytes += packet;
    write(path, bytes);
  }
};

class MetricsInputs : public ::testing::Test {
 protected:
  static CommandResult sidecore(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), SIDECORE_COMMAND);
    return run_command(arguments);
  }
  static CommandResult metrics(const std::string& reference, const std::string& distorted,
                               const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"metrics",   "-r",   reference, "-d", distorted,
                                      "--backend", "neon", "-o",      "-",  "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return sidecore(words);
  }
  static Json scores(const CommandResult& result) {
    EXPECT_EQ(result.status, 0) << result.err;
    return result.status == 0 ? Json::parse(result.out).at("frames") : Json();
  }
  static std::vector<std::size_t> pictures_of(const Json& frames) {
    std::vector<std::size_t> numbers;
    for (const Json& frame : frames) numbers.push_back(frame.at("frameNum"));
    return numbers;
  }
  void remux(const std::string& from, const std::string& to) {
    const CommandResult result =
        run_command({"ffmpeg", "-v", "error", "-nostdin", "-y", "-i", from, "-c", "copy", to});
    ASSERT_EQ(result.status, 0) << result.err;
  }
  /// Decodes a file with `sidecore decode`, and returns the Y4M file of its pictures.
  std::string decoded(const std::string& path) {
    const std::string y4m = directory_ / "decoded.y4m";
    const CommandResult result = sidecore({"decode", path, "-o", y4m, "-q"});
    EXPECT_EQ(result.status, 0) << result.err;
    return y4m;
  }

  test::TemporaryDirectory directory_;
};

TEST_F(MetricsInputs, Vp9HasThePicturesThatDecodeShows) {
  // These streams have hidden frames, repeated frames, packets of several layers, and deep samples.
  for (const char* const name :
       {"alt-ref", "dropped", "error-resilient", "profile-1-422", "profile-2-10", "size-35x66"}) {
    const std::string plain = decoded(stream(name));
    const Json frames = scores(metrics(plain, stream(name)));
    ASSERT_FALSE(frames.empty()) << name;
    const Json identical = scores(metrics(plain, plain));
    EXPECT_EQ(frames.size(), identical.size()) << name;
    for (const Json& frame : frames) {
      EXPECT_EQ(frame,
                (Json{{"frameNum", frame["frameNum"]}, {"metrics", identical[0]["metrics"]}}))
          << name << ": identical pictures reach the upper limit";
    }
  }
}

TEST_F(MetricsInputs, TheContainerOfVp9DoesNotMatter) {
  const Json expected = scores(metrics(stream("alt-ref-aq"), stream("alt-ref")));
  ASSERT_FALSE(expected.empty());
  for (const char* const name : {"clip.webm", "clip.mkv", "clip.mp4"}) {
    const std::string path = directory_ / name;
    remux(stream("alt-ref"), path);
    EXPECT_EQ(scores(metrics(stream("alt-ref-aq"), path)), expected) << name;
    const CommandResult piped =
        run_command({"sh", "-c",
                     fmt::format("{} metrics --backend neon -r '{}' -d - -o - --json <'{}'",
                                 SIDECORE_COMMAND, stream("alt-ref-aq"),
                                 std::string(name) == "clip.mp4" ? stream("alt-ref") : path)});
    EXPECT_EQ(scores(piped), expected) << name;
  }
}

TEST_F(MetricsInputs, DamagedVp9IsRefusedAsDecodeRefusesIt) {
  const Ivf whole(stream("alt-ref"));
  const std::string path = directory_ / "cut.ivf";
  for (const std::size_t packet : {0U, 3U, 7U}) {
    for (const std::size_t left : {1U, 5U, 20U}) {
      Ivf damaged = whole;
      damaged.cut(packet, left);
      damaged.save(path);
      const CommandResult decoding = sidecore({"decode", path, "--md5", "-q"});
      ASSERT_EQ(decoding.status, 2) << packet << ", " << left;
      for (const bool distorted : {true, false}) {
        const CommandResult scoring =
            distorted ? metrics(stream("alt-ref"), path) : metrics(path, stream("alt-ref"));
        EXPECT_EQ(scoring.status, 2) << packet << ", " << left;
        EXPECT_EQ(scoring.err, decoding.err) << packet << ", " << left;
        EXPECT_EQ(scoring.out, "");
      }
    }
  }
}

TEST_F(MetricsInputs, DamageInOtherContainersIsRefusedAsDecodeRefusesIt) {
  Ivf damaged(stream("alt-ref"));
  damaged.cut(5, 40);
  damaged.save(directory_ / "cut.ivf");
  for (const char* const name : {"cut.webm", "cut.mkv", "cut.mp4"}) {
    const std::string path = directory_ / name;
    remux(directory_ / "cut.ivf", path);
    const CommandResult decoding = sidecore({"decode", path, "--md5", "-q"});
    const CommandResult scoring = metrics(stream("alt-ref"), path);
    EXPECT_EQ(decoding.status, 2) << name;
    EXPECT_EQ(scoring.status, 2) << name;
    EXPECT_EQ(scoring.err, decoding.err);
  }
}

// A file is read with libwebm, a pipe with libavformat, which continues at the next key frame's
// cluster and does not say that packets are lost.
TEST_F(MetricsInputs, PacketsThatAContainerHasLostAreMissed) {
  const std::string path = directory_ / "clip.webm";
  remux(stream("key-frames"), path);
  const CommandResult whole = sidecore({"decode", path, "--framemd5", "-q"});
  ASSERT_EQ(whole.status, 0) << whole.err;
  const std::vector<std::string> packets = Ivf(stream("key-frames")).packets;
  constexpr std::size_t kLost = 2;
  std::string bytes = bytes_of(path);
  const std::size_t packet = bytes.find(packets.at(kLost).substr(12));
  ASSERT_NE(packet, std::string::npos);
  constexpr std::size_t kBlockHeader = 7;  // identifier, size of two bytes, track, time, flags
  bytes.replace(packet - kBlockHeader, kBlockHeader, kBlockHeader, '\0');
  write(path, bytes);
  for (const char* const threads : {"1", "4"}) {
    const CommandResult decoding =
        sidecore({"decode", path, "--framemd5", "-q", "--threads", threads});
    EXPECT_EQ(decoding.status, 2);
    EXPECT_NE(decoding.err.find("packet 2 cannot be read: the elements before it are damaged"),
              std::string::npos)
        << decoding.err;
    const CommandResult piped =
        test::run_command({"sh", "-c",
                           std::string("cat '") + path + "' | exec " + SIDECORE_COMMAND +
                               " decode - --framemd5 -q --threads " + threads});
    EXPECT_EQ(piped.status, 2);
    EXPECT_NE(piped.err.find("packet 2 cannot be read: the container is damaged at byte "),
              std::string::npos)
        << piped.err;
    EXPECT_EQ(piped.out, decoding.out);
    EXPECT_TRUE(whole.out.starts_with(decoding.out)) << decoding.out;
    EXPECT_EQ(std::ranges::count(whole.out, '\n') - std::ranges::count(decoding.out, '\n'),
              packets.size() - kLost);
    const CommandResult scoring = metrics(stream("key-frames"), path);
    EXPECT_EQ(scoring.status, 2);
    EXPECT_EQ(scoring.err, decoding.err);
  }
}

TEST_F(MetricsInputs, AGateOfPicturesRefusesTheSameDamage) {
  Ivf damaged(stream("alt-ref"));
  damaged.cut(3, 20);
  const std::string path = directory_ / "cut.ivf";
  damaged.save(path);
  const CommandResult gate = sidecore(
      {"gate", "float_psnr", "--input", path, "--content", "input", "--gates", "m1", "--quick"});
  EXPECT_EQ(gate.status, 2);
  EXPECT_EQ(gate.err, sidecore({"decode", path, "--md5", "-q"}).err);
}

TEST_F(MetricsInputs, PicturesBeforeTheDamageCountWhereNoMoreAreAskedFor) {
  Ivf damaged(stream("alt-ref"));
  damaged.cut(8, 30);
  const std::string path = directory_ / "cut.ivf";
  damaged.save(path);
  const Json frames = scores(metrics(stream("alt-ref"), path, {"--frame_cnt", "4"}));
  EXPECT_EQ(pictures_of(frames), (std::vector<std::size_t>{0, 1, 2, 3}));
}

TEST_F(MetricsInputs, AStreamOfSeveralSizesIsRefusedByName) {
  const CommandResult result = metrics(stream("resize-odd"), stream("resize-odd"));
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("resize-odd.ivf': picture "), std::string::npos) << result.err;
  EXPECT_NE(result.err.find(", but earlier pictures have "), std::string::npos) << result.err;
}

/// Returns a stream three times in a row, so that it has three key frames.
Ivf three_times(const std::string& name = "alt-ref") {
  const Ivf once(stream(name));
  Ivf thrice = once;
  for (int more = 0; more < 2; ++more) {
    thrice.packets.insert(thrice.packets.end(), once.packets.begin(), once.packets.end());
  }
  return thrice;
}

TEST_F(MetricsInputs, ALateStartIsRefusedUnlessItIsAskedFor) {
  const std::string whole = directory_ / "whole.ivf";
  const std::string late = directory_ / "late.ivf";
  Ivf packets = three_times();
  packets.save(whole);
  const std::size_t once = packets.packets.size() / 3;
  // Replaces the first packet by one that is not a key frame.
  packets.packets[0] = packets.packets[1];
  packets.save(late);
  EXPECT_EQ(metrics(whole, late).status, 2);
  const Json all = scores(metrics(whole, whole));
  const CommandResult result = metrics(whole, late, {"--start-at-key-frame"});
  const Json rest = scores(result);
  ASSERT_EQ(rest.size(), all.size() / 3 * 2);
  for (std::size_t picture = 0; picture < rest.size(); ++picture) {
    EXPECT_EQ(rest[picture], all[picture]) << "identical pictures, numbered from 0";
  }
  EXPECT_NE(
      result.err.find(fmt::format("late.ivf': {} packets were damaged, or were left out", once)),
      std::string::npos)
      << result.err;
}

TEST_F(MetricsInputs, PicturesThatAreLostAreLeftOutOfBothClips) {
  const std::string whole = directory_ / "whole.ivf";
  const std::string cut = directory_ / "cut.ivf";
  const Ivf packets = three_times();
  packets.save(whole);
  const std::size_t once = packets.packets.size() / 3;
  const Json all = scores(metrics(whole, whole));
  for (const std::size_t packet : {once, once + 2, once + 5, once + once / 2}) {
    Ivf damaged = packets;
    damaged.cut(packet, 30);
    damaged.save(cut);
    for (const bool distorted : {true, false}) {
      const Json some = scores(distorted ? metrics(whole, cut, {"--start-at-key-frame"})
                                         : metrics(cut, whole, {"--start-at-key-frame"}));
      EXPECT_LT(some.size(), all.size()) << packet;
      EXPECT_GE(some.size(), all.size() / 3 * 2) << packet;
      for (const Json& frame : some) {
        EXPECT_EQ(frame["metrics"], all[0]["metrics"]) << packet << ": a picture and its copy";
      }
    }
  }
}

// A cut superframe has lost its index: only its hidden frame is left, and the picture after it is
// lost.
TEST_F(MetricsInputs, ACutSuperframeHasLostItsPicture) {
  const std::string whole = directory_ / "whole.ivf";
  const std::string cut = directory_ / "cut.ivf";
  const Ivf packets = three_times();
  packets.save(whole);
  const Json all = scores(metrics(whole, whole));
  std::size_t superframes = 0;
  for (std::size_t packet = 1; packet < packets.packets.size() / 3; ++packet) {
    const std::string& bytes = packets.packets[packet];
    if ((static_cast<unsigned char>(bytes.back()) & 0xe0) != 0xc0) continue;
    ++superframes;
    Ivf damaged = packets;
    damaged.cut(packet, bytes.size() / 2);
    damaged.save(cut);
    const Json some = scores(metrics(whole, cut, {"--start-at-key-frame"}));
    EXPECT_EQ(some.size(), all.size() / 3 * 2 + packet);
    for (const Json& frame : some) {
      EXPECT_EQ(frame["metrics"], all[0]["metrics"]) << packet << ": a picture and its copy";
    }
  }
  EXPECT_GT(superframes, 0U);
}

TEST_F(MetricsInputs, SplitLeavesTheSamePacketsOut) {
  const std::string late = directory_ / "late.ivf";
  Ivf packets = three_times();
  packets.packets.erase(packets.packets.begin());
  packets.save(late);
  const std::vector<std::string> words = {"split", late, "--no-qpu", "--no-run", "--threads", "1"};
  EXPECT_EQ(sidecore(words).status, 2);
  std::vector<std::string> more = words;
  more.emplace_back("--start-at-key-frame");
  const CommandResult result = sidecore(more);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.err.find("late.ivf': "), std::string::npos) << result.err;
}

// The gates open the clip several times for each kernel.
TEST_F(MetricsInputs, GatesLeaveTheSamePacketsOut) {
  const std::string late = directory_ / "late.ivf";
  const std::string cut = directory_ / "cut.ivf";
  Ivf packets = three_times("size-66x66");
  const std::size_t once = packets.packets.size() / 3;
  packets.cut(once + 3, 30);
  packets.save(cut);
  packets = three_times("size-66x66");
  packets.packets.erase(packets.packets.begin());
  packets.save(late);
  for (const std::vector<std::string>& kernels :
       {std::vector<std::string>{"loop_filter", "inter_prediction", "float_psnr", "--gates", "m1",
                                 "--content", "input", "--input", late},
        {"vp9_back_end", "--gates", "m4", "--window", "0.02", "--rounds", "1", "--input", cut}}) {
    std::vector<std::string> words{"gate", "--threads", "1", "--quick", "--frames", "24"};
    words.insert(words.end(), kernels.begin(), kernels.end());
    const CommandResult refused = sidecore(words);
    EXPECT_EQ(refused.status, 2) << refused.err;
    words.emplace_back("--start-at-key-frame");
    const CommandResult result = sidecore(words);
    EXPECT_EQ(result.status, 0) << result.err;
    const std::string left_out = " packets were damaged, or were left out before";
    const std::size_t first = result.err.find(left_out);
    EXPECT_NE(first, std::string::npos) << result.err;
    EXPECT_EQ(result.err.find(left_out, first + 1), std::string::npos) << result.err;
  }
  EXPECT_EQ(sidecore({"gate", "loop_filter", "--start-at-key-frame"}).status, 2);
}

std::string y4m(int pictures, const std::string& header = "YUV4MPEG2 W16 H16 F25:1 Cmono\n") {
  std::string file = header;
  for (int picture = 0; picture < pictures; ++picture) {
    file += "FRAME\n" + std::string(256, static_cast<char>(picture));
  }
  return file;
}

TEST_F(MetricsInputs, OfClipsOfDifferentLengthsTheCommonPicturesAreScored) {
  const std::string three = directory_ / "3.y4m";
  const std::string two = directory_ / "2.y4m";
  write(three, y4m(3));
  write(two, y4m(2));
  const Json common = scores(metrics(two, two));
  const CommandResult longer_reference = metrics(three, two);
  EXPECT_EQ(scores(longer_reference), common);
  EXPECT_EQ(longer_reference.err,
            fmt::format("sidecore: distorted '{}' ended after 2 pictures, reference '{}' has more: "
                        "only as many pictures as both clips have are scored\n",
                        two, three));
  const CommandResult longer_distorted = metrics(two, three, {"--threads", "3", "-q"});
  EXPECT_EQ(scores(longer_distorted), common);
  EXPECT_EQ(longer_distorted.err,
            fmt::format("sidecore: reference '{}' ended after 2 pictures, distorted '{}' has more: "
                        "only as many pictures as both clips have are scored\n",
                        two, three));
  EXPECT_EQ(metrics(three, two, {"--frame_cnt", "2"}).err, "");
  const CommandResult skipped = metrics(three, three, {"--frame_skip_ref", "1"});
  EXPECT_EQ(pictures_of(scores(skipped)), (std::vector<std::size_t>{0, 1}));
  EXPECT_NE(skipped.err.find("ended after 2 pictures"), std::string::npos) << skipped.err;
  const CommandResult compared = sidecore(
      {"compare", "-r", three, "-d", two, "--backend", "scalar", "--backend", "neon", "-q"});
  EXPECT_EQ(compared.status, 0) << compared.err;
  EXPECT_EQ(compared.err, longer_reference.err);
}

TEST_F(MetricsInputs, OfAWordThatIsGivenAgainTheLastCounts) {
  const std::string clip = directory_ / "clip.y4m";
  const std::string raw = directory_ / "clip.yuv";
  write(clip, y4m(3));
  write(raw, std::string(512, '\x10'));
  const Json all = scores(metrics(clip, clip));
  EXPECT_EQ(scores(metrics("nosuch", "nosuch", {"-r", clip, "-d", clip})), all);
  EXPECT_EQ(scores(metrics(clip, clip, {"--frame_cnt", "1", "--frame_cnt", "3", "-q", "-q"})), all);
  EXPECT_EQ(scores(metrics(raw, raw,
                           {"-w", "4", "-w", "16", "-h", "4", "-h", "16", "-p", "420", "-p", "400",
                            "-b", "10", "-b", "8"}))
                .size(),
            2U);
  const std::string first = directory_ / "first.json";
  const std::string last = directory_ / "last.json";
  const CommandResult twice =
      sidecore({"metrics", "-r", clip, "-d", clip, "-o", first, "-o", last, "--json", "--json"});
  EXPECT_EQ(twice.status, 0) << twice.err;
  EXPECT_EQ(bytes_of(first), "");
  EXPECT_EQ(Json::parse(bytes_of(last)).at("frames"), all);
}

TEST_F(MetricsInputs, TheVmafCommandsOtherWordsAreTaken) {
  const std::string clip = decoded(stream("size-66x66"));
  const Json with_model = scores(metrics(clip, clip, {"-m", "version=vmaf_v0.6.1"}));
  const Json features = scores(
      metrics(clip, clip, {"-m", "version=vmaf_v0.6.1", "-n", "-c", "255", "--gpumask", "1"}));
  ASSERT_FALSE(features.empty());
  for (std::size_t picture = 0; picture < features.size(); ++picture) {
    Json expected = with_model[picture];
    EXPECT_EQ(expected["metrics"].erase("vmaf"), 1U);
    EXPECT_EQ(features[picture], expected);
  }
  const CommandResult version = sidecore({"metrics", "-v"});
  EXPECT_EQ(version.status, 0);
  EXPECT_EQ(version.out, sidecore({"--version"}).out);
}

TEST_F(MetricsInputs, FeaturesOfAModelMayHaveMoreOutputs) {
  const std::string clip = decoded(stream("size-66x66"));
  const std::vector<std::string> model = {"--model", "version=vmaf_v0.6.1"};
  const Json plain = scores(metrics(clip, clip, model));
  for (const char* const feature : {"adm=debug=true", "vif=debug=true", "motion=debug=true"}) {
    std::vector<std::string> words = model;
    words.insert(words.end(), {"--feature", feature});
    const Json more = scores(metrics(clip, clip, words));
    ASSERT_EQ(more.size(), plain.size()) << feature;
    for (std::size_t picture = 0; picture < plain.size(); ++picture) {
      EXPECT_GT(more[picture]["metrics"].size(), plain[picture]["metrics"].size()) << feature;
      for (const auto& [name, value] : plain[picture]["metrics"].items()) {
        EXPECT_EQ(more[picture]["metrics"].at(name), value) << feature << ", " << name;
      }
    }
  }
}

TEST_F(MetricsInputs, NoControlByteOfAFileReachesTheTerminal) {
  const auto clean = [](const std::string& text) {
    return std::ranges::all_of(text, [](char letter) { return letter >= ' ' || letter == '\n'; });
  };
  const std::string evil = directory_ / "evil.y4m";
  write(evil, y4m(1, "YUV4MPEG2 W16\x1b[2J H16\r\n"));
  const std::string model = directory_ / "evil.json";
  write(model, R"({"model_dict": {"model": "", "model_type": "\u001b[2J"}})");
  const std::string result = directory_ / "result.json";
  write(result, R"({"schema": "sidecore-gate", "version": 1, "run": "\u001b[2J"})");
  const std::string log = directory_ / "log.json";
  write(log, R"({"version": "1", "frames": [{"frameNum": 0, "metrics": {"a\u001b[2Jb": 1}}]})");
  const std::string page = directory_ / "page.html";
  const std::string clip = directory_ / "clip.y4m";
  write(clip, y4m(1));
  const std::vector<std::vector<std::string>> commands = {
      {"metrics", "-r", evil, "-d", evil},
      {"metrics", "-r", clip, "-d", clip, "--model", "path=" + model},
      {"report", result, "-o", page},
      {"report", log, "-o", page, "--summary"},
      {"split", stream("alt-ref"), "--results", result},
      {"compare", "-r", clip, "-d", clip, "--backend", "neon", "--log", log, "-q"}};
  for (const std::vector<std::string>& command : commands) {
    const CommandResult said = sidecore(command);
    EXPECT_TRUE(clean(said.out)) << command[0] << ": " << said.out;
    EXPECT_TRUE(clean(said.err)) << command[0] << ": " << said.err;
    EXPECT_FALSE((said.out + said.err).empty()) << command[0];
  }
}

}  // namespace
}  // namespace sidecore::test_metrics_inputs
