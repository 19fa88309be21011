// Tests of `sidecore decode`, run as a user runs it.
// ctest: streams, long
// Under sanitizers these tests take long, and they run the same code as other tests.
// ctest: unsanitized *EachPlanHasTheTimes*:*EveryPlanGivesTheSameFrames*
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/run_command.h"
#include "temporary_directory.h"
#include "vp9/plan.h"

namespace sidecore::test_decode_command {
namespace {

using test::CommandResult;
using test::run_command;
using Json = nlohmann::json;

constexpr const char* kCorpus = SIDECORE_VP9_CORPUS;

std::string read_file(const std::string& path) {
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  return content.str();
}

/// Returns the first words of the table of statistics.
std::string first_words(const Json& json) {
  return json["frames"]["decoded"].dump() + " frames decoded, " + json["frames"]["shown"].dump() +
         " shown, ";
}

/// Returns the lines except those that name the program or the sample aspect ratio.
std::string comparable(const std::string& framemd5) {
  std::istringstream lines(framemd5);
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("#software") && !line.starts_with("#sar")) kept += line + "\n";
  }
  return kept;
}

class DecodeCommand : public ::testing::Test {
 protected:
  static std::string stream(const std::string& name) {
    return std::string(kCorpus) + "/" + name + ".ivf";
  }
  static CommandResult decode(std::vector<std::string> arguments,
                              const test::Environment& changes = {}) {
    arguments.insert(arguments.begin(), {SIDECORE_COMMAND, "decode"});
    return run_command(arguments, changes);
  }
  /// Returns FFmpeg's framemd5 output for a file.
  static std::string ffmpeg_framemd5(const std::string& path) {
    return run_command({"ffmpeg", "-v", "error", "-nostdin", "-i", path, "-f", "framemd5", "-"})
        .out;
  }
  void expect_failure(const std::vector<std::string>& arguments, int status,
                      const std::string& says) {
    const CommandResult result = decode(arguments);
    EXPECT_EQ(result.status, status) << result.err;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    EXPECT_TRUE(result.err.starts_with("sidecore: ")) << result.err;
    EXPECT_NE(result.err.find(says), std::string::npos) << result.err;
  }

  test::TemporaryDirectory directory_;
};

TEST_F(DecodeCommand, FrameMd5IsFFmpegsFile) {
  const CommandResult ours = decode({stream("alt-ref"), "--framemd5"});
  ASSERT_EQ(ours.status, 0) << ours.err;
  EXPECT_EQ(comparable(ours.out), comparable(ffmpeg_framemd5(stream("alt-ref"))));
}

