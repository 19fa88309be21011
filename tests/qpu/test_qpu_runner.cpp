// Tests src/qpu on any Vulkan device (lavapipe if there is no other), with V3D's limits and the
// validation layer.
// ctest: threads
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <numeric>
#include <string>
#include <vector>

#include "base/clock.h"
#include "qpu/command_list.h"
#include "qpu/device.h"
#include "qpu/performance_counters.h"
#include "qpu/qpu_fixtures.h"

namespace sidecore::qpu::test_qpu_runner {
namespace {

struct ScalePush {
  std::uint32_t count;
  std::uint32_t addend;
};
struct AccumulatePush {
  std::uint32_t value;
  std::uint32_t rounds;
};
constexpr std::size_t kCount = 1000;
const Specialization kPlain{{{0, 1}, {1, 64}}};

std::array<std::uint32_t, 3> groups(std::size_t count, std::uint32_t size = 64) {
  return {(static_cast<std::uint32_t>(count) + size - 1) / size, 1, 1};
}

// Each test runs twice: with the device's own kinds of memory, and with memory that forces staging
// copies.
class Runner : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    options_.validation = true;
    options_.v3d_limits = true;
    options_.force_staging = GetParam();
    options_.pipeline_cache = false;
    device_ = Device::open(options_);
  }
  void TearDown() override {
    if (device_ == nullptr) return;
    device_->wait_idle();
    EXPECT_EQ(device_->counters().validation_messages, 0U);
  }

  std::shared_ptr<Buffer> words(std::size_t count) { return device_->create_buffer(count * 4); }
  std::shared_ptr<Buffer> counted(std::size_t count) {
    auto buffer = words(count);
    std::iota(buffer->as<std::uint32_t>().begin(), buffer->as<std::uint32_t>().end(), 0U);
    return buffer;
  }
  /// Runs a shader that computes target[i] = source[i] * factor + addend.
  void scale(CommandList& list, const BufferRange& source, const BufferRange& target,
             std::uint32_t addend, const Specialization& specialization = kPlain) {
    const auto program = device_->program(test_shader("scale"), specialization);
    const BufferRange bindings[] = {source, target};
    list.dispatch(*program, bindings, ScalePush{kCount, addend},
                  groups(kCount, program->workgroup_size()[0]));
  }

  DeviceOptions options_;
  std::unique_ptr<Device> device_;
};

INSTANTIATE_TEST_SUITE_P(Memory, Runner, testing::Values(false, true),
                         [](const auto& kind) { return kind.param ? "staged" : "native"; });

TEST_P(Runner, BuffersStartZeroedOnBothSides) {
  const auto source = words(kCount);
  EXPECT_EQ(source->staged(), GetParam() || !device_->info().unified_memory);
  const auto target = words(kCount);
  const auto list = device_->create_command_list();
  scale(*list, {source.get()}, {target.get()}, 9);
  list->download({target.get()});
  list->finish();
  device_->submit(*list).wait();
  for (const std::uint32_t word : source->as<std::uint32_t>()) ASSERT_EQ(word, 0U);
  for (const std::uint32_t word : target->as<std::uint32_t>()) ASSERT_EQ(word, 9U);
}

TEST_P(Runner, ChainsDispatchesThroughBarriers) {
  const auto a = counted(kCount);
  const auto b = words(kCount);
  const auto c = words(kCount);
  const auto list = device_->create_command_list();
  list->upload({a.get()});
  const std::uint32_t before = list->barrier_count();
  scale(*list, {a.get()}, {b.get()}, 1, {{{0, 3}, {1, 64}}});
  scale(*list, {b.get()}, {c.get()}, 2, {{{0, 5}, {1, 128}}});
  EXPECT_EQ(list->barrier_count() - before, a->staged() ? 2U : 1U);
  EXPECT_EQ(list->dispatch_count(), 2U);
  list->download({c.get()});
  list->finish();
  device_->submit(*list).wait();
  for (std::uint32_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(c->as<std::uint32_t>()[i], (i * 3 + 1) * 5 + 2) << i;
  }
  EXPECT_EQ(device_->counters().uploaded_bytes, a->staged() ? kCount * 4 : 0U);
  EXPECT_EQ(device_->counters().downloaded_bytes, a->staged() ? kCount * 4 : 0U);
  EXPECT_EQ(device_->counters().submits, 1U);
  EXPECT_EQ(device_->counters().dispatches, 2U);
}

