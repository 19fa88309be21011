// Tables of compiled shaders: written to files, compared with a baseline, and read from the
// simulator's records. tests/v3dsim/check_shaderdb tests the figures of the real compiler.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "base/text_file.h"
#include "error_text.h"
#include "qpu/metrics/feature_work.h"
#include "shaderdb/comparison.h"
#include "shaderdb/document.h"
#include "shaderdb/measure.h"
#include "shaderdb/picture_features.h"
#include "shaderdb/simulator_records.h"

namespace sidecore::shaderdb::test_shaderdb {
namespace {

using test::error_text;

VariantRows variant(const std::string& kernel, const std::string& name) {
  return {kernel,
          name,
          "edge",
          100,
          {{kernel + "_" + name,
            1,
            {{"instructions", 129}, {"threads", 4}, {"max_temps", 32}},
            Figures{{"instructions", 5000}, {"loads", 150}}}}};
}

Table table() {
  return {"7.1",
          "V3DV Mesa 25.0.7",
          {"high_variance", 640, 360, 1},
          {variant("filter", "byte"), variant("filter", "word"), variant("psnr", "vector")}};
}

Figures& compiled(Table& of) {
  return of.variants[1].programs[0].compiled;
}

std::vector<std::string> lines(const Comparison& comparison, Verdict verdict) {
  std::vector<std::string> texts;
  for (const Difference& difference : comparison.figures) {
    if (difference.verdict == verdict) texts.push_back(difference.text);
  }
  return texts;
}

using Lines = std::vector<std::string>;

TEST(Shaderdb, TheSameFiguresAreGood) {
  const Comparison comparison = compare(table(), table(), true);
  EXPECT_TRUE(comparison.good());
  EXPECT_TRUE(comparison.figures.empty());
  EXPECT_EQ(comparison.note, "");
}

TEST(Shaderdb, NamesKernelFigureBeforeAndAfterOfWhatIsWorse) {
  Table after = table();
  compiled(after)["instructions"] = 160;
  compiled(after)["threads"] = 2;
  (*after.variants[1].programs[0].executed)["loads"] = 151;
  after.variants[1].programs[0].dispatches = 2;
  const Comparison comparison = compare(table(), after, true);
  EXPECT_FALSE(comparison.good());
  EXPECT_EQ(lines(comparison, Verdict::worse),
            (Lines{"filter word, filter_word on V3D 7.1: dispatches 1 -> 2",
                   "filter word, filter_word on V3D 7.1: compiled instructions 129 -> 160",
                   "filter word, filter_word on V3D 7.1: compiled threads 4 -> 2",
                   "filter word, filter_word on V3D 7.1: executed loads 150 -> 151"}));
}

TEST(Shaderdb, LessIsBetterButForThreads) {
  Table before = table();
  compiled(before)["instructions"] = 160;
  compiled(before)["threads"] = 2;
  const Comparison comparison = compare(before, table(), true);
  EXPECT_TRUE(comparison.good());
  EXPECT_EQ(lines(comparison, Verdict::better).size(), 2U);
}

TEST(Shaderdb, RegistersAloneAreToldAndNotJudged) {
  Table after = table();
  compiled(after)["max_temps"] = 33;
  const Comparison comparison = compare(table(), after, true);
  EXPECT_TRUE(comparison.good());
  EXPECT_EQ(lines(comparison, Verdict::changed),
            (Lines{"filter word, filter_word on V3D 7.1: compiled max_temps 32 -> 33"}));
}

TEST(Shaderdb, ABoardIsComparedInWhatItKnows) {
  Table board = table();
  for (VariantRows& rows : board.variants) {
    rows.programs[0].executed.reset();
    rows.programs[0].compiled.erase("max_temps");
  }
  EXPECT_TRUE(compare(table(), board, true).figures.empty());
  compiled(board)["instructions"] = 130;
  EXPECT_FALSE(compare(table(), board, true).good());
}

TEST(Shaderdb, MissesWhatOnlyOneSideHas) {
  Table without = table();
  without.variants.pop_back();
  EXPECT_EQ(compare(without, table(), true).unmatched,
            (Lines{"psnr vector on V3D 7.1: not in the baseline"}));
  EXPECT_EQ(compare(table(), without, true).unmatched,
            (Lines{"psnr vector on V3D 7.1: only in the baseline"}));
  EXPECT_TRUE(compare(table(), without, false).good()) << "only some kernels were measured";
  Table renamed = table();
  renamed.variants[2].programs[0].program = "psnr_new";
  const Comparison comparison = compare(table(), renamed, true);
  EXPECT_FALSE(comparison.good());
  EXPECT_EQ(comparison.unmatched.size(), 2U);
}

TEST(Shaderdb, RefusesToCompareDifferentWork) {
  Table after = table();
  after.workload.seed = 2;
  EXPECT_EQ(error_text([&] { (void)compare(table(), after, true); }),
            "the baseline of V3D 7.1 is from high_variance 640x360 with seed 1, and this run uses "
            "high_variance 640x360 with seed 2: update the baseline");
  after = table();
  after.variants[0].units = 99;
  EXPECT_EQ(
      error_text([&] { (void)compare(table(), after, true); }),
      "the baseline of filter byte has 100 work units, and this run has 99: update the baseline");
}

TEST(Shaderdb, SaysWhenTheDriverIsAnother) {
  Table after = table();
  after.driver = "V3DV Mesa 26.0.0";
  EXPECT_EQ(
      compare(table(), after, true).note,
      "the baseline is from another driver: V3DV Mesa 25.0.7; this run uses V3DV Mesa 26.0.0");
}

TEST(Shaderdb, AnUpdateOfSomeKernelsLeavesTheOthers) {
  Table psnr = table();
  psnr.variants.erase(psnr.variants.begin(), psnr.variants.begin() + 2);
  psnr.variants[0].programs[0].compiled["instructions"] = 1;
  const Table updated = update(table(), psnr, false);
  EXPECT_EQ(updated.variants.size(), 3U);
  EXPECT_TRUE(compare(updated, psnr, false).figures.empty());
  EXPECT_EQ(lines(compare(table(), updated, true), Verdict::better).size(), 1U);
  EXPECT_EQ(update(table(), psnr, true), psnr);
}

TEST(Shaderdb, FilesReadBackAsTheyWereWritten) {
  Tables tables{{"7.1", table()}};
  tables.emplace("4.2", table());
  tables.at("4.2").v3d = "4.2";
  tables.at("4.2").variants[0].programs[0].executed.reset();
  const std::string json = to_json(tables);
  EXPECT_EQ(parse_tables(json, "test"), tables);
  EXPECT_EQ(to_json(parse_tables(json, "test")), json);
  const std::size_t program = json.find("{\"compiled\":");
  EXPECT_NE(json.substr(0, json.find('\n', program)).find("\"instructions\":129,"),
            std::string::npos)
      << "one line per program";
}

TEST(Shaderdb, TheBaselineIsWrittenAsItWasRead) {
  const std::string text = read_text_file(SIDECORE_SHADERDB_BASELINE);
  EXPECT_TRUE(to_json(parse_tables(text, "baseline")) == text);
}

TEST(Shaderdb, CountsAreWholeNumbersOfZeroAndMore) {
  const std::string json = to_json({{"7.1", table()}});
  for (const std::string member :
       {"dispatches", "units", "width", "height", "seed", "instructions", "loads"}) {
    for (const char* const value :
         {"-1", "1.9", "1e300", "\"7\"", "null", "18446744073709551616"}) {
      const std::size_t at = json.find("\"" + member + "\":");
      ASSERT_NE(at, std::string::npos) << member;
      const std::size_t begin = at + member.size() + 3;
      std::string changed = json;
      changed.replace(begin, json.find_first_of(",}\n", begin) - begin, value);
      const std::string error = error_text([&] { (void)parse_tables(changed, "base.json"); });
      EXPECT_TRUE(error.starts_with("base.json is not a shaderdb file: "))
          << member << value << error;
      EXPECT_NE(error.find("\"" + member + "\" is not a whole number"), std::string::npos) << error;
    }
  }
}

TEST(Shaderdb, BadFilesGetALineThatNamesThem) {
  const auto refusal = [](const std::string& text) {
    return error_text([&] { (void)parse_tables(text, "base.json"); });
  };
  EXPECT_TRUE(refusal("").starts_with("base.json is not a shaderdb file: "));
  EXPECT_TRUE(refusal("[]").starts_with("base.json is not a shaderdb file: "));
  EXPECT_EQ(refusal(R"({"schema": "other", "v3d": {}})"),
            R"(base.json has schema "other", not "sidecore-shaderdb-1")");
  EXPECT_TRUE(refusal(R"({"schema": "sidecore-shaderdb-1", "v3d": {"7.1": {"driver": 3}}})")
                  .starts_with("base.json is not a shaderdb file: "));
  EXPECT_EQ(error_text([] { (void)read_tables("/nonexistent/base.json"); }),
            "cannot read '/nonexistent/base.json': No such file or directory");
}

TEST(Shaderdb, TellsTheV3dFromItsName) {
  qpu::DeviceInfo device;
  device.name = "V3D 4.2.14.0";
  EXPECT_EQ(v3d_version(device), "4.2");
  device.name = "V3D 7.1";
  EXPECT_EQ(v3d_version(device), "7.1");
  device.name = "llvmpipe";
  EXPECT_TRUE(error_text([&] { (void)v3d_version(device); }).starts_with("llvmpipe is not a V3D"));
}

constexpr const char* kRecord = R"([{
  "instructions": 70, "branches_divergent": 3,
  "tmu": {"requests": {"load": {"word": 5, "vec2": 2}, "store": {"u8": 4}, "atomic": {}},
          "bytes": 96, "lines_per_request": [1, 4, 3], "unique_lines": 6},
  "bounds": {"issue": [0.5, 0.5], "tmu": [1.0, 1.5]}, "assumed": {"clock_hz": [960e6, 960e6]},
  "two_supergroups": [0.25, 0.75],
  "shader": {"name": "ab", "inst": 140, "threads": 4, "loops": 0, "uniforms": 36, "max_temps": 20,
             "spills": 1, "fills": 2, "sfu_stalls": 3, "inst_and_stalls": 143, "nops": 12}}])";

