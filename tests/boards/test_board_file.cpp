// The file of `sidecore verdict`: its document, what may stand in one file, and what it never
// holds.
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <string>

#include "boards/board_file.h"
#include "boards/step_process.h"
#include "boards/steps.h"
#include "error_text.h"
#include "replaced_text.h"

namespace sidecore::test_board_file {
namespace {

using boards::BoardFile;
using boards::StepResult;

BoardFile some_file() {
  BoardFile file;
  file.sidecore = "0.1.0";
  file.threads = 4;
  file.environment.board = "Raspberry Pi 5 Model B Rev 1.0";
  file.environment.time = "2026-11-28T09:00:00Z";
  file.device = {"V3D 7.1.7.0", "V3DV Mesa 25.0.7"};
  file.clip = {"0123456789abcdef0123456789abcdef", 48, 1920, 1080};
  StepResult result;
  result.step = "dispatch";
  result.seconds = 1.5;
  result.answer = "an empty submission takes 50 us";
  result.figures = {{"dispatch.submission", "us", 50, 48, 53}};
  boards::put_step(file, result);
  return file;
}

TEST(BoardFileDocument, WhatIsWrittenIsRead) {
  const BoardFile file = some_file();
  const std::string text = boards::to_json(file);
  const BoardFile read = boards::parse_board_file(text, "board.json");
  EXPECT_EQ(boards::to_json(read), text);
  EXPECT_EQ(boards::difference_of(file, read), "");
  ASSERT_NE(boards::find_figure(read, "dispatch.submission"), nullptr);
  EXPECT_EQ(boards::find_figure(read, "dispatch.submission")->high, 53);
  EXPECT_EQ(boards::find_figure(read, "dispatch.further"), nullptr);
  EXPECT_EQ(read.device.name, "V3D 7.1.7.0");
  EXPECT_EQ(read.clip.packets, 48U);
}

TEST(BoardFileDocument, OtherVersionsAndDocumentsAreRejected) {
  const std::string text = boards::to_json(some_file());
  const auto refusal = [](const std::string& document) {
    return test::error_text([&] { (void)boards::parse_board_file(document, "board.json"); });
  };
  EXPECT_NE(refusal(test::replaced(text, "\"version\": 1", "\"version\": 2")).find("version 2"),
            std::string::npos);
  EXPECT_NE(refusal(test::replaced(text, "sidecore-verdict", "sidecore-gate")).find("board.json"),
            std::string::npos);
  EXPECT_NE(refusal(text.substr(0, text.size() / 2)).find("not a whole JSON document"),
            std::string::npos);
  EXPECT_NE(refusal(test::replaced(text, "\"threads\": 4", "\"threads\": 0")).find("threads"),
            std::string::npos);
}

TEST(BoardFileDocument, PathsInReasonsDoNotReachTheFile) {
  BoardFile file = some_file();
  StepResult result;
  result.step = "split";
  result.missing = "'/home/jane doe/clip.webm' is damaged; see /home/jane/log, ./log or ~/x";
  result.answer = "neon, 4 threads: 81.2 pictures/s";
  boards::put_step(file, result);
  const std::string text = boards::to_json(file);
  EXPECT_EQ(text.find("jane"), std::string::npos) << text;
  EXPECT_EQ(text.find("log, ./"), std::string::npos) << text;
  EXPECT_NE(text.find("'(path)' is damaged; see (path), (path) or (path)"), std::string::npos);
  EXPECT_NE(text.find("81.2 pictures/s"), std::string::npos);
}

TEST(BoardFileDocument, NamesOfTheSystemStay) {
  EXPECT_EQ(boards::without_paths("/dev/dri/renderD128 may not be opened"),
            "/dev/dri/renderD128 may not be opened");
  EXPECT_EQ(boards::without_paths("1/2 of 30 pictures/s"), "1/2 of 30 pictures/s");
  EXPECT_EQ(boards::without_paths("clip=/srv/a.ivf"), "clip=(path)");
}

TEST(BoardFileDocument, TheClipsNameIsHidden) {
  StepResult result;
  result.missing = "'videos/jane.webm': frame 3 of 'jane.webm' is damaged";
  boards::hide_clip(result, "videos/jane.webm");
  EXPECT_EQ(result.missing, "the clip: frame 3 of the clip is damaged");
}

TEST(BoardFileSteps, AStepReplacesItsEarlierResult) {
  BoardFile file = some_file();
  StepResult again;
  again.step = "dispatch";
  again.missing = "no device";
  boards::put_step(file, again);
  ASSERT_EQ(file.steps.size(), 1U);
  EXPECT_EQ(boards::find_step(file, "dispatch")->missing, "no device");
  EXPECT_EQ(boards::find_step(file, "split"), nullptr);
}

TEST(BoardFileSteps, OnlyWholeAndUnthrottledStepsAreFinished) {
  StepResult result;
  EXPECT_TRUE(result.is_finished());
  result.throttled = "under-voltage";
  EXPECT_FALSE(result.is_finished());
  result = {};
  result.missing = "no device";
  EXPECT_FALSE(result.is_finished());
}

TEST(BoardFileSteps, AnotherBoardBuildClipOrDeviceIsADifference) {
  const BoardFile file = some_file();
  const auto difference = [&](const auto& change) {
    BoardFile later = file;
    change(later);
    return boards::difference_of(file, later);
  };
  EXPECT_EQ(difference([](BoardFile& later) { later.environment.board = "Raspberry Pi 4"; }),
            "board 'Raspberry Pi 5 Model B Rev 1.0', not 'Raspberry Pi 4'");
  EXPECT_NE(difference([](BoardFile& later) { later.sidecore = "0.2.0"; }), "");
  EXPECT_NE(difference([](BoardFile& later) { later.build.compiler = "clang"; }), "");
  EXPECT_NE(difference([](BoardFile& later) { later.clip.md5 = "f"; }), "");
  EXPECT_NE(difference([](BoardFile& later) { later.budget = boards::Budget::quick; }), "");
  EXPECT_NE(difference([](BoardFile& later) { later.device.driver = "V3DV Mesa 26"; }), "");
  EXPECT_NE(difference([](BoardFile& later) { later.basis = boards::Basis::modelled; }), "");
  // The steps that a missing device or clip prevented are repeated; the others stay.
  EXPECT_EQ(difference([](BoardFile& later) { later.device = {}; }), "");
  EXPECT_EQ(difference([](BoardFile& later) { later.clip = {}; }), "");
  EXPECT_EQ(difference([](BoardFile& later) { later.environment.time = "later"; }), "");
}

TEST(BoardFileText, TenLinesSayWhatIsMissingVoidOrWrong) {
  BoardFile file = some_file();
  StepResult result;
  result.step = "loop_filter";
  result.answer = "100.0000 % right";
  result.throttled = "under-voltage";
  result.missing = "no GPU";
  result.agrees = false;
  boards::put_step(file, result);
  const std::string text = boards::ten_lines(file);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 10) << text;
  for (const char* const words :
       {"board: Raspberry Pi 5 Model B Rev 1.0", "V3D 7.1.7.0 (V3DV Mesa 25.0.7)",
        "dispatch (M5): an empty submission takes 50 us", "split: not run yet",
        "loop filter: 100.0000 % right; WRONG", "partly not run: no GPU",
        "VOID, the board throttled"}) {
    EXPECT_NE(text.find(words), std::string::npos) << words << " in\n" << text;
  }
}

TEST(BoardFileText, TheModelsBoardIsKnownByItsName) {
  BoardFile file = some_file();
  EXPECT_EQ(boards::model_name_of(file), "pi5");
  file.environment.board = "Raspberry Pi Compute Module 4 Rev 1.1";
  EXPECT_EQ(boards::model_name_of(file), "pi4");
  file.environment.board = "Radxa ROCK 5B";
  EXPECT_EQ(boards::model_name_of(file), "");
}

TEST(StepProcess, ReturnsTheTextOrTheReason) {
  const auto minute = std::chrono::minutes(1);
  EXPECT_EQ(*boards::run_in_process([] { return std::string("a\nresult"); }, minute), "a\nresult");
  EXPECT_EQ(boards::run_in_process(
                []() -> std::string { throw environment_error("the disk is full"); }, minute)
                .reason,
            "the disk is full");
  const auto killed = boards::run_in_process(
      []() -> std::string {
        std::signal(SIGTERM, SIG_DFL);
        std::raise(SIGTERM);
        return "never";
      },
      minute);
  EXPECT_FALSE(killed);
  EXPECT_NE(killed.reason.find("ended by signal 15"), std::string::npos) << killed.reason;
}

TEST(StepProcess, AStepBeyondItsLimitIsEnded) {
  const auto endless = boards::run_in_process(
      []() -> std::string {
        for (;;) ::pause();
      },
      std::chrono::milliseconds(50));
  EXPECT_FALSE(endless);
  EXPECT_EQ(endless.reason, "it took longer than 0 s and was ended");
}

TEST(StepProcess, AResultPassesBetweenProcesses) {
  StepResult result = some_file().steps.front();
  const StepResult read = boards::parse_step(boards::step_to_json(result));
  EXPECT_EQ(read.step, "dispatch");
  EXPECT_EQ(read.figures.front().low, 48);
  EXPECT_EQ(read.answer, result.answer);
}

TEST(VerdictSteps, AllLimitsTogetherAreTenMinutes) {
  double sum = 0;
  for (const boards::Step& step : boards::steps()) sum += step.limit;
  EXPECT_LE(sum, boards::kMaxSeconds);
  EXPECT_GE(boards::steps().size(), 8U);
}

TEST(VerdictSteps, WithoutAClipAStepNamesTheReason) {
  boards::StepSettings settings;
  settings.no_clip = "the clip is missing";
  for (const boards::Step& step : boards::steps()) {
    if (!step.needs_clip) continue;
    const StepResult result = boards::run_step(step, settings);
    EXPECT_EQ(result.step, step.name);
    EXPECT_EQ(result.missing, "the clip is missing");
  }
}

}  // namespace
}  // namespace sidecore::test_board_file
