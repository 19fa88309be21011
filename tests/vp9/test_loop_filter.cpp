// Tests the loop filter of every width, direction and bit depth. Compares the scalar definition
// with a second model, NEON's tables with the scalar definition, and lists of edges with both.
// ctest: long
// The following test is slow under sanitizers and takes no code path that the other tests do not
// take.
// ctest: unsanitized *second_model_at_every_depth*
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "neon/vp9/dsp.h"
#include "vp9/dsp.h"
#include "vp9/loop_filter_scene.h"

namespace sidecore::test_loop_filter {
namespace {

using gates::Content;
using test::any_limits;
using test::legal_limits;
using test::LoopFilterScene;
using test::make_scene;
using test::SceneEdge;
using vp9::LoopFilterEdge;
using vp9::LoopFilterKind;
using vp9::LoopFilterLimits;

constexpr std::uint64_t kSeed = 20261123;
constexpr Content kContents[] = {Content::random, Content::smooth, Content::flat,
                                 Content::high_variance};

// A second model, written from the formulas of the filters. samples[0..15] is p7 ... p0 q0 ... q7;
// narrower filters use the middle 8.
class Model {
 public:
  Model(int width, const LoopFilterLimits& limits, int bits)
      : width_(width), limits_(limits), scale_(1 << (bits - 8)) {}

  std::vector<int> operator()(std::vector<int> s) const {
    if (!mask(s)) return s;
    if (width_ >= 8 && flat_around(s, 1, 3)) {
      return averaged(s, width_ == 16 && flat_around(s, 4, 7) ? 7 : 3);
    }
    return narrow(s);
  }

 private:
  static constexpr int kP0 = 7;
  static constexpr int kQ0 = 8;
  static int& at(std::vector<int>& s, int i) { return s[static_cast<std::size_t>(i)]; }
  static int at(const std::vector<int>& s, int i) { return s[static_cast<std::size_t>(i)]; }

  [[nodiscard]] bool mask(const std::vector<int>& s) const {
    for (int i = 0; i < 3; ++i) {
      if (std::abs(at(s, kP0 - i) - at(s, kP0 - i - 1)) > limits_.limit * scale_) return false;
      if (std::abs(at(s, kQ0 + i) - at(s, kQ0 + i + 1)) > limits_.limit * scale_) return false;
    }
    // Doubling avoids halves: floor(a / 2) <= x is equivalent to a <= 2x + 1.
    return 4 * std::abs(at(s, kP0) - at(s, kQ0)) + std::abs(at(s, kP0 - 1) - at(s, kQ0 + 1)) <=
           2 * limits_.blimit * scale_ + 1;
  }

  [[nodiscard]] bool flat_around(const std::vector<int>& s, int first, int last) const {
    for (int i = first; i <= last; ++i) {
      if (std::abs(at(s, kP0 - i) - at(s, kP0)) > scale_) return false;
      if (std::abs(at(s, kQ0 + i) - at(s, kQ0)) > scale_) return false;
    }
    return true;
  }

  // Computes every sum separately, term by term.
  static std::vector<int> averaged(const std::vector<int>& s, int radius) {
    std::vector<int> result = s;
    const int low = kP0 - radius;
    const int high = kQ0 + radius;
    for (int i = low + 1; i < high; ++i) {
      int sum = at(s, i) + radius + 1;
      for (int j = i - radius; j <= i + radius; ++j) sum += at(s, std::clamp(j, low, high));
      at(result, i) = sum / (2 * radius + 2);
    }
    return result;
  }

  [[nodiscard]] std::vector<int> narrow(std::vector<int> s) const {
    const int low = -128 * scale_;
    const int high = 128 * scale_ - 1;
    const int top = 256 * scale_ - 1;
    const auto eighth = [](int value) { return value >= 0 ? value / 8 : -((7 - value) / 8); };
    const int p1 = at(s, kP0 - 1);
    const int p0 = at(s, kP0);
    const int q0 = at(s, kQ0);
    const int q1 = at(s, kQ0 + 1);
    const bool hev = std::max(std::abs(p1 - p0), std::abs(q1 - q0)) > limits_.thresh * scale_;
    const int outer = hev ? std::clamp(p1 - q1, low, high) : 0;
    const int a = std::clamp(3 * (q0 - p0) + outer, low, high);
    const int down = eighth(std::min(a + 4, high));
    const int up = eighth(std::min(a + 3, high));
    at(s, kP0) = std::clamp(p0 + up, 0, top);
    at(s, kQ0) = std::clamp(q0 - down, 0, top);
    if (hev) return s;
    const int half = down >= 0 ? (down + 1) / 2 : -((-down) / 2);
    at(s, kP0 - 1) = std::clamp(p1 + half, 0, top);
    at(s, kQ0 + 1) = std::clamp(q1 - half, 0, top);
    return s;
  }

