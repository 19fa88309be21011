// Compares the QPU's loop filter of whole pictures with the scalar definition, on the default
// device with the validation layer and V3D's limits.
// ctest: threads, long, v3dsim
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/thread_team.h"
#include "neon/vp9/dsp.h"
#include "qpu/program.h"
#include "qpu/qpu_test_device.h"
#include "qpu/recorded_lists.h"
#include "qpu/vp9/loop_filter.h"
#include "qpu/vp9/loop_filter_stage.h"
#include "temporary_directory.h"
#include "vp9/dsp.h"
#include "vp9/edge_picture.h"
#include "vp9/loop_filter_schedule.h"

namespace sidecore::qpu {
/// Returns the compiled shaders of tests/shaders, in which mistakes are planted.
std::span<const Shader> wrong_loop_filters();
}  // namespace sidecore::qpu

namespace sidecore::test_loop_filter_qpu {
namespace {

using test::EdgePicture;
using test::random_edges;
using vp9::LoopFilterEdge;

constexpr std::uint64_t kSeed = 20261125;

template <class Sample>
void expect_equal(std::span<Sample> qpu, const std::vector<std::remove_const_t<Sample>>& scalar) {
  const auto [ours, theirs] = std::ranges::mismatch(qpu, scalar);
  EXPECT_TRUE(ours == qpu.end()) << "seed " << kSeed << ", sample " << ours - qpu.begin();
}

// Fixture with a picture between guards in a device buffer, and its filter.
class LoopFilterQpu : public test::QpuTest {
 protected:
  static constexpr int kSharpness = 1;

  template <class Sample>
  struct FilteredAs {
    FilteredAs(qpu::Device& device, int width, int height, int bits = 8)
        : picture(width, height, bits),
          buffer(device.create_buffer(picture.samples().size() * sizeof(Sample))) {
      filter = std::make_unique<qpu::LoopFilter>(device, buffer, picture.planes(), bits);
    }

    // Fills the device's buffer and the scalar definition's copy with the same new picture.
    void fill(std::uint64_t seed) {
      picture.fill(seed);
      std::ranges::copy(picture.samples(), buffer->as<Sample>().begin());
    }

    EdgePicture<Sample> picture;
    std::shared_ptr<qpu::Buffer> buffer;
    std::unique_ptr<qpu::LoopFilter> filter;
  };
  using Filtered = FilteredAs<std::uint8_t>;
};

TEST_F(LoopFilterQpu, equals_the_definition_with_one_submission_a_picture) {
  Filtered scene(*device(), 208, 144);
  vp9::LevelScheduler scheduler;
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    SCOPED_TRACE(seed);
    const auto edges = random_edges(208, 144, {seed % 2 == 0 ? 8U : 3U, 3, 4, 2}, seed);
    scene.fill(seed);
    const vp9::EdgeLevels& steps = scheduler.schedule(edges);
    const auto before = device()->counters();
    scene.filter->set_edges(steps, steps.count(), kSharpness);
    const auto sizes = qpu::LoopFilter::dispatch_sizes(steps, steps.count());
    EXPECT_EQ(scene.filter->dispatches(), sizes.size());
    EXPECT_LT(sizes.size(), steps.count());
    EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}), edges.size());
    scene.filter->submit().wait();
    EXPECT_EQ(device()->counters().submits, before.submits + 1);
    EXPECT_EQ(device()->counters().dispatches, before.dispatches + sizes.size());
    vp9::filter_edges(vp9::scalar_dsp().bits_8, scene.picture.view(), edges, kSharpness);
    expect_equal(scene.buffer->as<std::uint8_t>(), scene.picture.samples());
  }
}

// Some levels have more edges than a workgroup processes at once, and some have a dispatch each.
// The second round has no small levels.
TEST_F(LoopFilterQpu, equals_the_definition_with_levels_of_a_dispatch_each) {
  Filtered scene(*device(), 1024, 512);
  const auto edges = random_edges(1024, 512, {9, 3, 4, 1}, kSeed);
  vp9::LevelScheduler scheduler;
  const vp9::EdgeLevels& steps = scheduler.schedule(edges);
  const std::size_t large = steps.count_large_levels(qpu::LoopFilter::kMinEdgesPerDispatch);
  ASSERT_GT(large, 0U);
  ASSERT_LT(large + 1, steps.count());
  for (const std::size_t count : {steps.count(), large}) {
    SCOPED_TRACE(count);
    scene.fill(kSeed);
    scene.filter->set_edges(steps, count, kSharpness);
    EXPECT_EQ(scene.filter->dispatches(), large + (count > large ? 1 : 0));
    scene.filter->submit().wait();
    vp9::filter_edges(vp9::scalar_dsp().bits_8, scene.picture.view(), steps.range(0, count),
                      kSharpness);
    expect_equal(scene.buffer->as<std::uint8_t>(), scene.picture.samples());
  }
}

