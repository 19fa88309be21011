// Filters a number of edges with the NEON loop filter: what scripts/count-neon-instructions runs
// under an emulator that counts instructions. All else it does is the same for every number of
// edges.
//
//   count_neon_instructions KIND random|smooth|flat EDGES
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "bench/vp9/loop_filter_content.h"
#include "neon/vp9/loop_filter.h"

namespace {

using sidecore::vp9::LoopFilterKind;

constexpr std::size_t kEdges = 64;  // made, whether filtered or not
constexpr std::size_t kTile = 16;   // pairs of edges, with all that they read
constexpr std::size_t kStride = kTile * kEdges / 2;

sidecore::gates::Content content_of(std::string_view name) {
  using sidecore::gates::Content;
  return name == "flat" ? Content::flat : name == "smooth" ? Content::smooth : Content::random;
}

LoopFilterKind kind_of(std::string_view name) {
  using sidecore::vp9::kLoopFilterKinds;
  const auto* const kind =
      std::find_if(kLoopFilterKinds.begin(), kLoopFilterKinds.end(),
                   [name](LoopFilterKind each) { return sidecore::vp9::to_string(each) == name; });
  return kind == kLoopFilterKinds.end() ? LoopFilterKind::h_4 : *kind;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: count_neon_instructions KIND random|smooth|flat EDGES\n", stderr);
    return 2;
  }
  const std::size_t count = std::strtoul(argv[3], nullptr, 10);
  if (count > kEdges) {
    std::fprintf(stderr, "EDGES is %zu, at most %zu are made\n", count, kEdges);
    return 2;
  }
  const LoopFilterKind kind = kind_of(argv[1]);
  const bool vertical = sidecore::vp9::direction_of(kind) == sidecore::vp9::EdgeDirection::vertical;
  std::vector<std::uint8_t> samples(kStride * kTile);
  const sidecore::vp9::LoopFilterPlane plane{samples, kStride};
  std::vector<sidecore::vp9::LoopFilterEdge> edges;
  sidecore::Random random(1);
  for (std::size_t tile = 0; tile < kStride; tile += kTile) {
    for (const std::size_t along : {0U, 8U}) {
      const std::size_t at = tile + (vertical ? along * kStride + 8 : 8 * kStride + along);
      // Level 32, sharpness 0.
      edges.push_back({.offset = static_cast<std::uint32_t>(at),
                       .limits = {.blimit = 100, .limit = 32, .thresh = 2},
                       .kind = kind});
      sidecore::bench::fill_edge(content_of(argv[2]), edges.back(), plane, random);
    }
  }
  sidecore::neon::loop_filter(plane, std::span(edges).first(count));
  return 0;
}
