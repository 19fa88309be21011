// Tests proposals as documents, and the costs from which the division of the loop filter follows.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "error_text.h"
#include "gates/gate_results.h"
#include "model/some_pictures.h"
#include "model/some_sample.h"
#include "replaced_text.h"
#include "split/proposal.h"
#include "split/propose.h"
#include "split/step_price.h"
#include "split/trial.h"

namespace sidecore::split::test_split {
namespace {

using test::m3_report;
using test::machine;
using test::replaced;

TEST(StepPrice, AStepIsWorthADispatchFromAsManyEdgesAsNeonFiltersMeanwhile) {
  EXPECT_EQ((StepPrice{.dispatch = 10.5e-6, .edge = 50e-9}).least_edges(), 210U);
  EXPECT_EQ((StepPrice{.dispatch = 10.51e-6, .edge = 50e-9}).least_edges(), 211U);
  EXPECT_EQ((StepPrice{.dispatch = 1e-9, .edge = 50e-9}).least_edges(), 1U);
  EXPECT_EQ((StepPrice{.dispatch = 0, .edge = 50e-9}).least_edges(), 1U);
  EXPECT_EQ((StepPrice{.dispatch = 0, .edge = 0}).least_edges(), 1U);
  EXPECT_GT((StepPrice{.dispatch = 1e-6, .edge = 0}).least_edges(), 1000000U);
}

Proposal some_proposal() {
  Proposal proposal;
  proposal.run.command_line = {"sidecore", "split", "a clip.ivf"};
  proposal.run.before.board = "a board";
  proposal.run.after.load_average = {0.25, 0.5, 1};
  proposal.stream = "'a clip.ivf'";
  proposal.packets = 40;
  proposal.sample = 13;
  proposal.pictures = 32;
  proposal.qpu.value = "V3D 7.1";
  proposal.mix = model::kMix;
  proposal.least_edges = {120, "given by --least-edges"};
  proposal.cpu_factor = 2.5;
  proposal.error = 0.125;
  proposal.unrest = 0.5;
  proposal.stages = {{model::candidate("neon", 2), false, {1, 2, 3, 4, 5, 6, 7, 8, 9}},
                     {model::candidate("qpu"),
                      true,
                      {1, 2, 3, 4, 5, 6, 7, 8, 9},
                      GpuMemoryUse{{{3.5e6, 250e3}, 1.25e6}, {0.25, 0.5, 1}}}};
  proposal.picture_copy = GpuMemoryUse{{{3e6, 200e3}, 0}, {0.5, 1, 2}};
  proposal.plans = {{model::candidate("neon", 2), false, {0.5, 1, 2}, {0.25}},
                    {model::candidate("loop_filter=divided:waves", 1),
                     true,
                     {0.25, 4, 8},
                     Outcome<double>::none("--no-run was given")}};
  proposal.rival = 1;
  proposal.assumptions = {"nothing else runs"};
  return proposal;
}

TEST(Proposal, FilesReadBackAsTheyWereWritten) {
  const std::string json = to_json(some_proposal());
  const Proposal read = parse_proposal(json, "split.json");
  EXPECT_EQ(to_json(read), json);
  EXPECT_EQ(to_text(read), to_text(some_proposal()));
  EXPECT_EQ(read.plans[1].candidate, model::candidate("loop_filter=divided:waves", 1));
  EXPECT_TRUE(read.plans[1].modelled);
  EXPECT_EQ(read.plans[0].predicted.low, 0.5);
  EXPECT_EQ(read.plans[0].predicted.high, 2);
  EXPECT_EQ(read.run.before.board, "a board");
  EXPECT_EQ(read.stages[0].seconds, (model::StageSeconds{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_FALSE(read.stages[0].gpu_memory);
  EXPECT_EQ(read.stages[1].gpu_memory->traffic.reads.loads, 250e3);
  EXPECT_EQ(read.stages[1].gpu_memory->seconds, (model::Estimate{0.25, 0.5, 1}));
}

TEST(Proposal, KeepsTheAnswerForSeveralStreams) {
  Proposal proposal = some_proposal();
  StreamShare share{"'a clip.ivf'", {model::candidate("qpu"), true, {1, 2, 3}, {4, 5, 6}, 7}, true};
  share.pictures = 40;
  share.missed = 1;
  proposal.streams = {.fps = 15,
                      .capacity = {.cores = 4, .qpu = 1, .memory_bytes_per_second = 1e9},
                      .streams = {share},
                      .fewest = 1,
                      .expected = 2,
                      .most = 5,
                      .limit = "the CPU",
                      .played_cpu = 0.5,
                      .not_played = ""};
  const std::string json = to_json(proposal);
  const Proposal read = parse_proposal(json, "split.json");
  EXPECT_EQ(to_json(read), json);
  EXPECT_EQ(to_text(*read.streams), to_text(*proposal.streams));
  EXPECT_EQ(read.streams->streams[0].plan.qpu, (model::Estimate{4, 5, 6}));
  EXPECT_EQ(read.streams->most, 5U);
}

TEST(Proposal, ShowsWhatTheCpuAccessesInTheGpusMemory) {
  const TableRows rows = gpu_memory_rows(some_proposal());
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[1], (std::vector<std::string>{"qpu, 1 thread (model, not measured)", "3.50",
                                               "250.0", "1.25", "500.00", "250.00", "1000.00"}));
  EXPECT_EQ(rows[2], (std::vector<std::string>{"copying one picture out of it", "3.00", "200.0",
                                               "0.00", "1000.00", "500.00", "2000.00"}));
  Proposal measured = some_proposal();
  measured.picture_copy.reset();
  EXPECT_TRUE(gpu_memory_rows(measured).empty());
  EXPECT_EQ(to_text(measured).find("GPU's memory"), std::string::npos);
}

TEST(Proposal, RefusesWhatItCannotTrust) {
  const std::string good = to_json(some_proposal());
  const auto refusal = [](const std::string& text) {
    return test::error_text([&] { static_cast<void>(parse_proposal(text, "s.json")); });
  };
  const auto changed = [&](const std::string& from, const std::string& to) {
    return refusal(replaced(good, from, to));
  };
  EXPECT_TRUE(refusal(good.substr(0, good.size() / 2))
                  .starts_with("'s.json' is not a whole JSON document"));
  EXPECT_EQ(refusal("{}"),
            "'s.json' is not a proposal of sidecore split: it lacks \"schema\": "
            "\"sidecore-split\"");
  EXPECT_EQ(changed("\"version\": 5", "\"version\": 6"),
            "'s.json' is sidecore-split version 6, and this sidecore reads up to 5: use a newer "
            "one");
  EXPECT_EQ(
      changed("\"version\": 5", "\"version\": 4"),
      "'s.json' is sidecore-split version 4, and this sidecore reads 5 and newer ones: create "
      "it again with this version");
  const std::string invalid = "'s.json' is not a valid proposal of sidecore split: ";
  EXPECT_EQ(changed("\"stages\"", "\"stage\""), invalid + "\"stages\" is missing");
  EXPECT_EQ(changed("\"plan\": \"neon\"", "\"plan\": \"gpu\""),
            invalid + "\"plan\" is not a stage plan");
  EXPECT_EQ(changed("\"threads\": 2", "\"threads\": 0"),
            invalid + "\"threads\" is not a whole number in its range");
  EXPECT_EQ(changed("\"basis\": \"measured\"", "\"basis\": \"guessed\""),
            invalid + "\"basis\" is unknown: 'guessed'");
  EXPECT_EQ(changed("\"expected\": 32.0", "\"expected\": -1"),
            invalid + "\"expected\" is not a number from 0 on");
  EXPECT_EQ(changed("\"proposal\": 0", "\"proposal\": 2"),
            invalid + "\"proposal\" or \"rival\" is not an index of \"plans\"");
  EXPECT_EQ(changed("\"packets\": 40", "\"packets\": 12"),
            invalid + "\"sample_packets\" is greater than \"packets\"");
}

TEST(LeastEdges, FollowFromThePricesAtHandAndSayWhich) {
  const model::Stream stream;
  ProposeOptions options;
  options.model = model::picture_model();
  const std::vector<gates::GateReport> reports{m3_report("Pi")};
  const std::vector<std::string> names{"pi.json"};
  options.board = model::board_cpu(reports, names, machine("laptop"), "7.1");
  const LeastEdges modelled = choose_least_edges(stream, options);
  EXPECT_EQ(modelled.edges, 192U);  // middle of 50 and 333 us, at a million edges per second
  EXPECT_EQ(modelled.origin,
            "a dispatch costs 191.5 us (model, not measured), an edge on one NEON thread 1000.0 ns "
            "(M3 of the board)");
  options = {};
  options.rates.emplace();
  options.rates->dispatch = 30e-6;
  options.rates->neon_edge = 100e-9;
  EXPECT_EQ(choose_least_edges(stream, options).edges, 300U);
  EXPECT_NE(choose_least_edges(stream, options).origin.find("(M5)"), std::string::npos);
  options.least_edges = 7;
  EXPECT_EQ(choose_least_edges(stream, options).edges, 7U);
  EXPECT_EQ(choose_least_edges(stream, options).origin, "given by --least-edges");
}

}  // namespace
}  // namespace sidecore::split::test_split
