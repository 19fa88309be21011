// Tests captured jobs: their content, and their files, complete and damaged.
// ctest: threads
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/error.h"
#include "v3dsim/drm/job_capture.h"
#include "v3dsim/v3dsim_rig.h"

namespace sidecore::v3dsim::test_v3dsim_job_capture {
namespace {

using namespace rig;

class V3dJobCapture : public testing::TestWithParam<Version> {
 protected:
  V3dJobCapture() : gpu_(GetParam()) {
    // The program computes result = value * 3 in 16 lanes.
    Assembler code(GetParam());
    code.uniform(10);
    code.uniform(13);
    code.add(AddOp::eidx, to(11));
    code.add(AddOp::shl, to(11), rf(11), imm(2));
    code.add(AddOp::add, to(10), rf(10), rf(11));
    code.add(AddOp::add, to(13), rf(13), rf(11));
    code.load(12, 10);
    code.add(AddOp::add, to(14), rf(12), rf(12));
    code.add(AddOp::add, to(14), rf(14), rf(12));
    code.store(13, 14);
    code.end();
    gpu_.load(code, {kData, kData + 0x1000});
    for (std::uint32_t i = 0; i < 16; ++i) gpu_.data(i) = i * i + 1;
  }

  CapturedJob capture_job() {
    const CsdJob job{make_job(gpu_.shape, gpu_.machine),
                     {{kCode, 0x8000}, {kUniforms, 0x1000}, {kData, kDataBytes}},
                     {}};
    const JobCapture capture(job, GetParam(), reinterpret_cast<const std::byte*>(&gpu_.word(0)));
    gpu_.run();
    return capture.finish();
  }

  Machine1M gpu_;
};

TEST_P(V3dJobCapture, KeepsWhatWasThereAndWhatChanged) {
  const CapturedJob job = capture_job();
  ASSERT_EQ(job.buffers.size(), 3U);
  EXPECT_TRUE(job.buffers[0].changed.empty());
  ASSERT_EQ(job.buffers[2].changed.size(), 1U);
  EXPECT_EQ(job.buffers[2].changed[0].offset, 0x1000U);
  ASSERT_EQ(job.buffers[2].changed[0].words.size(), 16U);
  EXPECT_EQ(job.buffers[2].changed[0].words[15], 678U);
  EXPECT_EQ(words_after(job.buffers[2])[15], 226U);
  EXPECT_EQ(words_after(job.buffers[2])[0x400 + 15], 678U);
}

TEST_P(V3dJobCapture, RunsAgainFromItsFile) {
  const auto path = std::filesystem::path(testing::TempDir()) /
                    fmt::format("v3dsim_job_capture_{}", static_cast<int>(GetParam()));
  const CapturedJob job = capture_job();
  write_jobs(std::array{job, job}, path);
  const auto jobs = read_jobs(path);
  ASSERT_EQ(jobs.size(), 2U);
  EXPECT_EQ(jobs[1].version, GetParam());
  CapturedMemory memory(jobs[1]);
  EXPECT_EQ(memory.window(kData - 1).bytes, nullptr);
  EXPECT_EQ(memory.words(2)[0x400], 0U);
  Executor executor(gpu_.machine, {});
  executor.run(jobs[1].job, memory);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(std::ranges::equal(memory.words(i), words_after(jobs[1].buffers[i])));
  }
  std::filesystem::remove(path);
}

TEST_P(V3dJobCapture, AFileThatIsCutOrChangedIsRefusedOrReadButNeverCrashes) {
  const auto path = std::filesystem::path(testing::TempDir()) /
                    fmt::format("v3dsim_broken_record_{}", static_cast<int>(GetParam()));
  write_jobs(std::array{capture_job()}, path);
  std::ifstream file(path, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(file), {}};
  const auto read_back = [&](const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
    return read_jobs(path);
  };
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THROW((void)read_back(whole.substr(0, size)), Error) << size;
  }
  EXPECT_THROW((void)read_back(whole + "more"), Error);
  for (std::size_t at = 23; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x40);
    try {
      (void)read_back(changed);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
    }
  }
  std::filesystem::remove(path);
}

INSTANTIATE_TEST_SUITE_P(V3d, V3dJobCapture, testing::Values(Version::v42, Version::v71),
                         [](const auto& version) {
                           return version.param == Version::v42 ? "v42" : "v71";
                         });

}  // namespace
}  // namespace sidecore::v3dsim::test_v3dsim_job_capture
