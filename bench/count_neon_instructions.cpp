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
#include "neon/vp9/dsp.h"

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
  // Level 32, sharpness 0.
  const sidecore::vp9::LoopFilterLimits limits{.blimit = 100, .limit = 32, .thresh = 2};
  std::vector<std::uint8_t*> edges;  // their q0; neighbours adjoin
  sidecore::Random random(1);
  for (std::size_t tile = 0; tile < kStride; tile += kTile) {
    for (const std::size_t along : {0U, 8U}) {
      edges.push_back(&samples[tile + (vertical ? along * kStride + 8 : 8 * kStride + along)]);
      sidecore::bench::fill_edge(content_of(argv[2]), kind, limits, edges.back(), kStride, random);
    }
  }
  // As vp9::filter_edges() calls the table.
  const auto& filter = sidecore::neon::vp9_dsp().bits_8.loop_filter(kind);
  for (std::size_t index = 0; index < count; index += 2) {
    filter.two(edges[index], edges[index + 1], kStride, limits, limits);
  }
  return 0;
}
