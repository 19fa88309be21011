// Tests that result files stay the same if they are read and written again, and that faulty ones
// are rejected with a message. Each of two tests changes every member of a document in turn; under
// sanitizers one of them is enough.
// ctest: unsanitized *EveryMemberOfAnotherTypeIsRefused*
#include "gates/result_document.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text_file.h"
#include "error_text.h"
#include "gates/run.h"
#include "gates/toy_kernel.h"
#include "temporary_directory.h"

namespace sidecore::gates::test_result_reader {
namespace {

using Json = nlohmann::ordered_json;
using test::error_text;

/// Returns a result of `sidecore gate` with every gate of two kernels on lavapipe. The file has one
/// record per line. Its member "command_line" is the command that wrote it.
std::string sample() {
  return read_text_file(SIDECORE_TEST_DATA "/report/gate.json");
}

std::string refusal(const std::string& text) {
  return error_text([&] { static_cast<void>(parse_result(text, "r.json")); });
}

TEST(ResultReader, WhatWasReadIsWrittenAgainByteForByte) {
  const GateReport report = parse_result(sample(), "gate.json");
  EXPECT_EQ(to_json(report), Json::parse(sample()).dump(2) + "\n");
  ASSERT_EQ(report.kernels.size(), 2U);
  EXPECT_TRUE(report.kernels[0].m4);
  EXPECT_TRUE(report.m5);
}

TEST(ResultReader, GatesThatDidNotRunKeepTheirReason) {
  const test::ToyKernel kernel({test::Flaw::wrong_byte, false, {"word"}});
  GateOptions options;
  options.width = 64;
  options.height = 32;
  options.contents = {Content::random};
  options.minimum_units = 1000;
  const std::string text = to_json(run_gates(
      {{&kernel}, {nullptr}, Outcome<qpu::Device*>::none("no device here"), "/"}, options));
  const GateReport report = parse_result(text, "toy.json");
  EXPECT_EQ(to_json(report), text);
  EXPECT_EQ(report.m5.reason, "no device here");
  EXPECT_EQ(report.kernels[0].m2.reason, "M1 failed");
  EXPECT_FALSE(report.agrees());
  EXPECT_EQ(report.kernels[0].m1->agreements[0].compared->first->where, "unit 5, byte 3");
}

TEST(ResultReader, AGateIsWholeOrSaysWhyItIsNot) {
  const auto with_m1 = [](const char* m1) {
    Json json = Json::parse(sample());
    json["kernels"][0]["m1"] = Json::parse(m1);
    return json.dump();
  };
  EXPECT_EQ(parse_result(with_m1(R"({"not_run": "why"})"), "r.json").kernels[0].m1.reason, "why");
  EXPECT_FALSE(parse_result(with_m1("null"), "r.json").kernels[0].m1);
  const std::string invalid = "'r.json' is not a valid result of sidecore gate: ";
  for (const char* const m1 : {R"({"not_run": ""})", R"({"not_run": "why", "holds": true})"}) {
    EXPECT_EQ(refusal(with_m1(m1)), invalid + "\"contents\" is missing") << m1;
  }
  EXPECT_EQ(refusal(with_m1("{}")), invalid + "\"not_run\" is missing");
}

TEST(ResultReader, ValuesOutsideOfTheirRangesAreRefused) {
  const auto changed = [](const char* path, const Json& value) {
    Json json = Json::parse(sample());
    json[Json::json_pointer(path)] = value;
    return refusal(json.dump());
  };
  const std::string invalid = "'r.json' is not a valid result of sidecore gate: ";
  const std::string m1 = "/kernels/0/m1/contents/0";
  EXPECT_EQ(changed("/options/threads", 0),
            invalid + "\"threads\" is not a whole number in its range");
  EXPECT_EQ(changed("/options/gates/0", "M9"),
            invalid + "an element of \"gates\" is unknown: 'M9'");
  EXPECT_EQ(changed("/command_line/0", 7),
            invalid + "an element of \"command_line\" is not a text");
  EXPECT_EQ(changed("/options/window_seconds", -1),
            invalid + "\"window_seconds\" is not a number from 0 to 1000000");
  EXPECT_EQ(changed((m1 + "/branches/0/rate").c_str(), 1.5),
            invalid + "\"rate\" is not a number from 0 to 1");
  EXPECT_EQ(changed((m1 + "/content").c_str(), "noise"),
            invalid + "\"content\" is unknown: 'noise'");
  EXPECT_EQ(changed("/m5/submissions", Json::array()),
            invalid + "\"submissions\" has too few elements");
  EXPECT_EQ(changed("/environment/before/load_average", {1, 2}),
            invalid + "\"load_average\" must have 3 elements");
}

TEST(ResultReader, PlayersAreReadWhereThereAreSome) {
  GateReport report = parse_result(sample(), "gate.json");
  std::vector<ContentWindows>& contents = report.kernels[0].m4.value->contents;
  PlaybackResult player{"48 packets of 'clip.webm'",
                        4,
                        {47, 50, 49, 49},
                        "a",
                        "a",
                        "a",
                        "b",
                        SampleSet({24, 25}),
                        SampleSet({26, 27}),
                        {{1500, 2400, 61.5, 4}}};
  player.paced = {30,
                  {24, 1, SampleSet({2e6, 3e6}), SampleSet({9e6})},
                  {24, 2, SampleSet({4e6, 5e6}), SampleSet({6e6}), {0.125}},
                  "the stand-in",
                  PacedFigures{24, 3, SampleSet({5e6}), SampleSet({4e6})}};
  player.mixed_plan = "prediction=qpu";
  player.divided.value = {"prediction=divided", {}, "a", "a", SampleSet({28, 29})};
  report.options.fps = 30;
  contents[0].player.value = player;
  contents[0].player_pay_off = SpeedGain{0.08, true, "NEON x4 + QPU"};
  contents[1].player.reason = "the player is the same as under loop_filter";
  contents[1].player_pay_off = SpeedGain{0.07, true, "NEON x4 + QPU"};
  const std::string text = to_json(report);
  EXPECT_EQ(to_json(parse_result(text, "player.json")), text);
  const GateReport read = parse_result(text, "player.json");
  EXPECT_FALSE(read.agrees()) << "the last MD5 differs";
  const auto& paced = read.kernels[0].m4->contents[0].player->paced;
  ASSERT_TRUE(paced.has_value());
  EXPECT_EQ(paced->mixed.missed, 2U);
  EXPECT_EQ(paced->neon.latency_ns.median, 2.5e6);
  EXPECT_FALSE(paced->neon.joules_per_picture);
  EXPECT_EQ(paced->mixed.joules_per_picture.value, 0.125);
  EXPECT_EQ(paced->divided.value().missed, 3U);
  const PlaybackResult& played = *read.kernels[0].m4->contents[0].player;
  EXPECT_EQ(mixed_plan(played), "prediction=qpu");
  EXPECT_EQ(played.divided.value.value().plan, "prediction=divided");
  EXPECT_EQ(played.divided->rate.median, 28.5);
  const auto& shared = read.kernels[0].m4->contents[1].player_pay_off;
  ASSERT_TRUE(shared.has_value());
  EXPECT_EQ(shared->gain, 0.07);
  EXPECT_EQ(to_string(report.during_windows()),
            "1500 to 2400 MHz, at most 61.5 °C, get_throttled 0x4");
  for (const char* name : {"player", "no_player"}) {
    Json json = Json::parse(text);
    json["kernels"][0]["m4"]["contents"][0].erase(name);
    EXPECT_NE(refusal(json.dump()), "") << name;
  }
  Json older = Json::parse(text);
  older["options"].erase("fps");
  older["kernels"][0]["m4"]["contents"][0]["player"].erase("paced");
  for (const char* name : {"mixed_plan", "divided", "no_divided"}) {
    older["kernels"][0]["m4"]["contents"][0]["player"].erase(name);
  }
  const GateReport unpaced = parse_result(older.dump(), "older.json");
  EXPECT_FALSE(unpaced.options.fps.has_value());
  EXPECT_FALSE(unpaced.kernels[0].m4->contents[0].player->paced.has_value());
  EXPECT_EQ(mixed_plan(*unpaced.kernels[0].m4->contents[0].player), "loop_filter=qpu");
}

TEST(ResultReader, ResultsFromBeforeTheBoardWasWatchedAreRead) {
  Json json = Json::parse(sample());
  for (Json& kernel : json["kernels"]) {
    for (Json& content : kernel["m4"]["contents"]) {
      for (Json& window : content["windows"]) window.erase("board_states");
    }
  }
  const GateReport report = parse_result(json.dump(), "older.json");
  EXPECT_TRUE(report.kernels[0].m4->contents[0].windows[0].states.empty());
  EXPECT_EQ(to_string(report.during_windows()), "");
}

TEST(ResultReader, ResultsFromBeforeBaselinesWereMarkedAreRead) {
  Json json = Json::parse(sample());
  EXPECT_TRUE(parse_result(json.dump(), "marked.json").kernels[0].variants.at(1).baseline);
  for (Json& variant : json["kernels"][0]["variants"]) variant.erase("baseline");
  EXPECT_FALSE(parse_result(json.dump(), "older.json").kernels[0].variants.at(1).baseline);
}

TEST(ResultReader, ResultsFromBeforeCountersAreRead) {
  Json json = Json::parse(sample());
  for (Json& kernel : json["kernels"]) {
    for (const char* name :
         {"gpu_counters_refused", "gpu_counter_passes", "gpu_counters_distrusted"}) {
      kernel["m2"].erase(name);
    }
    for (Json& content : kernel["m2"]["contents"]) {
      for (Json& run : content["runs"]) run.erase("gpu_counters");
    }
    for (const char* name : {"gpu_busy_source", "no_gpu_busy"}) kernel["m4"].erase(name);
    for (Json& content : kernel["m4"]["contents"]) {
      for (Json& window : content["windows"]) window.erase("gpu_busy");
    }
  }
  const GateReport report = parse_result(json.dump(), "older.json");
  EXPECT_TRUE(report.kernels[0].m2->contents[0].runs[0].counts.empty());
  EXPECT_TRUE(report.kernels[0].m4->contents[0].windows[0].gpu_busy.empty());
  for (const char* part : {"GPU counters", "busy"}) {
    EXPECT_EQ(to_text(report).find(part), std::string::npos)
        << part << ": older results do not say why";
  }
}

TEST(ResultReader, CountersAndBusyTimesAreReadAndSaid) {
  GateReport report = parse_result(sample(), "gate.json");
  QpuThroughputReport& m2 = *report.kernels[0].m2.value;
  m2.counter_passes = {2};
  QpuRun& run = m2.contents[0].runs[0];
  m2.contents[0].units = 100;
  run.dispatches = 2;
  run.counts = {{"QPU-active", 1234, "generic", "command"},
                {"load", 12.25, "percentage", "command"}};
  ConcurrencyReport& m4 = *report.kernels[0].m4.value;
  m4.gpu_busy_source = {"somewhere"};
  WindowResult& window = m4.contents[0].windows[2];
  window.gpu_busy = {{{"v3d", "csd", 0.5}, {"v3d", "bin", 0}}, {{"v3d", "csd", 0.75}}};
  const std::string text = to_json(report);
  EXPECT_EQ(to_json(parse_result(text, "counters.json")), text);
  const std::string said = to_text(report);
  for (const char* part : {"QPU-active            1234           617     12.34\n",
                           "load                 12.25         6.125    0.1225  percentage\n",
                           "(2 passes of the same work)\n", "QPU alone: v3d csd 62.5 %\n",
                           "GPU's busy time: somewhere\n"}) {
    EXPECT_NE(said.find(part), std::string::npos) << part << " in\n" << said;
  }
  for (const char* name : {"name", "value", "unit", "scope"}) {
    Json json = Json::parse(text);
    json["kernels"][0]["m2"]["contents"][0]["runs"][0]["gpu_counters"][1].erase(name);
    EXPECT_NE(refusal(json.dump()), "") << name;
  }
  for (const char* name : {"driver", "engine", "share"}) {
    Json json = Json::parse(text);
    json["kernels"][0]["m4"]["contents"][0]["windows"][2]["gpu_busy"][1][0].erase(name);
    EXPECT_NE(refusal(json.dump()), "") << name;
  }
}

TEST(ResultReader, ANewerVersionIsRefused) {
  Json json = Json::parse(sample());
  json["version"] = 2;
  EXPECT_EQ(
      refusal(json.dump()),
      "'r.json' is sidecore-gate version 2, and this sidecore reads up to 1: use a newer one");
}

TEST(ResultReader, AnotherProgramsFileIsRefused) {
  for (const char* text : {"{}", "[]", "7", "null", R"({"schema": "sidecore-shaderdb-1"})",
                           R"({"version": "2.3.1", "frames": []})"}) {
    EXPECT_EQ(refusal(text),
              "'r.json' is not a result of sidecore gate: it lacks \"schema\": \"sidecore-gate\"")
        << text;
  }
  EXPECT_EQ(refusal(R"({"schema": "sidecore-gate", "version": "1"})"),
            "'r.json' does not say which version of sidecore-gate it is");
}

TEST(ResultReader, ATruncatedFileIsRefusedWhereverItBreaksOff) {
  const std::string text = sample();
  for (std::size_t size = 0; size + 2 < text.size(); size += 1 + text.size() / 50) {
    EXPECT_NE(refusal(text.substr(0, size)).find("is not a whole JSON document"), std::string::npos)
        << size;
  }
}

TEST(ResultReader, WhatIsNoFileIsRefused) {
  const test::TemporaryDirectory directory;
  EXPECT_EQ(error_text([&] { static_cast<void>(read_result(directory.path())); }),
            "'" + directory.path().native() + "' is a directory, not a file");
  EXPECT_EQ(error_text([&] { static_cast<void>(read_result(directory / "none")); }),
            "cannot read '" + directory / "none" + "': No such file or directory");
  EXPECT_NE(error_text([&] {
              static_cast<void>(read_text_file("/dev/zero", 1 << 20));
            }).find("is larger than 1 MiB"),
            std::string::npos);
}

/// Members that readers compute from other members.
const std::set<std::string, std::less<>> kDerived = {"cpu_count",
                                                     "cpu_device",
                                                     "agreeing_percent",
                                                     "holds",
                                                     "median",
                                                     "min",
                                                     "max",
                                                     "p10",
                                                     "p90",
                                                     "p99",
                                                     "rate_unit",
                                                     "agrees",
                                                     "instructions_per_cycle",
                                                     "driver_warnings"};

/// Members that results of earlier builds lack.
const std::set<std::string, std::less<>> kAddedLater = {"board_states",
                                                        "gpu_counters",
                                                        "gpu_counters_refused",
                                                        "gpu_counter_passes",
                                                        "gpu_counters_distrusted",
                                                        "kernel_build",
                                                        "driver_warnings",
                                                        "gpu_busy_source",
                                                        "no_gpu_busy",
                                                        "gpu_busy",
                                                        "baseline",
                                                        "fps",
                                                        "paced"};

/// Calls visit(object, name of the member) for the members of every object, and only for the first
/// element of an array. Under sanitizers, which are ten times slower, once per name.
class MemberVisitor {
 public:
#ifdef SIDECORE_SANITIZED
  static constexpr int kMin = 50;  ///< smallest expected number of members
#else
  static constexpr int kMin = 100;
#endif