// libwebm reads the first two files, libavformat the others: MP4, and WebM from a pipe.
TEST_F(DecodeCommand, TheContainerDoesNotMatter) {
  const std::string expected = read_file(std::string(kCorpus) + "/size-35x66.md5");
  EXPECT_EQ(decode({stream("size-35x66"), "--md5"}).out, expected);
  for (const char* const name : {"clip.webm", "clip.mkv", "clip.mp4"}) {
    const std::string file = directory_ / name;
    const CommandResult remux = run_command(
        {"ffmpeg", "-v", "error", "-nostdin", "-i", stream("size-35x66"), "-c", "copy", file});
    ASSERT_EQ(remux.status, 0) << remux.err;
    const CommandResult result = decode({file, "--md5"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.out, expected) << name;
  }
  const CommandResult piped = run_command(
      {"sh", "-c",
       "cat '" + (directory_ / "clip.webm") + "' | '" SIDECORE_COMMAND "' decode - --md5"});
  EXPECT_EQ(piped.out, expected) << piped.err;
}

TEST_F(DecodeCommand, PictureFilesHoldTheFrames) {
  const std::string y4m = directory_ / "out.y4m";
  const std::string yuv = directory_ / "out.yuv";
  ASSERT_EQ(decode({stream("profile-2-10"), "-o", y4m}).status, 0);
  ASSERT_EQ(decode({stream("profile-2-10"), "-o", yuv, "--threads", "2"}).status, 0);
  EXPECT_EQ(comparable(ffmpeg_framemd5(y4m)), comparable(ffmpeg_framemd5(stream("profile-2-10"))));
  EXPECT_EQ(run_command({"md5sum", yuv}).out.substr(0, 32) + "\n",
            read_file(std::string(kCorpus) + "/profile-2-10.md5"));
}

TEST_F(DecodeCommand, DeeperSamplesGoThroughEveryLoopFilter) {
  const std::string expected = read_file(std::string(kCorpus) + "/profile-2-12.md5");
  for (const char* const plan : {"scalar", "neon", "loop_filter=qpu", "loop_filter=divided:20"}) {
    const CommandResult result = decode({stream("profile-2-12"), "--md5", "--plan", plan});
    EXPECT_EQ(result.out, expected) << plan << ": " << result.err;
  }
}

TEST_F(DecodeCommand, StopsAfterTheFramesThatWereAskedFor) {
  const CommandResult all = decode({stream("alt-ref"), "--framemd5"});
  const CommandResult three = decode({stream("alt-ref"), "--framemd5", "--frames", "3"});
  EXPECT_EQ(std::ranges::count(three.out, '\n'), 10 + 3);
  EXPECT_TRUE(all.out.starts_with(three.out));
}

// All frames before an error are output. Their number does not depend on threads and plan.
TEST_F(DecodeCommand, FramesBeforeAnErrorAreShown) {
  const std::string whole = read_file(stream("alt-ref"));
  const std::string all = decode({stream("alt-ref"), "--framemd5"}).out;
  const std::string packet_header("\xe8\x03\0\0\0\0\0\0\0\0\0\0", 12);
  std::string webm = directory_ / "clip.webm";
  ASSERT_EQ(run_command(
                {"ffmpeg", "-v", "error", "-nostdin", "-i", stream("alt-ref"), "-c", "copy", webm})
                .status,
            0);
  const std::string cut_webm = read_file(webm);
  const std::vector<std::string> files{
      directory_.write("cut-packet.ivf", whole + packet_header + std::string(100, 'x')),
      directory_.write("cut-header.ivf", whole + packet_header.substr(0, 5)),
      directory_.write("joined.ivf", whole + whole),
      directory_.write("damaged.ivf", whole + std::string("\x02\0\0\0\0\0\0\0\0\0\0\0??", 14)),
      directory_.write("cut.webm", cut_webm.substr(0, cut_webm.size() * 3 / 4))};
  for (const std::string& file : files) {
    const CommandResult one = decode({file, "--framemd5", "--threads", "1"});
    EXPECT_TRUE(file.ends_with(".webm") || one.out == all) << file;
    EXPECT_EQ(one.status, 2) << file << ": " << one.err;
    for (const std::vector<std::string>& options :
         {std::vector<std::string>{"--threads", "2"}, {"--threads", "4"}, {"--plan", "qpu"}}) {
      std::vector<std::string> words{file, "--framemd5"};
      words.insert(words.end(), options.begin(), options.end());
      const CommandResult result = decode(words);
      EXPECT_EQ(result.out, one.out) << file << ", " << options.back();
      EXPECT_EQ(result.status, one.status);
      EXPECT_EQ(result.err, one.err);
    }
  }
}

TEST_F(DecodeCommand, AFileHoldsTheFramesBeforeAnError) {
  const std::string whole = stream("size-66x66");
  const std::string cut = directory_.write("cut.ivf", read_file(whole) + "\xe8\x03");
  const std::string digest = directory_ / "digest.md5";
  for (const char* const name : {"frames.yuv", "frames.y4m", "frames.framemd5"}) {
    std::vector<std::string> words{"-q", "-o", directory_ / name};
    if (std::string(name) == "frames.framemd5") words.emplace_back("--framemd5");
    words.push_back(whole);
    ASSERT_EQ(decode(words).status, 0);
    const std::string expected = read_file(directory_ / name);
    words.back() = cut;
    for (const char* const threads : {"1", "3"}) {
      std::filesystem::remove(directory_ / name);
      std::vector<std::string> more = words;
      more.insert(more.end(), {"--threads", threads});
      EXPECT_EQ(decode(more).status, 2);
      EXPECT_EQ(read_file(directory_ / name), expected) << name;
    }
  }
  EXPECT_EQ(decode({cut, "--md5", "-o", digest}).status, 2);
  EXPECT_FALSE(std::filesystem::exists(digest)) << "a digest of all frames must not exist for some";
}

// Encoders that drop a frame write an empty packet.
TEST_F(DecodeCommand, EmptyPacketsArePassedOver) {
  const std::string whole = read_file(stream("size-66x66"));
  const std::string empty(12, '\0');
  const std::string file =
      directory_.write("empty.ivf", whole.substr(0, 32) + empty + empty + whole.substr(32) + empty);
  for (const char* const threads : {"1", "3"}) {
    const CommandResult result = decode({file, "--md5", "--threads", threads});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.out, read_file(std::string(kCorpus) + "/size-66x66.md5"));
  }
  expect_failure({directory_.write("nothing.ivf", whole.substr(0, 32) + empty), "--md5"}, 2,
                 "the stream shows no frame");
}