TEST_P(Runner, PlacesBarriersOnlyWhereDataFlows) {
  const auto a = words(kCount);
  const auto b = words(kCount);
  const auto c = words(kCount);
  const auto barriers = [&](const BufferRange& read1, const BufferRange& write1,
                            const BufferRange& read2, const BufferRange& write2) {
    const auto list = device_->create_command_list();
    scale(*list, read1, write1, 0);
    scale(*list, read2, write2, 0);
    list->finish();
    return list->barrier_count();
  };
  const auto d = words(kCount);
  EXPECT_EQ(barriers({a.get()}, {b.get()}, {c.get()}, {d.get()}), 0U);  // independent accesses
  // The ranges that both dispatches access are only read.
  EXPECT_EQ(barriers({a.get()}, {b.get()}, {a.get()}, {d.get()}), 0U);
  // The second dispatch reads what the first wrote.
  EXPECT_EQ(barriers({a.get()}, {b.get()}, {b.get()}, {d.get()}), 1U);
  // The second dispatch writes what the first read.
  EXPECT_EQ(barriers({a.get()}, {b.get()}, {c.get()}, {a.get()}), 1U);
  // The two dispatches write the same range.
  EXPECT_EQ(barriers({a.get()}, {b.get()}, {c.get()}, {b.get()}), 1U);
  EXPECT_EQ(barriers({a.get()}, {b.get(), 0, 512}, {c.get()}, {b.get(), 512, 512}), 0U);
  EXPECT_EQ(barriers({a.get()}, {b.get(), 0, 516}, {c.get()}, {b.get(), 512, 512}), 1U);
}

TEST_P(Runner, ResubmitsAListAHundredTimes) {
  const auto data = counted(kCount);
  const auto program = device_->program(test_shader("accumulate"), {});
  const BufferRange bindings[] = {{data.get()}};
  const auto upload = device_->create_command_list();
  upload->upload({data.get()});
  upload->finish();
  device_->submit(*upload).wait();
  const auto list = device_->create_command_list();
  list->dispatch(*program, bindings, AccumulatePush{7, 1}, groups(kCount));
  list->download({data.get()});
  list->finish();
  for (int i = 0; i < 100; ++i) device_->submit(*list).wait();
  for (std::uint32_t i = 0; i < kCount; ++i) {
    std::uint32_t expected = i;
    for (int round = 0; round < 100; ++round) expected = expected * 3 + 7;
    ASSERT_EQ(data->as<std::uint32_t>()[i], expected) << i;
  }
  EXPECT_EQ(device_->counters().pipelines_created, 1U);
}

TEST_P(Runner, OrdersListsInFlightBySubmission) {
  const auto data = counted(kCount);
  const auto program = device_->program(test_shader("accumulate"), {});
  const BufferRange bindings[] = {{data.get()}};
  std::vector<std::unique_ptr<CommandList>> lists;
  for (std::uint32_t value = 0; value < 4; ++value) {
    lists.push_back(device_->create_command_list());
    if (value == 0) lists.back()->upload({data.get()});
    lists.back()->dispatch(*program, bindings, AccumulatePush{value, 50}, groups(kCount));
    if (value == 3) lists.back()->download({data.get()});
    lists.back()->finish();
  }
  Ticket last;
  for (const auto& list : lists) last = device_->submit(*list);
  last.wait();
  for (std::uint32_t i = 0; i < kCount; ++i) {
    std::uint32_t expected = i;
    for (std::uint32_t value = 0; value < 4; ++value) {
      for (int round = 0; round < 50; ++round) expected = expected * 3 + value;
    }
    ASSERT_EQ(data->as<std::uint32_t>()[i], expected) << i;
  }
}

