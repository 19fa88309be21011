// The loop filter's scalar definition against a second model of it, its NEON twin against both, and
// the contract of edge lists.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/error.h"
#include "neon/vp9/loop_filter.h"
#include "vp9/loop_filter.h"
#include "vp9/loop_filter_scene.h"

namespace sidecore {
namespace {

using gates::Content;
using test::any_limits;
using test::legal_limits;
using test::LoopFilterScene;
using test::make_scene;
using vp9::LoopFilterEdge;
using vp9::LoopFilterLimits;
using vp9::SampleAccess;

constexpr std::size_t kEdgesPerContent = 65536;
constexpr std::uint64_t kSeed = 20261121;

// A second model, from the filter's description in plain integers on unsigned samples:
// samples[0..7] = p3 p2 p1 p0 q0 q1 q2 q3.
void model_line(std::array<int, 8>& s, const LoopFilterLimits& limits) {
  for (const std::size_t k : {0U, 1U, 2U, 4U, 5U, 6U}) {
    if (std::max(s[k], s[k + 1]) - std::min(s[k], s[k + 1]) > limits.limit) return;
  }
  // Halves are avoided by doubling: floor(a / 2) <= x holds exactly when a <= 2x + 1.
  if (4 * std::abs(s[3] - s[4]) + std::abs(s[2] - s[5]) > 2 * limits.blimit + 1) return;

  const auto within = [](int low, int value, int high) {
    return value < low ? low : value > high ? high : value;
  };
  const auto eighth = [](int value) { return value >= 0 ? value / 8 : -((7 - value) / 8); };
  const bool hev = std::max(std::abs(s[2] - s[3]), std::abs(s[5] - s[4])) > limits.thresh;
  int a = 3 * (s[4] - s[3]);
  if (hev) a += within(-128, s[2] - s[5], 127);
  a = within(-128, a, 127);
  const int down = eighth(std::min(a + 4, 127));
  const int up = eighth(std::min(a + 3, 127));
  s[3] = within(0, s[3] + up, 255);
  s[4] = within(0, s[4] - down, 255);
  if (hev) return;
  const int outer = down >= 0 ? (down + 1) / 2 : -((-down) / 2);
  s[2] = within(0, s[2] + outer, 255);
  s[5] = within(0, s[5] - outer, 255);
}

void model_edge(std::uint8_t* q0, std::size_t stride, const LoopFilterLimits& limits) {
  for (std::size_t row = 0; row < 8; ++row) {
    std::array<int, 8> line{};
    std::uint8_t* const first = q0 + row * stride - 4;
    std::copy_n(first, 8, line.begin());
    model_line(line, limits);
    std::ranges::transform(line, first, [](int value) { return static_cast<std::uint8_t>(value); });
  }
}

// Content and kind of limits.
using Case = std::tuple<Content, bool>;

class LoopFilterContents : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    const auto [content, legal] = GetParam();
    scene_ = make_scene(content, kSeed, legal ? legal_limits : any_limits);
    ASSERT_GE(scene_.edges.size(), kEdgesPerContent);
    scalar_ = scene_.block;
    vp9::loop_filter_h_4_8(scene_.plane(scalar_), scene_.edges);
  }

  void expect_equal_to_scalar(const std::vector<std::uint8_t>& block) const {
    const auto [ours, theirs] = std::ranges::mismatch(block, scalar_);
    ASSERT_TRUE(ours == block.end()) << "seed " << kSeed << ", byte " << ours - block.begin()
                                     << ": " << int{*ours} << ", scalar " << int{*theirs};
  }

  LoopFilterScene scene_;
  std::vector<std::uint8_t> scalar_;
};

class LoopFilterScalar : public LoopFilterContents {};
class LoopFilterNeon : public LoopFilterContents {};

std::string case_name(const testing::TestParamInfo<Case>& info) {
  const auto [content, legal] = info.param;
  return std::string(to_string(content)) + (legal ? "_legal_limits" : "_any_limits");
}

const auto kCases = testing::Combine(
    testing::Values(Content::random, Content::smooth, Content::flat, Content::high_variance),
    testing::Bool());

INSTANTIATE_TEST_SUITE_P(Contents, LoopFilterScalar, kCases, case_name);
INSTANTIATE_TEST_SUITE_P(Contents, LoopFilterNeon, kCases, case_name);

TEST_P(LoopFilterScalar, equals_the_second_model) {
  std::vector<std::uint8_t> block = scene_.block;
  const vp9::LoopFilterPlane plane = scene_.plane(block);
  for (const LoopFilterEdge& edge : scene_.edges) {
    model_edge(plane.bytes.data() + edge.offset, plane.stride, edge.limits);
  }
  expect_equal_to_scalar(block);
}

