// A plane full of loop-filter edges of given kinds, for the tests of each twin.
#pragma once

#include <span>
#include <vector>

#include "vp9/loop_filter_scene.h"

namespace sidecore::test {

// Tiles of 16x16 samples, each with the two edges of one kind, one after another along the
// boundary, in the middle: nothing that one edge touches is touched by another. `kinds` take turns.
inline LoopFilterScene make_kinds_scene(std::span<const vp9::LoopFilterKind> kinds,
                                        gates::Content content, std::uint64_t seed,
                                        const MakeLimits& make_limits, std::size_t tiles = 48) {
  constexpr std::size_t kTile = 16;
  Random random(seed);
  LoopFilterScene scene;
  scene.stride = kTile * tiles + 8;
  scene.block.assign(scene.stride * kTile * tiles + 2 * LoopFilterScene::kGuardBytes,
                     LoopFilterScene::kGuard);
  const vp9::LoopFilterPlane plane = scene.plane(scene.block);
  std::size_t turn = 0;
  for (std::size_t y = 0; y < tiles * kTile; y += kTile) {
    for (std::size_t x = 0; x < tiles * kTile; x += kTile) {
      const vp9::LoopFilterKind kind = kinds[turn++ % kinds.size()];
      const bool vertical = vp9::direction_of(kind) == vp9::EdgeDirection::vertical;
      for (const std::size_t along : {0U, 8U}) {
        const std::size_t at =
            vertical ? (y + along) * scene.stride + x + 8 : (y + 8) * scene.stride + x + along;
        scene.edges.push_back({.offset = static_cast<std::uint32_t>(at),
                               .limits = make_limits(random),
                               .kind = kind});
        bench::fill_edge(content, scene.edges.back(), plane, random);
      }
    }
  }
  return scene;
}

}  // namespace sidecore::test