TEST_P(Runner, KeepsEverythingAliveThatIsInFlight) {
  auto data = counted(1 << 20);
  auto list = device_->create_command_list();
  const BufferRange bindings[] = {{data.get()}};
  list->dispatch(*device_->program(test_shader("accumulate"), {}), bindings,
                 AccumulatePush{1, 2000}, groups(1 << 20));
  list->finish();
  Ticket ticket = device_->submit(*list);
  expect_error(ErrorKind::usage, "still in flight", [&] { (void)device_->submit(*list); });
  list.reset();
  data.reset();
  device_.reset();
  ticket.wait();
  EXPECT_TRUE(ticket.done());
}

TEST_P(Runner, MakesAProgramOnceForEachSpecialization) {
  const auto first = device_->program(test_shader("scale"), {{{0, 2}, {1, 64}}});
  EXPECT_EQ(first, device_->program(test_shader("scale"), {{{0, 2}, {1, 64}}}));
  const auto other = device_->program(test_shader("scale"), {{{0, 2}, {1, 128}}});
  EXPECT_NE(first, other);
  EXPECT_EQ(other->workgroup_size(), (std::array<std::uint32_t, 3>{128, 1, 1}));
  EXPECT_EQ(device_->counters().pipelines_created, 2U);
  EXPECT_GT(device_->counters().pipeline_creation.count(), 0);
}

TEST_P(Runner, StoresBytesWhereTheDeviceCan) {
  if (!device_->info().storage_8bit) {
    expect_error(ErrorKind::environment, "VK_KHR_8bit_storage",
                 [&] { (void)device_->program(test_shader("copy_bytes"), {}); });
    return;
  }
  const auto source = counted(kCount);
  const auto target = words(kCount);
  const auto list = device_->create_command_list();
  const BufferRange bindings[] = {{source.get()}, {target.get()}};
  list->upload({source.get()});
  list->dispatch(*device_->program(test_shader("copy_bytes"), {}), bindings,
                 std::span<const std::byte>(), groups(kCount * 4));
  list->download({target.get()});
  list->finish();
  device_->submit(*list).wait();
  EXPECT_TRUE(std::ranges::equal(source->bytes(), target->bytes()));
}

TEST_P(Runner, TimesListsOnTheGpuWhenAsked) {
  const auto data = words(kCount);
  const BufferRange bindings[] = {{data.get()}};
  const auto program = device_->program(test_shader("accumulate"), {});
  const auto timed = device_->create_command_list();
  timed->time_on_gpu();
  timed->dispatch(*program, bindings, AccumulatePush{1, 1000}, groups(kCount));
  expect_error(ErrorKind::usage, "already has commands", [&] { timed->time_on_gpu(); });
  timed->finish();
  for (int i = 0; i < 2; ++i) {
    const Clock::time_point start = Clock::now();
    Ticket ticket = device_->submit(*timed);
    ticket.wait();
    const Nanoseconds wall = Clock::now() - start;
    ASSERT_EQ(ticket.gpu_time().has_value(), device_->info().timestamps);
    if (ticket.gpu_time()) {
      EXPECT_GT(ticket.gpu_time()->count(), 0);
      EXPECT_LE(*ticket.gpu_time(), wall);
    }
  }
  const auto untimed = device_->create_command_list();
  untimed->dispatch(*program, bindings, AccumulatePush{1, 1}, groups(kCount));
  untimed->finish();
  Ticket ticket = device_->submit(*untimed);
  ticket.wait();
  EXPECT_FALSE(ticket.gpu_time().has_value());
}