TEST_P(LoopFilterScalar, changes_samples_of_this_content) {
  EXPECT_NE(scalar_, scene_.block);
}

TEST_P(LoopFilterNeon, equals_the_scalar_definition_over_a_list) {
  std::vector<std::uint8_t> block = scene_.block;
  neon::loop_filter_h_4_8(scene_.plane(block), scene_.edges);
  expect_equal_to_scalar(block);
}

TEST_P(LoopFilterNeon, equals_the_scalar_definition_edge_by_edge) {
  std::vector<std::uint8_t> block = scene_.block;
  const vp9::LoopFilterPlane plane = scene_.plane(block);
  for (const LoopFilterEdge& edge : scene_.edges) {
    neon::loop_filter_h_4_8(plane.bytes.data() + edge.offset,
                            static_cast<std::ptrdiff_t>(plane.stride), edge.limits);
  }
  expect_equal_to_scalar(block);
}

TEST_P(LoopFilterNeon, equals_the_scalar_definition_on_pairs_from_anywhere_in_the_plane) {
  std::vector<std::uint8_t> block = scene_.block;
  const vp9::LoopFilterPlane plane = scene_.plane(block);
  const std::size_t half = scene_.edges.size() / 2;
  for (std::size_t index = 0; index < half; ++index) {
    const LoopFilterEdge& a = scene_.edges[index];
    const LoopFilterEdge& b = scene_.edges[scene_.edges.size() - 1 - index];
    neon::loop_filter_h_4_8_dual(plane.bytes.data() + a.offset, plane.bytes.data() + b.offset,
                                 static_cast<std::ptrdiff_t>(plane.stride), a.limits, b.limits);
  }
  if (scene_.edges.size() % 2 != 0) {
    const LoopFilterEdge& middle = scene_.edges[half];
    neon::loop_filter_h_4_8(plane.bytes.data() + middle.offset,
                            static_cast<std::ptrdiff_t>(plane.stride), middle.limits);
  }
  expect_equal_to_scalar(block);
}

TEST(LoopFilterNeonLists, filters_the_last_edge_of_an_odd_list_and_nothing_of_an_empty_one) {
  const LoopFilterScene scene = make_scene(Content::smooth, 7, legal_limits);
  for (const std::size_t count : {0U, 1U, 2U, 3U, 5U}) {
    const auto edges = std::span(scene.edges).first(count);
    std::vector<std::uint8_t> scalar = scene.block;
    std::vector<std::uint8_t> neon = scene.block;
    vp9::loop_filter_h_4_8(scene.plane(scalar), edges);
    neon::loop_filter_h_4_8(scene.plane(neon), edges);
    EXPECT_EQ(scalar, neon) << count << " edges";
  }
}

// The step across the boundary against E, every value of all three: where sums leave 8 bits.
TEST(LoopFilterNeonLimits, compares_the_step_across_the_boundary_exactly_for_every_limit) {
  constexpr std::ptrdiff_t kStride = 16;
  for (int blimit = 0; blimit < 256; ++blimit) {
    for (int outer_step = 0; outer_step < 256; outer_step += 5) {
      // 2d + outer_step / 2 runs over E - 7 .. E + 8.
      const int center = (blimit - outer_step / 2) / 2;
      std::array<std::uint8_t, kStride * 8> scalar{};
      for (int row = 0; row < 8; ++row) {
        const int inner_step = std::clamp(center - 3 + row, 0, 255);
        const std::array<int, 8> line = {0,          0,          0,          0,
                                         inner_step, outer_step, outer_step, outer_step};
        std::ranges::transform(line, scalar.begin() + row * kStride + 4,
                               [](int value) { return static_cast<std::uint8_t>(value); });
      }
      std::array<std::uint8_t, kStride* 8> neon = scalar;
      const LoopFilterLimits limits{static_cast<std::uint8_t>(blimit), 255, 1};
      vp9::loop_filter_h_4_8(&scalar[8], kStride, limits);
      neon::loop_filter_h_4_8(&neon[8], kStride, limits);
      ASSERT_EQ(scalar, neon) << "E " << blimit << ", |p1 - q1| " << outer_step;
    }
  }
}

TEST(LoopFilterLimitsOfLevel, follow_the_specification) {
  struct Row {
    int level, sharpness;
    LoopFilterLimits limits;
  };
  constexpr Row kRows[] = {
      {1, 0, {7, 1, 0}},     {1, 7, {7, 1, 0}},     {15, 0, {49, 15, 0}}, {16, 0, {52, 16, 1}},
      {32, 0, {100, 32, 2}}, {32, 1, {76, 8, 2}},   {32, 4, {73, 5, 2}},  {32, 5, {72, 4, 2}},
      {32, 7, {70, 2, 2}},   {63, 0, {193, 63, 3}}, {63, 7, {132, 2, 3}}, {3, 4, {11, 1, 0}},
      {12, 2, {34, 6, 0}},   {12, 5, {31, 3, 0}},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(vp9::loop_filter_limits(row.level, row.sharpness), row.limits)
        << "level " << row.level << ", sharpness " << row.sharpness;
  }
}