/// Returns the parts of an IVF file: the file header, then each packet with its header.
std::vector<std::string> ivf_parts(const std::string& file) {
  std::vector<std::string> parts{file.substr(0, 32)};
  for (std::size_t at = 32; at < file.size();) {
    std::size_t bytes = 12;
    for (std::size_t byte = 0; byte < 4; ++byte) {
      bytes += static_cast<std::size_t>(static_cast<unsigned char>(file[at + byte])) << (8 * byte);
    }
    parts.push_back(file.substr(at, bytes));
    at += bytes;
  }
  return parts;
}

// Decoding starts at the first key frame, and goes on at the next key frame after damage.
TEST_F(DecodeCommand, AStreamMayStartAtAKeyFrame) {
  const std::vector<std::string> parts = ivf_parts(read_file(stream("key-frames")));
  const auto is_key = [&](std::size_t part) { return (parts[part][12] & 0x0c) == 0; };
  const std::string whole = directory_ / "whole.yuv";
  ASSERT_EQ(decode({stream("key-frames"), "-o", whole}).status, 0);
  const std::string frames = read_file(whole);
  const std::size_t frame_bytes = frames.size() / (parts.size() - 1);
  std::size_t second_key = 2;
  while (!is_key(second_key)) ++second_key;
  std::size_t third_key = second_key + 1;
  while (third_key < parts.size() && !is_key(third_key)) ++third_key;

  std::string late = parts[0];
  for (std::size_t part = 2; part < parts.size(); ++part) late += parts[part];
  const std::string late_file = directory_.write("late.ivf", late);
  expect_failure({late_file, "--md5"}, 2, "the stream does not begin with a key frame");

  std::string damaged = parts[0];
  for (std::size_t part = 1; part < parts.size(); ++part) {
    damaged +=
        part == second_key + 1 ? std::string("\x02\0\0\0\0\0\0\0\0\0\0\0??", 14) : parts[part];
  }
  const std::string damaged_file = directory_.write("damaged-middle.ivf", damaged);
  const auto after = [&](std::size_t part) {
    return part < parts.size() ? frames.substr((part - 1) * frame_bytes) : std::string();
  };
  for (const char* const threads : {"1", "4"}) {
    const std::string out = directory_ / "out.yuv";
    const CommandResult started =
        decode({late_file, "--start-at-key-frame", "-o", out, "--threads", threads});
    EXPECT_EQ(started.status, 0) << started.err;
    EXPECT_EQ(read_file(out), after(second_key));
    EXPECT_NE(started.err.find(std::to_string(second_key - 2) + " packets were"), std::string::npos)
        << started.err;
    const CommandResult went_on =
        decode({damaged_file, "--start-at-key-frame", "-o", out, "--threads", threads});
    EXPECT_EQ(went_on.status, 0) << went_on.err;
    EXPECT_EQ(read_file(out), frames.substr(0, second_key * frame_bytes) + after(third_key));
    EXPECT_NE(went_on.err.find("continuing at the next key frame"), std::string::npos);
  }
}

