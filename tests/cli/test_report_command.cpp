// `sidecore report` as a user runs it, and the page as a browser shows it.
// ctest: long
// Under sanitizers this test takes long, because its clips are long.
// ctest: unsanitized *LongClipsAreThinned*
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_file.h"
#include "cli/run_command.h"
#include "temporary_directory.h"

namespace sidecore::test_report_command {
namespace {

using Json = nlohmann::ordered_json;
using test::CommandResult;

constexpr const char* kGate = SIDECORE_TEST_DATA "/report/gate.json";
constexpr const char* kMetrics = SIDECORE_TEST_DATA "/report/metrics.json";
constexpr const char* kGateModel = SIDECORE_TEST_DATA "/report/gate-model.json";
constexpr const char* kSplit = SIDECORE_TEST_DATA "/report/split.json";
constexpr const char* kShaderdb = SIDECORE_ROOT "/shaders/shaderdb.json";
constexpr std::size_t kMaxPageBytes = 3'000'000;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t times = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++times;
  }
  return times;
}

class ReportCommand : public ::testing::Test {
 protected:
  CommandResult report(std::vector<std::string> files) {
    files.insert(files.begin(), {SIDECORE_COMMAND, "report", "-o", page_file_});
    return test::run_command(files);
  }

  void expect_refused_boards(const std::string& file) {
    const CommandResult run = report({"--boards", file});
    EXPECT_EQ(run.status, 2) << run.err;
    EXPECT_NE(run.err.find("--boards takes files of sidecore verdict alone"), std::string::npos);
  }

  /// Returns the page that `sidecore report` writes for `files`.
  std::string page(const std::vector<std::string>& files) {
    const CommandResult run = report(files);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.out + run.err, "");
    return read_text_file(page_file_);
  }

  /// Writes the sample with changed values, for instance of another board.
  template <class Change>
  std::string changed_gate(const char* name, const Change& change) {
    Json json = Json::parse(read_text_file(kGate));
    change(json);
    return directory_.write(name, json.dump());
  }

  /// Writes a table in which every kernel executes more instructions than now.
  std::string older_shaderdb() {
    Json json = Json::parse(read_text_file(kShaderdb));
    for (auto& table : json["v3d"]) {
      for (auto& kernel : table["kernels"]) {
        for (auto& variant : kernel) {
          for (auto& program : variant["programs"]) {
            program["executed"]["instructions"] =
                program["executed"]["instructions"].get<std::uint64_t>() * 3 / 2;
          }
        }
      }
    }
    return directory_.write("older.json", json.dump());
  }

  void expect_refused(const std::string& file, const std::string& why) {
    const CommandResult run = report({kGate, file});
    EXPECT_EQ(run.status, 2);
    EXPECT_EQ(run.err, "sidecore: " + why + "\n");
    EXPECT_FALSE(std::filesystem::exists(page_file_));
  }

  test::TemporaryDirectory directory_;
  std::string page_file_ = directory_ / "report.html";
};

TEST_F(ReportCommand, BoardsAreShownBesideTheModel) {
  const std::string model = read_text_file(SIDECORE_ROOT "/bench/boards/model_pi5.json");
  Json board = Json::parse(model);
  board["basis"] = "measured";
  std::size_t rows = 0;
  for (auto& step : board["steps"]) {
    rows += step["figures"].size();
    if (step["step"] == "loop_filter") step["throttled"] = "under-voltage";
    if (step["step"] != "dispatch") continue;
    step["figures"][0]["value"] = 3 * step["figures"][0]["value"].get<double>();
  }
  const std::string file = directory_.write("board.json", board.dump());
  board["clip"]["md5"] = "another";
  board["basis"] = "model, not measured";
  const std::string other = directory_.write("other.json", board.dump());
  const std::string html = page({"--boards", file, other});
  EXPECT_EQ(count(html, "<td class=\"left\">submission, us"), 1U) << "one row per figure";
  for (const char* const words :
       {"Boards beside the model", "Raspberry Pi 5, measured.",
        "Raspberry Pi 5, model, not measured.", "3.00, outside", "1.00, inside", "void: throttled",
        "another clip", "result of sidecore verdict"}) {
    EXPECT_NE(html.find(words), std::string::npos) << words;
  }
  EXPECT_EQ(count(html, "void: throttled"), 2 * 3U) << "the loop filter's figures, in two files";
  EXPECT_GE(rows, 30U);
  expect_refused_boards(kGate);
}

