// Tests what the simulator reads from the driver's messages, and which of them a user sees.
// ctest: threads
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "v3dsim/drm/recording_runner.h"
#include "v3dsim/drm/shader_log.h"
#include "v3dsim/drm/stderr_tap.h"

namespace sidecore::v3dsim::test_v3dsim_shader_log {
namespace {

constexpr std::string_view kListing[] = {
    "MESA_SHADER_COMPUTE prog 5/0 QPU:",
    "0x38403186bb03f000 nop                           ; nop                         ; ldunif "
    "(push[0])",
    "0x38203186bb03f000 nop                           ; nop                         ; thrsw",
    "",
};
constexpr std::string_view kFigures =
    "SHADER-DB-cdb1c3180171545a0aff3ad8a7a15ff509cbd8e1 - MESA_SHADER_COMPUTE shader: 2 inst, "
    "4 threads, 1 loops, 73 uniforms, 32 max-temps, 5:7 spills:fills, 3 sfu-stalls, "
    "5 inst-and-stalls, 48 nops";
constexpr std::uint64_t kCode[] = {0x38403186bb03f000, 0x38203186bb03f000};

std::span<const std::byte> code_and_more(const std::vector<std::uint64_t>& words) {
  return std::as_bytes(std::span(words));
}

TEST(V3dShaderLog, FindsAShaderByItsMachineCode) {
  ShaderLog log;
  for (const std::string_view line : kListing) EXPECT_EQ(log.add(line), ShaderLog::Line::code);
  EXPECT_EQ(log.add(kFigures), ShaderLog::Line::figures);
  const std::vector<std::uint64_t> memory = {kCode[0], kCode[1], 0, 0};
  const auto shader = nlohmann::json::parse(log.find(code_and_more(memory)));
  EXPECT_EQ(shader, nlohmann::json::parse(R"({
    "name": "cdb1c3180171545a0aff3ad8a7a15ff509cbd8e1", "stage": "MESA_SHADER_COMPUTE",
    "inst": 2, "threads": 4, "loops": 1, "uniforms": 73, "max_temps": 32, "spills": 5,
    "fills": 7, "sfu_stalls": 3, "inst_and_stalls": 5, "nops": 48})"));
}

TEST(V3dShaderLog, TakesNoOtherCodeForIt) {
  ShaderLog log;
  for (const std::string_view line : kListing) log.add(line);
  log.add(kFigures);
  EXPECT_EQ(log.find(code_and_more({kCode[0], kCode[1] + 1, 0})), "");
  EXPECT_EQ(log.find(code_and_more({kCode[0]})), "") << "the memory ends before the code does";
  EXPECT_EQ(log.find({}), "");
}

TEST(V3dShaderLog, OfSeveralAttemptsKnowsThoseOfTheLengthThatWasKept) {
  ShaderLog log;
  for (const std::string_view line : kListing) log.add(line);
  log.add(kListing[0]);
  log.add(kListing[2]);  // a compilation attempt that the compiler discarded
  log.add("");
  log.add(kFigures);
  EXPECT_NE(log.find(code_and_more({kCode[0], kCode[1]})), "");
  EXPECT_EQ(log.find(code_and_more({kCode[1]})), "");
}

TEST(V3dShaderLog, KeepsThreadsThatCompileSideBySideApart) {
  ShaderLog log;
  log.add(kListing[0]);
  log.add(kListing[1]);
  std::thread([&] {
    EXPECT_FALSE(log.may_be_driver_line("0x38203186bb03f000 nop"))
        << "this thread has no open listing";
    for (const std::string_view line : kListing) log.add(line);
  }).join();
  log.add(kListing[2]);
  log.add(kFigures);
  EXPECT_NE(log.find(code_and_more({kCode[0], kCode[1]})), "");
}

TEST(V3dShaderLog, LeavesOtherLinesAlone) {
  ShaderLog log;
  for (const char* line :
       {"0x38403186bb03f000 nop", "", "SHADER-DB-", "SHADER-DB-a - b shader: inst",
        "SHADER-DB-a - b shader: 1:2 inst, x", "MESA_SHADER_COMPUTE prog 1/0 NIR:"}) {
    EXPECT_EQ(log.add(line), ShaderLog::Line::foreign) << line;
  }
}

/// Records the job and returns a record of its own.
class FakeRunner final : public JobRunner {
 public:
  explicit FakeRunner(CsdJob& seen) : seen_(seen) {}
  CsdResult run(const CsdJob& job, const AddressSpace& /*memory*/) override {
    seen_ = job;
    return {Nanoseconds{0}, "summary", R"({"jobs": 1})"};
  }

