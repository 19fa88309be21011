// The fake V3D device, spoken to as a driver does: by ioctl on the descriptor that open() gave.
// This executable links the hooks, which stand in front of libc's functions in it as they would
// preloaded.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "v3dsim/drm/address_space.h"
#include "v3dsim/drm/command_list.h"
#include "v3dsim/drm/device.h"
#include "v3dsim/drm/settings.h"
#include "v3dsim/drm/sync_objects.h"
#include "v3dsim/drm/uapi.h"
#include "v3dsim/fault.h"

// As libdrm declares them.
struct DrmDevice {
  char** nodes;
  int available_nodes, bus_type;
  void *bus_info, *device_info;
};
extern "C" int drmGetDevices2(unsigned, DrmDevice**, int);
extern "C" void drmFreeDevices(DrmDevice**, int);

namespace sidecore::v3dsim {
namespace {

using uapi::Request;

unsigned long request_of(Request number) {
  return 0xc0000000UL | uapi::kDrmType << 8 | static_cast<unsigned long>(number);
}

template <class T>
std::uint64_t address_of(const T* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

/// Notes the jobs that arrive; throws on request.
class RecordingRunner final : public JobRunner {
 public:
  CsdResult run(const CsdJob& job, const AddressSpace&) override {
    if (refuse) throw Fault(FaultKind::out_of_bounds, "store outside every buffer");
    jobs.push_back(job);
    return {Nanoseconds{5000}, ""};
  }
  std::vector<CsdJob> jobs;
  bool refuse = false;
};

class V3dDevice : public testing::Test {
 protected:
  explicit V3dDevice(const Settings& settings = {}) {
    auto runner = std::make_unique<RecordingRunner>();
    runner_ = runner.get();
    device_ =
        std::make_unique<Device>(settings, std::make_unique<AddressSpace>(), std::move(runner));
  }

  template <class T>
  int call(Request request, T& argument) {
    return device_->ioctl(request_of(request), &argument);
  }

  uapi::CreateBo create(std::uint32_t size) {
    uapi::CreateBo bo{size, 0, 0, 0};
    EXPECT_EQ(call(Request::create_bo, bo), 0);
    return bo;
  }

  std::uint32_t create_sync(bool signaled) {
    uapi::SyncobjCreate sync{0, signaled ? uapi::kSyncobjCreateSignaled : 0};
    EXPECT_EQ(call(Request::syncobj_create, sync), 0);
    return sync.handle;
  }

  int wait(std::uint32_t handle, std::int64_t deadline_ns, std::uint32_t flags) {
    uapi::SyncobjWait wait{address_of(&handle), deadline_ns, 1, flags, 0, 0};
    return call(Request::syncobj_wait, wait);
  }

  std::byte* at(std::uint32_t address) { return device_->memory().base() + address; }

  RecordingRunner* runner_;
  std::unique_ptr<Device> device_;
};

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
  uapi::GetParam request{static_cast<uapi::Param>(13), 0, 0};
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
  EXPECT_EQ(handles.size(), 3U);  // 4 GiB less the low addresses and the gaps
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

/// A command list as the driver writes one for a copy or a fill.
class ListWriter {
 public:
  ListWriter(const AddressSpace& memory, std::uint32_t address, Version version)
      : memory_(memory), at_(address), version_(version) {}

  ListWriter& packet(unsigned opcode, std::vector<std::uint8_t> payload = {}) {
    payload.insert(payload.begin(), static_cast<std::uint8_t>(opcode));
    std::memcpy(memory_.base() + at_, payload.data(), payload.size());
    at_ += static_cast<std::uint32_t>(payload.size());
    return *this;
  }
  ListWriter& frame(std::uint32_t width, std::uint32_t height) {
    std::vector<std::uint8_t> payload(8);
    put(payload, 8, width, 16);
    put(payload, 24, height, 16);
    return packet(121, payload);
  }
  ListWriter& clear(std::uint32_t word) {
    std::vector<std::uint8_t> payload(8);
    const bool v42 = version_ == Version::v42;
    payload[0] = v42 ? 3 : 2;
    put(payload, v42 ? 8 : 32, word, 32);
    return packet(121, payload);
  }
  ListWriter& access(unsigned opcode, unsigned buffer, unsigned item, std::uint32_t stride,
                     std::uint32_t address) {
    std::vector<std::uint8_t> payload(12);
    put(payload, 0, buffer, 4);
    put(payload, 12, item == 4 ? 34 : item == 2 ? 35 : 36, 6);
    put(payload, 28, stride, 20);
    put(payload, 64, address, 32);
    return packet(opcode, payload);
  }
  ListWriter& tile_list(std::uint32_t start, std::uint32_t end) {
    std::vector<std::uint8_t> payload(8);
    put(payload, 0, start, 32);
    put(payload, 32, end, 32);
    return packet(20, payload);
  }
  [[nodiscard]] std::uint32_t address() const { return at_; }

 private:
  static void put(std::vector<std::uint8_t>& bytes, unsigned first, std::uint64_t value,
                  unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      const unsigned bit = first + i;
      bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] | (value >> i & 1) << bit % 8);
    }
  }
  const AddressSpace& memory_;
  std::uint32_t at_;
  Version version_;
};

