// `sidecore split` as a user runs it: plans, documents, texts and refusals. Predicted speeds depend
// on the machine and are not tested. One test that runs the plans is enough under sanitizers.
// ctest: streams, long
// ctest: unsanitized *TheLeastCpuTime*:*InstallsWhatRanBest*:*DeepSamplesAreSplitToo*
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "base/text_file.h"
#include "cli/run_command.h"
#include "environment_variable.h"
#include "gates/gate_results.h"
#include "gates/result_document.h"
#include "model/board_model.h"
#include "model/picture_model.h"
#include "model/stream.h"
#include "temporary_directory.h"

namespace sidecore::test_split_command {
namespace {

using test::CommandResult;

class SplitCommand : public ::testing::Test {
 protected:
  static std::string stream(const std::string& name) {
    return std::string(SIDECORE_VP9_CORPUS) + "/" + name + ".ivf";
  }
  static CommandResult run_split(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {SIDECORE_COMMAND, "split"});
    return test::run_command(arguments);
  }
  static void expect_failure(const std::vector<std::string>& arguments, const std::string& says) {
    const CommandResult result = run_split(arguments);
    EXPECT_EQ(result.status, 2) << result.err;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    EXPECT_NE(result.err.find(says), std::string::npos) << result.err;
  }

  /// Writes a model that claims to be of the stream's first packets, and returns its file. Its
  /// figures are from another stream, which does not matter for these tests.
  std::string model_of(const std::string& name) {
    const model::Stream packets = model::read_stream(stream(name), 40, 1.0 / 3);
    model::PictureModel model =
        model::read_picture_model(std::string(SIDECORE_TEST_DATA) + "/picture-model.json");
    model.clip.packets = 4;
    model.clip.md5 = model::digest_of(std::span(packets.packets).first(4));
    return directory_.write(name + ".model.json", model::to_json(model));
  }

