// The loop filter's QPU twins against the scalar definition, on the default device under the
// validation layer and V3D's limits.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "qpu/embedded_shaders.h"
#include "qpu/qpu_test_device.h"
#include "qpu/vp9/loop_filter.h"
#include "qpu/workgroup_grid.h"
#include "vp9/loop_filter_scene.h"

namespace sidecore::qpu {
/// tests/shaders, compiled.
std::span<const Shader> wrong_loop_filters();
}  // namespace sidecore::qpu

namespace sidecore {
namespace {

using gates::Content;
using qpu::LoopFilterVariant;
using test::LoopFilterScene;
using test::make_scene;

constexpr std::uint64_t kSeed = 20261122;
constexpr LoopFilterVariant kVariants[] = {LoopFilterVariant::word, LoopFilterVariant::byte};

const char* name_of(LoopFilterVariant variant) {
  return variant == LoopFilterVariant::word ? "word" : "byte";
}

std::vector<std::uint8_t> filtered_by_scalar(const LoopFilterScene& scene) {
  std::vector<std::uint8_t> block = scene.block;
  vp9::loop_filter_h_4_8(scene.plane(block), scene.edges);
  return block;
}

// Filters the scene `times` times in one list.
std::vector<std::uint8_t> filtered_by_qpu(const std::shared_ptr<qpu::Device>& device,
                                          LoopFilterVariant variant, const LoopFilterScene& scene,
                                          int times = 1) {
  const std::size_t plane_bytes = scene.block.size() - 2 * LoopFilterScene::kGuardBytes;
  const qpu::LoopFilterH48 filter(device, variant);
  const auto edges = filter.make_edges(scene.edges, plane_bytes, scene.stride);
  const auto memory = device->create_buffer(scene.block.size());
  std::memcpy(memory->bytes().data(), scene.block.data(), scene.block.size());
  const auto list = device->create_command_list();
  list->upload({.buffer = memory.get()});
  filter.record_upload(*list, edges);
  for (int i = 0; i < times; ++i) {
    filter.record(
        *list,
        {.buffer = memory.get(), .offset = LoopFilterScene::kGuardBytes, .size = plane_bytes},
        edges);
  }
  list->download({.buffer = memory.get()});
  list->finish();
  device->submit(*list).wait();
  std::vector<std::uint8_t> block(scene.block.size());
  std::memcpy(block.data(), memory->bytes().data(), block.size());
  return block;
}

void expect_equal(const std::vector<std::uint8_t>& qpu, const std::vector<std::uint8_t>& scalar) {
  const auto [ours, theirs] = std::ranges::mismatch(qpu, scalar);
  EXPECT_TRUE(ours == qpu.end()) << "seed " << kSeed << ", byte " << ours - qpu.begin() << ": "
                                 << int{*ours} << ", scalar " << int{*theirs};
}

// A device with fewer workgroups a dimension than any real one.
class NarrowDevice : public qpu::Device {
 public:
  NarrowDevice(std::shared_ptr<qpu::Device> device, std::uint32_t columns)
      : device_(std::move(device)), limits_(device_->limits()) {
    limits_.max_workgroup_count[0] = columns;
  }
  [[nodiscard]] const qpu::DeviceInfo& info() const override { return device_->info(); }
  [[nodiscard]] const qpu::DeviceLimits& limits() const override { return limits_; }
  [[nodiscard]] const qpu::DeviceCounters& counters() const override { return device_->counters(); }
  [[nodiscard]] std::shared_ptr<qpu::Buffer> create_buffer(std::size_t bytes) override {
    return device_->create_buffer(bytes);
  }
  [[nodiscard]] std::shared_ptr<qpu::Program> program(
      const qpu::Shader& shader, const qpu::Specialization& constants) override {
    return device_->program(shader, constants);
  }
  [[nodiscard]] std::unique_ptr<qpu::CommandList> create_command_list() override {
    return device_->create_command_list();
  }
  qpu::Ticket submit(qpu::CommandList& list) override { return device_->submit(list); }
  void wait_idle() override { device_->wait_idle(); }
  [[nodiscard]] std::shared_ptr<qpu::Device> open_counting() const override {
    return device_->open_counting();
  }
  [[nodiscard]] const qpu::CounterSet& counter_set() const override {
    return device_->counter_set();
  }
  std::vector<double> count(qpu::CommandList& list, const std::function<void()>& restore) override {
    return device_->count(list, restore);
  }