TEST_F(ReportCommand, PrintsTheAnswersWhenAsked) {
  const std::vector<std::string> argv{SIDECORE_COMMAND, "report",    kGate, kSplit,
                                      kMetrics,         "--summary", "-o",  page_file_};
  const CommandResult run = test::run_command(argv);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(count(run.out, "\n"), 4U) << run.out;
  for (const char* expected :
       {"gates: llvmpipe", "only a run on a board can show whether the GPU pays.\n",
        "proposal: ", "model, not measured: ", "mean scores: ", "float_psnr "}) {
    EXPECT_NE(run.out.find(expected), std::string::npos) << expected << " in\n" << run.out;
  }
  const CommandResult both =
      test::run_command({SIDECORE_COMMAND, "report", kGate, "--summary", "-o", "-"});
  EXPECT_EQ(both.status, 2);
  EXPECT_EQ(both.out, "");
}

TEST_F(ReportCommand, ShowsScoresOfModelsAboveTheirFeatures) {
  const Json frame = {{"frameNum", 0},
                      {"metrics",
                       {{"VMAF_integer_feature_motion_sad_score", 1.5},
                        {"integer_adm3_csf_2_dlmw_0.7", 0.5},
                        {"mine", 81.25},
                        {"vmaf", 92.5}}}};
  const std::string log = directory_.write(
      "vmaf.json",
      Json({{"frames", {frame}},
            {"sidecore", {{"models", "version=vmaf_v0.6.1 path=model.json:name=mine"}}}})
          .dump());
  const CommandResult run =
      test::run_command({SIDECORE_COMMAND, "report", "--summary", log, "-o", page_file_});
  EXPECT_EQ(run.out, "mean scores: mine 81.2500, vmaf 92.5000\n") << run.err;
  const std::string text = read_text_file(page_file_);
  const auto place = [&](const char* title) {
    const std::size_t at = text.find(fmt::format("<figcaption>{}</figcaption>", title));
    EXPECT_NE(at, std::string::npos) << title;
    return at;
  };
  const std::size_t heading = text.find("<h3>The features beneath</h3>");
  ASSERT_NE(heading, std::string::npos);
  EXPECT_LT(place("mine"), heading);
  EXPECT_LT(place("vmaf"), heading);
  EXPECT_GT(place("integer_<wbr>adm3_<wbr>csf_<wbr>2_<wbr>dlmw_<wbr>0.7"), heading);
}

