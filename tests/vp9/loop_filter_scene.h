// A plane full of loop-filter edges, for the tests of each twin.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/random.h"
#include "bench/vp9/loop_filter_content.h"
#include "vp9/loop_filter.h"

namespace sidecore::test {

// A plane between guards, and edges over all of it.
struct LoopFilterScene {
  static constexpr std::size_t kGuardBytes = 256;  // the plane can be bound to a shader
  static constexpr std::uint8_t kGuard = 0xa5;
  std::size_t stride = 0;
  std::vector<std::uint8_t> block;
  std::vector<vp9::LoopFilterEdge> edges;

  vp9::LoopFilterPlane plane(std::vector<std::uint8_t>& memory) const {
    return {std::span(memory).subspan(kGuardBytes, memory.size() - 2 * kGuardBytes), stride};
  }
};

using MakeLimits = std::function<vp9::LoopFilterLimits(Random&)>;

inline vp9::LoopFilterLimits legal_limits(Random& random) {
  return vp9::loop_filter_limits(1 + static_cast<int>(random.below(63)),
                                 static_cast<int>(random.below(8)));
}

// Any byte, the ends of the range more often than the middle.
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

inline LoopFilterScene make_scene(gates::Content content, std::uint64_t seed,
                                  const MakeLimits& make_limits) {
  constexpr int kWidth = 2056;
  constexpr int kHeight = 2056;
  Random random(seed);
  LoopFilterScene scene;
  scene.stride = 2064;
  scene.block.assign(scene.stride * kHeight + 2 * LoopFilterScene::kGuardBytes,
                     LoopFilterScene::kGuard);
  scene.edges = vp9::grid_edges_h(kWidth, kHeight, scene.stride, {});
  const vp9::LoopFilterPlane plane = scene.plane(scene.block);
  for (vp9::LoopFilterEdge& edge : scene.edges) {
    edge.limits = make_limits(random);
    bench::fill_edge(content, edge, plane, random);
  }
  return scene;
}

}  // namespace sidecore::test