// A cut file may begin between two key frames. Its edit list then marks packets that are decoded
// but not shown.
TEST_F(DecodeCommand, DiscardedPacketsAreDecodedAndNotShown) {
  const std::string whole = directory_ / "whole.mp4";
  const std::string cut = directory_ / "cut.mp4";
  ASSERT_EQ(run_command(
                {"ffmpeg", "-v", "error", "-nostdin", "-i", stream("alt-ref"), "-c", "copy", whole})
                .status,
            0);
  ASSERT_EQ(run_command({"ffmpeg", "-v", "error", "-nostdin", "-ss", "0.12", "-i", whole, "-c",
                         "copy", cut})
                .status,
            0);
  const auto sums = [](const std::string& framemd5) {
    std::vector<std::string> found;
    std::istringstream lines(framemd5);
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("#")) found.push_back(line.substr(line.rfind(' ')));
    }
    return found;
  };
  const std::vector<std::string> expected = sums(ffmpeg_framemd5(cut));
  ASSERT_LT(expected.size(), sums(ffmpeg_framemd5(whole)).size());
  for (const char* const threads : {"1", "3"}) {
    EXPECT_EQ(sums(decode({cut, "--framemd5", "--threads", threads}).out), expected) << threads;
  }
}

TEST_F(DecodeCommand, OlderWordsForAPlanSayWhatToWrite) {
  const std::string md5 = read_file(std::string(kCorpus) + "/size-66x66.md5");
  using Words = std::vector<std::string>;
  for (const auto& [older, plan] :
       {std::pair{Words{"--loop-filter", "scalar"}, "scalar"},
        std::pair{Words{"--loop-filter", "neon"}, "neon"},
        std::pair{Words{"--loop-filter", "qpu"}, "loop_filter=qpu"},
        std::pair{Words{"--loop-filter", "qpu", "--schedule", "waves"}, "loop_filter=qpu:waves"},
        std::pair{Words{"--loop-filter", "split"}, "loop_filter=divided"},
        std::pair{Words{"--loop-filter", "split", "--least-edges", "1"}, "loop_filter=divided:1"},
        std::pair{Words{"--loop-filter", "split", "--schedule", "waves"},
                  "loop_filter=divided:waves"}}) {
    Words words{stream("size-66x66"), "--md5", "--device", "cpu", "--stats"};
    words.insert(words.end(), older.begin(), older.end());
    const CommandResult result = decode(words);
    EXPECT_EQ(result.out, md5) << result.err;
    EXPECT_NE(result.err.find(std::string("are deprecated: use --plan ") + plan + "\n"),
              std::string::npos)
        << result.err;
    EXPECT_NE(result.err.find(std::string("\nplan: ") + plan + "\n"), std::string::npos)
        << result.err;
  }
}

TEST_F(DecodeCommand, StatisticsSayWhereTimeWentAndWhatTheFilterMet) {
  const CommandResult result = decode({stream("alt-ref"), "--stats"});
  ASSERT_EQ(result.status, 0) << result.err;
  for (const char* const words :
       {"46 frames decoded, 40 shown", "plan: neon\n", "parsing", "inter prediction",
        "intra prediction", "residual", "edge derivation", "loop filter", "output",
        "fm     hev    flat   flat2", "dependency levels"}) {
    EXPECT_NE(result.err.find(words), std::string::npos) << words << " in " << result.err;
  }
  for (const char* const of_qpu : {"submission", "QPU", "dispatch"}) {
    EXPECT_EQ(result.err.find(of_qpu), std::string::npos) << of_qpu << " in " << result.err;
  }
}

TEST_F(DecodeCommand, ScalingTakesTheNumbersOfThreadsByTurns) {
  const CommandResult result = decode({stream("size-66x66"), "--scaling", "3", "--threads", "5"});
  ASSERT_EQ(result.status, 0) << result.err;
  std::istringstream lines(result.out);
  std::string line;
  std::getline(lines, line);
  EXPECT_NE(line.find("times as fast"), std::string::npos) << line;
  std::vector<int> threads;
  while (std::getline(lines, line)) {
    std::istringstream cells(line);
    int number = 0;
    double seconds = 0;
    double rate = 0;
    double ratio = 0;
    cells >> number >> seconds >> rate >> ratio;
    EXPECT_GT(rate, 0) << line;
    EXPECT_GT(ratio, 0) << line;
    if (number == 1) {
      EXPECT_EQ(ratio, 1) << line;
    }
    threads.push_back(number);
  }
  EXPECT_EQ(threads, (std::vector{1, 2, 3, 4, 5}));
}

