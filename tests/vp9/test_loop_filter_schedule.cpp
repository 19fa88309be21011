// Tests that every schedule of a picture's edges gives the same samples as the scalar definition's
// order.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "neon/vp9/dsp.h"
#include "vp9/dsp.h"
#include "vp9/edge_picture.h"
#include "vp9/filter_survey.h"
#include "vp9/loop_filter_schedule.h"

namespace sidecore::test_loop_filter_schedule {
namespace {

using bench::EdgeMix;
using test::EdgePicture;
using test::random_edges;
using vp9::EdgeDirection;
using vp9::LoopFilterEdge;

constexpr std::uint64_t kSeed = 20261124;

// Returns an implementation's table for a bit depth.
template <class Sample>
const vp9::Dsp<Sample>& table_of(const vp9::DspTables& tables, int bits) {
  return *std::get<const vp9::Dsp<Sample>*>(tables.of(bits));
}
template <class Sample>
const vp9::Dsp<Sample>& neon_of(int bits) {
  return table_of<Sample>(neon::vp9_dsp(), bits);
}

// Filters with the scalar definition.
void filter_edges(const vp9::LoopFilterPlanes<std::uint8_t>& planes,
                  std::span<const LoopFilterEdge> edges, int sharpness) {
  vp9::filter_edges(vp9::scalar_dsp().bits_8, planes, edges, sharpness);
}
void filter_edges(const vp9::LoopFilterPlanes<std::uint16_t>& planes,
                  std::span<const LoopFilterEdge> edges, int sharpness, int bits) {
  vp9::filter_edges(table_of<std::uint16_t>(vp9::scalar_dsp(), bits), planes, edges, sharpness);
}

struct Scene {
  std::string name;
  int width, height;
  EdgeMix mix;
};

std::string scene_name(const testing::TestParamInfo<Scene>& tested) {
  return tested.param.name;
}

class LoopFilterSchedules : public testing::TestWithParam<Scene> {
 protected:
  LoopFilterSchedules()
      : edges_(random_edges(GetParam().width, GetParam().height, GetParam().mix, kSeed)),
        picture_(GetParam().width, GetParam().height) {
    picture_.fill(kSeed);
    before_ = picture_.samples();
    filter_edges(picture_.view(), edges_, kSharpness);
  }

  // Compares the result of another order with the scalar definition's, on the same picture.
  template <class Filter>
  void expect_the_same(Filter filter) {
    std::vector<std::uint8_t> samples = before_;
    filter(picture_.view_of(samples));
    const auto [ours, theirs] = std::ranges::mismatch(samples, picture_.samples());
    EXPECT_TRUE(ours == samples.end())
        << "seed " << kSeed << ", byte " << ours - samples.begin() << " differs";
  }

  static constexpr int kSharpness = 2;
  std::vector<LoopFilterEdge> edges_;
  EdgePicture<std::uint8_t> picture_;
  std::vector<std::uint8_t> before_;
};

INSTANTIATE_TEST_SUITE_P(Pictures, LoopFilterSchedules,
                         testing::Values(Scene{"mixed", 400, 272, {}},
                                         Scene{"wide", 256, 256, {9, 0, 8, 0}},
                                         Scene{"narrow", 256, 192, {10, 10, 0, 10}},
                                         Scene{"sparse", 512, 128, {2, 3, 3, 1}},
                                         Scene{"one_superblock", 64, 64, {}},
                                         Scene{"tiny", 16, 16, {10, 2, 0, 10}}),
                         scene_name);

TEST_P(LoopFilterSchedules, change_samples) {
  EXPECT_NE(before_, picture_.samples());
}

TEST_P(LoopFilterSchedules, have_every_edge_once) {
  const auto sorted = [](std::vector<LoopFilterEdge> edges) {
    std::ranges::sort(edges, {}, [](const LoopFilterEdge& e) {
      return std::tuple(e.plane, e.direction, e.y, e.x, e.width, e.level);
    });
    return edges;
  };
  vp9::LevelScheduler scheduler;
  const auto by_level = scheduler.schedule(edges_).edges();
  EXPECT_EQ(sorted({by_level.begin(), by_level.end()}), sorted(edges_));
  vp9::SuperblockWaves waves;
  waves.schedule(edges_, {});
  std::vector<LoopFilterEdge> by_wave;
  for (std::size_t wave = 0; wave < waves.count(); ++wave) {
    for (std::size_t i = 0; i < waves.superblocks(wave); ++i) {
      const auto superblock = waves.superblock(wave, i);
      by_wave.insert(by_wave.end(), superblock.begin(), superblock.end());
    }
  }
  EXPECT_EQ(sorted(by_wave), sorted(edges_));
}

// Marks the samples that an edge touches. Returns false if another owner marked one of them before.
class Marks {
 public:
  bool mark(const LoopFilterEdge& edge, int owner) {
    const vp9::TouchedSamples touched(edge);
    bool free = true;
    for (int y = touched.top; y < touched.bottom; ++y) {
      for (int x = touched.left; x < touched.right; ++x) {
        int& at =
            owners_[edge.plane][static_cast<std::size_t>(y) * 1024 + static_cast<std::size_t>(x)];
        free = free && (at == 0 || at == owner);
        at = owner;
      }
    }
    return free;
  }