  template <class Visit>
  void operator()(Json& json, const Visit& visit) {
    if (json.is_array()) {
      if (!json.empty()) (*this)(json[0], visit);
    } else if (json.is_object()) {
      std::vector<std::string> names;
      for (const auto& item : json.items()) names.push_back(item.key());
      for (const std::string& name : names) {
        if (is_wanted(name)) visit(json, name);
        (*this)(json[name], visit);
      }
    }
  }

 private:
#ifdef SIDECORE_SANITIZED
  bool is_wanted(const std::string& name) {
    return seen_.insert(name).second;
  }
  std::set<std::string, std::less<>> seen_;
#else
  static bool is_wanted(const std::string&) {
    return true;
  }
#endif
};

TEST(ResultReader, EveryMemberIsMissedWhenItIsNotThere) {
  Json json = Json::parse(sample());
  int members = 0;
  MemberVisitor()(json, [&](Json& object, const std::string& name) {
    if (kDerived.contains(name) || kAddedLater.contains(name)) return;
    const Json whole = object;
    object.erase(name);
    EXPECT_NE(refusal(json.dump()), "") << name;
    object = whole;
    ++members;
  });
  EXPECT_GT(members, MemberVisitor::kMin);
}

TEST(ResultReader, EveryMemberOfAnotherTypeIsRefused) {
  Json json = Json::parse(sample());
  MemberVisitor()(json, [&](Json& object, const std::string& name) {
    if (kDerived.contains(name)) return;
    const Json right = object[name];
    object[name] = right.is_array() ? Json("text") : Json::array({Json::array()});
    EXPECT_NE(refusal(json.dump()), "") << name;
    object[name] = right;
  });
}

TEST(ResultReader, NumbersThatDoNotFitAreRefused) {
  for (const char* number : {"1e30", "0.5", "18446744073709551616"}) {
    Json json = Json::parse(sample());
    json["options"]["rounds"] = Json::parse(number);
    EXPECT_EQ(
        refusal(json.dump()),
        "'r.json' is not a valid result of sidecore gate: \"rounds\" is not a whole number in "
        "its range");
  }
}

TEST(ResultReader, ANumberBeyondADoublesRangeIsRefused) {
  for (const char* number : {"1e999", "-1e999"}) {
    std::string text = sample();
    const std::string_view version = "\"version\": 1";
    text.replace(text.find(version), version.size(), std::string("\"version\": ") + number);
    EXPECT_EQ(refusal(text), "'r.json' has a number that is too large to be read");
  }
}

}  // namespace
}  // namespace sidecore::gates::test_result_reader