TEST_F(DecodeCommand, TheStatisticsFileHoldsWhatTheTableSays) {
  const std::string file = directory_ / "statistics.json";
  const CommandResult result = decode({stream("sharpness-3"), "--stats", "--json", file});
  ASSERT_EQ(result.status, 0) << result.err;
  const Json json = Json::parse(read_file(file));
  EXPECT_EQ(json["schema"], "sidecore-decode");
  EXPECT_EQ(json["version"], 3);
  EXPECT_EQ(json["stream"], stream("sharpness-3"));
  EXPECT_EQ(json["plan"], "neon");
  EXPECT_TRUE(json["device"].is_null());
  EXPECT_EQ(result.err.find(first_words(json)), 0U) << result.err;
  double sum = 0;
  for (const auto& [stage, seconds] : json["stage_seconds"].items()) {
    EXPECT_GE(seconds, 0.0) << stage;
    const bool of_qpu = stage.ends_with("the QPU");
    EXPECT_EQ(seconds > 0.0, !of_qpu) << stage;
    EXPECT_EQ(result.err.find(stage) != std::string::npos, !of_qpu)
        << stage << " in " << result.err;
    sum += seconds.get<double>();
  }
  EXPECT_NEAR(sum, json["seconds"].get<double>(), 1e-6);
  for (const Json& edges : json["edges"]) {
    EXPECT_EQ(edges["lines"], 8 * edges["edges"].get<std::uint64_t>()) << edges;
    EXPECT_GE(edges["lines"], edges["fm"]) << edges;
    EXPECT_GE(edges["fm"], edges["hev"]) << edges;
    EXPECT_GE(edges["fm"], edges["flat"]) << edges;
    EXPECT_GE(edges["flat"], edges["flat2"]) << edges;
    EXPECT_NE(result.err.find(" " + edges["edges"].dump() + " "), std::string::npos) << edges;
  }
}

TEST_F(DecodeCommand, TheQpuTakesOneSubmissionAndOneFenceWaitAFrame) {
  const std::string by_qpu = directory_ / "qpu.json";
  const CommandResult qpu = decode({stream("sharpness-3"), "--plan", "loop_filter=qpu", "--device",
                                    "cpu", "--stats", "--json", by_qpu});
  ASSERT_EQ(qpu.status, 0) << qpu.err;
  EXPECT_NE(qpu.err.find("fence waits"), std::string::npos) << qpu.err;
  const Json json = Json::parse(read_file(by_qpu));
  for (const char* const what : {"submissions", "fence_waits"}) {
    EXPECT_EQ(json["of_a_frame"][what]["most"], 1) << what;
    EXPECT_EQ(json["of_a_frame"][what]["median"], 1) << what;
  }
  EXPECT_EQ(json["gpu"]["submissions"], json["gpu"]["fence_waits"]);
  EXPECT_GE(json["gpu"]["dispatches"], json["gpu"]["submissions"]);
  EXPECT_GT(json["gpu"]["edges"], 0);
  EXPECT_EQ(json["gpu"]["copied_bytes"], 0);
  // Statistics of edges do not depend on the plan, because they count edges before the loop filter.
  const CommandResult scalar = decode({stream("sharpness-3"), "--json", "-"});
  ASSERT_EQ(scalar.status, 0) << scalar.err;
  EXPECT_EQ(Json::parse(scalar.out)["edges"], json["edges"]);
}

