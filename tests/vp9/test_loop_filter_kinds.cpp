// The loop filter of every width and direction: the scalar definition against a second model of it,
// at each bit depth, and the NEON twins against the definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "neon/vp9/deep_loop_filter.h"
#include "neon/vp9/loop_filter.h"
#include "vp9/loop_filter.h"
#include "vp9/loop_filter_kinds_scene.h"

namespace sidecore {
namespace {

using gates::Content;
using test::any_limits;
using test::legal_limits;
using test::LoopFilterScene;
using test::make_kinds_scene;
using vp9::LoopFilterEdge;
using vp9::LoopFilterKind;
using vp9::LoopFilterLimits;

constexpr std::uint64_t kSeed = 20261123;
constexpr Content kContents[] = {Content::random, Content::smooth, Content::flat,
                                 Content::high_variance};

// A second model, from the formulas of the filters: samples[0..15] = p7 ... p0 q0 ... q7, of which
// a narrower filter has the middle 8.
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
    // Halves are avoided by doubling: floor(a / 2) <= x holds exactly when a <= 2x + 1.
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

  // Every sum anew, term by term.
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
void model_edge(const LoopFilterEdge& edge, Sample* plane, std::size_t plane_stride, int bits) {
  const int width = vp9::width_of(edge.kind);
  const bool vertical = vp9::direction_of(edge.kind) == vp9::EdgeDirection::vertical;
  const auto stride = static_cast<std::ptrdiff_t>(plane_stride);
  const std::ptrdiff_t across = vertical ? 1 : stride;
  const auto reach = static_cast<std::size_t>(vp9::read_reach(width));
  const Model model(width, edge.limits, bits);
  for (int line = 0; line < 8; ++line) {
    Sample* const q0 = plane + edge.offset + line * (vertical ? stride : 1);
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

class LoopFilterKinds : public testing::TestWithParam<Case> {
 protected:
  // Runs the check on a scene with limits that streams can have, and on one with any bytes for
  // limits.
  template <class Check>
  void on_both_scenes(Check check) {
    const auto& [kind, content] = GetParam();
    for (const auto& limits : {legal_limits, any_limits}) {
      SCOPED_TRACE(limits == legal_limits ? "legal limits" : "any limits");
      scene_ = make_kinds_scene({&kind, 1}, content, kSeed, limits);
      scalar_ = scene_.block;
      vp9::loop_filter(scene_.plane(scalar_), scene_.edges);
      check();
    }
  }

  void expect_equal_to_scalar(const std::vector<std::uint8_t>& block) const {
    const auto [ours, theirs] = std::ranges::mismatch(block, scalar_);
    ASSERT_TRUE(ours == block.end()) << "seed " << kSeed << ", byte " << ours - block.begin()
                                     << ": " << int{*ours} << ", scalar " << int{*theirs};
  }

  // The scene at another depth: with the low bits that 8-bit content lacks, few enough to keep its
  // character, and the depth's own white.
  [[nodiscard]] std::vector<std::uint16_t> deep_block(int bits) const {
    Random random(kSeed + static_cast<std::uint64_t>(bits));
    std::vector<std::uint16_t> deep(scene_.block.size());
    std::ranges::transform(scene_.block, deep.begin(), [&](std::uint8_t sample) {
      const int low = sample == 255 ? (1 << (bits - 8)) - 1 : static_cast<int>(random.below(2));
      return static_cast<std::uint16_t>((sample << (bits - 8)) + low);
    });
    return deep;
  }

  // Filters a deep block edge by edge.
  template <class Filter>
  void filter_deep(std::vector<std::uint16_t>& deep, Filter filter, int bits) const {
    std::uint16_t* const plane = deep.data() + LoopFilterScene::kGuardBytes;
    for (const LoopFilterEdge& edge : scene_.edges) {
      filter(edge.kind, plane + edge.offset, static_cast<std::ptrdiff_t>(scene_.stride),
             edge.limits, bits);
    }
  }

  LoopFilterScene scene_;
  std::vector<std::uint8_t> scalar_;
};

class LoopFilterKindsScalar : public LoopFilterKinds {};

const auto kCases =
    testing::Combine(testing::ValuesIn(vp9::kLoopFilterKinds), testing::ValuesIn(kContents));
INSTANTIATE_TEST_SUITE_P(Cases, LoopFilterKindsScalar, kCases, case_name);

TEST_P(LoopFilterKindsScalar, equals_the_second_model) {
  on_both_scenes([this] {
    std::vector<std::uint8_t> block = scene_.block;
    const vp9::LoopFilterPlane plane = scene_.plane(block);
    for (const LoopFilterEdge& edge : scene_.edges) {
      model_edge(edge, plane.bytes.data(), plane.stride, 8);
    }
    expect_equal_to_scalar(block);
  });
}

TEST_P(LoopFilterKindsScalar, has_a_name_for_every_kind) {
  on_both_scenes([this] {
    using Filter = void (*)(std::uint8_t*, std::ptrdiff_t, const LoopFilterLimits&);
    constexpr Filter kFilters[] = {
        vp9::loop_filter_h_4_8, vp9::loop_filter_h_8_8, vp9::loop_filter_h_16_8, nullptr,
        vp9::loop_filter_v_4_8, vp9::loop_filter_v_8_8, vp9::loop_filter_v_16_8};
    std::vector<std::uint8_t> block = scene_.block;
    const vp9::LoopFilterPlane plane = scene_.plane(block);
    for (const LoopFilterEdge& edge : scene_.edges) {
      kFilters[static_cast<std::size_t>(edge.kind)](
          plane.bytes.data() + edge.offset, static_cast<std::ptrdiff_t>(plane.stride), edge.limits);
    }
    expect_equal_to_scalar(block);
  });
}

TEST_P(LoopFilterKindsScalar, equals_the_second_model_at_10_and_12_bits) {
  on_both_scenes([this] {
    for (const int bits : {10, 12}) {
      std::vector<std::uint16_t> deep = deep_block(bits);
      std::vector<std::uint16_t> expected = deep;
      filter_deep(deep, vp9::filter_edge<std::uint16_t>, bits);
      for (const LoopFilterEdge& edge : scene_.edges) {
        model_edge(edge, expected.data() + LoopFilterScene::kGuardBytes, scene_.stride, bits);
      }
      EXPECT_TRUE(deep == expected) << bits << " bits";
    }
  });
}

class LoopFilterKindsNeon : public LoopFilterKinds {};
INSTANTIATE_TEST_SUITE_P(Cases, LoopFilterKindsNeon, kCases, case_name);

TEST_P(LoopFilterKindsNeon, equals_the_scalar_definition_over_a_list) {
  on_both_scenes([this] {
    std::vector<std::uint8_t> block = scene_.block;
    neon::loop_filter(scene_.plane(block), scene_.edges);
    expect_equal_to_scalar(block);
  });
}

TEST_P(LoopFilterKindsNeon, equals_the_scalar_definition_edge_by_edge) {
  on_both_scenes([this] {
    std::vector<std::uint8_t> block = scene_.block;
    const vp9::LoopFilterPlane plane = scene_.plane(block);
    for (const LoopFilterEdge& edge : scene_.edges) {
      neon::filter_edge(edge.kind, plane.bytes.data() + edge.offset,
                        static_cast<std::ptrdiff_t>(plane.stride), edge.limits);
    }
    expect_equal_to_scalar(block);
  });
}

TEST_P(LoopFilterKindsNeon, equals_the_scalar_definition_on_pairs_from_anywhere_in_the_plane) {
  on_both_scenes([this] {
    std::vector<std::uint8_t> block = scene_.block;
    const vp9::LoopFilterPlane plane = scene_.plane(block);
    for (std::size_t index = 0; index < scene_.edges.size() / 2; ++index) {
      const LoopFilterEdge& a = scene_.edges[index];
      const LoopFilterEdge& b = scene_.edges[scene_.edges.size() - 1 - index];
      neon::filter_edge_pair(a.kind, plane.bytes.data() + a.offset, plane.bytes.data() + b.offset,
                             static_cast<std::ptrdiff_t>(plane.stride), a.limits, b.limits);
    }
    expect_equal_to_scalar(block);
  });
}

TEST_P(LoopFilterKindsNeon, equals_the_scalar_definition_at_10_and_12_bits) {
  on_both_scenes([this] {
    for (const int bits : {10, 12}) {
      std::vector<std::uint16_t> scalar = deep_block(bits);
      std::vector<std::uint16_t> neon = scalar;
      filter_deep(scalar, vp9::filter_edge<std::uint16_t>, bits);
      filter_deep(neon, neon::filter_deep_edge, bits);
      const auto [ours, theirs] = std::ranges::mismatch(neon, scalar);
      ASSERT_TRUE(ours == neon.end())
          << bits << " bits, seed " << kSeed << ", sample " << ours - neon.begin() << ": " << *ours
          << ", scalar " << *theirs;
    }
  });
}

TEST(LoopFilterKindsNeonLists, may_mix_kinds_and_have_any_length) {
  const LoopFilterScene scene =
      make_kinds_scene(vp9::kLoopFilterKinds, Content::high_variance, kSeed, legal_limits, 8);
  for (std::size_t count = 0; count <= scene.edges.size(); ++count) {
    const auto edges = std::span(scene.edges).first(count);
    std::vector<std::uint8_t> scalar = scene.block;
    std::vector<std::uint8_t> neon = scene.block;
    vp9::loop_filter(scene.plane(scalar), edges);
    neon::loop_filter(scene.plane(neon), edges);
    ASSERT_EQ(scalar, neon) << count << " edges";
  }
}

// What check_edges() says of edges in a plane of 32 rows of 64 bytes; empty when nothing.
std::string complaint(const std::vector<LoopFilterEdge>& edges, vp9::SampleAccess access) {
  try {
    vp9::check_edges(edges, std::size_t{32} * 64, 64, access);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return {};
}

LoopFilterEdge edge_at(std::uint32_t x, std::uint32_t y, LoopFilterKind kind) {
  return {.offset = y * 64 + x, .limits = {100, 32, 2}, .kind = kind};
}

TEST(LoopFilterKindsContract, accepts_edges_that_just_fit) {
  using enum LoopFilterKind;
  const auto words = vp9::SampleAccess::words;
  EXPECT_EQ(complaint({edge_at(4, 0, h_4), edge_at(12, 0, h_8), edge_at(24, 0, h_16)}, words), "");
  EXPECT_EQ(complaint({edge_at(56, 24, h_16), edge_at(60, 16, h_8)}, words), "");
  EXPECT_EQ(complaint({edge_at(0, 4, v_4), edge_at(8, 4, v_8), edge_at(16, 8, v_16)}, words), "");
  EXPECT_EQ(complaint({edge_at(56, 28, v_8), edge_at(48, 28, v_4), edge_at(40, 24, v_16)}, words),
            "");
  EXPECT_EQ(complaint({edge_at(16, 8, v_16), edge_at(16, 20, v_4)}, words), "");
}

TEST(LoopFilterKindsContract, names_what_does_not_fit_or_touches) {
  using enum LoopFilterKind;
  struct Row {
    std::vector<LoopFilterEdge> edges;
    std::string words;
  };
  const Row rows[] = {
      {{edge_at(4, 0, h_16)}, "8 samples left of"},
      {{edge_at(8, 3, v_8)}, "4 samples above"},
      {{edge_at(8, 7, v_16)}, "8 samples above"},
      {{edge_at(60, 24, h_16)}, "ends beyond"},
      {{edge_at(8, 29, v_4)}, "ends beyond"},
      {{edge_at(60, 28, v_4)}, "ends beyond"},
      {{edge_at(8, 25, v_16)}, "ends beyond"},
      {{edge_at(10, 8, v_4)}, "multiple of 4"},
      {{edge_at(8, 8, static_cast<LoopFilterKind>(3))}, "no filter of kind 3"},
      {{edge_at(16, 0, h_16), edge_at(4, 0, h_8), edge_at(28, 0, h_4), edge_at(8, 11, v_4)},
       "edge 3: offset 712 touches byte 456, which edge 0"},
      {{edge_at(16, 8, v_16), edge_at(16, 15, h_4)}, "touches byte 976, which edge 0"},
      {{edge_at(16, 8, v_16), edge_at(16, 16, v_4)}, "touches byte 784"},
  };
  for (const Row& row : rows) {
    const std::string text = complaint(row.edges, vp9::SampleAccess::words);
    EXPECT_NE(text.find(row.words), std::string::npos) << '"' << text << "\" lacks " << row.words;
  }
  const LoopFilterEdge wide[] = {edge_at(8, 0, h_16)};
  EXPECT_THROW(vp9::check_edges(wide, 4096, 12, vp9::SampleAccess::words), Error);
  EXPECT_THROW(vp9::check_edges_h4(wide, 4096, 64, vp9::SampleAccess::words), Error);
}

TEST(LoopFilterKindsContent, takes_every_branch) {
  for (const LoopFilterKind kind : vp9::kLoopFilterKinds) {
    SCOPED_TRACE(to_string(kind));
    const auto count = [kind](Content content) {
      LoopFilterScene scene = make_kinds_scene({&kind, 1}, content, 3, legal_limits);
      return vp9::count_branches(scene.plane(scene.block).bytes, scene.stride, scene.edges);
    };
    const auto share = [](std::uint64_t part, std::uint64_t whole) {
      return static_cast<double>(part) / static_cast<double>(whole);
    };
    const vp9::LoopFilterBranches smooth = count(Content::smooth);
    EXPECT_EQ(smooth.mask, smooth.lines);
    EXPECT_NEAR(share(smooth.flat, smooth.mask), 0.33, 0.1);
    const vp9::LoopFilterBranches flat = count(Content::flat);
    EXPECT_EQ(flat.flat, flat.lines);
    const vp9::LoopFilterBranches high = count(Content::high_variance);
    EXPECT_NEAR(share(high.mask, high.lines), 0.55, 0.2);
    if (vp9::width_of(kind) == 4) continue;
    EXPECT_NEAR(share(high.flat, high.mask), 0.6, 0.25);
    if (vp9::width_of(kind) == 8) continue;
    EXPECT_NEAR(share(flat.flat2, flat.flat), 0.67, 0.1);
    EXPECT_NEAR(share(high.flat2, high.flat), 0.85, 0.1);
  }
}

}  // namespace
}  // namespace sidecore