  test::TemporaryDirectory directory_;
};

std::vector<std::string> plans_of(const nlohmann::json& proposal) {
  std::vector<std::string> plans;
  for (const auto& plan : proposal["plans"]) plans.push_back(plan["plan"]);
  return plans;
}

TEST_F(SplitCommand, ProposesRunsAndSaysWhatItAssumed) {
  const std::string file = directory_ / "split.json";
  const CommandResult result =
      run_split({stream("alt-ref"), "--threads", "2", "--no-qpu", "--json", file});
  ASSERT_EQ(result.status, 0) << result.err;
  for (const char* const words : {"proposal: ", "predicted", "measured",
                                  "assumed:", "neon, 2 threads", "no plan with a QPU: --no-qpu"}) {
    EXPECT_NE(result.out.find(words), std::string::npos) << words << " in " << result.out;
  }
  const auto json = nlohmann::json::parse(std::ifstream(file));
  EXPECT_EQ(json["schema"], "sidecore-split");
  EXPECT_EQ(json["plans"].size(), 4U);
  for (const auto& plan : json["plans"]) {
    const auto& predicted = plan["predicted_frames_per_second"];
    EXPECT_LT(predicted["low"], predicted["expected"]);
    EXPECT_LT(predicted["expected"], predicted["high"]);
    EXPECT_GT(plan["measured_frames_per_second"], 0);
  }
  const auto& proposed = json["plans"][json["proposal"].get<std::size_t>()];
  for (const auto& plan : json["plans"]) {
    EXPECT_GE(proposed["predicted_frames_per_second"]["expected"],
              plan["predicted_frames_per_second"]["expected"]);
  }
}

TEST_F(SplitCommand, PlansOfTheQpuArePredictedAndRun) {
  const CommandResult result =
      run_split({stream("alt-ref"), "--packets", "12", "--sample", "0.5", "--threads", "1",
                 "--device", "cpu", "--least-edges", "20", "--json", "-"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  ASSERT_EQ(json["plans"].size(), 11U);
  EXPECT_EQ(plans_of(json),
            (std::vector<std::string>{"scalar", "neon", "loop_filter=qpu", "loop_filter=qpu:waves",
                                      "loop_filter=divided:20", "loop_filter=divided:waves", "qpu",
                                      "divided", "prediction=qpu", "residual=qpu", "intra=qpu"}));
  EXPECT_EQ(json["plans"][5]["basis"], "measured");
  EXPECT_EQ(json["least_edges"]["edges"], 20);
  EXPECT_EQ(json["least_edges"]["origin"], "given by --least-edges");
  for (const auto& plan : json["plans"]) {
    EXPECT_GT(plan["predicted_frames_per_second"]["expected"], 0);
    EXPECT_GT(plan["measured_frames_per_second"], 0);
  }
}

TEST_F(SplitCommand, TheLeastCpuTimeAtARateIsPlayedAndProposed) {
  const CommandResult result =
      run_split({stream("alt-ref"), "--packets", "12", "--sample", "0.5", "--threads", "1",
                 "--device", "cpu", "--for", "cpu", "--fps", "20", "--json", "-"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["aim"], "cpu");
  EXPECT_EQ(json["fps"], 20);
  ASSERT_GE(json["plans"].size(), 2U);
  for (const auto& plan : json["plans"]) {
    EXPECT_GT(plan["predicted_cpu_seconds_per_picture"]["expected"], 0);
    // A Vulkan driver on the CPU may be too slow for the rate, so only plans of the CPU must play.
    const bool on_cpu = !vp9::Plan::parse(plan["plan"].get<std::string>()).uses_qpu();
    ASSERT_TRUE(!on_cpu || !plan["at_rate"].is_null());
    if (plan["at_rate"].is_null()) continue;
    EXPECT_GT(plan["at_rate"]["cpu_seconds_per_picture"], 0);
    EXPECT_EQ(plan["at_rate"]["pictures"], json["pictures_predicted"]);
  }
  expect_failure({stream("alt-ref"), "--for", "cpu"}, "give --fps");
  expect_failure({stream("alt-ref"), "--fps", "30"}, "--for cpu and --for energy");
  expect_failure({stream("alt-ref"), "--for", "energy", "--fps", "30", "--no-run"},
                 "--for energy needs plans that run");
}

TEST_F(SplitCommand, InstallsWhatRanBestForPlayers) {
  const std::string file =
      directory_.write("players.conf", "# mine\nthreads=7\nstage_times = on\n");
  for (const std::vector<std::string>& aim :
       {std::vector<std::string>{}, {"--for", "cpu", "--fps", "20"}}) {
    std::vector<std::string> arguments{stream("alt-ref"), "--threads",    "2",
                                       "--no-qpu",        "--install-to", file};
    arguments.insert(arguments.end(), aim.begin(), aim.end());
    const CommandResult result = run_split(arguments);
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_NE(result.out.find("installed in " + file + ": "), std::string::npos) << result.out;
    std::istringstream lines(read_text_file(file));
    std::vector<std::string> text;
    for (std::string line; std::getline(lines, line);) text.push_back(line);
    ASSERT_EQ(text.size(), 5U) << "the earlier installation is replaced";
    EXPECT_EQ(text[0], "# mine");
    EXPECT_EQ(text[1], "stage_times = on");
    EXPECT_TRUE(text[2].starts_with("# sidecore-split alt-ref.ivf: ")) << text[2];
    EXPECT_EQ(text[2].find("the least CPU time of the plans that keep 20 pictures/s") ==
                  std::string::npos,
              aim.empty());
    EXPECT_TRUE(text[3] == "plan = neon" || text[3] == "plan = scalar") << text[3];
    EXPECT_TRUE(text[4] == "threads = 1" || text[4] == "threads = 2") << text[4];
  }
  // The fault is reported before anything is measured.
  const CommandResult own =
      test::run_command({SIDECORE_COMMAND, "split", stream("alt-ref"), "--no-qpu", "--threads", "1",
                         "--install-to", "/proc/no/such/file"});
  EXPECT_EQ(own.status, 2);
  EXPECT_EQ(std::ranges::count(own.err, '\n'), 1) << own.err;
  expect_failure({stream("alt-ref"), "--no-run", "--install"}, "--no-run excludes --install");
  expect_failure({stream("alt-ref"), "--model", "pi5", "--install"}, "--model excludes --install");
}

TEST_F(SplitCommand, WithoutARunNothingIsMeasured) {
  const CommandResult result =
      run_split({stream("alt-ref"), "--no-qpu", "--no-run", "--threads", "1", "--json", "-"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["not_run"], "--no-run was given");
  for (const auto& plan : json["plans"]) {
    EXPECT_TRUE(plan["measured_frames_per_second"].is_null());
    EXPECT_TRUE(plan["error"].is_null());
  }
}

TEST_F(SplitCommand, DeepSamplesAreSplitToo) {
  const std::string deep = stream("profile-2-alt-ref");
  const CommandResult result = run_split({deep, "--packets", "12", "--sample", "0.5", "--threads",
                                          "1", "--device", "cpu", "--no-run", "--json", "-"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  ASSERT_GE(json["plans"].size(), 7U);
  for (const auto& plan : json["plans"]) {
    EXPECT_GT(plan["predicted_frames_per_second"]["low"], 0);
  }
  EXPECT_GE(json["least_edges"]["edges"], 1);
  EXPECT_NE(json["least_edges"]["origin"].get<std::string>().find("measured here"),
            std::string::npos);
}

TEST_F(SplitCommand, ADivisionThatLeavesTheQpuNothingIsNoPlan) {
  const CommandResult result =
      run_split({stream("alt-ref"), "--model", model_of("alt-ref"), "--threads", "1", "--no-run",
                 "--least-edges", "1000000", "--json", "-"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  ASSERT_EQ(json["plans"].size(), 10U);
  EXPECT_EQ(json["plans"][4]["plan"], "loop_filter=divided:waves");
  EXPECT_EQ(json["plans"][5]["plan"], "qpu");
  EXPECT_NE(json["assumptions"].dump().find("so this plan is left out"), std::string::npos);
}

TEST_F(SplitCommand, AModelPricesTheQpuAndSaysSoEverywhere) {
  const CommandResult text = run_split({stream("alt-ref"), "--model", model_of("alt-ref"),
                                        "--threads", "1", "--no-run", "--least-edges", "20"});
  ASSERT_EQ(text.status, 0) << text.err;
  std::istringstream lines(text.out);
  int labelled = 0;
  for (std::string line; std::getline(lines, line);) {
    const bool on_qpu =
        line.find("qpu") != std::string::npos || line.find("divided") != std::string::npos;
    if (!on_qpu || !line.starts_with("  ") || line.find(" thread") == std::string::npos) continue;
    EXPECT_NE(line.find("(model, not measured)"), std::string::npos) << line;
    ++labelled;
  }
  EXPECT_EQ(labelled, 18) << text.out;  // nine plans in each of two tables
  EXPECT_NE(text.out.find("the CPU is this machine's"), std::string::npos) << text.out;
}

TEST_F(SplitCommand, ABoardsNameModelsBothSides) {
  const std::string file = directory_ / "pi.json";
  for (const auto& [board, v3d, rate] :
       {std::tuple{"pi4", "4.2", "1.8 GHz"}, std::tuple{"pi5", "7.1", "2.4 GHz"}}) {
    model::PictureModel model = model::read_picture_model(model_of("alt-ref"));
    model.v3d = v3d;
    const std::string pictures = directory_.write("pictures.json", model::to_json(model));
    const CommandResult result = run_split({stream("alt-ref"), "--model", board, "--pictures",
                                            pictures, "--least-edges", "20", "--json", file});
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_NE(result.out.find(rate), std::string::npos) << result.out;
    std::istringstream lines(result.out);
    for (std::string line; std::getline(lines, line);) {
      const bool plan = line.find(" thread") != std::string::npos && line.starts_with("  ");
      if (!plan && !line.starts_with("proposal:") && !line.starts_with("CPU:")) continue;
      EXPECT_NE(line.find("model, not measured"), std::string::npos) << line;
    }
    const auto json = nlohmann::json::parse(std::ifstream(file));
    EXPECT_NE(json["cpu"].get<std::string>().find(board), std::string::npos);
    EXPECT_EQ(json["unrest"], 0);
    for (const auto& plan : json["plans"]) {
      EXPECT_EQ(plan["basis"], "model, not measured");
      EXPECT_NE(plan["plan"], "scalar");
      EXPECT_LE(plan["threads"], 4);
      EXPECT_TRUE(plan["measured_frames_per_second"].is_null());
      const auto& predicted = plan["predicted_frames_per_second"];
      EXPECT_LT(predicted["low"], predicted["expected"]);
      EXPECT_LT(predicted["expected"], predicted["high"]);
    }
    const auto& neon = json["plans"].front();
    std::vector<std::string> back_ends;
    for (const auto& plan : json["plans"]) {
      const std::string text = plan["plan"];
      if (!vp9::Plan::parse(text).reconstructs_on_qpu() || plan["threads"] != 1) continue;
      back_ends.push_back(text);
      const double cpu = plan["predicted_cpu_seconds_per_picture"]["expected"];
      const double of_neon = neon["predicted_cpu_seconds_per_picture"]["expected"];
      if (text == "qpu") {
        EXPECT_LT(cpu, of_neon) << "the CPU has less work";
      } else if (text == "residual=qpu" || text == "intra=qpu") {
        EXPECT_GT(cpu, of_neon) << text << ": NEON reads references in the GPU's memory";
      }
    }
    for (const auto& stages : json["stages"]) {
      const vp9::Plan plan = vp9::Plan::parse(stages["plan"].get<std::string>());
      const auto& there = stages["gpu_memory_per_frame"];
      ASSERT_EQ(there.is_null(), !plan.uses_qpu()) << stages["plan"];
      if (there.is_null()) continue;
      EXPECT_EQ(there["loads"] == 0, stages["plan"] == "qpu") << stages["plan"];
      EXPECT_LE(there["read_bytes"], 16 * there["loads"].get<double>());
    }
    EXPECT_GT(json["picture_copy"]["cpu_seconds"]["expected"], 0);
    EXPECT_NE(result.out.find("copying one picture out of it"), std::string::npos) << result.out;
    EXPECT_EQ(back_ends, (std::vector<std::string>{"qpu", "divided", "prediction=qpu",
                                                   "residual=qpu", "intra=qpu"}));
  }
}

TEST_F(SplitCommand, SeveralStreamsPlayAtOnceBesideThePrediction) {
  const std::string file = directory_ / "streams.json";
  const CommandResult result =
      run_split({stream("alt-ref"), stream("aq-cyclic"), "--fps", "5", "--packets", "12",
                 "--sample", "0.5", "--threads", "1", "--device", "cpu", "--json", file});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("2 of 2 streams fit at 5 pictures/s"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("played at once, they missed "), std::string::npos) << result.out;
  const auto json = nlohmann::json::parse(std::ifstream(file));
  const auto& answer = json["streams"];
  EXPECT_EQ(answer["fps"], 5);
  ASSERT_EQ(answer["each"].size(), 2U);
  for (const auto& share : answer["each"]) {
    EXPECT_TRUE(share["fits"]);
    EXPECT_GT(share["pictures"], 0);
    EXPECT_GT(share["predicted_cpu_seconds_per_picture"]["expected"], 0);
    EXPECT_GE(share["predicted_qpu_seconds_per_picture"]["expected"], 0);
  }
  EXPECT_NE(answer["each"][1]["stream"].get<std::string>().find("aq-cyclic"), std::string::npos);
  EXPECT_GT(answer["played_cpu_seconds_per_picture"], 0);
  EXPECT_GE(answer["fitting"]["expected"], 2);
  EXPECT_EQ(
      test::run_command({SIDECORE_COMMAND, "report", file, "-o", directory_ / "page.html"}).status,
      0);
}

TEST_F(SplitCommand, OneClipCountsAsManyStreamsOnAModelledBoard) {
  const CommandResult result =
      run_split({stream("alt-ref"), "--streams", "3", "--fps", "15", "--model", "pi5", "--pictures",
                 model_of("alt-ref"), "--least-edges", "20", "--json", "-"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  const auto& answer = json["streams"];
  ASSERT_EQ(answer["each"].size(), 3U);
  for (const auto& share : answer["each"]) {
    EXPECT_EQ(share["basis"], "model, not measured");
    EXPECT_GT(share["memory_bytes_per_picture"], 0);
    EXPECT_TRUE(share["pictures"].is_null());
  }
  EXPECT_GT(answer["memory_bytes_per_second"], 1e9);
  EXPECT_LE(answer["fitting"]["fewest"], answer["fitting"]["expected"]);
  EXPECT_LE(answer["fitting"]["expected"], answer["fitting"]["most"]);
  EXPECT_NE(answer["not_played"].get<std::string>().find("a board is modelled"), std::string::npos);
}

TEST_F(SplitCommand, SeveralStreamsAreRefusedInOneLine) {
  const std::string clip = stream("alt-ref");
  expect_failure({clip, "--streams", "0", "--fps", "15"}, "--streams");
  expect_failure({clip, clip}, "several streams need a picture rate: give --fps");
  expect_failure({clip, clip, "--streams", "2", "--fps", "15"}, "plays one clip N times");
  expect_failure({clip, "/no/such/clip.webm", "--fps", "15"}, "/no/such/clip.webm");
  expect_failure({clip, clip, "--fps", "15", "--for", "energy"},
                 "several streams cannot be used with --for energy");
  expect_failure({clip, clip, "--fps", "15", "--install"},
                 "several streams cannot be used with --install");
  expect_failure({clip, clip, "--fps", "15", "--results", "gate.json"},
                 "several streams cannot be used with --results");
  expect_failure({clip, clip, "--fps", "15", "--model", model_of("alt-ref")},
                 "several streams cannot be used with --model FILE");
  expect_failure({clip, clip, "--fps", "15", "--model", "pi5", "--pictures", model_of("alt-ref")},
                 "--pictures must be given once per clip, in the same order: 1 of 2");
}

TEST_F(SplitCommand, AModelWithoutABackEndHasThePlansOfTheFilterOnly) {
  model::PictureModel model = model::read_picture_model(model_of("alt-ref"));
  model.back_end.clear();
  const CommandResult result = run_split(
      {stream("alt-ref"), "--model", directory_.write("filter.json", model::to_json(model)),
       "--threads", "1", "--no-run", "--least-edges", "20", "--json", "-"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["plans"].size(), 6U);
  for (const std::string& plan : plans_of(json)) {
    EXPECT_FALSE(vp9::Plan::parse(plan).reconstructs_on_qpu()) << plan;
  }
  EXPECT_NE(json["assumptions"].dump().find("scripts/v3dsim-picture --back-end"),
            std::string::npos);
}

TEST_F(SplitCommand, ABoardsNameIsRefusedWithWhatWasMeasured) {
  const std::string alt_ref = stream("alt-ref");
  const std::string pictures = model_of("alt-ref");
  expect_failure({alt_ref, "--model", "pi5", "--pictures", pictures, "--device", "cpu"},
                 "it cannot be used with --device");
  expect_failure({alt_ref, "--model", "pi5", "--pictures", pictures, "--threads", "5"},
                 "a pi5 has only 4 cores");
  expect_failure({alt_ref, "--model", "pi4", "--pictures", pictures}, "a pi4 has a V3D 4.2");
  expect_failure({alt_ref, "--model", pictures, "--pictures", pictures},
                 "--pictures can only be used with --model pi4 or --model pi5");
  expect_failure({alt_ref, "--model", "pi5"}, "scripts/split CLIP --model pi5 makes the file");
}

// scripts/split runs the simulator, then the command.
TEST_F(SplitCommand, TheScriptHandsTheSimulatedPicturesOn) {
  const std::string script = std::string(SIDECORE_ROOT) + "/scripts/split";
  const std::string fake = directory_.write("sidecore", "#!/bin/sh\necho \"$@\"\n");
  std::filesystem::permissions(fake, std::filesystem::perms::owner_all);
  const auto run = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"/usr/bin/env", "SIDECORE=" + fake, script});
    return test::run_command(arguments);
  };
  const CommandResult measured = run({"clip.ivf", "--threads", "2"});
  EXPECT_EQ(measured.out, "split clip.ivf --threads 2\n") << measured.err;
  const CommandResult given = run({"clip.ivf", "--model", "pi5", "--pictures", "p.json"});
  EXPECT_EQ(given.out, "split clip.ivf --model pi5 --pictures p.json\n") << given.err;
  const CommandResult missing = run({"/no/such/clip", "--model", "pi5"});
  EXPECT_EQ(missing.status, 2);
  EXPECT_NE(missing.err.find("'/no/such/clip' is not a file"), std::string::npos) << missing.err;
}

TEST_F(SplitCommand, WhatAModelPricesIsNotRunOnAnotherDevice) {
  const CommandResult result = run_split({stream("alt-ref"), "--model", model_of("alt-ref"),
                                          "--threads", "1", "--least-edges", "20", "--json", "-"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_NE(json["not_run"].get<std::string>().find("model"), std::string::npos) << json["not_run"];
  ASSERT_EQ(json["plans"].size(), 11U);
  for (const auto& plan : json["plans"]) {
    const bool qpu = vp9::Plan::parse(plan["plan"].get<std::string>()).uses_qpu();
    EXPECT_EQ(plan["basis"], qpu ? "model, not measured" : "measured");
    EXPECT_EQ(plan["measured_frames_per_second"].is_null(), qpu);
    const auto& predicted = plan["predicted_frames_per_second"];
    EXPECT_LT(predicted["low"], predicted["expected"]);
    EXPECT_LT(predicted["expected"], predicted["high"]);
  }
}

TEST_F(SplitCommand, ModelsThatDoNotFitAreRefused) {
  const std::string alt_ref = stream("alt-ref");
  const std::string model = model_of("alt-ref");
  const std::string text = read_text_file(model);
  expect_failure({stream("one-pass"), "--sample", "0.5", "--model", model},
                 "which is another stream than");
  expect_failure({alt_ref, "--model", model, "--no-qpu"}, "xcludes");
  expect_failure({alt_ref, "--model", model, "--device", "cpu"},
                 "is a model of a V3D 7.1, but device");
  expect_failure({alt_ref, "--model", directory_ / "missing.json"}, "missing.json");
  expect_failure({alt_ref, "--model", directory_.write("half.json", text.substr(0, 500))},
                 "is not a whole JSON document");
  expect_failure({alt_ref, "--model", directory_.write("other.json", "{}")},
                 "is not a model of scripts/v3dsim-picture");
  model::PictureModel edgeless = model::parse_picture_model(text, model);
  edgeless.levels.clear();
  edgeless.waves.clear();
  expect_failure({alt_ref, "--model", directory_.write("edgeless.json", model::to_json(edgeless))},
                 "that have no edges to filter");
  std::string newer = text;
  newer.replace(newer.find("\"version\": 2"), 12, "\"version\": 9");
  expect_failure({alt_ref, "--model", directory_.write("newer.json", newer)},
                 "reads up to 2: use a newer one");
  expect_failure({alt_ref, "--model", model, "--results", directory_.write("no.json", "{}")},
                 "is not a result of sidecore gate");
  EXPECT_EQ(test::run_command({SIDECORE_COMMAND, "picture-model", alt_ref}).status, 3);
}

TEST_F(SplitCommand, ResultsOfAnotherDeviceAreRefused) {
  gates::GateReport report = test::gate_report("");
  report.before = report.after = gates::record_environment();
  report.device.value.emplace().name = "V3D 4.2.14.0";
  report.device.value->type = qpu::DeviceType::integrated;
  expect_failure({stream("alt-ref"), "--device", "cpu", "--results",
                  directory_.write("pi4.json", gates::to_json(report))},
                 "pi4.json' was measured with V3D 4.2.14.0, but split would run on ");
}

TEST_F(SplitCommand, CountsWhatTheDecoderCalls) {
  const model::Stream packets = model::read_stream(stream("alt-ref"), 12, 0.5);
  const std::vector<model::CountedFrame> frames = model::count_sample(packets, 1);
  ASSERT_EQ(frames.size(), packets.sample_frames);
  const auto squares = [](const model::KernelCounts& counts) {
    double count = 0;
    for (const auto& kinds : counts.inter) {
      for (const auto& sizes : kinds) count += std::accumulate(sizes.begin(), sizes.end(), 0.0);
    }
    return count;
  };
  EXPECT_EQ(packets.work[0].kind, model::FrameKind::intra);
  EXPECT_EQ(squares(frames[0].counts), 0) << "a key frame has no vectors";
  EXPECT_GT(frames[0].counts.transform_calls, 0);
  double inter = 0;
  for (const model::CountedFrame& frame : frames) {
    inter += squares(frame.counts);
    double edges = 0;
    for (const auto& widths : frame.counts.edges) {
      edges += std::accumulate(widths.begin(), widths.end(), 0.0);
    }
    EXPECT_EQ(edges, frame.mix.edges);
  }
  EXPECT_GT(inter, 0);
}

TEST_F(SplitCommand, BadInputEndsInOneSentence) {
  const std::string alt_ref = stream("alt-ref");
  expect_failure({directory_ / "missing.ivf"}, "No such file");
  expect_failure({alt_ref, "--packets", "8"}, "each part needs at least 6");
  expect_failure({alt_ref, "--sample", "2"}, "--sample");
  expect_failure({alt_ref, "--no-qpu", "--device", "cpu"}, "xcludes");
  expect_failure({alt_ref, "--results", directory_ / "missing.json"}, "missing.json");
  expect_failure({alt_ref, "--results", directory_.write("other.json", "{}")},
                 "is not a result of sidecore gate");
  expect_failure({alt_ref, "--results", directory_.write("cut.json", "{\"schema\"")},
                 "is not a whole JSON document");
  expect_failure({stream("profile-1-422"), "--no-qpu"}, "profile-1-422");
  const std::string json = directory_ / "split.json";
  expect_failure({stream("profile-1-422"), "--no-qpu", "--json", json}, "profile-1-422");
  EXPECT_FALSE(std::filesystem::exists(json));
}

}  // namespace
}  // namespace sidecore::test_split_command
