// Submissions to the fake V3D: compute jobs, jobs of the kernel's own processor, extensions.
#include <array>
#include <cerrno>
#include <cstring>

#include "v3dsim_device_fixture.h"

namespace sidecore::v3dsim {
namespace {

struct Submission : V3dDevice {
  Submission() {
    sync.in_sync_count = 0;
    out.handle = create_sync(false);
    sync.head.id = uapi::ExtensionId::multi_sync;
    sync.out_syncs = address_of(&out);
    sync.out_sync_count = 1;
    csd.flags = uapi::kSubmitHasExtensions;
    csd.extensions = address_of(&sync);
    csd.cfg[0] = csd.cfg[1] = csd.cfg[2] = 1 << 16;
  }
  bool signaled() { return wait(out.handle, 0, 0) == 0; }

  uapi::Semaphore out{};
  uapi::MultiSync sync{};
  uapi::SubmitCsd csd{};
};

TEST_F(Submission, RunsComputeJobsAndSignals) {
  const auto bo = create(4096);
  csd.cfg[5] = 0x1234;
  ASSERT_EQ(call(Request::submit_csd, csd), 0);
  ASSERT_EQ(runner_->jobs.size(), 1U);
  EXPECT_EQ(runner_->jobs[0].words.config[5], 0x1234U);
  EXPECT_FALSE(runner_->jobs[0].words.indirect);
  ASSERT_EQ(runner_->jobs[0].memory.size(), 1U);
  EXPECT_EQ(runner_->jobs[0].memory[0].address, bo.offset);
  EXPECT_TRUE(signaled());
}

TEST_F(Submission, ARefusedJobIsAnIoErrorAndSignalsNothing) {
  runner_->refuse = true;
  testing::internal::CaptureStderr();
  EXPECT_EQ(call(Request::submit_csd, csd), -EIO);
  EXPECT_EQ(call(Request::submit_csd, csd), -EIO);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "v3dsim: refused: store outside every buffer\n");
  EXPECT_EQ(wait(out.handle, INT64_MAX, uapi::kSyncobjWaitForSubmit), -EIO);
}

TEST_F(Submission, ChecksHandlesAndExtensions) {
  std::uint32_t unknown = 4711;
  csd.bo_handles = address_of(&unknown);
  csd.bo_handle_count = 1;
  EXPECT_EQ(call(Request::submit_csd, csd), -ENOENT);
  csd.bo_handle_count = 0;
  uapi::Semaphore never{};
  never.handle = create_sync(false);
  sync.in_syncs = address_of(&never);
  sync.in_sync_count = 1;
  EXPECT_EQ(call(Request::submit_csd, csd), -EINVAL);
  sync.in_sync_count = 0;
  sync.head.next = address_of(&sync);
  EXPECT_EQ(call(Request::submit_csd, csd), -EIO);
  sync.head.next = 0;
  sync.head.id = static_cast<uapi::ExtensionId>(99);
  EXPECT_EQ(call(Request::submit_csd, csd), -EIO);
  EXPECT_TRUE(runner_->jobs.empty());
}

TEST_F(Submission, RefusesImagesAndCounters) {
  std::array<std::byte, 88> tfu{};
  EXPECT_EQ(call(Request::submit_tfu, tfu), -EIO);
  csd.perfmon = 1;
  EXPECT_EQ(call(Request::submit_csd, csd), -EIO);
}

struct CpuQueue : Submission {
  CpuQueue() {
    cpu.bo_handles = address_of(&buffer.handle);
    cpu.bo_handle_count = 1;
    cpu.flags = uapi::kSubmitHasExtensions;
    cpu.extensions = address_of(&sync);
  }
  template <class T>
  void attach(T& extension, uapi::ExtensionId id) {
    extension.head.id = id;
    sync.head.next = address_of(&extension);
  }