TEST(Shaderdb, ReadsTheSimulatorsRecords) {
  const std::vector<JobRecord> records = parse_records(kRecord);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].compiled, (Figures{{"instructions", 140},
                                          {"threads", 4},
                                          {"loops", 0},
                                          {"uniforms", 36},
                                          {"max_temps", 20},
                                          {"spills", 1},
                                          {"fills", 2},
                                          {"sfu_stalls", 3},
                                          {"nops", 12}}));
  EXPECT_EQ(records[0].executed, (Figures{{"instructions", 70},
                                          {"loads", 7},
                                          {"stores", 4},
                                          {"atomics", 0},
                                          {"bytes", 96},
                                          {"request_lines", 10},
                                          {"unique_lines", 6},
                                          {"divergent_branches", 3}}));
  EXPECT_EQ(records[0].modelled, (ModelledBounds{{"issue", {0.5, 0.5}}, {"tmu", {1.0, 1.5}}}));
  EXPECT_EQ(records[0].assumed.at("clock_hz"), (ModelledInterval{960e6, 960e6}));
  EXPECT_EQ(records[0].two_supergroups, (ModelledInterval{0.25, 0.75}));
  EXPECT_TRUE(parse_records("[]").empty());
}

TEST(Shaderdb, RefusesRecordsItCannotTrust) {
  EXPECT_EQ(error_text([] { (void)parse_records("[{}]"); }),
            "the simulator ran a program whose figures the driver did not report");
  EXPECT_TRUE(error_text([] {
                (void)parse_records("{");
              }).starts_with("the simulator's records cannot be read: "));
}

