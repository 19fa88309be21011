// Tests submissions to the fake V3D: compute jobs, CPU-queue jobs, extensions.
// ctest: threads
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <set>
#include <string>

#include <fmt/format.h>

#include "v3dsim/v3dsim_device_fixture.h"

namespace sidecore::v3dsim::test_v3dsim_submit {
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

struct ListedBounds : V3dDevice {
  ListedBounds() : V3dDevice(settings()) {
    runner_->refuse = true;
    csd.bo_handles = address_of(&listed.handle);
    csd.bo_handle_count = 1;
    csd.cfg[0] = csd.cfg[1] = csd.cfg[2] = 1 << 16;
  }
  static Settings settings() {
    Settings settings;
    settings.bounds = Bounds::job;
    return settings;
  }
  std::string said_of(std::uint32_t address) {
    runner_->refused_address = address;
    testing::internal::CaptureStderr();
    EXPECT_EQ(call(Request::submit_csd, csd), -EIO);
    return testing::internal::GetCapturedStderr();
  }

  uapi::CreateBo listed = create(4096);
  uapi::CreateBo other = create(8192);
  uapi::SubmitCsd csd{};
};

TEST_F(ListedBounds, SayWhichBufferTheDriverLeftOut) {
  EXPECT_EQ(said_of(other.offset + 8188),
            fmt::format("v3dsim: refused: store outside every buffer; the "
                        "address is in an allocated buffer "
                        "of 8192 bytes at {:#x} that the driver did not list for the job\n",
                        other.offset));
  EXPECT_EQ(said_of(other.offset + 8192), "v3dsim: refused: store outside every buffer\n");
  EXPECT_EQ(said_of(listed.offset + 2), "")
      << "the same line is printed once: the address was listed, but not aligned";
}

TEST_F(Submission, WarnsOnceOfPackedWorkgroupsWithBarriers) {
  const auto said = [this](std::uint32_t per_supergroup, std::uint64_t barriers) {
    csd.cfg[3] = 8 | per_supergroup << 8;
    runner_->counters[kBarrierCounter] = barriers;
    testing::internal::CaptureStderr();
    EXPECT_EQ(call(Request::submit_csd, csd), 0);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(said(1, 3), "");
  EXPECT_EQ(said(2, 0), "");
  EXPECT_EQ(said(2, 3).find("v3dsim: warning: job 3: the driver packs 2 workgroups"), 0U);
  EXPECT_EQ(said(2, 3), "");
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

TEST_F(Submission, RefusesImages) {
  std::array<std::byte, 88> tfu{};
  EXPECT_EQ(call(Request::submit_tfu, tfu), -EIO);
}

struct Monitors : Submission {
  Monitors() {
    for (std::size_t i = 0; i < runner_->counters.size(); ++i) runner_->counters[i] = 100 + i;
  }
  /// Creates a monitor with the given counters in order, and returns its id.
  std::uint32_t monitor(std::initializer_list<std::uint8_t> counters) {
    uapi::PerfmonCreate create{};
    std::copy(counters.begin(), counters.end(), std::begin(create.counters));
    create.counter_count = static_cast<std::uint32_t>(counters.size());
    EXPECT_EQ(call(Request::perfmon_create, create), 0);
    return create.id;
  }
  int destroy(std::uint32_t id) { return call(Request::perfmon_destroy, id); }
  std::vector<std::uint64_t> values(std::uint32_t id, std::size_t count) {
    std::vector<std::uint64_t> found(count + 1, 4711);
    uapi::PerfmonGetValues get{id, 0, address_of(found.data())};
    EXPECT_EQ(call(Request::perfmon_get_values, get), 0);
    EXPECT_EQ(found.back(), 4711U) << "more values were written than the monitor has counters";
    found.pop_back();
    return found;
  }
  void run_with(std::uint32_t id) {
    csd.perfmon = id;
    EXPECT_EQ(call(Request::submit_csd, csd), 0);
  }
};

TEST_F(Monitors, AddUpTheJobsThatNameThem) {
  const std::uint32_t first = monitor({3, 0, 14});
  const std::uint32_t second = monitor({1});
  EXPECT_EQ(values(first, 3), (std::vector<std::uint64_t>{0, 0, 0}));
  run_with(first);
  run_with(first);
  run_with(0);
  run_with(second);
  EXPECT_EQ(values(first, 3), (std::vector<std::uint64_t>{206, 200, 228}));
  EXPECT_EQ(values(second, 1), (std::vector<std::uint64_t>{101}));
}

TEST_F(Monitors, AreRefusedAsTheKernelRefusesThem) {
  uapi::PerfmonCreate create{};
  EXPECT_EQ(call(Request::perfmon_create, create), -EINVAL) << "no counters";
  create.counter_count = uapi::kMaxCounters + 1;
  EXPECT_EQ(call(Request::perfmon_create, create), -EINVAL);
  create.counter_count = 1;
  create.counters[0] = kSimulatedCounters;
  EXPECT_EQ(call(Request::perfmon_create, create), -EINVAL) << "the counter does not exist";
  const std::uint32_t id = monitor({0});
  EXPECT_EQ(id, 1U);
  uapi::PerfmonGetValues get{id, 1, address_of(&create)};
  EXPECT_EQ(call(Request::perfmon_get_values, get), -EINVAL) << "padding";
  get = {id, 0, 0};
  EXPECT_EQ(call(Request::perfmon_get_values, get), -EFAULT);
  get.id = 2;
  EXPECT_EQ(call(Request::perfmon_get_values, get), -EINVAL);
  csd.perfmon = 2;
  EXPECT_EQ(call(Request::submit_csd, csd), -ENOENT);
  EXPECT_TRUE(runner_->jobs.empty());
  EXPECT_FALSE(signaled());
  EXPECT_EQ(destroy(2), -EINVAL);
  EXPECT_EQ(destroy(id), 0);
  EXPECT_EQ(destroy(id), -EINVAL);
  EXPECT_EQ(monitor({0}), 1U) << "the lowest free number";
}

TEST_F(Monitors, CountersSayWhatTheyCount) {
  uapi::GetParam most{uapi::Param::max_perf_counters, 0, 0};
  ASSERT_EQ(call(Request::get_param, most), 0);
  ASSERT_EQ(most.value, kSimulatedCounters);
  std::set<std::string> names;
  for (std::size_t i = 0; i < kSimulatedCounters; ++i) {
    uapi::PerfmonGetCounter counter{};
    std::fill(std::begin(counter.name), std::end(counter.name), std::uint8_t{'x'});
    counter.counter = static_cast<std::uint8_t>(i);
    ASSERT_EQ(call(Request::perfmon_get_counter, counter), 0);
    const std::string name = reinterpret_cast<const char*>(counter.name);
    EXPECT_TRUE(name.starts_with("simulated-")) << name;
    EXPECT_STREQ(reinterpret_cast<const char*>(counter.category), "v3dsim");
    EXPECT_NE(counter.description[0], 0);
    names.insert(name);
  }
  EXPECT_EQ(names.size(), kSimulatedCounters);
  uapi::PerfmonGetCounter counter{};
  counter.counter = kSimulatedCounters;
  EXPECT_EQ(call(Request::perfmon_get_counter, counter), -EINVAL);
  counter.counter = 0;
  counter.reserved[6] = 1;
  EXPECT_EQ(call(Request::perfmon_get_counter, counter), -EINVAL);
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

struct MonitorsOnCpuQueue : Monitors {
  MonitorsOnCpuQueue() {
    cpu.flags = uapi::kSubmitHasExtensions;
    cpu.extensions = address_of(&sync);
    run_with(id);
  }
  template <class T>
  int submit(T& extension, uapi::ExtensionId kind) {
    extension.head.id = kind;
    extension.count = 1;
    extension.monitor_count = 1;
    extension.syncs = address_of(&done);
    extension.monitors = address_of(&ids);
    sync.head.next = address_of(&extension);
    return call(Request::submit_cpu, cpu);
  }

  std::uint32_t done = create_sync(true);
  std::uint32_t id = monitor({3, 0});
  std::uint64_t ids = address_of(&id);
  uapi::CreateBo buffer = create(4096);
  uapi::SubmitCpu cpu{};
};

TEST_F(MonitorsOnCpuQueue, AreCopied) {
  cpu.bo_handles = address_of(&buffer.handle);
  cpu.bo_handle_count = 1;
  uapi::CopyPerformanceQuery copy{};
  copy.do_64bit = copy.availability_bit = 1;
  copy.offset = 16;
  copy.counter_count = 2;
  ASSERT_EQ(submit(copy, uapi::ExtensionId::copy_performance_query), 0);
  std::array<std::uint64_t, 4> found{};
  std::memcpy(found.data(), at(buffer.offset) + 16, sizeof found);
  EXPECT_EQ(found, (std::array<std::uint64_t, 4>{103, 100, 1, 0}));

  uapi::SyncobjArray array{address_of(&done), 1, 0};
  ASSERT_EQ(call(Request::syncobj_reset, array), 0);
  copy.do_64bit = 0;
  copy.offset = 64;
  ASSERT_EQ(submit(copy, uapi::ExtensionId::copy_performance_query), 0);
  std::array<std::uint32_t, 3> narrow{7, 7, 7};
  std::memcpy(narrow.data(), at(buffer.offset) + 64, sizeof narrow);
  EXPECT_EQ(narrow, (std::array<std::uint32_t, 3>{0, 0, 0})) << "the query is not available";
  copy.do_partial = 1;
  ASSERT_EQ(submit(copy, uapi::ExtensionId::copy_performance_query), 0);
  std::memcpy(narrow.data(), at(buffer.offset) + 64, sizeof narrow);
  EXPECT_EQ(narrow, (std::array<std::uint32_t, 3>{103, 100, 0}));
  copy.offset = 4092;
  EXPECT_EQ(submit(copy, uapi::ExtensionId::copy_performance_query), -EIO);
}

TEST_F(MonitorsOnCpuQueue, AreReset) {
  uapi::ResetPerformanceQuery reset{};
  cpu.bo_handles = address_of(&buffer.handle);
  cpu.bo_handle_count = 1;
  EXPECT_EQ(submit(reset, uapi::ExtensionId::reset_performance_query), -EINVAL)
      << "the request takes no buffers";
  cpu.bo_handle_count = 0;
  ASSERT_EQ(submit(reset, uapi::ExtensionId::reset_performance_query), 0);
  EXPECT_EQ(values(id, 2), (std::vector<std::uint64_t>{0, 0}));
  EXPECT_EQ(wait(done, 0, 0), -EINVAL) << "nothing was submitted that would signal it";
  const std::uint32_t unknown = 4711;
  reset.syncs = address_of(&unknown);
  reset.head.next = 0;
  EXPECT_EQ(call(Request::submit_cpu, cpu), -ENOENT);
}

struct SyncFile : Submission {
  int to_file(std::uint32_t handle) {
    file = {handle, uapi::kSyncobjAsSyncFile, -1, 0};
    return call(Request::syncobj_handle_to_fd, file);
  }
  ~SyncFile() override {
    if (file.descriptor >= 0) close(file.descriptor);
  }
  uapi::SyncobjHandle file{};
};

TEST_F(SyncFile, CarriesAFenceFromOneObjectToAnother) {
  EXPECT_EQ(to_file(create_sync(false)), -EINVAL) << "nothing was submitted";
  EXPECT_EQ(to_file(4711), -ENOENT);
  ASSERT_EQ(to_file(create_sync(true)), 0);
  pollfd waits{file.descriptor, POLLIN, 0};
  EXPECT_EQ(poll(&waits, 1, 0), 1) << "the fence has passed";
  file.handle = create_sync(false);
  ASSERT_EQ(call(Request::syncobj_fd_to_handle, file), 0);
  EXPECT_EQ(wait(file.handle, 0, 0), 0);
}

TEST_F(SyncFile, IsNoOtherDescriptorAndNoSharedObject) {
  uapi::SyncobjHandle none{create_sync(true), uapi::kSyncobjAsSyncFile, 0, 0};
  EXPECT_EQ(call(Request::syncobj_fd_to_handle, none), -EINVAL);
  none.flags = 2;
  EXPECT_EQ(call(Request::syncobj_handle_to_fd, none), -EINVAL);
  none.flags = 0;
  testing::internal::CaptureStderr();
  EXPECT_EQ(call(Request::syncobj_handle_to_fd, none), -ENOSYS);
  EXPECT_NE(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace sidecore::v3dsim::test_v3dsim_submit