TEST_P(Runner, RefusesDispatchesThatBreakTheContract) {
  const auto a = words(kCount);
  const auto b = words(kCount);
  const auto program = device_->program(test_shader("scale"), kPlain);
  const auto list = device_->create_command_list();
  const ScalePush push{kCount, 0};
  const auto expect_refused = [&](std::string_view part, std::vector<BufferRange> bindings,
                                  std::array<std::uint32_t, 3> counts) {
    expect_error(ErrorKind::usage, part, [&] { list->dispatch(*program, bindings, push, counts); });
  };
  expect_refused("1 buffers are bound, but the shader has 2", {{a.get()}}, {1, 1, 1});
  expect_refused("binding 1: the buffer is null", {{a.get()}, {}}, {1, 1, 1});
  expect_refused("offset 4 is not a multiple of", {{a.get(), 4}, {b.get()}}, {1, 1, 1});
  expect_refused("do not fit in a buffer of 4000 bytes", {{a.get(), 256, 3748}, {b.get()}},
                 {1, 1, 1});
  expect_refused("do not fit in a buffer of 4000 bytes", {{a.get(), 4096}, {b.get()}}, {1, 1, 1});
  const BufferRange bindings[] = {{a.get()}, {b.get()}};
  expect_error(ErrorKind::environment, "65536 workgroups in y, but the device allows 65535", [&] {
    list->dispatch(*program, bindings, push, {1, 65536, 1});
  });
  expect_error(ErrorKind::usage, "4 bytes of push constants are given, but the shader has 8", [&] {
    list->dispatch(*program, bindings, std::uint32_t{1}, {1, 1, 1});
  });
  const auto other_device = Device::open(options_);
  const auto foreign = other_device->create_buffer(4000);
  expect_refused("belongs to another device", {{foreign.get()}, {b.get()}}, {1, 1, 1});
  expect_error(ErrorKind::usage, "another device", [&] {
    list->dispatch(*other_device->program(test_shader("scale"), kPlain), bindings, push, {1, 1, 1});
  });
  list->dispatch(*program, bindings, push, {0, 1, 1});
  EXPECT_EQ(list->dispatch_count(), 0U);
  expect_error(ErrorKind::usage, "not finished", [&] { (void)device_->submit(*list); });
  list->finish();
  expect_refused("is finished", {{a.get()}, {b.get()}}, {1, 1, 1});
  expect_error(ErrorKind::usage, "another device", [&] { (void)other_device->submit(*list); });
  device_->submit(*list).wait();
  expect_error(ErrorKind::usage, "0 bytes", [&] { (void)device_->create_buffer(0); });
  const std::uint64_t most = device_->limits().max_storage_buffer_range;
  EXPECT_LE(most, v3d_limits().max_storage_buffer_range);
  expect_error(ErrorKind::environment, "allows at most " + std::to_string(most),
               [&] { (void)device_->create_buffer(static_cast<std::size_t>(most) + 1); });
}

TEST_P(Runner, JudgesProgramsByV3dLimits) {
  EXPECT_EQ(device_->limits().max_workgroup_invocations, 256U);
  expect_error(ErrorKind::environment,
               "needs 512 invocations per workgroup, but the device allows 256", [&] {
                 (void)device_->program(test_shader("scale"), {{{0, 1}, {1, 512}}});
               });
}

TEST_P(Runner, KeepsPipelinesFromRunToRun) {
  const TemporaryDirectory cache;
  options_.pipeline_cache = true;
  options_.cache_directory = cache.path();
  const auto reopen = [&] {
    device_.reset();
    device_ = Device::open(options_);
    (void)device_->program(test_shader("scale"), kPlain);
    return device_->counters().pipeline_cache_loaded;
  };
  EXPECT_FALSE(reopen());
  EXPECT_TRUE(reopen());
  const auto files = std::filesystem::directory_iterator(cache.path());
  const std::filesystem::path file = files->path();
  device_.reset();
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  EXPECT_FALSE(reopen());
  EXPECT_TRUE(reopen());
  options_.pipeline_cache = false;
  EXPECT_FALSE(reopen());
}

TEST_P(Runner, TakesShadersFromADirectory) {
  const TemporaryDirectory directory;
  // A directory of replacement shaders is valid if one file has the name of an embedded shader. The
  // replacement for the test shader lies beside that file.
  const Shader embedded = embedded_shaders().front();
  directory.write(std::string(embedded.name) + ".spv", std::as_bytes(embedded.spirv));
  directory.write("scale.spv", std::as_bytes(test_shader("scale").spirv));
  directory.write("accumulate.spv", std::as_bytes(test_shader("copy_bytes").spirv));
  options_.shader_directory = directory.path();
  device_ = Device::open(options_);
  (void)device_->program(test_shader("scale"), kPlain);
  expect_error(
      ErrorKind::usage,
      "accumulate.spv' does not fit its interface: binding 0 is read by the shader, but "
      "the host expects read and written; the shader uses binding 1, but the host has 1 "
      "bindings; the shader has 0 bytes of push constants, but the host has 8; the shader needs "
      "8-bit storage, but the host expects that it does not",
      [&] { (void)device_->program(test_shader("accumulate"), {}); });
  expect_error(ErrorKind::usage,
               "the host sets constant_id 7 to 1, but the shader has no such constant", [&] {
                 (void)device_->program(test_shader("scale"), {{{7, 1}}});
               });
}