 private:
  std::shared_ptr<qpu::Device> device_;
  qpu::DeviceLimits limits_;
};

using Case = std::tuple<LoopFilterVariant, Content, bool>;

class LoopFilterQpuContents : public test::QpuTest, public testing::WithParamInterface<Case> {};

std::string case_name(const testing::TestParamInfo<Case>& info) {
  const auto& [variant, content, legal] = info.param;
  return std::string(name_of(variant)) + "_" + to_string(content) +
         (legal ? "_legal_limits" : "_any_limits");
}

INSTANTIATE_TEST_SUITE_P(Contents, LoopFilterQpuContents,
                         testing::Combine(testing::ValuesIn(kVariants),
                                          testing::Values(Content::random, Content::smooth,
                                                          Content::flat, Content::high_variance),
                                          testing::Bool()),
                         case_name);

TEST_P(LoopFilterQpuContents, equal_the_scalar_definition_and_leave_guards_alone) {
  const auto& [variant, content, legal] = GetParam();
  const LoopFilterScene scene =
      make_scene(content, kSeed, legal ? test::legal_limits : test::any_limits);
  ASSERT_GE(scene.edges.size(), 65536U);
  expect_equal(filtered_by_qpu(device(), variant, scene), filtered_by_scalar(scene));
}

class LoopFilterQpu : public test::QpuTest {
 protected:
  static LoopFilterScene scene() {
    return make_scene(Content::high_variance, kSeed, test::legal_limits);
  }
};

TEST_F(LoopFilterQpu, filters_lists_that_need_a_second_grid_dimension) {
  const LoopFilterScene whole = scene();
  const auto expected = filtered_by_scalar(whole);
  for (const LoopFilterVariant variant : kVariants) {
    SCOPED_TRACE(name_of(variant));
    const auto narrow = std::make_shared<NarrowDevice>(device(), 7);
    expect_equal(filtered_by_qpu(narrow, variant, whole), expected);
  }
}

TEST_F(LoopFilterQpu, filters_lists_that_do_not_fill_a_workgroup) {
  LoopFilterScene some = scene();
  for (const std::size_t count : {65U, 33U, 31U, 1U}) {
    some.edges.resize(count);
    for (const LoopFilterVariant variant : kVariants) {
      SCOPED_TRACE(std::string(name_of(variant)) + ", edges: " + std::to_string(count));
      expect_equal(filtered_by_qpu(device(), variant, some), filtered_by_scalar(some));
    }
  }
}

TEST_F(LoopFilterQpu, sees_the_samples_of_the_dispatch_before) {
  const LoopFilterScene once = scene();
  LoopFilterScene again = once;
  again.block = filtered_by_scalar(once);
  const auto expected = filtered_by_scalar(again);
  ASSERT_NE(expected, again.block);
  for (const LoopFilterVariant variant : kVariants) {
    SCOPED_TRACE(name_of(variant));
    expect_equal(filtered_by_qpu(device(), variant, once, 2), expected);
  }
}

TEST_F(LoopFilterQpu, records_nothing_for_an_empty_list) {
  for (const LoopFilterVariant variant : kVariants) {
    const qpu::LoopFilterH48 filter(device(), variant);
    const auto edges = filter.make_edges({}, 4096, 64);
    EXPECT_EQ(edges.count(), 0U);
    const auto memory = device()->create_buffer(4096);
    const auto list = device()->create_command_list();
    filter.record_upload(*list, edges);
    filter.record(*list, {.buffer = memory.get()}, edges);
    list->finish();
    EXPECT_EQ(list->dispatch_count(), 0U);
  }
}

TEST_F(LoopFilterQpu, refuses_lists_that_break_the_contract) {
  const qpu::LoopFilterH48 word(device(), LoopFilterVariant::word);
  const qpu::LoopFilterH48 byte(device(), LoopFilterVariant::byte);
  const vp9::LoopFilterEdge odd[] = {{9, {100, 32, 2}}};
  const vp9::LoopFilterEdge twice[] = {{8, {100, 32, 2}}, {8, {100, 32, 2}}};
  const vp9::LoopFilterEdge outside[] = {{4096, {100, 32, 2}}};
  EXPECT_THROW((void)word.make_edges(odd, 4096, 64), Error);
  EXPECT_NO_THROW((void)byte.make_edges(odd, 4096, 64));
  for (const auto* filter : {&word, &byte}) {
    EXPECT_THROW((void)filter->make_edges(twice, 4096, 64), Error);
    EXPECT_THROW((void)filter->make_edges(outside, 4096, 64), Error);
    EXPECT_THROW((void)filter->make_edges({}, std::size_t{1} << 33U, 64), Error);
  }
}

TEST_F(LoopFilterQpu, refuses_a_plane_smaller_than_the_edges_were_checked_for) {
  const qpu::LoopFilterH48 filter(device(), LoopFilterVariant::word);
  const vp9::LoopFilterEdge one[] = {{8, {100, 32, 2}}};
  const auto edges = filter.make_edges(one, 4096, 64);
  const auto memory = device()->create_buffer(4096);
  const auto list = device()->create_command_list();
  EXPECT_THROW(filter.record(*list, {.buffer = memory.get(), .offset = 256}, edges), Error);
  EXPECT_THROW(filter.record(*list, {.buffer = memory.get(), .size = 4095}, edges), Error);
}

// A shader put in the place of `word` from a directory, as users do with --shader-dir.
class ShaderDirectory {
 public:
  explicit ShaderDirectory(std::span<const std::uint32_t> word)
      : path_(std::filesystem::temp_directory_path() /
              ("sidecore_test_loop_filter_qpu." + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
    std::ofstream file(path_ / "loop_filter_h_4_8_word.spv", std::ios::binary);
    file.write(reinterpret_cast<const char*>(word.data()),
               static_cast<std::streamsize>(word.size_bytes()));
  }
  ~ShaderDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ShaderDirectory(const ShaderDirectory&) = delete;
  ShaderDirectory& operator=(const ShaderDirectory&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

TEST_F(LoopFilterQpu, differs_from_the_scalar_definition_when_the_shader_rounds_wrongly) {
  const auto wrong = qpu::wrong_loop_filters();
  ASSERT_EQ(wrong.size(), 1U);
  const ShaderDirectory directory(wrong.front().spirv);
  qpu::DeviceOptions options = test::qpu_test_options();
  options.shader_directory = directory.path();
  const std::shared_ptr<qpu::Device> other = qpu::Device::open(options);
  const LoopFilterScene whole = scene();
  EXPECT_NE(filtered_by_qpu(other, LoopFilterVariant::word, whole), filtered_by_scalar(whole));
}

TEST(WorkgroupGrid, spreads_long_work_over_two_dimensions) {
  qpu::DeviceLimits limits;
  limits.max_workgroup_count = {65535, 65535, 65535};
  const auto grid = [&limits](std::size_t workgroups) {
    return qpu::workgroup_grid(workgroups, limits);
  };
  using Counts = std::array<std::uint32_t, 3>;
  EXPECT_EQ(grid(0), (Counts{1, 0, 1}));
  EXPECT_EQ(grid(1), (Counts{1, 1, 1}));
  EXPECT_EQ(grid(65535), (Counts{65535, 1, 1}));
  EXPECT_EQ(grid(65536), (Counts{65535, 2, 1}));
  EXPECT_EQ(grid(std::size_t{65535} * 65535), (Counts{65535, 65535, 1}));
  EXPECT_THROW((void)grid(std::size_t{65535} * 65535 + 1), Error);
}

}  // namespace
}  // namespace sidecore