 private:
  CsdJob& seen_;
};

TEST(V3dRecordingRunner, GivesAJobItsShaderAndKeepsItsRecord) {
  ShaderLog log;
  for (const std::string_view line : kListing) log.add(line);
  log.add(kFigures);
  AddressSpace memory;
  const BufferRange code = *memory.find(*memory.create(4096));
  constexpr std::uint32_t kEntry = 64;
  std::memcpy(memory.base() + code.address + kEntry, kCode, sizeof kCode);

  CsdJob seen;
  RecordQueue records;
  RecordingRunner runner(std::make_unique<FakeRunner>(seen), log, records);
  CsdJob job;
  job.memory = memory.live();
  job.words.config[5] = (code.address + kEntry) | 1;  // the low bits of the word are flags
  EXPECT_EQ(runner.run(job, memory).summary, "summary");
  EXPECT_EQ(nlohmann::json::parse(seen.shader).at("nops"), 48);
  EXPECT_FALSE(seen.wants_record);
  EXPECT_EQ(records.take(), "[]") << "records were not requested";

  records.start();
  job.words.config[5] = code.address + code.size - 8;
  (void)runner.run(job, memory);
  EXPECT_TRUE(seen.wants_record);
  EXPECT_EQ(seen.shader, "") << "the code at the job's address differs from the listing";
  job.words.config[5] = 8;
  (void)runner.run(job, memory);
  EXPECT_EQ(records.take(), R"([{"jobs": 1},{"jobs": 1}])");
  EXPECT_EQ(records.take(), "[]");
}

/// Fixture with a tap on a file that stands for stderr; the tap's listener takes the lines that
/// begin with "db".
class V3dStderrTap : public ::testing::Test {
 protected:
  V3dStderrTap()
      : tap_({[](std::string_view start) { return start.starts_with('d'); },
              [this](std::string_view line) {
                if (!line.starts_with("db")) return true;
                taken_.emplace_back(line);
                return false;
              }},
             file_) {}
  ~V3dStderrTap() override { std::fclose(file_); }

  std::string passed() {
    std::string text(static_cast<std::size_t>(std::ftell(file_)), '\0');
    std::rewind(file_);
    EXPECT_EQ(std::fread(text.data(), 1, text.size(), file_), text.size());
    return text;
  }

  std::FILE* file_ = std::tmpfile();
  std::vector<std::string> taken_;
  StderrTap tap_;
};

TEST_F(V3dStderrTap, TakesWholeLinesHoweverTheyArePrinted) {
  for (const char* piece : {"hello\ndb 1", " and 2", "\n", "d", "ance\nmiddle db\ndb 3\nrest"}) {
    tap_.write(piece);
  }
  EXPECT_EQ(taken_, (std::vector<std::string>{"db 1 and 2", "db 3"}));
  EXPECT_EQ(passed(), "hello\ndance\nmiddle db\nrest");
}

TEST_F(V3dStderrTap, HoldsNothingBackThatIsNotForTheListener) {
  tap_.write("progress 1");
  tap_.write("\rdb progress 2");
  EXPECT_EQ(passed(), "progress 1\rdb progress 2");
  tap_.write("\n");
}

}  // namespace
}  // namespace sidecore::v3dsim::test_v3dsim_shader_log