  int width_;
  LoopFilterLimits limits_;
  int scale_;
};

template <class Sample>
void model_edge(LoopFilterKind kind, const LoopFilterLimits& limits, Sample* first,
                std::ptrdiff_t stride, int bits) {
  const int width = vp9::width_of(kind);
  const bool vertical = vp9::direction_of(kind) == vp9::EdgeDirection::vertical;
  const std::ptrdiff_t across = vertical ? 1 : stride;
  const auto reach = static_cast<std::size_t>(vp9::read_reach(width));
  const Model model(width, limits, bits);
  for (int line = 0; line < 8; ++line) {
    Sample* const q0 = first + line * (vertical ? stride : 1);
    std::vector<int> samples(16);
    const auto position = [across](std::size_t k) {
      return (static_cast<std::ptrdiff_t>(k) - 8) * across;
    };
    for (std::size_t k = 8 - reach; k < 8 + reach; ++k) samples[k] = q0[position(k)];
    samples = model(samples);
    for (std::size_t k = 8 - reach; k < 8 + reach; ++k) {
      q0[position(k)] = static_cast<Sample>(samples[k]);
    }
  }
}

using Case = std::tuple<LoopFilterKind, Content>;

std::string case_name(const testing::TestParamInfo<Case>& info) {
  const auto& [kind, content] = info.param;
  return std::string(to_string(kind)) + "_" + to_string(content);
}

template <class Sample>
void expect_equal(const std::vector<Sample>& found, const std::vector<Sample>& expected) {
  const auto [ours, theirs] = std::ranges::mismatch(found, expected);
  ASSERT_TRUE(ours == found.end()) << "seed " << kSeed << ", sample " << ours - found.begin()
                                   << ": " << *ours << ", expected " << *theirs;
}

class LoopFilterKinds : public testing::TestWithParam<Case> {
 protected:
  // Runs the check on a scene with limits that streams can have, and on one with arbitrary limits.
  // Without sanitizers, the scenes of h_4 together have more than 65,536 edges.
  template <class Check>
  void on_both_scenes(Check check) {
    const auto& [kind, content] = GetParam();
    for (const auto& limits : {legal_limits, any_limits}) {
      SCOPED_TRACE(limits == legal_limits ? "legal limits" : "any limits");
#ifdef SIDECORE_SANITIZED
      const std::size_t tiles = 32;
#else
      const std::size_t tiles = kind == LoopFilterKind::h_4 ? 129 : 48;
#endif
      scene_ = make_scene({&kind, 1}, content, kSeed, limits, tiles);
      check();
    }
  }

  // Calls check(samples, scalar table, NEON table) for every bit depth.
  template <class Check>
  void at_every_depth(Check check) {
    const vp9::DspTables& scalar = vp9::scalar_dsp();
    const vp9::DspTables& neon = neon::vp9_dsp();
    check(scene_.block, scalar.bits_8, neon.bits_8);
    check(scene_.block_of(10, kSeed), scalar.bits_10, neon.bits_10);
    check(scene_.block_of(12, kSeed), scalar.bits_12, neon.bits_12);
  }