class CommandList : public testing::TestWithParam<Version> {
 protected:
  Transfer read(unsigned width, unsigned height, const std::function<void(ListWriter&)>& tile) {
    ListWriter tiles(memory_, base_ + 2048, GetParam());
    tile(tiles);
    tiles.packet(18);
    ListWriter list(memory_, base_, GetParam());
    list.frame(width, height).clear(0xa1b2c3d4).tile_list(base_ + 2048, tiles.address()).packet(13);
    return read_command_list(memory_, GetParam(), base_);
  }

  AddressSpace memory_;
  std::uint32_t base_ = memory_.find(*memory_.create(4096))->address;
};

TEST_P(CommandList, AnEmptyFrameDoesNothing) {
  const Transfer transfer =
      read(1, 1, [](ListWriter& tile) { tile.packet(125).access(29, 8, 4, 0, 0); });
  EXPECT_EQ(transfer.kind, Transfer::Kind::nothing);
}

TEST_P(CommandList, LoadAndStoreAreACopyToTheByte) {
  for (const unsigned item : {1U, 2U, 4U}) {
    const std::uint32_t source = memory_.find(*memory_.create(9000))->address;
    const std::uint32_t target = memory_.find(*memory_.create(9000))->address;
    for (unsigned i = 0; i < 9000; ++i) memory_.base()[source + i] = std::byte(i * 7 & 0xff);
    const Transfer transfer = read(50, 3, [&](ListWriter& tile) {
      tile.access(30, 0, item, 50 * item, source + 13).access(29, 0, item, 50 * item, target + 77);
    });
    ASSERT_EQ(transfer.kind, Transfer::Kind::copy);
    perform(transfer, memory_);
    const std::size_t bytes = std::size_t{150} * item;
    EXPECT_EQ(std::memcmp(memory_.base() + target + 77, memory_.base() + source + 13, bytes), 0);
    EXPECT_EQ(memory_.base()[target + 76], std::byte{0});
    EXPECT_EQ(memory_.base()[target + 77 + bytes], std::byte{0});
  }
}

TEST_P(CommandList, AStoreAloneFillsWithTheClearWord) {
  const std::uint32_t target = memory_.find(*memory_.create(4096))->address;
  const Transfer transfer =
      read(8, 2, [&](ListWriter& tile) { tile.access(29, 0, 4, 32, target + 4); });
  ASSERT_EQ(transfer.kind, Transfer::Kind::fill);
  perform(transfer, memory_);
  for (unsigned word = 0; word < 18; ++word) {
    std::uint32_t value = 0;
    std::memcpy(&value, memory_.base() + target + 4 * word, sizeof value);
    EXPECT_EQ(value, word >= 1 && word <= 16 ? 0xa1b2c3d4U : 0U) << word;
  }
}

TEST_P(CommandList, RefusesDrawingRectanglesAndStrayAddresses) {
  EXPECT_THROW(read(1, 1, [](ListWriter& tile) { tile.packet(36); }), Error);
  EXPECT_THROW(read(8, 2, [&](ListWriter& tile) { tile.access(29, 0, 4, 64, base_); }), Error);
  EXPECT_THROW(read(8, 2, [&](ListWriter& tile) { tile.access(29, 1, 4, 32, base_); }), Error);
  const Transfer stray = read(8, 200, [&](ListWriter& tile) { tile.access(29, 0, 4, 32, base_); });
  EXPECT_THROW(perform(stray, memory_), Error);
  EXPECT_THROW((void)read_command_list(memory_, GetParam(), 64), Error);
}

