// A plane full of loop-filter edges with separate limits, for tests of the kernels in a vp9::Dsp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "base/random.h"
#include "kernels/vp9/loop_filter_content.h"
#include "vp9/dsp.h"

namespace sidecore::test {

struct SceneEdge {
  // Number of samples from the plane's start to q0 of the edge's first line.
  std::size_t offset = 0;
  vp9::LoopFilterLimits limits;
  vp9::LoopFilterKind kind = vp9::LoopFilterKind::h_4;
};

// A plane between guards, with edges all over it. No two edges touch a common sample.
struct LoopFilterScene {
  static constexpr std::size_t kGuardSamples = 256;
  static constexpr std::uint8_t kGuard = 0xa5;
  std::size_t stride = 0;
  std::vector<std::uint8_t> block;
  std::vector<SceneEdge> edges;

  template <class Sample>
  [[nodiscard]] Sample* q0(std::vector<Sample>& memory, const SceneEdge& edge) const {
    return memory.data() + kGuardSamples + edge.offset;
  }
  [[nodiscard]] std::ptrdiff_t step() const { return static_cast<std::ptrdiff_t>(stride); }

  // Returns the block after the filters of a table have processed it edge by edge.
  template <class Sample>
  [[nodiscard]] std::vector<Sample> filtered(const vp9::Dsp<Sample>& dsp,
                                             std::vector<Sample> memory) const {
    for (const SceneEdge& edge : edges) {
      dsp.loop_filter(edge.kind).one(q0(memory, edge), step(), edge.limits);
    }
    return memory;
  }

  // Filters with the kernels for two edges: edge `index` together with edge partner(index), for
  // each index below its partner.
  template <class Sample, class Partner>
  [[nodiscard]] std::vector<Sample> filtered_in_pairs(const vp9::Dsp<Sample>& dsp,
                                                      std::vector<Sample> memory,
                                                      Partner partner) const {
    for (std::size_t index = 0; index < edges.size(); ++index) {
      const SceneEdge& a = edges[index];
      const SceneEdge& b = edges[partner(index)];
      if (partner(index) > index) {
        dsp.loop_filter(a.kind).two(q0(memory, a), q0(memory, b), step(), a.limits, b.limits);
      } else if (partner(index) == index) {
        dsp.loop_filter(a.kind).one(q0(memory, a), step(), a.limits);
      }
    }
    return memory;
  }

  // Returns the block at another bit depth. It gets the random low bits that 8-bit content lacks,
  // few enough to keep its character, and the largest sample value of that depth.
  [[nodiscard]] std::vector<std::uint16_t> block_of(int bits, std::uint64_t seed) const {
    Random random(seed + static_cast<std::uint64_t>(bits));
    std::vector<std::uint16_t> high(block.size());
    std::ranges::transform(block, high.begin(), [&](std::uint8_t sample) {
      const int low = sample == 255 ? (1 << (bits - 8)) - 1 : static_cast<int>(random.below(2));
      return static_cast<std::uint16_t>((sample << (bits - 8)) + low);
    });
    return high;
  }
};

using MakeLimits = std::function<vp9::LoopFilterLimits(Random&)>;

inline vp9::LoopFilterLimits legal_limits(Random& random) {
  return vp9::loop_filter_limits(1 + static_cast<int>(random.below(63)),
                                 static_cast<int>(random.below(8)));
}

// Returns limits of arbitrary bytes; the ends of the range are more frequent than the middle.
inline vp9::LoopFilterLimits any_limits(Random& random) {
  const auto byte = [&random] {
    constexpr std::array<std::uint8_t, 8> kEnds = {0, 1, 2, 127, 128, 253, 254, 255};
    return random.below(2) == 0 ? kEnds[random.below(8)]
                                : static_cast<std::uint8_t>(random.below(256));
  };
  const std::uint8_t blimit = byte();
  const std::uint8_t limit = byte();
  return {blimit, limit, byte()};
}

// Makes a scene of 16x16 tiles. Each tile has in its middle two edges of one kind, one after the
// other along the boundary. No two edges touch a common sample. The tiles use the `kinds` in turn.
inline LoopFilterScene make_scene(std::span<const vp9::LoopFilterKind> kinds,
                                  gates::Content content, std::uint64_t seed,
                                  const MakeLimits& make_limits, std::size_t tiles = 48) {
  constexpr std::size_t kTile = 16;
  Random random(seed);
  LoopFilterScene scene;
  scene.stride = kTile * tiles + 8;
  scene.block.assign(scene.stride * kTile * tiles + 2 * LoopFilterScene::kGuardSamples,
                     LoopFilterScene::kGuard);
  std::size_t turn = 0;
  for (std::size_t y = 0; y < tiles * kTile; y += kTile) {
    for (std::size_t x = 0; x < tiles * kTile; x += kTile) {
      const vp9::LoopFilterKind kind = kinds[turn++ % kinds.size()];
      const bool vertical = vp9::direction_of(kind) == vp9::EdgeDirection::vertical;
      for (const std::size_t along : {0U, 8U}) {
        const std::size_t at =
            vertical ? (y + along) * scene.stride + x + 8 : (y + 8) * scene.stride + x + along;
        scene.edges.push_back({at, make_limits(random), kind});
        const SceneEdge& edge = scene.edges.back();
        bench::fill_edge(content, kind, edge.limits, scene.q0(scene.block, edge), scene.step(),
                         random);
      }
    }
  }
  return scene;
}

}  // namespace sidecore::test