TEST_F(LoopFilterQpu, equals_the_definition_at_10_and_12_bits) {
  vp9::LevelScheduler scheduler;
  for (const int bits : {10, 12}) {
    SCOPED_TRACE(bits);
    FilteredAs<std::uint16_t> scene(*device(), 144, 80, bits);
    const auto edges = random_edges(144, 80, {8, 3, 4, 2}, kSeed);
    scene.fill(kSeed);
    const vp9::EdgeLevels& steps = scheduler.schedule(edges);
    scene.filter->set_edges(steps, steps.count(), kSharpness);
    scene.filter->submit().wait();
    const auto& dsp = bits == 10 ? vp9::scalar_dsp().bits_10 : vp9::scalar_dsp().bits_12;
    vp9::filter_edges(dsp, scene.picture.view(), edges, kSharpness);
    expect_equal(scene.buffer->as<std::uint16_t>(), scene.picture.samples());
  }
}

// Some steps of superblocks have more edges than a workgroup filters at once. The superblocks of
// one wave have different numbers of steps.
TEST_F(LoopFilterQpu, equals_the_definition_in_waves_of_superblocks) {
  Filtered scene(*device(), 208, 144);
  vp9::WaveScheduler scheduler;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    SCOPED_TRACE(seed);
    const auto edges = random_edges(208, 144, {seed % 2 == 0 ? 8U : 3U, 3, 4, 2}, seed);
    scene.fill(seed);
    scheduler.schedule(edges, {});
    const auto before = device()->counters();
    scene.filter->set_edges(scheduler, kSharpness);
    EXPECT_EQ(scene.filter->dispatches(), scheduler.wave_ends().size());
    scene.filter->submit().wait();
    EXPECT_EQ(device()->counters().submits, before.submits + 1);
    EXPECT_EQ(device()->counters().dispatches, before.dispatches + scheduler.wave_ends().size());
    vp9::filter_edges(vp9::scalar_dsp().bits_8, scene.picture.view(), edges, kSharpness);
    expect_equal(scene.buffer->as<std::uint8_t>(), scene.picture.samples());
  }
}

TEST_F(LoopFilterQpu, leaves_small_steps_and_other_planes_to_the_cpu) {
  Filtered scene(*device(), 256, 128);
  const auto edges = random_edges(256, 128, {9, 3, 4, 3}, kSeed);
  std::vector<LoopFilterEdge> luma;
  std::vector<LoopFilterEdge> chroma;
  for (const LoopFilterEdge& edge : edges) (edge.plane == 0 ? luma : chroma).push_back(edge);
  scene.fill(kSeed);
  vp9::LevelScheduler scheduler;
  const vp9::EdgeLevels& steps = scheduler.schedule(luma);
  const std::size_t on_gpu = steps.count_large_levels(24);
  ASSERT_GT(on_gpu, 2U);
  ASSERT_LT(on_gpu, steps.count());
  scene.filter->set_edges(steps, on_gpu, kSharpness);
  qpu::Ticket ticket = scene.filter->submit();
  vp9::LoopFilterPlanes<std::uint8_t> memory =
      scene.picture.view_of(scene.buffer->as<std::uint8_t>());
  // On staged memory the whole picture is copied back at the end, so chroma must wait for it.
  if (scene.buffer->staged()) ticket.wait();
  vp9::filter_edges(neon::vp9_dsp().bits_8, memory, chroma, kSharpness);
  ticket.wait();
  vp9::filter_edges(neon::vp9_dsp().bits_8, memory, steps.range(on_gpu, steps.count()), kSharpness);
  vp9::filter_edges(vp9::scalar_dsp().bits_8, scene.picture.view(), edges, kSharpness);
  expect_equal(scene.buffer->as<std::uint8_t>(), scene.picture.samples());
}