TEST_P(CommandList, ABranchToItselfEnds) {
  ListWriter list(memory_, base_, GetParam());
  list.packet(16, {static_cast<std::uint8_t>(base_ & 0xff), static_cast<std::uint8_t>(base_ >> 8),
                   static_cast<std::uint8_t>(base_ >> 16), static_cast<std::uint8_t>(base_ >> 24)});
  EXPECT_THROW((void)read_command_list(memory_, GetParam(), base_), Error);
}

INSTANTIATE_TEST_SUITE_P(Both, CommandList, testing::Values(Version::v42, Version::v71),
                         [](const auto& each) {
                           return each.param == Version::v42 ? "V42" : "V71";
                         });

TEST(V3dSettings, ReadsEverySwitch) {
  const std::vector<std::pair<std::string, std::string>> environment{
      {"HOME", "/"},
      {"SIDECORE_V3DSIM_VERSION", "4.2"},
      {"SIDECORE_V3DSIM_ORDER", "random"},
      {"SIDECORE_V3DSIM_SEED", "18446744073709551615"},
      {"SIDECORE_V3DSIM_THREADS", "4"},
      {"SIDECORE_V3DSIM_POISON", "1"},
      {"SIDECORE_V3DSIM_SFU_ULP", "16"},
      {"SIDECORE_V3DSIM_RACES", "ordered-lanes"},
      {"SIDECORE_V3DSIM_BOUNDS", "job"},
      {"SIDECORE_V3DSIM_TIMESTAMPS", "model"},
      {"SIDECORE_V3DSIM_CPU_QUEUE", "0"},
      {"SIDECORE_V3DSIM_EXPLAIN", "1"},
      {"SIDECORE_V3DSIM_STATISTICS", "out.json"},
      {"SIDECORE_V3DSIM_EXECUTOR", "5"}};
  const Settings settings = parse_settings(environment);
  EXPECT_EQ(settings.version, Version::v42);
  EXPECT_EQ(settings.options.order, Order::random);
  EXPECT_EQ(settings.options.seed, UINT64_MAX);
  EXPECT_EQ(settings.options.disturbance.seed, UINT64_MAX);
  EXPECT_EQ(settings.options.host_threads, 4U);
  EXPECT_TRUE(settings.options.poison);
  EXPECT_EQ(settings.options.disturbance.ulps, 16U);
  EXPECT_TRUE(settings.options.check_races && settings.options.lanes_are_ordered);
  EXPECT_EQ(settings.bounds, Bounds::job);
  EXPECT_EQ(settings.timestamps, TimestampSource::model);
  EXPECT_FALSE(settings.cpu_queue);
  EXPECT_TRUE(settings.explain);
  EXPECT_EQ(settings.statistics, "out.json");
  EXPECT_EQ(settings.executor, 5);
}

TEST(V3dSettings, NamesWhatItDoesNotTake) {
  const auto message = [](const char* name, const char* value) -> std::string {
    const std::vector<std::pair<std::string, std::string>> environment{
        {std::string(kSettingsPrefix) + name, value}};
    try {
      (void)parse_settings(environment);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message("VERSION", "5.0"), "SIDECORE_V3DSIM_VERSION must be 4.2 or 7.1, not '5.0'");
  EXPECT_EQ(message("SFU_ULP", "5000"), "SIDECORE_V3DSIM_SFU_ULP must be 0..4096, not '5000'");
  EXPECT_EQ(message("THREADS", ""), "SIDECORE_V3DSIM_THREADS must be 1..256, not ''");
  EXPECT_EQ(message("SPEED", "11"), "the simulator has no switch SIDECORE_V3DSIM_SPEED");
}

TEST(V3dHooks, ListOneRenderNodeThatOpensAndMaps) {
  ASSERT_EQ(drmGetDevices2(0, nullptr, 0), 1);
  DrmDevice* found = nullptr;
  ASSERT_EQ(drmGetDevices2(0, &found, 1), 1);
  ASSERT_EQ(found->available_nodes, 1 << 2);
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
}  // namespace sidecore::v3dsim