TEST(Shaderdb, TheGreatestBoundLeadsAtEitherEnd) {
  ModelledBounds bounds{{"issue", {3, 3}}, {"latency", {1, 9}}, {"tmu", {2, 4}}};
  EXPECT_EQ(leading_bounds(bounds), "issue .. latency");
  add(bounds, {{"tmu", {2, 8}}, {"memory", {1, 1}}});
  EXPECT_EQ(leading_bounds(bounds), "tmu");
  EXPECT_EQ(bounds.at("memory"), (ModelledInterval{1, 1}));
  EXPECT_EQ(leading_bounds({}), "");
}

TEST(Shaderdb, PrintsWhatBoundsAUnitOfWorkWhereThereIsAModel) {
  Table one = table();
  one.variants.resize(1);
  EXPECT_EQ(to_text(one).find("Modelled"), std::string::npos);
  one.variants[0].programs[0].modelled = {{"issue", {2e-7, 2e-7}}, {"tmu", {1e-7, 3e-7}}};
  EXPECT_NE(to_text(one).find("edge      2.000  1.000 .. 3.000  issue .. tmu"), std::string::npos)
      << to_text(one);
}

/// Every shader of the metrics has figures per pixel.
TEST(Shaderdb, CountsEveryFeatureThatHasShaders) {
  std::set<std::string> counted;
  for (const PictureFeature& feature : picture_features()) {
    EXPECT_TRUE(counted.insert(feature.name + " " + feature.variant).second);
    EXPECT_EQ(feature.request.feature->name, feature.name);
  }
  for (const qpu::FamilyWork& work : qpu::family_works()) {
    for (const metrics::Feature& feature : work.family->features) {
      EXPECT_TRUE(counted.contains(std::string(feature.name) + " picture")) << feature.name;
    }
  }
  EXPECT_TRUE(counted.contains("float_ssim picture scale=2")) << "the box";
}

TEST(Shaderdb, IsNotOnTheSimulatorHere) {
  EXPECT_FALSE(SimulatorRecords::find().has_value());
}

TEST(Shaderdb, PrintsFiguresForAUnitOfWorkAndSumsOfSeveralPrograms) {
  Table both = table();
  both.variants.resize(1);
  both.variants[0].programs.push_back(both.variants[0].programs[0]);
  both.variants[0].programs[1].program = "second";
  const std::string text = to_text(both);
  EXPECT_NE(text.find("filter_byte           1  edge         50.00   1.50"), std::string::npos)
      << text;
  EXPECT_NE(text.find("all                   2  edge        100.00   3.00"), std::string::npos)
      << text;
  both.variants[0].programs.resize(1);
  both.variants[0].programs[0].executed.reset();
  EXPECT_NE(to_text(both).find("Not simulated"), std::string::npos);
}

}  // namespace
}  // namespace sidecore::shaderdb::test_shaderdb
