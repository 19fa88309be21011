// Tests the fake V3D device as a driver uses it: by ioctl on the descriptor from open(). This
// executable links the hooks, which replace libc's functions as the preloaded library does.
// ctest: threads
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "v3dsim/drm/address_space.h"
#include "v3dsim/drm/executor_socket.h"
#include "v3dsim/drm/settings.h"
#include "v3dsim/drm/sync_objects.h"
#include "v3dsim/drm/uapi.h"
#include "v3dsim/fault.h"
#include "v3dsim/job.h"
#include "v3dsim/v3dsim_device_fixture.h"

// The structures as libdrm declares them.
struct DrmDevice {
  char** nodes;
  int available_nodes, bus_type;
  void* bus_info;
  char*** device_info;
};
extern "C" int drmGetDevices2(unsigned, DrmDevice**, int);
extern "C" void drmFreeDevices(DrmDevice**, int);

namespace sidecore::v3dsim::test_v3dsim_drm {
namespace {

struct V3dDevice42 : V3dDevice {
  static Settings settings() {
    Settings settings;
    settings.version = Version::v42;
    return settings;
  }
  V3dDevice42() : V3dDevice(settings()) {}
};

TEST_F(V3dDevice, SaysItsNameInTwoCalls) {
  uapi::Version version{};
  ASSERT_EQ(call(Request::version, version), 0);
  ASSERT_EQ(version.name_length, 3U);
  std::string name(version.name_length, ' ');
  version.name = address_of(name.data());
  ASSERT_EQ(call(Request::version, version), 0);
  EXPECT_EQ(name, "v3d");
}

TEST_F(V3dDevice, IsARaspberryPi5) {
  const auto param = [this](std::uint32_t number) {
    uapi::GetParam request{static_cast<uapi::Param>(number), 0, 0};
    EXPECT_EQ(call(Request::get_param, request), 0) << number;
    return request.value;
  };
  EXPECT_EQ(param(3), 0x0700U);
  EXPECT_EQ(param(4), 0x07443356U);
  EXPECT_EQ(param(5), 0x81001431U);
  for (const std::uint32_t supported : {7U, 8U, 9U, 10U, 11U, 12U}) EXPECT_EQ(param(supported), 1U);
}

TEST_F(V3dDevice42, IsARaspberryPi4) {
  uapi::GetParam request{uapi::Param::core0_ident1, 0, 0};
  ASSERT_EQ(call(Request::get_param, request), 0);
  EXPECT_EQ(request.value, 0x81001422U);
  request.param = uapi::Param::core0_ident0;
  ASSERT_EQ(call(Request::get_param, request), 0);
  EXPECT_EQ(request.value, 0x04443356U);
}

TEST_F(V3dDevice, RefusesUnknownParametersAndRequests) {
  uapi::GetParam request{static_cast<uapi::Param>(14), 0, 0};
  EXPECT_EQ(call(Request::get_param, request), -EINVAL);
  EXPECT_EQ(call(static_cast<Request>(0x77), request), -ENOTTY);
}

TEST_F(V3dDevice, GivesBuffersPagesOfTheirOwnThatReadAsZero) {
  std::vector<uapi::CreateBo> buffers;
  for (std::uint32_t size : {1U, 4096U, 4097U, 1U << 20}) buffers.push_back(create(size));
  for (std::size_t i = 0; i + 1 < buffers.size(); ++i) {
    const std::uint32_t rounded = (buffers[i].size + 4095) / 4096 * 4096;
    EXPECT_EQ(buffers[i].offset % 4096, 0U);
    EXPECT_GE(buffers[i + 1].offset, buffers[i].offset + rounded + 4096);
  }
  std::memset(at(buffers[2].offset), 0xab, 8192);
  uapi::GemClose close{buffers[2].handle, 0};
  ASSERT_EQ(call(Request::gem_close, close), 0);
  EXPECT_EQ(call(Request::gem_close, close), -EINVAL);
  for (std::uint32_t i = 0; i < 8192; ++i) ASSERT_EQ(at(buffers[2].offset)[i], std::byte{0});
}

struct PoisonedDevice : V3dDevice {
  static Settings settings(std::uint64_t seed) {
    Settings settings;
    settings.options.poison = true;
    settings.options.seed = seed;
    return settings;
  }
  PoisonedDevice() : V3dDevice(settings(1)) {}
};

TEST_F(PoisonedDevice, FillsNewBuffersWithNoiseOfItsSeed) {
  const auto bytes = [](const AddressSpace& memory, const uapi::CreateBo& bo) {
    const auto span = memory.bytes(bo.offset, 8192, "a buffer");
    return std::vector<std::byte>(span.begin(), span.end());
  };
  const auto first = bytes(device_->memory(), create(8192));
  const auto second = bytes(device_->memory(), create(8000));
  EXPECT_NE(first, second);
  EXPECT_LT(std::ranges::count(first, std::byte{0}), 100)
      << "of 8192 random bytes about 32 are 0 by chance";
  for (const std::uint64_t seed : {1U, 2U}) {
    Device other(settings(seed), std::make_unique<AddressSpace>(),
                 std::make_unique<RecordingTestRunner>());
    uapi::CreateBo bo{8192, 0, 0, 0};
    ASSERT_EQ(other.ioctl(request_of(Request::create_bo), &bo), 0);
    EXPECT_EQ(bytes(other.memory(), bo) == first, seed == 1);
  }
}

TEST_F(V3dDevice, AnswersBufferQueriesWithOneAddress) {
  const auto bo = create(100);
  uapi::MmapBo map{bo.handle, 0, 0};
  uapi::GetBoOffset offset{bo.handle, 0};
  uapi::WaitBo wait{bo.handle, 0, 0};
  ASSERT_EQ(call(Request::mmap_bo, map), 0);
  ASSERT_EQ(call(Request::get_bo_offset, offset), 0);
  EXPECT_EQ(call(Request::wait_bo, wait), 0);
  EXPECT_EQ(map.offset, bo.offset);
  EXPECT_EQ(offset.offset, bo.offset);
  map.handle += 1;
  EXPECT_EQ(call(Request::mmap_bo, map), -ENOENT);
}

TEST(V3dAddressSpace, RunsFullAndRecovers) {
  AddressSpace memory;
  std::vector<std::uint32_t> handles;
  while (const auto handle = memory.create(1U << 30)) handles.push_back(*handle);
  // The three buffers fill the 4 GiB minus the low addresses and the gaps.
  EXPECT_EQ(handles.size(), 3U);
  EXPECT_TRUE(memory.destroy(handles[1]));
  EXPECT_TRUE(memory.create(1U << 30).has_value());
  EXPECT_FALSE(memory.create(1U << 30).has_value());
  EXPECT_FALSE(memory.create(0).has_value());
}

TEST(V3dAddressSpace, KeepsBuffersApartUnderRandomUse) {
  constexpr std::uint64_t kSeed = 20260101;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  Random random(kSeed);
  AddressSpace memory;
  std::vector<std::uint32_t> handles;
  for (int step = 0; step < 3000; ++step) {
    if (!handles.empty() && random.below(2) == 0) {
      const std::uint32_t index = random.below(static_cast<std::uint32_t>(handles.size()));
      ASSERT_TRUE(memory.destroy(handles[index]));
      handles.erase(handles.begin() + index);
    } else if (const auto handle = memory.create(1 + random.below(1U << (8 + random.below(22))))) {
      handles.push_back(*handle);
    }
    const auto live = memory.live();
    ASSERT_EQ(live.size(), handles.size());
    for (std::size_t i = 1; i < live.size(); ++i) {
      ASSERT_GE(live[i].address, std::uint64_t{live[i - 1].address} + live[i - 1].size + 4096);
    }
  }
}

TEST(V3dAddressSpace, BoundsEveryAccess) {
  AddressSpace memory;
  const auto range = *memory.find(*memory.create(4096));
  EXPECT_EQ(memory.bytes(range.address, 4096, "x").size(), 4096U);
  EXPECT_THROW((void)memory.bytes(range.address, 4097, "x"), Error);
  EXPECT_THROW((void)memory.bytes(range.address - 1, 1, "x"), Error);
  EXPECT_THROW((void)memory.bytes(0, 4, "x"), Error);
  EXPECT_THROW((void)memory.bytes(range.address + 4096, 1, "x"), Error);

  EXPECT_EQ(memory.find_buffer_at(range.address + 4095)->address, range.address);
  EXPECT_FALSE(memory.find_buffer_at(range.address + 4096));
  EXPECT_FALSE(memory.find_buffer_at(range.address - 1));
}

TEST_F(V3dDevice, WaitsForSyncObjects) {
  const std::uint32_t signaled = create_sync(true);
  const std::uint32_t pending = create_sync(false);
  EXPECT_EQ(wait(signaled, 0, uapi::kSyncobjWaitAll), 0);
  EXPECT_EQ(wait(pending, 0, uapi::kSyncobjWaitAll), -EINVAL);
  EXPECT_EQ(wait(pending, 0, uapi::kSyncobjWaitForSubmit), -ETIME);
  EXPECT_EQ(wait(pending + 100, 0, 0), -ENOENT);

  std::array<std::uint32_t, 2> both{pending, signaled};
  uapi::SyncobjWait any{address_of(both.data()), 0, 2, 0, 99, 0};
  EXPECT_EQ(call(Request::syncobj_wait, any), 0);
  EXPECT_EQ(any.first_signaled, 1U);

  uapi::SyncobjArray reset{address_of(&signaled), 1, 0};
  EXPECT_EQ(call(Request::syncobj_reset, reset), 0);
  EXPECT_EQ(wait(signaled, 0, 0), -EINVAL);
}

TEST_F(V3dDevice, AWaitLetsAnotherThreadSignal) {
  const std::uint32_t sync = create_sync(false);
  int status = -1;
  std::thread waiter([&] { status = wait(sync, INT64_MAX, uapi::kSyncobjWaitForSubmit); });
  uapi::SyncobjArray array{address_of(&sync), 1, 0};
  EXPECT_EQ(call(Request::syncobj_signal, array), 0);
  waiter.join();
  EXPECT_EQ(status, 0);
}

TEST_F(V3dDevice, KeepsTimelines) {
  const std::uint32_t sync = create_sync(false);
  std::uint64_t point = 7;
  uapi::SyncobjTimelineArray array{address_of(&sync), address_of(&point), 1, 0};
  ASSERT_EQ(call(Request::syncobj_timeline_signal, array), 0);
  point = 0;
  ASSERT_EQ(call(Request::syncobj_query, array), 0);
  EXPECT_EQ(point, 7U);
  const auto wait_for = [&](std::uint64_t value) {
    uapi::SyncobjTimelineWait request{
        address_of(&sync), address_of(&value), 0, 1, uapi::kSyncobjWaitForSubmit, 0, 0};
    return call(Request::syncobj_timeline_wait, request);
  };
  EXPECT_EQ(wait_for(7), 0);
  EXPECT_EQ(wait_for(8), -ETIME);
}

TEST(V3dExecutorSocket, CarriesFaultsAcrossAndSeesTheOtherEndGo) {
  const AddressSpace memory;
  int sockets[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets), 0);
  std::thread server([&] {
    ExecutorRunner runner{Settings{}};
    serve_jobs(sockets[1], runner);
  });
  RemoteRunner remote(sockets[0], memory);
  CsdJob job;  // describes a job without workgroups
  try {
    (void)remote.run(job, memory);
    ADD_FAILURE() << "an empty job was run";
  } catch (const Fault& fault) {
    EXPECT_EQ(fault.kind(), FaultKind::bad_job);
    EXPECT_STRNE(fault.what(), "");
    EXPECT_FALSE(fault.address());
  }
  JobShape shape;
  shape.groups = {1, 1, 1};
  shape.workgroup_size = 16;
  shape.workgroups_per_supergroup = 1;
  shape.code_address = 0x20000;
  job.words = make_job(shape, Settings{}.machine());
  try {
    (void)remote.run(job, memory);
    ADD_FAILURE() << "code outside every buffer was run";
  } catch (const Fault& fault) {
    EXPECT_EQ(fault.kind(), FaultKind::out_of_bounds);
    EXPECT_EQ(fault.address(), 0x20000U);
  }
  shutdown(sockets[0], SHUT_WR);
  server.join();
  close(sockets[1]);
  EXPECT_THROW((void)remote.run(job, memory), Error);
  EXPECT_THROW(RemoteRunner(sockets[0], memory), Error);
  close(sockets[0]);
}

TEST(V3dHooks, ListOneRenderNodeThatOpensAndMaps) {
  ASSERT_EQ(drmGetDevices2(0, nullptr, 0), 1);
  DrmDevice* found = nullptr;
  ASSERT_EQ(drmGetDevices2(0, &found, 1), 1);
  ASSERT_EQ(found->available_nodes, 1 << 2);
  ASSERT_NE(found->device_info, nullptr);
  EXPECT_STREQ((*found->device_info)[0], "brcm,2712-v3d");
  EXPECT_EQ((*found->device_info)[1], nullptr);
  const int node = open(found->nodes[2], O_RDWR | O_CLOEXEC);
  drmFreeDevices(&found, 1);
  ASSERT_GE(node, 0);

  uapi::CreateBo bo{8192, 0, 0, 0};
  ASSERT_EQ(ioctl(node, request_of(Request::create_bo), &bo), 0);
  void* const mapped =
      mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, node, static_cast<off_t>(bo.offset));
  ASSERT_NE(mapped, MAP_FAILED);
  std::memset(mapped, 0x5a, 8192);
  EXPECT_EQ(munmap(mapped, 8192), 0);
  uapi::GemClose close_bo{bo.handle, 0};
  EXPECT_EQ(ioctl(node, request_of(Request::gem_close), &close_bo), 0);
  EXPECT_EQ(ioctl(node, request_of(Request::gem_close), &close_bo), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(close(node), 0);
}

// Merges fences as the driver does at the end of a performance query that covers two queues.
TEST(V3dHooks, MergeFencesThatHavePassed) {
  const int node = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
  ASSERT_GE(node, 0);
  uapi::SyncobjCreate sync{0, uapi::kSyncobjCreateSignaled};
  ASSERT_EQ(ioctl(node, request_of(Request::syncobj_create), &sync), 0);
  std::array<uapi::SyncobjHandle, 2> files{};
  for (uapi::SyncobjHandle& file : files) {
    file = {sync.handle, uapi::kSyncobjAsSyncFile, -1, 0};
    ASSERT_EQ(ioctl(node, request_of(Request::syncobj_handle_to_fd), &file), 0);
  }
  const unsigned long request =
      0xc0300000UL | uapi::kSyncFileType << 8 | static_cast<unsigned long>(uapi::kSyncFileMerge);
  uapi::SyncFileMerge merge{"test", files[1].descriptor, -1, 0, 0};
  ASSERT_EQ(ioctl(files[0].descriptor, request, &merge), 0);
  uapi::SyncobjCreate other{0, 0};
  ASSERT_EQ(ioctl(node, request_of(Request::syncobj_create), &other), 0);
  uapi::SyncobjHandle merged{other.handle, uapi::kSyncobjAsSyncFile, merge.merged, 0};
  EXPECT_EQ(ioctl(node, request_of(Request::syncobj_fd_to_handle), &merged), 0);
  merge.other = node;
  EXPECT_EQ(ioctl(files[0].descriptor, request, &merge), -1);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_EQ(ioctl(node, request, &merge), -1) << "the node is not a fence";
  for (const int descriptor : {files[0].descriptor, files[1].descriptor, merged.descriptor, node}) {
    EXPECT_EQ(close(descriptor), 0);
  }
}

TEST(V3dHooks, LeaveOtherFilesAlone) {
  const int file = open("/dev/null", O_RDWR | O_CLOEXEC);
  ASSERT_GE(file, 0);
  uapi::CreateBo bo{8192, 0, 0, 0};
  EXPECT_EQ(ioctl(file, request_of(Request::create_bo), &bo), -1);
  EXPECT_EQ(errno, ENOTTY);
  EXPECT_EQ(close(file), 0);
  EXPECT_EQ(open("/dev/dri/no-such-node", O_RDWR), -1);
  EXPECT_EQ(errno, ENOENT);
}

}  // namespace
}  // namespace sidecore::v3dsim::test_v3dsim_drm