// Replaces the decoder's shader from a directory, as --shader-dir does.
TEST_F(LoopFilterQpu, differs_from_the_definition_when_the_shader_rounds_wrongly) {
  const auto wrong = qpu::wrong_loop_filters();
  ASSERT_EQ(wrong.size(), 1U);
  const test::TemporaryDirectory directory;
  std::ofstream file(directory / "loop_filter.spv", std::ios::binary);
  file.write(reinterpret_cast<const char*>(wrong.front().spirv.data()),
             static_cast<std::streamsize>(wrong.front().spirv.size_bytes()));
  file.close();
  qpu::DeviceOptions options = test::qpu_test_options();
  options.shader_directory = directory.path();
  const std::unique_ptr<qpu::Device> other = qpu::Device::open(options);
  for (qpu::Device* const on : {device(), other.get()}) {
    Filtered scene(*on, 208, 144);
    const auto edges = random_edges(208, 144, {8, 3, 4, 2}, kSeed);
    scene.fill(kSeed);
    vp9::LevelScheduler scheduler;
    const vp9::EdgeLevels& steps = scheduler.schedule(edges);
    scene.filter->set_edges(steps, steps.count(), kSharpness);
    scene.filter->submit().wait();
    vp9::filter_edges(vp9::scalar_dsp().bits_8, scene.picture.view(), edges, kSharpness);
    EXPECT_EQ(std::ranges::equal(scene.buffer->as<std::uint8_t>(), scene.picture.samples()),
              on == device());
  }
}

// The pictures of a long stream have hundreds of different numbers of levels.
TEST_F(LoopFilterQpu, keeps_the_recorded_lists_that_were_used_last_within_a_limit) {
  qpu::RecordedLists lists(100);
  std::vector<std::size_t> recorded;
  const auto use = [&](std::size_t dispatches) {
    return &lists.get(dispatches, [&] {
      recorded.push_back(dispatches);
      return device()->create_command_list();
    });
  };
  const qpu::CommandList* const first = use(40);
  use(60);
  EXPECT_EQ(use(40), first) << "both lists together are within the limit";
  use(1);  // drops the list of 60, because that of 40 was used after it
  EXPECT_EQ(use(40), first);
  use(60);  // drops only the list of 1
  EXPECT_EQ(use(40), first);
  use(101);  // exceeds the limit alone, so it replaces all other lists
  use(0);
  use(40);
  EXPECT_EQ(recorded, (std::vector<std::size_t>{40, 60, 1, 60, 101, 0, 40}));
}

TEST_F(LoopFilterQpu, leaves_a_picture_without_edges_alone) {
  Filtered scene(*device(), 64, 64);
  scene.fill(kSeed);
  vp9::LevelScheduler scheduler;
  scene.filter->set_edges(scheduler.schedule({}), 0, kSharpness);
  scene.filter->submit().wait();
  expect_equal(scene.buffer->as<std::uint8_t>(), scene.picture.samples());
}

TEST_F(LoopFilterQpu, refuses_planes_and_edges_that_do_not_fit) {
  const auto buffer = device()->create_buffer(64 * 64);
  const auto make = [&](const qpu::PicturePlanes& planes) {
    return qpu::LoopFilter(*device(), buffer, planes);
  };
  EXPECT_THROW((void)make({{{{0, 64, 65}, {}, {}}}}), Error);
  EXPECT_THROW((void)make({{{{2, 64, 63}, {}, {}}}}), Error);
  EXPECT_THROW((void)make({{{{0, 66, 8}, {}, {}}}}), Error);
  EXPECT_THROW((void)make({{{{8192, 0, 0}, {}, {}}}}), Error);
  EXPECT_THROW((void)make({{{{0, SIZE_MAX & ~std::size_t{3}, 2}, {}, {}}}}), Error);
  EXPECT_THROW((void)make({{{{0, 64, 8}, {512, 32, 8}, {768, 64, 4}}}}), Error);
  const qpu::PicturePlanes fits{{{{0, 64, 64}, {}, {}}}};
  EXPECT_THROW(qpu::LoopFilter(*device(), buffer, fits, 7), Error);
  EXPECT_THROW(qpu::LoopFilter(*device(), buffer, fits, 13), Error);
  qpu::LoopFilter filter = make(fits);
  vp9::LevelScheduler scheduler;
  const auto refuse = [&](const LoopFilterEdge& edge) {
    const LoopFilterEdge edges[] = {edge};
    EXPECT_THROW(filter.set_edges(scheduler.schedule(edges), 1, 0), Error);
  };
  refuse({.x = 8, .y = 8, .plane = 1, .width = 8});
  refuse({.x = 8, .y = 60, .plane = 0, .width = 8});
  refuse({.x = 64, .y = 8, .plane = 0, .width = 4});
  refuse({.x = 12, .y = 8, .plane = 0, .width = 16});
  EXPECT_THROW(filter.set_edges(scheduler.schedule({}), 1, 0), Error);
  vp9::WaveScheduler waves;
  const LoopFilterEdge beyond[] = {{.x = 128, .y = 8, .plane = 0, .width = 4}};
  waves.schedule(beyond, {});
  EXPECT_THROW(filter.set_edges(waves, 0), Error);
  EXPECT_THROW(filter.set_edges(scheduler.schedule({}), 0, 8), Error);
}