TEST_F(ReportCommand, ReadsWithoutJavaScript) {
  std::string text = page({kGate, kMetrics, kShaderdb});
  EXPECT_LT(text.size(), kMaxPageBytes);
  text.resize(text.find("<script>"));  // cuts off the executable scripts at the end of the page
  for (const char* part :
       {"<strong>loop_filter</strong>", "correctness only", "Right on every byte of 529408 units",
        "is a CPU instead of a GPU", "M4: do both together do more?", "to beat: NEON x2",
        "M5: what does a dispatch cost?", "What holds each kernel back", "registers",
        "Picture quality, frame by frame", "throttling unknown", "psnr_hvs_cb",
        "mask 100.0 % of lines", "build/dev", "100.0000 %", "kernels[0].m4.contents[0]"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
}

TEST_F(ReportCommand, NeedsNothingFromTheNetwork) {
  const std::string text = page({kGate, kMetrics, kShaderdb});
  EXPECT_NE(text.find("default-src 'none'"), std::string::npos);
  for (const char* part : {"<link", "<img", "<script src", "<iframe", "@import", "url("}) {
    EXPECT_EQ(text.find(part), std::string::npos) << part;
  }
}

TEST_F(ReportCommand, PutsFilesOfTwoBoardsSideBySide) {
  const std::string other = changed_gate("other.json", [](Json& json) {
    json["environment"]["before"]["board"] = "Raspberry Pi 5 Model B Rev 1.0";
    json["kernels"][0]["verdicts"][0]["conclusion"] = "pays";
    json["kernels"][0]["verdicts"][0]["text"] = "NEON x3 + QPU pays with mixed kernels: +6.1 %";
  });
  const std::string text = page({kGate, other});
  EXPECT_NE(text.find("Raspberry Pi 5 Model B Rev 1.0"), std::string::npos);
  EXPECT_NE(text.find("<li class=\"good\"><strong>loop_filter</strong>"), std::string::npos);
  EXPECT_EQ(count(text, "<details open id=\"kernel-loop_filter\">"), 1U)
      << "one section per kernel";
  EXPECT_EQ(count(text, "id=\"file-"), 2U);
}

TEST_F(ReportCommand, ShowsThePlayerOfAClip) {
  const std::string text = page({changed_gate("player.json", [](Json& json) {
    Json& windows = json["kernels"][0]["m4"]["contents"][0];
    const Json rate = windows["windows"][0]["rate"];
    windows["player"] = {
        {"origin", "48 packets of 'clip.webm'"},
        {"threads", 4},
        {"pictures", 47},
        {"frames", 50},
        {"submissions", 49},
        {"fence_waits", 49},
        {"md5",
         {{"scalar", "5ca1"},
          {"neon", "5ca1"},
          {"mixed", "5ca1"},
          {"mixed_after_windows", "5ca1"}}},
        {"agrees", true},
        {"neon_pictures_per_second", rate},
        {"mixed_pictures_per_second", rate},
        {"board_states",
         {{{"lowest_mhz", 1500},
           {"highest_mhz", 2400},
           {"highest_celsius", 61.5},
           {"throttle_flags", 0}}}},
        {"pay_off", {{"gain", 0.081}, {"outside_spread", true}, {"winner", "NEON x4 + QPU"}}},
        {"mixed_plan", "qpu"},
        {"divided",
         {{"plan", "prediction=divided,intra=qpu"},
          {"submissions", 98},
          {"fence_waits", 98},
          {"md5", "5ca1"},
          {"md5_after_windows", "5ca1"},
          {"pictures_per_second", rate}}},
        {"no_divided", ""}};
    windows["no_player"] = "";
    Json& shared = json["kernels"][1]["m4"]["contents"][0];
    shared["player"] = nullptr;
    shared["no_player"] = "the player is the same as under loop_filter";
    shared["player_pay_off"] = windows["player"]["pay_off"];
  })});
  EXPECT_EQ(count(text, "<td>+8.1 %</td>"), 2U)
      << "the kernel with the playback test and the one that shares its gain";
  for (const char* part :
       {"Playback test of 48 packets of", "to beat: NEON\"", "prediction=divided,intra=qpu",
        "Gain with the playback test: +8.1 %",
        "All pictures equal the scalar decoder&#39;s: MD5 5ca1.", "49 submissions, 49 fence waits",
        "The board in these windows: 1500 to 2400 MHz, at most 61.5 °C, get_throttled 0x0.",
        "gain, playback</th>", "<td>+8.1 %</td>"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
}

TEST_F(ReportCommand, ManyKernelsAreTableRowsAndOneCardWhereTheSameIsSaid) {
  const std::string text = page({changed_gate("many.json", [](Json& json) {
    Json& kernels = json["kernels"];
    const Json model = kernels[0];
    kernels = Json::array();
    for (const char* name : {"one", "two", "three", "four"}) {
      kernels.push_back(model);
      kernels.back()["name"] = name;
      for (Json& verdict : kernels.back()["verdicts"]) {
        const bool last = std::string_view(name) == "four";
        verdict["conclusion"] = last ? "does not pay" : "pays";
        verdict["text"] = last ? "-3.0 %" : "+6.1 %";
        verdict["ratio"] = 0.5;
        verdict["band"] = "YELLOW";
      }
      kernels.back()["m4"]["contents"][0]["pay_off_mixed"] = {
          {"gain", 0.061}, {"outside_spread", true}, {"winner", "NEON x3 + QPU"}};
    }
  })});
  const char* const headline =
      "the GPU pays for 3 of 4 kernels on every content that was judged, and does not for 1 "
      "(no ARM core here: this holds for this machine and its SIMDe build only).";
  for (const char* part :
       {headline, "<a href=\"#kernel-two\">two</a>", "0.50 YELLOW", "+6.1 %", "gain, mixed",
        "<strong>one</strong>, <strong>two</strong>, <strong>three</strong>\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(text.find("gain, same</th>"), std::string::npos) << "no kernel has one";
}

TEST_F(ReportCommand, AHeadlineCountsTheContentsThatWereJudged) {
  const auto headline = [&](const std::vector<std::string>& conclusions) {
    const std::string text = page({changed_gate("judged.json", [&](Json& json) {
      json["build"]["neon_is_native"] = true;
      json["kernels"].erase(1);
      Json& verdicts = json["kernels"][0]["verdicts"];
      const Json model = verdicts[0];
      verdicts = Json::array();
      for (const std::string& conclusion : conclusions) {
        verdicts.push_back(model);
        verdicts.back()["conclusion"] = conclusion;
      }
    })});
    const std::size_t start = text.find("the GPU pays for ");
    return start == std::string::npos ? text : text.substr(start, text.find('<', start) - start);
  };
  const auto pays_for = [](const char* pays, const char* not_for) {
    return fmt::format(
        "the GPU pays for {} of 1 kernels on every content that was judged, and does not for {}.",
        pays, not_for);
  };
  // A run without a clip has time windows on one of four contents.
  EXPECT_EQ(headline({"pays", "incomplete", "incomplete", "incomplete"}), pays_for("1", "0"));
  EXPECT_EQ(headline({"incomplete", "does not pay", "stopped early"}), pays_for("0", "1"));
  EXPECT_EQ(headline({"stopped early", "incomplete"}), pays_for("0", "1"));
  EXPECT_EQ(headline({"pays", "stopped early"}), pays_for("0", "0"));
  EXPECT_EQ(headline({"within the spread", "pays"}), pays_for("0", "0"));
  EXPECT_EQ(headline({"incomplete", "incomplete"}), pays_for("0", "0"));
}

TEST_F(ReportCommand, SaysWhatHappenedWhileTheWindowsRan) {
  const std::string text = page({changed_gate("hot.json", [](Json& json) {
    for (Json& cpu : json["environment"]["before"]["cpus"]) cpu["maximum_mhz"] = 2400;
    Json& states = json["kernels"][0]["m4"]["contents"][0]["windows"][1]["board_states"];
    states[0] = {{"lowest_mhz", 600},
                 {"highest_mhz", 2400},
                 {"highest_celsius", 84.5},
                 {"throttle_flags", 4}};
  })});
  for (const char* part : {"A CPU&#39;s clock was down to 600 of 2400 MHz while M4 ran",
                           "600 to 2400 MHz, at most 84.5 °C, get_throttled 0x4",
                           "Void: throttled while windows of M4 ran"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
}

TEST_F(ReportCommand, ShowsTheGpusCountersAndItsBusyTime) {
  const auto counted = [&](const char* name, bool simulated) {
    return changed_gate(name, [&](Json& json) {
      json["device"]["simulated"] = simulated;
      Json& m2 = json["kernels"][0]["m2"];
      m2["gpu_counters_refused"] = "";
      m2["gpu_counter_passes"] = 1;
      m2["contents"][0]["units"] = 100;
      m2["contents"][0]["runs"][0]["dispatches"] = 2;
      m2["contents"][0]["runs"][0]["gpu_counters"] = {
          {{"name", "QPU-<active>"}, {"value", 1234}, {"unit", "cycles"}, {"scope", "command"}}};
      Json& m4 = json["kernels"][0]["m4"];
      m4["gpu_busy_source"] = "somewhere";
      m4["no_gpu_busy"] = "";
      m4["contents"][0]["windows"][2]["gpu_busy"] = {
          {{{"driver", "v3d"}, {"engine", "csd"}, {"share", 0.625}}}};
    });
  };
  const std::string text = page({counted("counted.json", false)});
  for (const char* part :
       {"The GPU&#39;s own counters, from a separate, untimed run", "QPU-&lt;active&gt;", ">1234<",
        ">617<", ">12.34<", ">cycles<", "v3d csd 62.5 %", "Busy time: somewhere."}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
  EXPECT_NE(text.find("The GPU&#39;s own counters in file 1: none: the driver offers no "
                      "VK_KHR_performance_query."),
            std::string::npos)
      << "of the other kernel";
  EXPECT_NE(
      page({counted("simulated.json", true)}).find("None of them is a counter of the hardware"),
      std::string::npos);
}

TEST_F(ReportCommand, ShowsModelledGatesAndSaysThatNothingWasMeasured) {
  const std::string text = page({kGateModel});
  EXPECT_NE(text.find("<h2>Modelled, not measured</h2>"), std::string::npos);
  EXPECT_NE(text.find("-20.0 % .. +30.0 %"), std::string::npos);
  EXPECT_NE(text.find("open (modelled)"), std::string::npos);
  EXPECT_NE(text.find("No figure in this table was measured"), std::string::npos);
  EXPECT_EQ(text.find("id=\"verdicts\""), std::string::npos);
  const CommandResult lines =
      test::run_command({SIDECORE_COMMAND, "report", kGateModel, "--summary", "-o", page_file_});
  EXPECT_EQ(lines.out,
            "model, not measured: loop_filter on a pi5, smooth, levels: gain with the QPU -20.0 % "
            ".. +30.0 %, open\n");
}

TEST_F(ReportCommand, ShowsWhichStageRunsWhere) {
  const Json proposal = Json::parse(read_text_file(kSplit));
  const std::string text = page({kSplit});
  EXPECT_NE(text.find("Which stage runs where?"), std::string::npos);
  EXPECT_NE(text.find("File 1: proposal: "), std::string::npos);
  EXPECT_NE(text.find("<code>sidecore split clip.ivf --model"), std::string::npos);
  std::size_t measured = 0;
  for (const auto& plan : proposal["plans"]) {
    if (!plan["measured_frames_per_second"].is_null()) ++measured;
  }
  ASSERT_GT(measured, 0U);
  ASSERT_LT(measured, proposal["plans"].size());
  EXPECT_EQ(count(text, "\"measured\":"), measured);
  EXPECT_NE(text.find("(model, not measured)"), std::string::npos);
  EXPECT_NE(text.find("to beat: no QPU"), std::string::npos);
  for (const auto& assumption : proposal["assumptions"]) {
    const std::string all = assumption.get<std::string>();
    const std::string words = all.substr(0, all.find_first_of("'<>&\""));
    EXPECT_NE(text.find(words), std::string::npos) << words;
  }
}

TEST_F(ReportCommand, ShowsTheCpuTimeWhereItIsTheAim) {
  Json proposal = Json::parse(read_text_file(kSplit));
  EXPECT_EQ(page({kSplit}).find("CPU time per picture at"), std::string::npos);
  proposal["aim"] = "cpu";
  proposal["fps"] = 0.5;
  const std::string text = page({directory_.write("cpu.json", proposal.dump())});
  EXPECT_NE(text.find("CPU time per picture at 0.5 pictures/s"), std::string::npos);
  for (const auto& plan : proposal["plans"]) {
    const double cpu = plan["predicted_cpu_seconds_per_picture"]["expected"];
    EXPECT_NE(text.find(fmt::format("\"text\":\"{:.2f}\"", 1e3 * cpu)), std::string::npos) << cpu;
  }
}

TEST_F(ReportCommand, SaysWhatSpoilsTheFigures) {
  const std::string text = page({changed_gate("bad.json", [](Json& json) {
    json["environment"]["throttled"] = "under-voltage";
    json["environment"]["before"]["cpus"][0]["governor"] = "ondemand";
    json["environment"]["before"]["load_average"] = {2.5, 1.0, 1.0};
    json["build"]["type"] = "Debug";
    Json& agreement = json["kernels"][0]["m1"]["agreements"][0];
    agreement["agreeing"] = 5;
    agreement["first_difference"] = {
        {"origin", "seed 7"}, {"where", "edge 17"}, {"byte", 3}, {"expected", 1}, {"found", 2}};
  })});
  for (const char* part :
       {"the figures are void: under-voltage", "governor is ondemand, not performance",
        "Load 2.50 before the run", "The build is Debug, not optimised", "<tr class=\"failed\">",
        "Not right on every byte", "first in seed 7: edge 17, expected 1, found 2"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
}

TEST_F(ReportCommand, WhatAFileSaysIsTextAndNeverMarkup) {
  const std::string hostile = "</script><script>alert(1)</script><b>&\"'";
  const std::string gate = changed_gate("hostile.json", [&](Json& json) {
    json["environment"]["before"]["board"] = hostile;
    json["command_line"] = {hostile};
    json["kernels"][0]["name"] = hostile;
    json["kernels"][0]["unit"] = hostile;
    json["kernels"][0]["m4"]["contents"][0]["beside"] = hostile;
    json["kernels"][0]["m3"]["contents"][0]["branches"] = {
        {{"name", hostile}, {"rate", 0.5}, {"of", hostile}}};
    json["device"]["name"] = hostile;
  });
  const std::string log = directory_.write(
      "<b>.json", Json{{"version", hostile},
                       {"frames", {{{"frameNum", 0}, {"metrics", {{hostile, 1.0}}}}}},
                       {"sidecore", {{hostile, hostile}}}}
                      .dump());
  Json proposal = Json::parse(read_text_file(kSplit));
  proposal["stream"] = hostile;
  proposal["qpu"] = hostile;
  proposal["not_run"] = hostile;
  proposal["assumptions"] = {hostile};
  proposal["command_line"] = {hostile};
  const std::string split = directory_.write("split.json", proposal.dump());
  const std::string text = page({gate, split, log, kShaderdb});
  EXPECT_EQ(text.find("alert(1)</script>"), std::string::npos);
  EXPECT_EQ(text.find("<script>alert"), std::string::npos);
  EXPECT_EQ(text.find("<b>&\""), std::string::npos);
  EXPECT_EQ(text.find("<b>.json"), std::string::npos);
}

TEST_F(ReportCommand, RefusesWhatIsNoResultInASentence) {
  const std::string newer = changed_gate("newer.json", [](Json& json) { json["version"] = 7; });
  expect_refused(newer, "'" + newer +
                            "' is sidecore-gate version 7, and this sidecore reads up to 1: use a "
                            "newer one");
  const std::string truncated =
      directory_.write("truncated.json", read_text_file(kGate).substr(0, 1000));
  expect_refused(truncated, "'" + truncated +
                                "' is not a whole JSON document (it ends early or is invalid at "
                                "byte 1001)");
  const std::string huge = directory_.write("huge.json", R"({"schema": 1e999})");
  expect_refused(huge, "'" + huge + "' has a number that is too large to be read");
  const std::string other = directory_.write("package.json", R"({"name": "another program"})");
  expect_refused(
      other, "'" + other +
                 "' is neither a result of sidecore gate, split, verdict or shaderdb, nor a log of "
                 "sidecore metrics or libvmaf");
  const std::string proposal = read_text_file(kSplit);
  const std::string newer_split =
      directory_.write("split.json", replaced(proposal, "\"version\": 5,", "\"version\": 6,"));
  expect_refused(newer_split, "'" + newer_split +
                                  "' is sidecore-split version 6, and this sidecore reads up to 5: "
                                  "use a newer one");
  const std::string text = directory_.write("notes.txt", "not JSON at all");
  EXPECT_EQ(report({text}).status, 2);
  expect_refused(directory_.path(),
                 "'" + directory_.path().native() + "' is a directory, not a file");
}

TEST_F(ReportCommand, LongClipsAreThinnedAndKeepTheirPeaks) {
  Json frames = Json::array();
  for (int frame = 0; frame < 50'000; ++frame) {
    frames.push_back(
        {{"frameNum", frame}, {"metrics", {{"float_psnr", frame == 31'415 ? 11.25 : 40.5}}}});
  }
  const std::string text = page({directory_.write("long.json", Json{{"frames", frames}}.dump())});
  EXPECT_LT(text.size(), 600'000U);
  EXPECT_NE(text.find("[31415.0,11.25]"), std::string::npos);
  EXPECT_NE(text.find("<td>50000</td>"), std::string::npos);
}

/// Starts the browser once for all pages, because starting it is slow.
TEST_F(ReportCommand, ShowsEveryChartAtThePhonesAndTheDesksWidth) {
  const std::string wide = changed_gate("second.json", [](Json& json) {
    json["environment"]["before"]["board"] = "Raspberry Pi 5 Model B Rev 1.0 of another day";
    json["device"]["name"] = "V3D 7.1.7.0";
  });
  const std::string good = page({kGate, wide, kSplit, older_shaderdb(), kShaderdb, kMetrics});
  directory_.write("good.html", good);
  // A page with faults that the check below must find.
  directory_.write("bad.html", replaced(replaced(good, "data-marks=\"", "data-marks=\"9"), "<main>",
                                        "<main><p style=\"width:2000px\">too wide</p>"));
  directory_.write("check.js", read_text_file(SIDECORE_ROOT "/tests/report_check.js"));
  const std::string check =
      directory_.write("check.html",
                       "<!DOCTYPE html><meta charset=utf-8><pre id=outcome>not run</pre>"
                       "<iframe title=phone src=good.html width=360 height=800></iframe>"
                       "<iframe title=desk src=good.html width=1440 height=900></iframe>"
                       "<iframe title=bad src=bad.html width=360 height=800></iframe><script "
                       "src=check.js></script>");
  const CommandResult run = test::run_command(
      {"timeout", "60", "chromium", "--headless", "--no-sandbox", "--disable-gpu",
       "--allow-file-access-from-files", "--enable-logging=stderr", "--virtual-time-budget=20000",
       "--user-data-dir=" + directory_ / "profile", "--dump-dom", "file://" + check},
      {{"HOME", directory_.path()}});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err.find("CONSOLE"), std::string::npos) << run.err;
  EXPECT_NE(run.out.find("phone: ok\n"), std::string::npos) << run.out.substr(0, 4000);
  EXPECT_NE(run.out.find("desk: ok\n"), std::string::npos) << run.out.substr(0, 4000);
  const std::size_t bad = run.out.find("\nbad: ");
  ASSERT_NE(bad, std::string::npos);
  EXPECT_NE(run.out.find("px wide in 3", bad), std::string::npos);
  EXPECT_NE(run.out.find("5 marks, not 95", bad), std::string::npos);
}

}  // namespace
}  // namespace sidecore::test_report_command