TEST_F(DecodeCommand, EveryPlanGivesTheSameFrames) {
  const std::string md5 = decode({stream("sharpness-3"), "--md5"}).out;
  for (const char* const plan :
       {"scalar", "neon", "prediction=scalar,intra=neon", "residual=scalar,loop_filter=scalar",
        "qpu", "prediction=qpu", "residual=qpu", "intra=qpu", "loop_filter=qpu",
        "intra=qpu,loop_filter=qpu,prediction=scalar", "prediction=divided,residual=divided",
        "divided"}) {
    const std::string file = directory_ / "plan.json";
    const CommandResult result =
        decode({stream("sharpness-3"), "--plan", plan, "--device", "cpu", "--md5", "--json", file},
               test::heard_by_validation());
    ASSERT_EQ(result.status, 0) << plan << ": " << result.err;
    EXPECT_EQ(result.out, md5) << plan;
    const Json json = Json::parse(read_file(file));
    const bool divided = std::string(plan).find("divided") != std::string::npos;
    const bool on_qpu = divided || std::string(plan).find("qpu") != std::string::npos;
    EXPECT_EQ(json["device"].is_null(), !on_qpu);
    EXPECT_EQ(json["gpu"]["submissions"].get<int>() > 0, on_qpu) << json["gpu"];
    EXPECT_EQ(json["gpu"]["fence_waits"], json["gpu"]["submissions"]);
    const bool reads_copies = divided || std::string(plan) == "residual=qpu";
    EXPECT_EQ(json["gpu"]["packed_bytes"].get<int>() > 0, reads_copies) << plan;
    EXPECT_EQ(json["gpu"]["divided_rows"].get<int>() > 0, divided);
    EXPECT_EQ(json["gpu"]["divided_rows_on_gpu"].get<int>() > 0, divided);
    EXPECT_EQ(json["plan"], to_text(vp9::Plan::parse(plan)));
  }
}

// The QPU filters only large dependency levels, which small pictures do not have.
TEST_F(DecodeCommand, ADividedLoopFilterGivesTheSameFrames) {
  for (const char* const name : {"tiles-4", "profile-2-10"}) {
    const CommandResult result =
        decode({stream(name), "--plan", "loop_filter=divided", "--device", "cpu", "--md5"});
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.out, decode({stream(name), "--md5"}).out);
  }
}

/// Rows of stage_seconds that must have time under a plan, except parsing and edge derivation.
struct PlanRows {
  const char* plan;
  /// Processors of prediction, residual, intra and loop_filter.
  std::array<const char*, 4> processors;
  bool inter = true;
  bool intra = true;
  bool residual = true;
  bool filter = true;
  /// True if the rows of submission to the QPU and of waiting for it must have time.
  bool shared = false;
};