TEST(Validation, TurnsMessagesIntoErrors) {
  // Gives the second push constant the offset of the first. The two members then overlap, which
  // only a validator rejects.
  const auto original = test_shader("scale").spirv;
  std::vector<std::uint32_t> overlapping(original.begin(), original.end());
  constexpr std::array<std::uint32_t, 3> kSecondAtFour{1, 35, 4};  // member 1, Offset, 4
  const auto found = std::search(overlapping.begin(), overlapping.end(), kSecondAtFour.begin(),
                                 kSecondAtFour.end());
  ASSERT_NE(found, overlapping.end());
  found[2] = 0;
  const Shader changed{"scale", overlapping};

  DeviceOptions options;
  options.validation = true;
  options.pipeline_cache = false;
  const auto device = Device::open(options);
  expect_error(ErrorKind::environment,
               "Vulkan validation: ", [&] { (void)device->program(changed, kPlain); });
  EXPECT_GE(device->counters().validation_messages, 1U);
}

TEST(Validation, FindsWhatWasWrittenBehindABuffer) {
  DeviceOptions options;
  options.validation = true;
  options.pipeline_cache = false;
  const auto device = Device::open(options);
  constexpr std::size_t kWords = 16;
  const auto buffer = device->create_buffer(4 * kWords);
  const auto program = device->program(test_shader("scale"), kPlain);
  const BufferRange bindings[] = {{buffer.get()}, {buffer.get()}};
  const auto list = device->create_command_list();
  list->dispatch(*program, bindings, ScalePush{kWords, 1}, {1, 1, 1});
  list->finish();
  device->submit(*list).wait();
  EXPECT_EQ(device->counters().validation_messages, 0U);
  // The host damages the guard itself, because many drivers keep shaders within their bindings.
  buffer->bytes().data()[buffer->size()] = std::byte{1};
  expect_error(ErrorKind::environment, "the end of a buffer of 64 bytes was overwritten",
               [&] { device->submit(*list).wait(); });
  device->submit(*list).wait();
}

TEST(Environment, SaysWhatIsMissing) {
  ::setenv("SIDECORE_VULKAN_LOADER", "/nonexistent/libvulkan.so", 1);
  expect_error(ErrorKind::environment, "no Vulkan loader", [] { (void)list_devices(); });
  expect_error(ErrorKind::environment, "no Vulkan loader", [] { (void)Device::open({}); });
  ::unsetenv("SIDECORE_VULKAN_LOADER");

  ::setenv("VK_DRIVER_FILES", "/nonexistent/icd.json", 1);
  ::setenv("VK_ICD_FILENAMES", "/nonexistent/icd.json", 1);
  expect_error(ErrorKind::environment, "no Vulkan driver", [] { (void)list_devices(); });
  ::unsetenv("VK_DRIVER_FILES");
  ::unsetenv("VK_ICD_FILENAMES");
  expect_error(ErrorKind::environment, "no device matches 'nonsense'", [] {
    DeviceOptions options;
    options.selector = "nonsense";
    (void)Device::open(options);
  });
}

TEST(Environment, ListsWhatOpenOpens) {
  const auto devices = list_devices();
  ASSERT_FALSE(devices.empty());
  const DeviceInfo chosen = choose_device(devices, "");
  DeviceOptions options;
  options.pipeline_cache = false;
  const auto device = Device::open(options);
  EXPECT_EQ(device->info().name, chosen.name);
  EXPECT_EQ(device->info().index, chosen.index);
  EXPECT_FALSE(chosen.driver.empty());
  EXPECT_GE(chosen.limits.max_workgroup_invocations, 256U);
}

// --- performance counters ------------------------------------------------------------------------

std::vector<PerformanceCounter> named(std::initializer_list<const char*> names) {
  std::vector<PerformanceCounter> counters;
  for (const char* name : names) {
    counters.push_back({static_cast<std::uint32_t>(counters.size()), name, "", "", "generic",
                        "command", CounterStorage::uint64});
  }
  return counters;
}

