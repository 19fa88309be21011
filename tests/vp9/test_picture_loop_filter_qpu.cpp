// The QPU's loop filter of all kinds, over lists and over whole pictures, against the scalar
// definition, on the default device under the validation layer and V3D's limits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "base/error.h"
#include "neon/vp9/loop_filter.h"
#include "qpu/qpu_test_device.h"
#include "qpu/recorded_lists.h"
#include "qpu/vp9/loop_filter_list.h"
#include "qpu/vp9/picture_loop_filter.h"
#include "vp9/edge_schedule.h"
#include "vp9/loop_filter_kinds_scene.h"
#include "vp9/picture_edges.h"

namespace sidecore {
namespace {

using gates::Content;
using test::EdgePicture;
using test::LoopFilterScene;
using test::PictureEdgeMaker;
using vp9::LoopFilterKind;
using vp9::PictureEdge;

constexpr std::uint64_t kSeed = 20261125;

template <class Sample>
void expect_equal(std::span<Sample> qpu, const std::vector<std::remove_const_t<Sample>>& scalar) {
  const auto [ours, theirs] = std::ranges::mismatch(qpu, scalar);
  EXPECT_TRUE(ours == qpu.end()) << "seed " << kSeed << ", sample " << ours - qpu.begin();
}

std::vector<std::uint8_t> filtered_by_list(const std::shared_ptr<qpu::Device>& device,
                                           std::span<const LoopFilterKind> kinds,
                                           const LoopFilterScene& scene) {
  const std::size_t plane_bytes = scene.block.size() - 2 * LoopFilterScene::kGuardBytes;
  const qpu::LoopFilterList filter(device, kinds);
  const auto edges = filter.make_edges(scene.edges, plane_bytes, scene.stride);
  const auto memory = device->create_buffer(scene.block.size());
  std::memcpy(memory->bytes().data(), scene.block.data(), scene.block.size());
  const auto list = device->create_command_list();
  list->upload({.buffer = memory.get()});
  filter.record_upload(*list, edges);
  filter.record(
      *list, {.buffer = memory.get(), .offset = LoopFilterScene::kGuardBytes, .size = plane_bytes},
      edges);
  list->download({.buffer = memory.get()});
  list->finish();
  device->submit(*list).wait();
  const auto bytes = memory->as<std::uint8_t>();
  return {bytes.begin(), bytes.end()};
}

std::vector<std::uint8_t> filtered_by_scalar(const LoopFilterScene& scene) {
  std::vector<std::uint8_t> block = scene.block;
  vp9::loop_filter(scene.plane(block), scene.edges);
  return block;
}

class LoopFilterListQpu : public test::QpuTest {};

TEST_F(LoopFilterListQpu, equals_the_scalar_definition_for_every_kind_and_content) {
  for (const LoopFilterKind kind : vp9::kLoopFilterKinds) {
    for (const Content content :
         {Content::random, Content::smooth, Content::flat, Content::high_variance}) {
      SCOPED_TRACE(std::string(to_string(kind)) + " " + to_string(content));
      for (const bool legal : {true, false}) {
        const LoopFilterScene scene = test::make_kinds_scene(
            {&kind, 1}, content, kSeed, legal ? test::legal_limits : test::any_limits, 12);
        expect_equal<const std::uint8_t>(filtered_by_list(device(), {&kind, 1}, scene),
                                         filtered_by_scalar(scene));
      }
    }
  }
}

TEST_F(LoopFilterListQpu, filters_kinds_mixed_in_any_order_with_one_dispatch) {
  const LoopFilterScene scene = test::make_kinds_scene(
      vp9::kLoopFilterKinds, Content::high_variance, kSeed, test::legal_limits, 48);
  expect_equal<const std::uint8_t>(filtered_by_list(device(), vp9::kLoopFilterKinds, scene),
                                   filtered_by_scalar(scene));
}

TEST_F(LoopFilterListQpu, filters_lists_that_do_not_fill_a_workgroup) {
  LoopFilterScene some =
      test::make_kinds_scene(vp9::kLoopFilterKinds, Content::smooth, kSeed, test::legal_limits, 8);
  for (const std::size_t count : {33U, 7U, 1U}) {
    some.edges.resize(count);
    expect_equal<const std::uint8_t>(filtered_by_list(device(), vp9::kLoopFilterKinds, some),
                                     filtered_by_scalar(some));
  }
}

TEST_F(LoopFilterListQpu, refuses_lists_that_break_the_contract) {
  const LoopFilterKind kind = LoopFilterKind::v_8;
  const qpu::LoopFilterList filter(device(), {&kind, 1});
  const auto edge = [](std::uint32_t offset, LoopFilterKind of) {
    return vp9::LoopFilterEdge{offset, {100, 32, 2}, of};
  };
  const vp9::LoopFilterEdge other[] = {edge(16, LoopFilterKind::h_8)};
  const vp9::LoopFilterEdge outside[] = {edge(64, kind)};
  const vp9::LoopFilterEdge twice[] = {edge(512, kind), edge(516, kind)};
  EXPECT_THROW((void)filter.make_edges(other, 4096, 64), Error);
  EXPECT_THROW((void)filter.make_edges(outside, 4096, 64), Error);
  EXPECT_THROW((void)filter.make_edges(twice, 4096, 64), Error);
  const auto edges = filter.make_edges(std::span(twice).first(1), 4096, 64);
  const auto memory = device()->create_buffer(4096);
  const auto list = device()->create_command_list();
  EXPECT_THROW(filter.record(*list, {.buffer = memory.get(), .size = 4095}, edges), Error);
  filter.record(*list, {.buffer = memory.get()}, filter.make_edges({}, 4096, 64));
  list->finish();
  EXPECT_EQ(list->dispatch_count(), 0U);
}

// A picture between guards in a buffer of the device, and its filter.
class PictureLoopFilterQpu : public test::QpuTest {
 protected:
  static constexpr int kSharpness = 1;