TEST(LoopFilterLimitsOfLevel, refuse_what_the_bitstream_cannot_say) {
  for (const auto& [level, sharpness] : {std::pair{0, 0}, {-1, 0}, {64, 0}, {32, -1}, {32, 8}}) {
    EXPECT_THROW((void)vp9::loop_filter_limits(level, sharpness), Error)
        << level << ' ' << sharpness;
  }
}

TEST(LoopFilterGrid, has_32265_vertical_edges_at_1080p) {
  const auto edges = vp9::grid_edges_h(1920, 1080, 1920, {9, 2, 0});
  EXPECT_EQ(edges.size(), 32265U);
  EXPECT_NO_THROW(vp9::check_edges_h4(edges, 1920 * 1080, 1920, SampleAccess::words));
}

TEST(LoopFilterGrid, lists_adjoining_edges_as_neighbours) {
  const auto edges = vp9::grid_edges_h(24, 40, 32, {9, 2, 0});
  std::vector<std::uint32_t> offsets;
  offsets.reserve(edges.size());
  for (const auto& edge : edges) {
    offsets.push_back(edge.offset);
    EXPECT_EQ(edge.limits, (LoopFilterLimits{9, 2, 0}));
  }
  EXPECT_EQ(offsets,
            (std::vector<std::uint32_t>{8, 8 + 8 * 32, 16, 16 + 8 * 32, 8 + 16 * 32, 8 + 24 * 32,
                                        16 + 16 * 32, 16 + 24 * 32, 8 + 32 * 32, 16 + 32 * 32}));
}

TEST(LoopFilterGrid, leaves_out_edges_without_four_samples_to_the_right) {
  EXPECT_EQ(vp9::grid_edges_h(8, 8, 64, {}).size(), 0U);
  EXPECT_EQ(vp9::grid_edges_h(11, 8, 64, {}).size(), 0U);
  EXPECT_EQ(vp9::grid_edges_h(12, 8, 64, {}).size(), 1U);
  EXPECT_EQ(vp9::grid_edges_h(1920, 7, 1920, {}).size(), 0U);
  EXPECT_EQ(vp9::grid_edges_h(0, 0, 64, {}).size(), 0U);
}

TEST(LoopFilterGrid, has_the_edges_of_every_kind_that_may_run_at_once) {
  using enum vp9::LoopFilterKind;
  const auto count = [](vp9::LoopFilterKind kind, int width, int height) {
    const auto edges = vp9::grid_edges(kind, width, height, 1920, {9, 2, 0});
    const auto rows = static_cast<std::size_t>(height);
    vp9::check_edges(edges, 1920 * rows, 1920, SampleAccess::words);
    return edges.size();
  };
  EXPECT_EQ(count(h_8, 1920, 1080), 32265U);
  EXPECT_EQ(count(v_8, 1920, 1080), 32160U);
  EXPECT_EQ(count(v_4, 1920, 1080), 32160U);
  EXPECT_EQ(count(h_16, 1920, 1080), 119U * 135);
  EXPECT_EQ(count(v_16, 1920, 1080), 240U * 67);
  EXPECT_EQ(count(h_16, 23, 8), 0U);
  EXPECT_EQ(count(h_16, 24, 8), 1U);
  EXPECT_EQ(count(v_16, 8, 23), 0U);
  EXPECT_EQ(count(v_16, 8, 24), 1U);
  EXPECT_EQ(count(v_4, 15, 12), 1U);
  EXPECT_EQ(count(v_4, 7, 12), 0U);
}

TEST(LoopFilterGrid, refuses_planes_beyond_32_bit_offsets) {
  EXPECT_THROW((void)vp9::grid_edges_h(64, 64, SIZE_MAX / 2, {}), Error);
}