 private:
  std::array<std::vector<int>, 3> owners_{
      std::vector<int>(1024 * 1024), std::vector<int>(1024 * 1024), std::vector<int>(1024 * 1024)};
};

TEST_P(LoopFilterSchedules, levels_hold_no_two_edges_that_touch_a_common_sample) {
  vp9::LevelScheduler scheduler;
  const vp9::EdgeLevels& steps = scheduler.schedule(edges_);
  ASSERT_GT(steps.count(), 1U);
  for (std::size_t step = 0; step < std::min<std::size_t>(steps.count(), 24); ++step) {
    Marks marks;
    int owner = 0;
    for (const LoopFilterEdge& edge : steps[step]) {
      ASSERT_TRUE(marks.mark(edge, ++owner)) << "level " << step << ", edge " << owner;
    }
  }
}

TEST_P(LoopFilterSchedules, waves_hold_no_two_superblocks_that_touch_a_common_sample) {
  vp9::SuperblockWaves waves;
  waves.schedule(edges_, {});
  for (std::size_t wave = 0; wave < waves.count(); ++wave) {
    Marks marks;
    for (std::size_t i = 0; i < waves.superblocks(wave); ++i) {
      for (const LoopFilterEdge& edge : waves.superblock(wave, i)) {
        ASSERT_TRUE(marks.mark(edge, static_cast<int>(i) + 1)) << "wave " << wave;
      }
    }
  }
}

TEST_P(LoopFilterSchedules, levels_give_the_defined_samples_whatever_the_order_within) {
  vp9::LevelScheduler scheduler;
  // A scheduler must not keep data of the previous picture.
  (void)scheduler.schedule(random_edges(128, 512, {}, 1));
  const vp9::EdgeLevels& steps = scheduler.schedule(edges_);
  expect_the_same([&](const auto& picture) {
    filter_edges(picture, steps.range(0, steps.count()), kSharpness);
  });
  expect_the_same([&](const auto& picture) {
    for (std::size_t step = 0; step < steps.count(); ++step) {
      std::vector<LoopFilterEdge> backwards(steps[step].rbegin(), steps[step].rend());
      filter_edges(picture, backwards, kSharpness);
    }
  });
}

TEST_P(LoopFilterSchedules,
       waves_give_the_defined_samples_whatever_the_order_of_their_superblocks) {
  vp9::SuperblockWaves waves;
  waves.schedule(random_edges(128, 512, {}, 1), {});
  waves.schedule(edges_, {});
  expect_the_same([&](const auto& picture) {
    for (std::size_t wave = 0; wave < waves.count(); ++wave) {
      for (std::size_t i = waves.superblocks(wave); i-- > 0;) {
        filter_edges(picture, waves.superblock(wave, i), kSharpness);
      }
    }
  });
}

class LoopFilterSchedulesNeon : public LoopFilterSchedules {};
INSTANTIATE_TEST_SUITE_P(Pictures, LoopFilterSchedulesNeon,
                         testing::Values(Scene{"mixed", 400, 272, {}},
                                         Scene{"wide", 256, 256, {9, 0, 8, 0}},
                                         Scene{"narrow", 256, 192, {10, 10, 0, 10}}),
                         scene_name);

TEST_P(LoopFilterSchedulesNeon, gives_the_defined_samples_in_order_and_by_levels) {
  vp9::LevelScheduler scheduler;
  const vp9::EdgeLevels& steps = scheduler.schedule(edges_);
  expect_the_same([&](const auto& picture) {
    vp9::filter_edges(neon_of<std::uint8_t>(8), picture, edges_, kSharpness);
  });
  expect_the_same([&](const auto& picture) {
    vp9::filter_edges(neon_of<std::uint8_t>(8), picture, steps.edges(), kSharpness);
  });
}

TEST_P(LoopFilterSchedulesNeon, gives_the_defined_samples_of_10_and_12_bits) {
  vp9::LevelScheduler scheduler;
  const vp9::EdgeLevels& steps = scheduler.schedule(edges_);
  for (const int bits : {10, 12}) {
    EdgePicture<std::uint16_t> picture(GetParam().width, GetParam().height, bits);
    picture.fill(kSeed);
    std::vector<std::uint16_t> in_order = picture.samples();
    std::vector<std::uint16_t> by_levels = picture.samples();
    filter_edges(picture.view(), edges_, kSharpness, bits);
    vp9::filter_edges(neon_of<std::uint16_t>(bits), picture.view_of(in_order), edges_, kSharpness);
    vp9::filter_edges(neon_of<std::uint16_t>(bits), picture.view_of(by_levels), steps.edges(),
                      kSharpness);
    EXPECT_TRUE(in_order == picture.samples()) << bits << " bits";
    EXPECT_TRUE(by_levels == picture.samples()) << bits << " bits";
  }
}

// Many descriptions of VP9 filter all vertical boundaries of the picture first and then all
// horizontal ones. That order is wrong.
TEST(EdgeOrder, of_whole_picture_passes_gives_other_samples) {
  const auto edges = random_edges(256, 128, {}, kSeed);
  EdgePicture<std::uint8_t> picture(256, 128);
  picture.fill(kSeed);
  std::vector<std::uint8_t> samples = picture.samples();
  filter_edges(picture.view(), edges, 0);
  std::vector<LoopFilterEdge> passes = edges;
  std::ranges::stable_sort(passes, {}, &LoopFilterEdge::direction);
  filter_edges(picture.view_of(samples), passes, 0);
  EXPECT_NE(samples, picture.samples());
}

std::vector<LoopFilterEdge> luma_grid(int width, int height) {
  std::vector<LoopFilterEdge> edges;
  for (const LoopFilterEdge& edge : random_edges(width, height, {10, 0, 0, 0}, 1)) {
    if (edge.plane == 0) edges.push_back(edge);
  }
  return edges;
}

TEST(LevelScheduler, needs_six_levels_for_a_full_grid_of_8x8_blocks) {
  vp9::LevelScheduler scheduler;
  const vp9::EdgeLevels& steps = scheduler.schedule(luma_grid(1024, 512));
  EXPECT_EQ(steps.count(), 6U);
  EXPECT_EQ(steps.count_large_levels(1), 6U);
  EXPECT_EQ(steps.count_large_levels(steps[0].size() + 1), 0U);
}

TEST(LevelScheduler, has_no_steps_for_a_picture_without_edges) {
  vp9::LevelScheduler scheduler;
  EXPECT_EQ(scheduler.schedule({}).count(), 0U);
  EXPECT_TRUE(scheduler.schedule({}).range(0, 0).empty());
  vp9::SuperblockWaves waves;
  waves.schedule({}, {});
  EXPECT_EQ(waves.count(), 0U);
}

TEST(SuperblockWaves, number_c_plus_2r) {
  vp9::SuperblockWaves waves;
  waves.schedule(random_edges(1920, 1088, {}, 1), {});
  EXPECT_EQ(waves.count(), 30U + 2 * 16);
}

TEST(LoopFilterEdges, at_10_bits_follow_the_order_too) {
  const auto edges = random_edges(128, 128, {}, kSeed);
  EdgePicture<std::uint16_t> picture(128, 128, 10);
  picture.fill(kSeed);
  std::vector<std::uint16_t> by_level = picture.samples();
  filter_edges(picture.view(), edges, 0, 10);
  EXPECT_NE(by_level, picture.samples());
  vp9::LevelScheduler scheduler;
  filter_edges(picture.view_of(by_level), scheduler.schedule(edges).edges(), 0, 10);
  EXPECT_EQ(by_level, picture.samples());
}

TEST(LoopFilterEdges, are_refused_with_the_edge_and_the_reason) {
  struct Row {
    LoopFilterEdge edge;
    std::string words;
  };
  const auto vertical = EdgeDirection::vertical;
  const auto horizontal = EdgeDirection::horizontal;
  const Row rows[] = {
      {{8, 8, 3, vertical, 8, 1}, "plane 3 must"},
      {{8, 8, 0, vertical, 5, 1}, "width 5"},
      {{8, 8, 0, vertical, 8, 0}, "level 0"},
      {{8, 8, 0, vertical, 8, 64}, "level 64"},
      {{8, 8, 0, static_cast<EdgeDirection>(2), 8, 1}, "direction 2 must"},
      {{10, 8, 0, vertical, 8, 1}, "x 10"},
      {{0, 8, 0, vertical, 4, 1}, "outside plane 0"},
      {{4, 8, 0, vertical, 16, 1}, "outside plane 0"},
      {{64, 8, 0, vertical, 4, 1}, "outside plane 0"},
      {{8, 60, 0, vertical, 4, 1}, "outside plane 0 of 64x64"},
      {{8, 0, 0, horizontal, 4, 1}, "outside plane 0"},
      {{8, 4, 0, horizontal, 16, 1}, "outside plane 0"},
      {{60, 8, 0, horizontal, 4, 1}, "outside plane 0"},
      {{8, 64, 0, horizontal, 4, 1}, "outside plane 0"},
      {{32, 8, 1, vertical, 16, 1}, "outside plane 1"},
  };
  EdgePicture<std::uint8_t> picture(64, 64);
  auto view = picture.view();
  view.planes[1] = {view.planes[1].samples.first(32 * 32), 32};
  for (const Row& row : rows) {
    const LoopFilterEdge edges[] = {{8, 8, 0, vertical, 8, 1}, row.edge};
    try {
      filter_edges(view, edges, 0);
      ADD_FAILURE() << "accepted: " << row.words;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      const std::string text = error.what();
      EXPECT_NE(text.find("edge 1"), std::string::npos) << text;
      EXPECT_NE(text.find(row.words), std::string::npos) << text;
    }
    EXPECT_TRUE(std::ranges::all_of(picture.samples(), [](int sample) { return sample == 0; }));
  }
  EXPECT_THROW(vp9::filter_edges(neon_of<std::uint8_t>(8), view, {}, 8), Error);
}

TEST(FilterSurvey, AnEdgeIsJudgedByWhatThoseBeforeItLeave) {
  vp9::FrameBuffer frame{video::Picture({64, 64, {}}), {64, 64}};
  const video::PlaneView<std::uint8_t> luma = frame.memory.plane<std::uint8_t>(0);
  for (int y = 0; y < luma.height; ++y) {
    for (int x = 0; x < luma.width; ++x) luma.row(y)[x] = x < 8 ? 100 : 140;
  }
  const std::vector<std::byte> before(frame.memory.bytes().begin(), frame.memory.bytes().end());
  // The first edge smooths the step at 8 and with it the samples that the second edge tests for
  // flatness.
  const std::vector<LoopFilterEdge> edges{{.x = 8, .y = 0, .width = 4, .level = 32},
                                          {.x = 12, .y = 0, .width = 8, .level = 32}};
  vp9::FilterSurvey survey;
  survey.add(frame, edges, 0);
  survey.add(frame, std::span(edges).last(1), 0);
  survey.add(frame, {}, 0);
  EXPECT_EQ(survey.branches(vp9::LoopFilterKind::h_4),
            (vp9::LoopFilterBranches{.lines = 8, .mask = 8, .hev = 0, .flat = 8, .flat2 = 0}));
  EXPECT_EQ(survey.branches(vp9::LoopFilterKind::h_8),
            (vp9::LoopFilterBranches{.lines = 16, .mask = 16, .hev = 0, .flat = 8, .flat2 = 0}));
  EXPECT_EQ(survey.branches(vp9::LoopFilterKind::v_8), vp9::LoopFilterBranches{});
  EXPECT_TRUE(std::ranges::equal(survey.levels(), std::vector<std::uint32_t>{2, 1, 0}));
  EXPECT_TRUE(std::ranges::equal(frame.memory.bytes(), before));
}

TEST(FilterSurvey, SpreadsHaveAMeanAMedianAndAMost) {
  const std::vector<std::uint32_t> values{9, 1, 2, 4};
  const vp9::Spread spread = vp9::compute_spread(values);
  EXPECT_EQ(spread.mean, 4.0);
  EXPECT_EQ(spread.median, 2U);
  EXPECT_EQ(spread.most, 9U);
  EXPECT_EQ(vp9::compute_spread({}).most, 0U);
}

}  // namespace
}  // namespace sidecore::test_loop_filter_schedule