  template <class Sample>
  struct FilteredAs {
    FilteredAs(const std::shared_ptr<qpu::Device>& device, int width, int height, int bits = 8)
        : picture(width, height, bits),
          buffer(device->create_buffer(picture.samples().size() * sizeof(Sample))) {
      qpu::PicturePlanes planes;
      for (std::size_t plane = 0; plane < 3; ++plane) {
        planes.planes[plane] = {picture.offset(plane) * sizeof(Sample),
                                picture.stride(plane) * sizeof(Sample), picture.rows(plane)};
      }
      filter = std::make_unique<qpu::PictureLoopFilter>(device, buffer, planes, bits);
    }

    // Both twins have a fresh picture.
    void fill(std::uint64_t seed) {
      picture.fill(seed);
      std::ranges::copy(picture.samples(), buffer->as<Sample>().begin());
    }

    EdgePicture<Sample> picture;
    std::shared_ptr<qpu::Buffer> buffer;
    std::unique_ptr<qpu::PictureLoopFilter> filter;
  };
  using Filtered = FilteredAs<std::uint8_t>;
};

TEST_F(PictureLoopFilterQpu, equals_the_definition_with_one_submission_a_picture) {
  Filtered scene(device(), 208, 144);
  vp9::LevelScheduler scheduler;
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    SCOPED_TRACE(seed);
    const auto edges = PictureEdgeMaker(208, 144, {seed % 2 == 0 ? 8U : 3U, 3, 4, 2}, seed)();
    scene.fill(seed);
    const vp9::EdgeSteps& steps = scheduler.schedule(edges);
    const auto before = device()->counters();
    scene.filter->set_edges(steps, steps.count(), kSharpness);
    EXPECT_EQ(scene.filter->dispatches(), steps.count());
    scene.filter->submit().wait();
    EXPECT_EQ(device()->counters().submits, before.submits + 1);
    EXPECT_EQ(device()->counters().dispatches, before.dispatches + steps.count());
    vp9::filter_edges_in_order(scene.picture.view(), edges, kSharpness);
    expect_equal(scene.buffer->as<std::uint8_t>(), scene.picture.samples());
  }
}

TEST_F(PictureLoopFilterQpu, equals_the_definition_at_10_and_12_bits) {
  vp9::LevelScheduler scheduler;
  for (const int bits : {10, 12}) {
    SCOPED_TRACE(bits);
    FilteredAs<std::uint16_t> scene(device(), 144, 80, bits);
    const auto edges = PictureEdgeMaker(144, 80, {8, 3, 4, 2}, kSeed)();
    scene.fill(kSeed);
    const vp9::EdgeSteps& steps = scheduler.schedule(edges);
    scene.filter->set_edges(steps, steps.count(), kSharpness);
    scene.filter->submit().wait();
    vp9::filter_edges_in_order(scene.picture.view(), edges, kSharpness);
    expect_equal(scene.buffer->as<std::uint16_t>(), scene.picture.samples());
  }
}

// Superblocks have steps of more edges than a workgroup filters at once, and the superblocks of a
// wave unlike numbers of steps.
TEST_F(PictureLoopFilterQpu, equals_the_definition_in_waves_of_superblocks) {
  Filtered scene(device(), 208, 144);
  vp9::WaveScheduler scheduler;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    SCOPED_TRACE(seed);
    const auto edges = PictureEdgeMaker(208, 144, {seed % 2 == 0 ? 8U : 3U, 3, 4, 2}, seed)();
    scene.fill(seed);
    scheduler.schedule(edges, {});
    const auto before = device()->counters();
    scene.filter->set_edges(scheduler, kSharpness);
    EXPECT_EQ(scene.filter->dispatches(), scheduler.wave_ends().size());
    scene.filter->submit().wait();
    EXPECT_EQ(device()->counters().submits, before.submits + 1);
    EXPECT_EQ(device()->counters().dispatches, before.dispatches + scheduler.wave_ends().size());
    vp9::filter_edges_in_order(scene.picture.view(), edges, kSharpness);
    expect_equal(scene.buffer->as<std::uint8_t>(), scene.picture.samples());
  }
}