// All lists read the same buffer of edges, so no list may be in flight when it changes.
TEST_F(LoopFilterQpu, refuses_new_edges_while_a_submission_is_in_flight) {
  Filtered scene(*device(), 1024, 512);
  const auto edges = random_edges(1024, 512, {8, 3, 4, 2}, kSeed);
  vp9::LevelScheduler scheduler;
  const vp9::EdgeLevels& steps = scheduler.schedule(edges);
  std::string refusal;
  // A fast device may finish the submission before the call, but not in every attempt.
  for (int attempt = 0; attempt < 20 && refusal.empty(); ++attempt) {
    scene.filter->set_edges(steps, steps.count(), kSharpness);
    qpu::Ticket ticket = scene.filter->submit();
    try {
      scene.filter->set_edges(steps, 1, kSharpness);
    } catch (const Error& error) {
      refusal = error.what();
    }
    ticket.wait();
    EXPECT_NO_THROW(scene.filter->set_edges(steps, 1, kSharpness));
  }
  EXPECT_TRUE(refusal.ends_with("still in flight; wait for it first")) << refusal;
}

// A frame whose luma is filtered on the QPU and whose chroma is filtered on the CPU.
struct DividedFrame {
  explicit DividedFrame(qpu::Device& device)
      : stage(device, vp9::Plan::parse("loop_filter=divided:1")),
        frame{stage.allocate({64, 64, {video::Chroma::c420, 8}}), {64, 64}} {}

  void filter(const vp9::Dsp<std::uint8_t>& table) {
    const vp9::StreamDsp dsp = &table;
    CallingThread team;
    vp9::StageClock off(false);
    stage.filter(frame, edges, 0, {dsp, team, off, nullptr});
  }

  qpu::LoopFilterStage stage;
  vp9::FrameBuffer frame;
  vp9::LoopFilterEdges edges{
      {{.x = 8, .y = 8, .plane = 0, .width = 8}, {.x = 8, .y = 8, .plane = 1, .width = 8}}};
};

// After a failure on the CPU, the next writer of the frame's memory must wait for the GPU.
TEST_F(LoopFilterQpu, waits_for_its_part_of_a_frame_whose_other_part_has_failed) {
  vp9::Dsp<std::uint8_t> failing = vp9::scalar_dsp().bits_8;
  for (auto& filter : failing.loop_filters) {
    filter.one = [](std::uint8_t*, std::ptrdiff_t, const vp9::LoopFilterLimits&) {
      throw std::runtime_error("chroma");
    };
  }
  DividedFrame divided(*device());
  EXPECT_THROW(divided.filter(failing), std::runtime_error);
  EXPECT_EQ(divided.stage.statistics().submissions, 1U);
  EXPECT_EQ(divided.stage.statistics().fence_waits, 0U);
  divided.stage.wait(divided.frame);
  EXPECT_EQ(divided.stage.statistics().fence_waits, 1U);
  // The next frame may fail although wait() was not called for the previous one.
  EXPECT_THROW(divided.filter(failing), std::runtime_error);
  divided.filter(vp9::scalar_dsp().bits_8);
  divided.stage.wait(divided.frame);
  EXPECT_EQ(divided.stage.statistics().submissions, 3U);
  EXPECT_EQ(divided.stage.statistics().fence_waits, 3U);
}

TEST_F(LoopFilterQpu, counts_the_copies_of_its_own_submissions) {
  qpu::DeviceOptions staging = test::qpu_test_options();
  staging.force_staging = true;
  const std::unique_ptr<qpu::Device> staged = qpu::Device::open(staging);
  const auto copied = [&] {
    return staged->counters().uploaded_bytes + staged->counters().downloaded_bytes;
  };
  Filtered other(*staged, 64, 64);
  vp9::LevelScheduler scheduler;
  other.filter->set_edges(scheduler.schedule({}), 0, kSharpness);
  other.filter->submit().wait();
  const std::uint64_t before = copied();
  EXPECT_GT(before, 0U);
  DividedFrame divided(*staged);
  divided.filter(vp9::scalar_dsp().bits_8);
  divided.stage.wait(divided.frame);
  const std::uint64_t own = copied() - before;
  EXPECT_GT(own, 0U);
  other.filter->submit().wait();
  EXPECT_EQ(divided.stage.statistics().copied_bytes, own);
}

}  // namespace
}  // namespace sidecore::test_loop_filter_qpu
