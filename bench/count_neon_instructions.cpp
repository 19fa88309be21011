// Filters a number of edges with the NEON loop filter: what scripts/count-neon-instructions runs
// under an emulator that counts instructions. All else it does is the same for every number of
// edges.
//
//   count_neon_instructions random|smooth|flat EDGES
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "bench/loop_filter_content.h"
#include "neon/loop_filter.h"

namespace {

constexpr std::size_t kEdges = 64;  // made, whether filtered or not
constexpr std::size_t kStride = 8 * kEdges / 2;

sidecore::gates::Content content_of(std::string_view name) {
  using sidecore::gates::Content;
  return name == "flat" ? Content::flat : name == "smooth" ? Content::smooth : Content::random;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: count_neon_instructions random|smooth|flat EDGES\n", stderr);
    return 2;
  }
  const std::size_t count = std::strtoul(argv[2], nullptr, 10);
  if (count > kEdges) {
    std::fprintf(stderr, "EDGES is %zu, at most %zu are made\n", count, kEdges);
    return 2;
  }
  std::vector<std::uint8_t> samples(kStride * 16);
  const sidecore::vp9::LoopFilterPlane plane{samples, kStride};
  std::vector<sidecore::vp9::LoopFilterEdge> edges;
  sidecore::Random random(1);
  for (std::size_t x = 4; x < kStride; x += 8) {
    for (const std::size_t y : {0U, 8U}) {
      // Level 32, sharpness 0.
      edges.push_back({.offset = static_cast<std::uint32_t>(y * kStride + x),
                       .limits = {.blimit = 100, .limit = 32, .thresh = 2}});
      sidecore::bench::fill_edge(content_of(argv[1]), edges.back(), plane, random);
    }
  }
  sidecore::neon::loop_filter_h_4_8(plane, std::span(edges).first(count));
  return 0;
}