TEST_F(PictureLoopFilterQpu, leaves_small_steps_and_other_planes_to_the_cpu) {
  Filtered scene(device(), 256, 128);
  const auto edges = PictureEdgeMaker(256, 128, {9, 3, 4, 3}, kSeed)();
  std::vector<PictureEdge> luma;
  std::vector<PictureEdge> chroma;
  for (const PictureEdge& edge : edges) (edge.plane == 0 ? luma : chroma).push_back(edge);
  scene.fill(kSeed);
  vp9::LevelScheduler scheduler;
  const vp9::EdgeSteps& steps = scheduler.schedule(luma);
  const std::size_t on_gpu = steps.leading_steps_of(24);
  ASSERT_GT(on_gpu, 2U);
  ASSERT_LT(on_gpu, steps.count());
  scene.filter->set_edges(steps, on_gpu, kSharpness);
  qpu::Ticket ticket = scene.filter->submit();
  vp9::LoopFilterPicture<std::uint8_t> memory =
      scene.picture.view_of(scene.buffer->as<std::uint8_t>());
  // On staged memory the whole picture comes back at the end: chroma has to wait there.
  if (scene.buffer->staged()) ticket.wait();
  neon::filter_edges_in_order(memory, chroma, kSharpness);
  ticket.wait();
  neon::filter_edges_in_order(memory, steps.range(on_gpu, steps.count()), kSharpness);
  vp9::filter_edges_in_order(scene.picture.view(), edges, kSharpness);
  expect_equal(scene.buffer->as<std::uint8_t>(), scene.picture.samples());
}

// A long stream has pictures of hundreds of numbers of levels.
TEST_F(PictureLoopFilterQpu, keeps_the_recorded_lists_that_were_used_last_within_a_limit) {
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
  EXPECT_EQ(use(40), first) << "both are within the limit";
  use(1);  // in place of 60, which was used before 40 was used again
  EXPECT_EQ(use(40), first);
  use(60);  // in place of 1 alone
  EXPECT_EQ(use(40), first);
  use(101);  // beyond the limit by itself: in place of all
  use(0);
  use(40);
  EXPECT_EQ(recorded, (std::vector<std::size_t>{40, 60, 1, 60, 101, 0, 40}));
}

TEST_F(PictureLoopFilterQpu, leaves_a_picture_without_edges_alone) {
  Filtered scene(device(), 64, 64);
  scene.fill(kSeed);
  vp9::LevelScheduler scheduler;
  scene.filter->set_edges(scheduler.schedule({}), 0, kSharpness);
  scene.filter->submit().wait();
  expect_equal(scene.buffer->as<std::uint8_t>(), scene.picture.samples());
}

TEST_F(PictureLoopFilterQpu, refuses_planes_and_edges_that_do_not_fit) {
  const auto buffer = device()->create_buffer(64 * 64);
  const auto make = [&](const qpu::PicturePlanes& planes) {
    return qpu::PictureLoopFilter(device(), buffer, planes);
  };
  EXPECT_THROW((void)make({{{{0, 64, 65}, {}, {}}}}), Error);
  EXPECT_THROW((void)make({{{{2, 64, 63}, {}, {}}}}), Error);
  EXPECT_THROW((void)make({{{{0, 66, 8}, {}, {}}}}), Error);
  EXPECT_THROW((void)make({{{{8192, 0, 0}, {}, {}}}}), Error);
  EXPECT_THROW((void)make({{{{0, SIZE_MAX & ~std::size_t{3}, 2}, {}, {}}}}), Error);
  EXPECT_THROW((void)make({{{{0, 64, 8}, {512, 32, 8}, {768, 64, 4}}}}), Error);
  const qpu::PicturePlanes fits{{{{0, 64, 64}, {}, {}}}};
  EXPECT_THROW(qpu::PictureLoopFilter(device(), buffer, fits, 7), Error);
  EXPECT_THROW(qpu::PictureLoopFilter(device(), buffer, fits, 13), Error);
  qpu::PictureLoopFilter filter = make(fits);
  vp9::LevelScheduler scheduler;
  const auto refuse = [&](const PictureEdge& edge) {
    const PictureEdge edges[] = {edge};
    EXPECT_THROW(filter.set_edges(scheduler.schedule(edges), 1, 0), Error);
  };
  refuse({.x = 8, .y = 8, .plane = 1, .width = 8});
  refuse({.x = 8, .y = 60, .plane = 0, .width = 8});
  refuse({.x = 64, .y = 8, .plane = 0, .width = 4});
  EXPECT_THROW(filter.set_edges(scheduler.schedule({}), 1, 0), Error);
  vp9::WaveScheduler waves;
  const PictureEdge beyond[] = {{.x = 128, .y = 8, .plane = 0, .width = 4}};
  waves.schedule(beyond, {});
  EXPECT_THROW(filter.set_edges(waves, 0), Error);
  EXPECT_THROW(filter.set_edges(scheduler.schedule({}), 0, 8), Error);
}

}  // namespace
}  // namespace sidecore