TEST_F(DecodeCommand, EachPlanHasTheTimesOfItsOwnStages) {
  constexpr const char* kNeon = "neon";
  constexpr const char* kQpu = "qpu";
  constexpr const char* kDivided = "divided";
  for (const PlanRows& expected :
       {PlanRows{"neon", {kNeon, kNeon, kNeon, kNeon}},
        // If only one stage is on the QPU, its row has the time that the host waits.
        PlanRows{"prediction=qpu", {kQpu, kNeon, kNeon, kNeon}},
        PlanRows{"residual=qpu", {kNeon, kQpu, kNeon, kNeon}},
        PlanRows{"intra=qpu", {kNeon, kNeon, kQpu, kNeon}},
        PlanRows{"loop_filter=qpu", {kNeon, kNeon, kNeon, kQpu}},
        PlanRows{"prediction=divided", {kDivided, kNeon, kNeon, kNeon}},
        PlanRows{"qpu", {kQpu, kQpu, kQpu, kQpu}, false, false, false, false, true},
        PlanRows{
            "residual=qpu,intra=qpu", {kNeon, kQpu, kQpu, kNeon}, true, false, false, true, true},
        PlanRows{"prediction=qpu,residual=qpu",
                 {kQpu, kQpu, kNeon, kNeon},
                 false,
                 true,
                 /*of intra blocks*/ true,
                 true,
                 true},
        PlanRows{"prediction=divided,residual=divided",
                 {kDivided, kDivided, kNeon, kNeon},
                 true,
                 true,
                 true,
                 true,
                 true},
        PlanRows{"prediction=divided,residual=divided,intra=qpu,loop_filter=qpu",
                 {kDivided, kDivided, kQpu, kQpu},
                 true,
                 false,
                 true,
                 false,
                 true}}) {
    SCOPED_TRACE(expected.plan);
    const std::string file = directory_ / "plan.json";
    const CommandResult result = decode({stream("sharpness-3"), "--plan", expected.plan, "--device",
                                         "cpu", "--threads", "2", "--stats", "--json", file});
    ASSERT_EQ(result.status, 0) << result.err;
    const Json json = Json::parse(read_file(file));
    const Json& seconds = json["stage_seconds"];
    const auto has_time = [&](const char* stage) {
      // A row without work must have exactly 0: no time of another stage may leak into it.
      return seconds.at(stage) > 0.0;
    };
    EXPECT_TRUE(has_time("parsing"));
    EXPECT_TRUE(has_time("edge derivation"));
    EXPECT_EQ(has_time("inter prediction"), expected.inter) << seconds;
    EXPECT_EQ(has_time("intra prediction"), expected.intra) << seconds;
    EXPECT_EQ(has_time("residual"), expected.residual) << seconds;
    EXPECT_EQ(has_time("loop filter"), expected.filter) << seconds;
    EXPECT_EQ(has_time("submission to the QPU"), expected.shared) << seconds;
    EXPECT_EQ(has_time("waiting for the QPU"), expected.shared) << seconds;
    double sum = 0;
    for (const Json& of_stage : seconds) sum += of_stage.get<double>();
    EXPECT_NEAR(sum, json["seconds"].get<double>(), 1e-6);

    const std::string plan = to_text(vp9::Plan::parse(expected.plan));
    EXPECT_EQ(json["plan"], plan);
    EXPECT_NE(result.err.find("plan: " + plan + "\n"), std::string::npos) << result.err;
    std::uint64_t dispatches = 0;
    const Json& by_stage = json["gpu"]["dispatches_by_stage"];
    constexpr std::array kStageNames{"prediction", "residual", "intra", "loop_filter"};
    for (std::size_t stage = 0; stage < kStageNames.size(); ++stage) {
      const std::string processor = expected.processors[stage];
      const auto of_stage = by_stage[kStageNames[stage]].get<std::uint64_t>();
      EXPECT_EQ(of_stage > 0, processor != kNeon) << kStageNames[stage];
      const std::string told = std::string(kStageNames[stage]) + " " + std::to_string(of_stage);
      EXPECT_EQ(result.err.find(told) != std::string::npos, processor != kNeon) << told;
      dispatches += of_stage;
    }
    EXPECT_EQ(dispatches, json["gpu"]["dispatches"]);
    EXPECT_EQ(dispatches == 0, json["device"].is_null());
  }
}

TEST_F(DecodeCommand, WhatIsNoPlanIsRefusedInOneLine) {
  const auto refusal = [&](const char* plan) {
    const CommandResult result = decode({stream("sharpness-3"), "--plan", plan, "--md5"});
    EXPECT_NE(result.status, 0) << plan;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    return result.err;
  };
  EXPECT_NE(refusal("intra=qpu,intra=neon").find("intra is named twice"), std::string::npos);
  for (const char* const plan :
       {"", ",", "gpu", "intra", "intra=", "filter=qpu", "intra=qpu,,", "intra=neon,",
        ",intra=neon", "qpu,", "qpu:waves", "intra=qpu:waves", "loop_filter=neon:waves",
        "loop_filter=qpu:20", "loop_filter=divided:0",
        "loop_filter=divided:", "loop_filter=divided:2x", "loop_filter=qpu:levels"}) {
    EXPECT_NE(refusal(plan).find("is neither a processor (scalar"), std::string::npos) << plan;
  }
  EXPECT_NE(refusal("intra=divided").find("intra cannot be divided"), std::string::npos);
  EXPECT_NE(refusal("intra=qpu,loop_filter=divided").find("loop_filter cannot be divided if"),
            std::string::npos);
  EXPECT_NE(refusal("intra=qpu,loop_filter=qpu:waves").find("to be the QPU's only stage"),
            std::string::npos);
  EXPECT_NE(decode({stream("sharpness-3"), "--plan", "neon", "--loop-filter", "neon"}).status, 0);
}

TEST_F(DecodeCommand, LargestSizeIsALimitThatIsReached) {
  EXPECT_EQ(decode({stream("size-66x66"), "--md5", "-q", "--max-pixels", "4356"}).out,
            read_file(std::string(kCorpus) + "/size-66x66.md5"));
}