  LoopFilterScene scene_;
};

const auto kCases =
    testing::Combine(testing::ValuesIn(vp9::kLoopFilterKinds), testing::ValuesIn(kContents));

class LoopFilterScalar : public LoopFilterKinds {};
INSTANTIATE_TEST_SUITE_P(Cases, LoopFilterScalar, kCases, case_name);

TEST_P(LoopFilterScalar, equals_the_second_model_at_every_depth) {
  on_both_scenes([this] {
    at_every_depth([this](const auto& block, const auto& dsp, const auto& /*neon*/) {
      auto expected = block;
      for (const SceneEdge& edge : scene_.edges) {
        model_edge(edge.kind, edge.limits, scene_.q0(expected, edge), scene_.step(), dsp.bits);
      }
      EXPECT_NE(expected, block) << "the filter has not changed the content";
      expect_equal(scene_.filtered(dsp, block), expected);
    });
  });
}

TEST_P(LoopFilterScalar, filters_two_edges_as_one_after_the_other) {
  on_both_scenes([this] {
    at_every_depth([this](const auto& block, const auto& dsp, const auto& /*neon*/) {
      const auto next = [](std::size_t index) { return index ^ 1U; };
      expect_equal(scene_.filtered_in_pairs(dsp, block, next), scene_.filtered(dsp, block));
    });
  });
}

class LoopFilterNeonKinds : public LoopFilterKinds {};
INSTANTIATE_TEST_SUITE_P(Cases, LoopFilterNeonKinds, kCases, case_name);

TEST_P(LoopFilterNeonKinds, equals_the_scalar_definition_edge_by_edge) {
  on_both_scenes([this] {
    at_every_depth([this](const auto& block, const auto& scalar, const auto& neon) {
      expect_equal(scene_.filtered(neon, block), scene_.filtered(scalar, block));
    });
  });
}

TEST_P(LoopFilterNeonKinds, equals_the_scalar_definition_on_edges_that_adjoin) {
  on_both_scenes([this] {
    at_every_depth([this](const auto& block, const auto& scalar, const auto& neon) {
      const auto next = [](std::size_t index) { return index ^ 1U; };
      expect_equal(scene_.filtered_in_pairs(neon, block, next), scene_.filtered(scalar, block));
    });
  });
}

TEST_P(LoopFilterNeonKinds, equals_the_scalar_definition_on_pairs_from_anywhere_in_the_plane) {
  on_both_scenes([this] {
    at_every_depth([this](const auto& block, const auto& scalar, const auto& neon) {
      const auto far = [this](std::size_t index) { return scene_.edges.size() - 1 - index; };
      expect_equal(scene_.filtered_in_pairs(neon, block, far), scene_.filtered(scalar, block));
    });
  });
}

// Compares the step across the boundary with E, for every value of all three terms; some sums
// exceed 8 bits.
TEST(LoopFilterNeon, compares_the_step_across_the_boundary_exactly_for_every_limit) {
  constexpr std::ptrdiff_t kStride = 16;
  const auto& scalar_8 = vp9::scalar_dsp().bits_8;
  const auto& neon_8 = neon::vp9_dsp().bits_8;
  for (int blimit = 0; blimit < 256; ++blimit) {
    for (int outer_step = 0; outer_step < 256; outer_step += 5) {
      // 2d + outer_step / 2 takes all values from E - 7 to E + 8.
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
      scalar_8.loop_filter(LoopFilterKind::h_4).one(&scalar[8], kStride, limits);
      neon_8.loop_filter(LoopFilterKind::h_4).one(&neon[8], kStride, limits);
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

TEST(DspTables, have_one_for_every_depth_of_vp9) {
  for (const vp9::DspTables* tables : {&vp9::scalar_dsp(), &neon::vp9_dsp()}) {
    for (const int bits : {8, 10, 12}) {
      const auto check = [bits]<class Sample>(const vp9::Dsp<Sample>* dsp) {
        EXPECT_EQ(dsp->bits, bits);
        EXPECT_EQ(sizeof(Sample), bits == 8 ? 1U : 2U);
        for (const LoopFilterKind kind : vp9::kLoopFilterKinds) {
          EXPECT_NE(dsp->loop_filter(kind).one, nullptr) << to_string(kind);
          EXPECT_NE(dsp->loop_filter(kind).two, nullptr) << to_string(kind);
        }
      };
      std::visit(check, tables->of(bits));
    }
    EXPECT_THROW((void)tables->of(9), Error);
  }
}

template <class Sample>
void expect_other_entries(const vp9::Dsp<Sample>& a, const vp9::Dsp<Sample>& b) {
  for (const LoopFilterKind kind : vp9::kLoopFilterKinds) {
    EXPECT_NE(a.loop_filter(kind).one, b.loop_filter(kind).one) << to_string(kind);
    EXPECT_NE(a.loop_filter(kind).two, b.loop_filter(kind).two) << to_string(kind);
  }
}

TEST(DspTables, of_neon_have_its_own_loop_filters) {
  expect_other_entries(vp9::scalar_dsp().bits_8, neon::vp9_dsp().bits_8);
  expect_other_entries(vp9::scalar_dsp().bits_10, neon::vp9_dsp().bits_10);
  expect_other_entries(vp9::scalar_dsp().bits_12, neon::vp9_dsp().bits_12);
  expect_other_entries(neon::vp9_dsp().bits_10, neon::vp9_dsp().bits_12);
}

TEST(DspTables, have_no_kernels_for_other_high_bit_depths) {
  vp9::Dsp<std::uint16_t> dsp{.bits = 9};
  EXPECT_THROW(vp9::add_scalar_loop_filter(dsp), Error);
  EXPECT_THROW(vp9::add_scalar_intra_predictions(dsp), Error);
  EXPECT_THROW(neon::add_loop_filter(dsp), Error);
  EXPECT_THROW(neon::add_intra_predictions(dsp), Error);
  EXPECT_THROW(neon::add_inverse_transforms(dsp), Error);
}

// A call of an entry of a table that filters nothing, but records which entries are called for
// which edges.
struct Call {
  LoopFilterKind kind;
  std::ptrdiff_t a, b;  ///< offsets of the edges in samples; b is -1 if there is no second edge
  bool operator==(const Call&) const = default;
};
std::vector<Call> calls;
constexpr std::size_t kWatchedStride = 64;
std::array<std::uint8_t, kWatchedStride * 64> watched_plane;

vp9::Dsp<std::uint8_t> watching_table() {
  vp9::Dsp<std::uint8_t> dsp;
  vp9::for_each_loop_filter_kind([&dsp]<LoopFilterKind kind>() {
    dsp.loop_filter(kind) = {
        [](std::uint8_t* q0, std::ptrdiff_t, const LoopFilterLimits&) {
          calls.push_back({kind, q0 - watched_plane.data(), -1});
        },
        [](std::uint8_t* a, std::uint8_t* b, std::ptrdiff_t, const LoopFilterLimits&,
           const LoopFilterLimits&) {
          calls.push_back({kind, a - watched_plane.data(), b - watched_plane.data()});
        }};
  });
  return dsp;
}

TEST(LoopFilterLists, go_to_the_table_in_order_two_at_once_where_neighbours_allow) {
  using enum LoopFilterKind;
  const auto vertical = vp9::EdgeDirection::vertical;
  const auto horizontal = vp9::EdgeDirection::horizontal;
  const LoopFilterEdge edges[] = {
      // Two edges of one kind, which share a call.
      {8, 0, 0, vertical, 8, 1},
      {8, 8, 0, vertical, 8, 9},
      // Two edges that touch common samples, which have separate calls.
      {16, 0, 0, vertical, 8, 1},
      {20, 0, 0, vertical, 8, 1},
      // Edges of two directions, which have separate calls.
      {40, 0, 0, vertical, 16, 1},
      {48, 8, 0, horizontal, 16, 1},
      // Edges of two widths, which have separate calls.
      {0, 8, 0, horizontal, 4, 1},
      {8, 8, 0, horizontal, 8, 1},
      {24, 16, 0, vertical, 4, 1},
  };
  vp9::LoopFilterPlanes<std::uint8_t> planes;
  planes[0] = {watched_plane, kWatchedStride};
  calls.clear();
  vp9::filter_edges(watching_table(), planes, std::span<const LoopFilterEdge>(edges), 0);
  const std::vector<Call> expected = {
      {h_8, 8, 8 + 8 * 64},    {h_8, 16, -1},     {h_8, 20, -1},         {h_16, 40, -1},
      {v_16, 48 + 8 * 64, -1}, {v_4, 8 * 64, -1}, {v_8, 8 + 8 * 64, -1}, {h_4, 24 + 16 * 64, -1}};
  EXPECT_EQ(calls, expected);
}

TEST(LoopFilterLists, do_not_pair_edges_of_two_planes) {
  vp9::LoopFilterPlanes<std::uint8_t> planes;
  planes[0] = planes[1] = {watched_plane, kWatchedStride};
  const LoopFilterEdge edges[] = {{.x = 8, .y = 0, .plane = 0, .width = 8},
                                  {.x = 8, .y = 8, .plane = 1, .width = 8}};
  calls.clear();
  vp9::filter_edges(watching_table(), planes, std::span<const LoopFilterEdge>(edges), 0);
  EXPECT_EQ(calls.size(), 2U);
}

std::size_t grid_size(LoopFilterKind kind, int width, int height) {
  const auto edges = bench::grid_edges(kind, width, height, 32);
  // Checks that no two edges touch a common sample and that none reads outside of the plane.
  std::vector<bool> touched(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (const LoopFilterEdge& edge : edges) {
    EXPECT_EQ(edge.level, 32);
    const vp9::TouchedSamples area(edge);
    EXPECT_TRUE(area.left >= 0 && area.top >= 0 && area.right <= width && area.bottom <= height);
    for (int y = area.top; y < area.bottom; ++y) {
      for (int x = area.left; x < area.right; ++x) {
        const auto row = static_cast<std::size_t>(y) * static_cast<std::size_t>(width);
        auto at = touched[row + static_cast<std::size_t>(x)];
        EXPECT_FALSE(at);
        at = true;
      }
    }
  }
  return edges.size();
}

TEST(LoopFilterGrid, has_the_edges_of_every_kind_that_may_run_at_once) {
  using enum LoopFilterKind;
  EXPECT_EQ(grid_size(h_4, 1920, 1080), 32265U);
  EXPECT_EQ(grid_size(h_8, 1920, 1080), 32265U);
  EXPECT_EQ(grid_size(v_8, 1920, 1080), 32160U);
  EXPECT_EQ(grid_size(v_4, 1920, 1080), 32160U);
  EXPECT_EQ(grid_size(h_16, 1920, 1080), 119U * 135);
  EXPECT_EQ(grid_size(v_16, 1920, 1080), 240U * 67);
  EXPECT_EQ(grid_size(h_4, 8, 8), 0U);
  EXPECT_EQ(grid_size(h_4, 11, 8), 0U);
  EXPECT_EQ(grid_size(h_4, 12, 8), 1U);
  EXPECT_EQ(grid_size(h_4, 1920, 7), 0U);
  EXPECT_EQ(grid_size(h_4, 0, 0), 0U);
  EXPECT_EQ(grid_size(h_16, 23, 8), 0U);
  EXPECT_EQ(grid_size(h_16, 24, 8), 1U);
  EXPECT_EQ(grid_size(v_16, 8, 23), 0U);
  EXPECT_EQ(grid_size(v_16, 8, 24), 1U);
  EXPECT_EQ(grid_size(v_4, 15, 12), 1U);
  EXPECT_EQ(grid_size(v_4, 7, 12), 0U);
}

TEST(LoopFilterGrid, lists_adjoining_edges_as_neighbours) {
  std::vector<std::pair<int, int>> places;
  for (const LoopFilterEdge& edge : bench::grid_edges(LoopFilterKind::h_4, 24, 40, 1)) {
    places.emplace_back(edge.x, edge.y);
  }
  EXPECT_EQ(places, (std::vector<std::pair<int, int>>{{8, 0},
                                                      {8, 8},
                                                      {16, 0},
                                                      {16, 8},
                                                      {8, 16},
                                                      {8, 24},
                                                      {16, 16},
                                                      {16, 24},
                                                      {8, 32},
                                                      {16, 32}}));
}

TEST(LoopFilterContent, takes_every_branch) {
  for (const LoopFilterKind kind : vp9::kLoopFilterKinds) {
    SCOPED_TRACE(to_string(kind));
    const auto count = [kind](Content content) {
      LoopFilterScene scene = make_scene({&kind, 1}, content, 3, legal_limits);
      vp9::LoopFilterBranches sum;
      for (const SceneEdge& edge : scene.edges) {
        const std::uint8_t* const q0 = scene.q0(scene.block, edge);
        sum += vp9::count_branches(kind, q0, scene.step(), edge.limits, 8);
      }
      EXPECT_EQ(sum.lines, 8 * scene.edges.size());
      return sum;
    };
    const auto share = [](std::uint64_t part, std::uint64_t whole) {
      return static_cast<double>(part) / static_cast<double>(whole);
    };
    const vp9::LoopFilterBranches random = count(Content::random);
    EXPECT_LT(share(random.mask, random.lines), 0.01);
    const vp9::LoopFilterBranches smooth = count(Content::smooth);
    EXPECT_EQ(smooth.mask, smooth.lines);
    EXPECT_LT(share(smooth.hev, smooth.mask), 0.1);
    EXPECT_NEAR(share(smooth.flat, smooth.mask), 0.33, 0.1);
    const vp9::LoopFilterBranches flat = count(Content::flat);
    EXPECT_EQ(flat.mask, flat.lines);
    EXPECT_EQ(flat.flat, flat.lines);
    const vp9::LoopFilterBranches high = count(Content::high_variance);
    EXPECT_NEAR(share(high.mask, high.lines), 0.55, 0.2);
    if (vp9::width_of(kind) == 4) {
      EXPECT_NEAR(share(high.hev, high.mask), 0.5, 0.2);
      continue;
    }
    EXPECT_NEAR(share(high.flat, high.mask), 0.6, 0.25);
    if (vp9::width_of(kind) == 8) continue;
    EXPECT_NEAR(share(flat.flat2, flat.flat), 0.67, 0.1);
    EXPECT_NEAR(share(high.flat2, high.flat), 0.85, 0.1);
  }
}

}  // namespace
}  // namespace sidecore::test_loop_filter