// What check_edges_h4() says of a list of offsets; empty when nothing.
std::string complaint(const std::vector<std::uint32_t>& offsets, std::size_t plane_bytes,
                      std::size_t stride, SampleAccess access) {
  std::vector<LoopFilterEdge> edges;
  edges.reserve(offsets.size());
  for (const std::uint32_t offset : offsets) edges.push_back({offset, {100, 32, 2}});
  try {
    vp9::check_edges_h4(edges, plane_bytes, stride, access);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return {};
}

TEST(LoopFilterContract, accepts_what_it_promises) {
  EXPECT_EQ(complaint({}, 0, 64, SampleAccess::words), "");
  EXPECT_EQ(complaint({4}, 8 + 7 * 64, 64, SampleAccess::words), "");
  EXPECT_EQ(complaint({5}, 9 + 7 * 63, 63, SampleAccess::bytes), "");
  EXPECT_EQ(complaint({4, 12, 8 * 64 + 4}, 64 * 16, 64, SampleAccess::words), "");
  EXPECT_EQ(complaint({7, 15, 23}, 64 * 8, 64, SampleAccess::bytes), "");
}

TEST(LoopFilterContract, names_the_edge_and_the_numbers_that_break_it) {
  struct Row {
    std::vector<std::uint32_t> offsets;
    std::size_t plane_bytes, stride;
    SampleAccess access;
    std::vector<std::string> words;
  };
  constexpr auto kBytes = SampleAccess::bytes;
  constexpr auto kWords = SampleAccess::words;
  const Row rows[] = {
      {{3}, 4096, 64, kBytes, {"edge 0", "offset 3", "4 samples left"}},
      {{8, 0}, 4096, 64, kBytes, {"edge 1", "offset 0"}},
      {{8, 18}, 4096, 64, kWords, {"edge 1", "offset 18", "multiple of 4"}},
      {{8}, 4096, 66, kWords, {"stride 66", "multiple of 4"}},
      {{8}, 4096, 4, kBytes, {"stride 4", "below 8"}},
      {{8}, 4096, 0, kBytes, {"stride 0"}},
      {{}, 4096, 0, kWords, {"stride 0"}},
      {{4}, 7 + 7 * 64, 64, kBytes, {"edge 0", "offset 4", "455 bytes"}},
      {{4096}, 4096, 64, kBytes, {"edge 0", "offset 4096", "4096 bytes"}},
      {{0xffffffffU}, 4096, 64, kBytes, {"edge 0", "offset 4294967295"}},
      {{8}, 0, 64, kBytes, {"edge 0", "0 bytes"}},
      {{8}, 3, 64, kBytes, {"edge 0", "3 bytes"}},
      {{8}, 4096, SIZE_MAX / 7 + 2, kBytes, {"edge 0", "stride"}},
      {{8}, SIZE_MAX, SIZE_MAX & ~std::size_t{3}, kWords, {"edge 0", "stride"}},
      {{8, 24, 8}, 4096, 64, kWords, {"edge 2", "offset 8", "edge 0", "byte 4"}},
      {{8, 24, 28}, 4096, 64, kWords, {"edge 2", "offset 28", "edge 1", "byte 24"}},
      {{8, 24, 8 + 7 * 64}, 4096, 64, kWords, {"edge 2", "edge 0", "byte 452"}},
      {{8, 15}, 4096, 64, kBytes, {"edge 1", "offset 15", "edge 0", "byte 11"}},
      {{4, 60}, 4096, 60, kBytes, {"edge 1", "offset 60", "edge 0", "byte 60"}},
  };
  for (const Row& row : rows) {
    const std::string text = complaint(row.offsets, row.plane_bytes, row.stride, row.access);
    EXPECT_NE(text, "");
    EXPECT_EQ(text.find('\n'), std::string::npos);
    for (const std::string& word : row.words) {
      EXPECT_NE(text.find(word), std::string::npos) << '"' << text << "\" lacks " << word;
    }
  }
}

TEST(LoopFilterBranchCounts, tell_the_contents_apart) {
  const auto rates = [](Content content) {
    LoopFilterScene scene = make_scene(content, 3, legal_limits);
    return vp9::count_branches(scene.plane(scene.block).bytes, scene.stride, scene.edges);
  };
  const auto share = [](std::uint64_t part, std::uint64_t whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
  };
  const auto random = rates(Content::random);
  EXPECT_EQ(random.lines, 8 * make_scene(Content::random, 3, legal_limits).edges.size());
  EXPECT_LT(share(random.mask, random.lines), 0.01);
  const auto smooth = rates(Content::smooth);
  EXPECT_EQ(smooth.mask, smooth.lines);
  EXPECT_LT(share(smooth.hev, smooth.mask), 0.1);
  const auto flat = rates(Content::flat);
  EXPECT_EQ(flat.mask, flat.lines);
  EXPECT_EQ(flat.flat, flat.mask);
  const auto high = rates(Content::high_variance);
  EXPECT_NEAR(share(high.mask, high.lines), 0.5, 0.15);
  EXPECT_NEAR(share(high.hev, high.mask), 0.5, 0.2);
}

}  // namespace
}  // namespace sidecore
