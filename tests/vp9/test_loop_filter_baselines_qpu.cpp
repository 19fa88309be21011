// Compares the baselines of the QPU's loop filter with the scalar definition, on the default device
// with the validation layer and V3D's limits.
// ctest: long, v3dsim
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "kernels/registry.h"
#include "kernels/vp9/loop_filter_baselines.h"
#include "qpu/qpu_test_device.h"
#include "qpu/workgroup_grid.h"

namespace sidecore::test_loop_filter_baselines_qpu {
namespace {

using bench::LoopFilterBaseline;
using gates::Content;

gates::WorkloadRequest request_of(Content content, int width, int height) {
  gates::WorkloadRequest request;
  request.content = content;
  request.width = width;
  request.height = height;
  request.seed = 20261122;
  return request;
}

std::unique_ptr<gates::Workload> h_4_workload(Content content, int width, int height) {
  return bench::find_kernel("loop_filter_h_4").make_workload(request_of(content, width, height));
}

// Returns the whole filtered block, including its guards.
std::vector<std::byte> filtered_by_scalar(const gates::Workload& workload) {
  std::vector<std::byte> block(workload.bytes());
  workload.reset(block);
  workload.run_scalar(block, {0, workload.units()});
  return block;
}

std::vector<std::byte> filtered_by_qpu(qpu::Device& device, LoopFilterBaseline baseline,
                                       const gates::Workload& workload) {
  const auto memory = device.create_buffer(workload.bytes());
  workload.reset(memory->bytes());
  const auto work = workload.record(device, *memory, to_string(baseline));
  device.submit(*work).wait();
  return {memory->bytes().begin(), memory->bytes().end()};
}

// A device that allows fewer workgroups per dimension than any real one.
class NarrowDevice : public qpu::Device {
 public:
  NarrowDevice(qpu::Device& device, std::uint32_t columns)
      : device_(device), limits_(device.limits()) {
    limits_.max_workgroup_count[0] = columns;
  }
  [[nodiscard]] const qpu::DeviceInfo& info() const override { return device_.info(); }
  [[nodiscard]] const qpu::DeviceLimits& limits() const override { return limits_; }
  [[nodiscard]] const qpu::DeviceCounters& counters() const override { return device_.counters(); }
  [[nodiscard]] std::shared_ptr<qpu::Buffer> create_buffer(std::size_t bytes) override {
    return device_.create_buffer(bytes);
  }
  [[nodiscard]] std::shared_ptr<qpu::Program> program(
      const qpu::Shader& shader, const qpu::Specialization& constants) override {
    return device_.program(shader, constants);
  }
  [[nodiscard]] std::unique_ptr<qpu::CommandList> create_command_list() override {
    return device_.create_command_list();
  }
  qpu::Ticket submit(qpu::CommandList& list) override { return device_.submit(list); }
  void wait_idle() override { device_.wait_idle(); }
  [[nodiscard]] std::unique_ptr<qpu::Device> open_with_counters() const override {
    return device_.open_with_counters();
  }
  [[nodiscard]] const qpu::CounterSet& counter_set() const override {
    return device_.counter_set();
  }
  std::vector<double> count(qpu::CommandList& list, const std::function<void()>& restore) override {
    return device_.count(list, restore);
  }

 private:
  qpu::Device& device_;
  qpu::DeviceLimits limits_;
};

class LoopFilterBaselinesQpu : public test::QpuTest {};

TEST_F(LoopFilterBaselinesQpu, equal_the_scalar_definition_and_leave_guards_alone) {
  for (const Content content :
       {Content::random, Content::smooth, Content::flat, Content::high_variance}) {
    const auto workload = h_4_workload(content, 2056, 2056);
    ASSERT_GE(workload->units(), 65536U);
    const auto expected = filtered_by_scalar(*workload);
    for (const LoopFilterBaseline baseline : bench::kLoopFilterBaselines) {
      SCOPED_TRACE(std::string(to_string(content)) + " " + std::string(to_string(baseline)));
      EXPECT_TRUE(filtered_by_qpu(*device(), baseline, *workload) == expected);
    }
  }
}

TEST_F(LoopFilterBaselinesQpu, byte_filters_edges_8_wide) {
  for (const Content content : {Content::flat, Content::high_variance}) {
    const auto workload =
        bench::find_kernel("loop_filter_h_8").make_workload(request_of(content, 520, 264));
    EXPECT_TRUE(filtered_by_qpu(*device(), LoopFilterBaseline::byte, *workload) ==
                filtered_by_scalar(*workload));
  }
}

TEST_F(LoopFilterBaselinesQpu, filter_lists_that_need_a_second_grid_dimension) {
  const auto workload = h_4_workload(Content::high_variance, 1024, 512);
  NarrowDevice narrow(*device(), 7);
  for (const LoopFilterBaseline baseline : bench::kLoopFilterBaselines) {
    SCOPED_TRACE(std::string(to_string(baseline)));
    EXPECT_TRUE(filtered_by_qpu(narrow, baseline, *workload) == filtered_by_scalar(*workload));
  }
}

TEST_F(LoopFilterBaselinesQpu, filter_lists_that_do_not_fill_a_workgroup) {
  for (const int width : {12, 31 * 8, 33 * 8}) {
    const auto workload = h_4_workload(Content::high_variance, width + 4, 8);
    for (const LoopFilterBaseline baseline : bench::kLoopFilterBaselines) {
      SCOPED_TRACE(std::string(to_string(baseline)) + ", " + std::to_string(width));
      EXPECT_TRUE(filtered_by_qpu(*device(), baseline, *workload) == filtered_by_scalar(*workload));
    }
  }
}

TEST_F(LoopFilterBaselinesQpu, refuse_edges_of_other_kinds_and_planes) {
  const auto memory = device()->create_buffer(4096);
  const auto list = device()->create_command_list();
  const vp9::LoopFilterEdge wide[] = {{.x = 8, .y = 0, .width = 8}};
  const vp9::LoopFilterEdge chroma[] = {{.x = 8, .y = 0, .plane = 1, .width = 4}};
  for (const auto& edges : {wide, chroma}) {
    EXPECT_THROW(bench::record_baseline(*device(), *list, LoopFilterBaseline::word,
                                        {.buffer = memory.get()}, 64, {edges, 1}, 0),
                 Error);
  }
  bench::record_baseline(*device(), *list, LoopFilterBaseline::word, {.buffer = memory.get()}, 64,
                         {}, 0);
  EXPECT_EQ(list->dispatch_count(), 0U);
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
}  // namespace sidecore::test_loop_filter_baselines_qpu