TEST_F(DecodeCommand, LastLayerShowsOneFrameOfEachPacket) {
  for (const char* const threads : {"1", "3"}) {
    EXPECT_EQ(decode({stream("layers"), "--md5", "-q", "--last-layer", "--threads", threads}).out,
              read_file(std::string(kCorpus) + "/layers.last.md5"));
  }
  EXPECT_EQ(decode({stream("layers"), "--md5", "-q"}).out,
            read_file(std::string(kCorpus) + "/layers.md5"));
}

TEST_F(DecodeCommand, Y4mNamesTheChroma) {
  for (const auto& [name, field] :
       {std::pair{"profile-1-422", " C422 "}, std::pair{"profile-3-422-12", " C422p12 "}}) {
    const std::string y4m = decode({stream(name), "-o", "-", "-q", "--frames", "1"}).out;
    EXPECT_NE(y4m.substr(0, 100).find(field), std::string::npos) << name;
  }
  const std::string planes = directory_ / "rgb.yuv";
  EXPECT_EQ(decode({stream("profile-1-rgb"), "-o", planes, "-q"}).status, 0);
  EXPECT_EQ(std::filesystem::file_size(planes), std::uintmax_t{6} * 176 * 144 * 3);
}

TEST_F(DecodeCommand, BadInputEndsInOneLineAndLeavesNothing) {
  const std::string out = directory_ / "out.yuv";
  const std::string whole = read_file(stream("key-frames"));
  expect_failure({directory_ / "missing.ivf"}, 2, "No such file");
  expect_failure({directory_.write("text.ivf", "text"), "--md5"}, 2, "no video file");
  expect_failure({directory_.write("cut.ivf", whole.substr(0, 50)), "-o", out}, 2, "is cut short");
  std::string damaged = whole;
  damaged[32 + 12] = '\0';
  expect_failure({directory_.write("damaged.ivf", damaged), "-o", out}, 2,
                 "damaged.ivf': frame 0: the frame does not start with a VP9 frame marker");
  expect_failure({directory_.write("empty.ivf", whole.substr(0, 32)), "-o", out}, 2, "no frame");
  expect_failure({stream("profile-1-rgb"), "-o", directory_ / "out.y4m"}, 2,
                 "a Y4M file cannot hold RGB: write .yuv (planes green, blue, red)");
  expect_failure({stream("profile-1-440"), "-o", directory_ / "out.y4m"}, 2,
                 "a Y4M file cannot hold 4:4:0: write .yuv");
  expect_failure({stream("size-66x66"), "-o", out, "--max-pixels", "4355"}, 2,
                 "frame 0: a frame of 66x66 exceeds the limit of 4355 luma samples");
  expect_failure(
      {stream("resize-half"), "-o", directory_ / "out.y4m"}, 2,
      "a Y4M file cannot hold a frame of 160x120 yuv420p after frames of 320x240 yuv420p");
  // A full disk is an error of the environment, not of the stream.
  std::filesystem::create_symlink("/dev/full", directory_.path() / "full.yuv");
  expect_failure(
      {stream("alt-ref"), "-o", directory_ / "full.yuv"}, 3,
      "sidecore: cannot write '" + directory_ / "full.yuv" + "': No space left on device");
  expect_failure({stream("alt-ref"), "-o", directory_ / "out.mp4"}, 2, "must end in .y4m or .yuv");
  expect_failure({stream("alt-ref"), "--md5", "--framemd5"}, 2, "excludes");
  expect_failure({stream("alt-ref"), "--md5", "--scaling", "1"}, 2, "excludes");
  expect_failure({stream("alt-ref"), "--plan", "loop_filter=qpu", "--scaling", "1"}, 2,
                 "--scaling cannot measure");
  expect_failure({stream("alt-ref"), "--md5", "--json", "-"}, 2, "both go to standard output");
  expect_failure({directory_ / "damaged.ivf", "--json", directory_ / "out.json"}, 2, "frame 0");
  EXPECT_FALSE(std::filesystem::exists(directory_ / "out.json"));
  EXPECT_FALSE(std::filesystem::exists(out));
  EXPECT_FALSE(std::filesystem::exists(directory_ / "out.y4m"));
}

}  // namespace
}  // namespace sidecore::test_decode_command