  uapi::CreateBo buffer = create(4096);
  uapi::SubmitCpu cpu{};
};

TEST_F(CpuQueue, TakesTheGridFromABuffer) {
  const auto uniforms = create(4096);
  const std::array<std::uint32_t, 3> grid{3, 5, 7};
  std::memcpy(at(buffer.offset) + 16, grid.data(), sizeof grid);
  uapi::IndirectCsd indirect{};
  indirect.submit = csd;
  indirect.indirect = uniforms.handle;
  indirect.offset = 16;
  indirect.workgroup_size = 20;
  indirect.workgroup_uniform_offsets[0] = 4;
  indirect.workgroup_uniform_offsets[1] = uapi::kNoUniformOffset;
  indirect.workgroup_uniform_offsets[2] = 9;
  attach(indirect, uapi::ExtensionId::indirect_csd);
  ASSERT_EQ(call(Request::submit_cpu, cpu), 0);
  ASSERT_EQ(runner_->jobs.size(), 1U);
  const Job& job = runner_->jobs[0].words;
  EXPECT_TRUE(job.indirect);
  EXPECT_EQ(job.config[0], 3U << 16);
  EXPECT_EQ(job.config[1], 5U << 16);
  EXPECT_EQ(job.config[2], 7U << 16);
  EXPECT_EQ(job.config[4], 2U * 3 * 5 * 7);
  std::array<std::uint32_t, 10> written{};
  std::memcpy(written.data(), at(uniforms.offset), sizeof written);
  EXPECT_EQ(written, (std::array<std::uint32_t, 10>{0, 0, 0, 0, 3, 0, 0, 0, 0, 7}));
  EXPECT_TRUE(signaled());
}

TEST_F(CpuQueue, SkipsAnEmptyGridAndBoundsABadOne) {
  uapi::IndirectCsd indirect{};
  indirect.workgroup_size = 16;
  attach(indirect, uapi::ExtensionId::indirect_csd);
  EXPECT_EQ(call(Request::submit_cpu, cpu), 0);
  EXPECT_TRUE(signaled());
  indirect.offset = 4090;
  EXPECT_EQ(call(Request::submit_cpu, cpu), -EIO);
  const std::array<std::uint32_t, 3> grid{65536, 1, 1};
  std::memcpy(at(buffer.offset), grid.data(), sizeof grid);
  indirect.offset = 0;
  EXPECT_EQ(call(Request::submit_cpu, cpu), -EIO);
  EXPECT_TRUE(runner_->jobs.empty());
}

TEST_F(CpuQueue, WritesCopiesAndResetsTimestamps) {
  const std::uint32_t offset = 24;
  const std::uint32_t done = create_sync(false);
  uapi::TimestampQuery query{};
  query.offsets = address_of(&offset);
  query.syncs = address_of(&done);
  query.count = 1;
  attach(query, uapi::ExtensionId::timestamp_query);
  ASSERT_EQ(call(Request::submit_cpu, cpu), 0);
  std::uint64_t time = 0;
  std::memcpy(&time, at(buffer.offset) + 24, sizeof time);
  EXPECT_GT(time, 0U);
  EXPECT_EQ(wait(done, 0, 0), 0);

  const auto results = create(4096);
  const std::array<std::uint32_t, 2> handles{results.handle, buffer.handle};
  uapi::CopyTimestampQuery copy{};
  copy.do_64bit = 1;
  copy.availability_bit = 1;
  copy.count = 1;
  copy.offsets = address_of(&offset);
  copy.syncs = address_of(&done);
  attach(copy, uapi::ExtensionId::copy_timestamp_query);
  cpu.bo_handles = address_of(handles.data());
  cpu.bo_handle_count = 2;
  ASSERT_EQ(call(Request::submit_cpu, cpu), 0);
  std::array<std::uint64_t, 2> result{};
  std::memcpy(result.data(), at(results.offset), sizeof result);
  EXPECT_EQ(result, (std::array<std::uint64_t, 2>{time, 1}));

  uapi::ResetTimestampQuery reset{};
  reset.offset = 24;
  reset.count = 1;
  reset.syncs = address_of(&done);
  attach(reset, uapi::ExtensionId::reset_timestamp_query);
  cpu.bo_handles = address_of(&buffer.handle);
  cpu.bo_handle_count = 1;
  ASSERT_EQ(call(Request::submit_cpu, cpu), 0);
  std::memcpy(&time, at(buffer.offset) + 24, sizeof time);
  EXPECT_EQ(time, 0U);
  EXPECT_EQ(wait(done, 0, 0), -EINVAL);
}

}  // namespace
}  // namespace sidecore::v3dsim