std::vector<std::string> chosen_of(std::initializer_list<const char*> names) {
  std::vector<std::string> chosen;
  for (const PerformanceCounter& counter : choose_counters(named(names))) {
    chosen.push_back(counter.name + "@" + std::to_string(counter.index));
  }
  return chosen;
}

TEST(PerformanceCounters, ThoseThatTellOfComputeWorkAreChosenByName) {
  using Names = std::vector<std::string>;
  // Some counters of each kind of V3D 4.2 and 7.1, in the kernel's order.
  EXPECT_EQ(
      chosen_of({"FEP-valid-quads", "QPU-total-idle-clk-cycles", "QPU-total-clk-cycles-waiting-TMU",
                 "QPU-total-clk-cycles-waiting-varyings", "L2T-TMU-reads", "L2T-CLE-reads"}),
      (Names{"QPU-total-idle-clk-cycles@1", "QPU-total-clk-cycles-waiting-TMU@2",
             "L2T-TMU-reads@4"}));
  EXPECT_EQ(chosen_of({"cycle-count", "CLE-bin-thread-active-cycles", "QPU-stalls-TLB",
                       "QPU-stalls-TMU", "QPU-active"}),
            (Names{"cycle-count@0", "QPU-stalls-TMU@3", "QPU-active@4"}));
  EXPECT_EQ(chosen_of({"simulated-jobs", "something"}), (Names{"simulated-jobs@0"}));
  EXPECT_EQ(chosen_of({"a", "b"}), (Names{"a@0", "b@1"}))
      << "a device without a list of chosen counters";
  std::vector<PerformanceCounter> many(500);
  many[3].scope = "render pass";
  EXPECT_EQ(choose_counters(many).size(), 16U);
  EXPECT_EQ(choose_counters(std::span(many).first(10)).size(), 9U);
  EXPECT_TRUE(choose_counters({}).empty());
}

TEST_P(Runner, CountsWhereTheDeviceHasCountersAndSaysWhyNotWhereItHasNone) {
  const DeviceInfo& info = device_->info();
  EXPECT_EQ(info.performance_counters == 0, !info.no_performance_counters.empty());
  EXPECT_TRUE(device_->counter_set().counters.empty()) << "the device was opened without counters";
  const auto source = counted(kCount);
  const auto target = words(kCount);
  const auto record = [&](CommandList& list) {
    list.upload({source.get()});
    scale(list, {source.get()}, {target.get()}, 9);
    list.download({target.get()});
    list.finish();
  };
  const auto plain = device_->create_command_list();
  record(*plain);
  expect_error(ErrorKind::usage, "opened without performance counters",
               [&] { device_->count(*plain, [] {}); });
  if (info.performance_counters == 0) {
    expect_error(ErrorKind::environment, info.no_performance_counters,
                 [&] { static_cast<void>(device_->open_with_counters()); });
    return;
  }
  const std::unique_ptr<Device> counting = device_->open_with_counters();
  EXPECT_EQ(counting->info().name, info.name);
  const CounterSet& set = counting->counter_set();
  ASSERT_FALSE(set.counters.empty());
  const auto in = counting->create_buffer(kCount * 4);
  const auto out = counting->create_buffer(kCount * 4);
  const auto list = counting->create_command_list();
  list->time_on_gpu();
  list->upload({in.get()});
  const auto program = counting->program(test_shader("scale"), kPlain);
  const BufferRange bindings[] = {{in.get()}, {out.get()}};
  list->dispatch(*program, bindings, ScalePush{kCount, 9}, groups(kCount));
  list->download({out.get()});
  list->finish();
  std::uint32_t passes = 0;
  const std::vector<double> first = counting->count(*list, [&] { ++passes; });
  EXPECT_EQ(passes, set.passes);
  ASSERT_EQ(first.size(), set.counters.size());
  EXPECT_EQ(out->as<std::uint32_t>()[0], 9U) << "the list must have run";
  EXPECT_EQ(counting->count(*list, [] {}).size(), first.size()) << "a list can be counted again";
}

}  // namespace
}  // namespace sidecore::qpu::test_qpu_runner
