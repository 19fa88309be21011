#include "kernels/vp9/loop_filter_content.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace sidecore::bench {
namespace {

using gates::Content;

int below(Random& random, int bound) {
  return static_cast<int>(random.below(static_cast<std::uint32_t>(bound)));
}

// Returns true once in `n` calls on average.
bool one_in(Random& random, int n) {
  return below(random, n) == 0;
}

// Returns `from` plus or minus `step`, in the direction that stays in the range of a sample.
int walk(int from, int step, Random& random) {
  const int signed_step = one_in(random, 2) ? step : -step;
  const int to = from + signed_step;
  return to < 0 || to > 255 ? std::clamp(from - signed_step, 0, 255) : to;
}

// Returns the largest step d across the boundary that meets 2|p0-q0| + |p1-q1|/2 <= E if p1 and q1
// are within 1 of p0 and q0: 2d + (d+2)/2 <= E.
int quiet_step(const vp9::LoopFilterLimits& limits) {
  return std::max(0, (2 * limits.blimit - 2) / 5);
}

// Samples on one side of an edge, p0 ... p7 or q0 ... q7. Filters of width 4 and 8 use the first
// four.
using Side = std::array<int, 8>;
// Samples of one line across an edge.
struct Line {
  Side p{};
  Side q{};
};
constexpr std::size_t kInner = 4;

// Properties that all lines of an edge share.
struct EdgeContent {
  int base;             // value of p0 in the first line
  int slope;            // smooth content: step per sample
  bool long_flat;       // flat content: 8 flat samples on each side, or only 4
  std::size_t samples;  // number of samples on each side
};

// Returns one side of a line: p1 differs from p0 by at most one slope, and a ramp follows.
Side ramp(int first, int slope, Random& random) {
  Side side{};
  side[0] = first;
  side[1] = first + (one_in(random, 8) ? slope : 0);
  for (std::size_t i = 2; i < side.size(); ++i) side[i] = side[i - 1] + slope;
  return side;
}

Line smooth_line(int base, int slope, const vp9::LoopFilterLimits& limits, Random& random) {
  const int across = below(random, 2 * quiet_step(limits) + 1) - quiet_step(limits);
  const int p0 = std::clamp(base, 7, 248);
  const int q0 = std::clamp(p0 + across, 7, 248);
  const Side p = ramp(p0, -slope, random);
  return {p, ramp(q0, slope, random)};
}

Line flat_line(const EdgeContent& edge, const vp9::LoopFilterLimits& limits, Random& random) {
  const int across = below(random, 2 * quiet_step(limits) + 1) - quiet_step(limits);
  Line line;
  line.p[0] = std::clamp(edge.base, 0, 253);
  line.q[0] = std::clamp(line.p[0] + across, 0, 253);
  for (Side* side : {&line.p, &line.q}) {
    for (std::size_t i = 1; i < edge.samples; ++i) {
      (*side)[i] = (*side)[0] + (one_in(random, 4) ? 1 : 0);
    }
  }
  // One sample is changed by 2 if the edge must not be flat over 8 samples, which prevents the
  // widest filter.
  if (!edge.long_flat) line.q[kInner + random.below(4)] = line.q[0] + 2;
  return line;
}

// Returns a step: half of the time `limit` or limit - 1, sometimes limit + 1, otherwise any up to
// `limit`.
int step_around(int limit, Random& random) {
  if (one_in(random, 16)) return limit + 1;
  return one_in(random, 2) ? std::max(0, limit - below(random, 2)) : below(random, limit + 1);
}

// Returns a step that is high edge variance about half of the time.
int inner_step(const vp9::LoopFilterLimits& limits, Random& random) {
  if (one_in(random, 4)) return step_around(limits.limit, random);
  return one_in(random, 3) ? limits.thresh + 1 : below(random, limits.thresh + 1);
}

// Fills a side with samples within 1 of the first; one in 64 may differ by 2.
void fill_nearly_flat(Side& side, std::size_t from, Random& random) {
  for (std::size_t i = from; i < side.size(); ++i) {
    side[i] = walk(side[0], one_in(random, 64) ? 2 : below(random, 2), random);
  }
}

void fill_high_variance(Side& side, std::size_t samples, const vp9::LoopFilterLimits& limits,
                        Random& random) {
  side[1] = walk(side[0], inner_step(limits, random), random);
  side[2] = walk(side[1], step_around(limits.limit, random), random);
  side[3] = walk(side[2], step_around(limits.limit, random), random);
  if (samples > kInner) fill_nearly_flat(side, kInner, random);
}

Line high_variance_line(std::size_t samples, bool flat_allowed, const vp9::LoopFilterLimits& limits,
                        Random& random) {
  Line line;
  line.p[0] = below(random, 256);
  const int most = limits.blimit / 2;
  const int across =
      one_in(random, 2) ? std::max(0, most - below(random, most / 4 + 1)) : below(random, most + 2);
  line.q[0] = walk(line.p[0], across, random);
  const bool nearly_flat = flat_allowed && one_in(random, 2);
  for (Side* side : {&line.p, &line.q}) {
    if (nearly_flat) {
      fill_nearly_flat(*side, 1, random);
    } else {
      fill_high_variance(*side, samples, limits, random);
    }
  }
  return line;
}

Line random_line(Random& random) {
  Line line;
  for (Side* side : {&line.p, &line.q}) {
    for (int& sample : *side) sample = below(random, 256);
  }
  return line;
}

Line make_line(Content content, const EdgeContent& edge, int row, int width,
               const vp9::LoopFilterLimits& limits, Random& random) {
  switch (content) {
    case Content::smooth:
      return smooth_line(edge.base + row * edge.slope, edge.slope, limits, random);
    case Content::flat:
      return flat_line(edge, limits, random);
    case Content::high_variance:
      return high_variance_line(edge.samples, width > 4, limits, random);
    case Content::random:
    case Content::input:
      break;
  }
  return random_line(random);
}

}  // namespace

std::vector<vp9::LoopFilterEdge> grid_edges(vp9::LoopFilterKind kind, int width, int height,
                                            int level) {
  const bool vertical = vp9::direction_of(kind) == vp9::EdgeDirection::vertical;
  const int reach = vp9::read_reach(vp9::width_of(kind));
  const int spacing = 2 * reach;
  std::vector<vp9::LoopFilterEdge> edges;
  const auto add = [&](int x, int y) {
    edges.push_back({.x = static_cast<std::uint16_t>(x),
                     .y = static_cast<std::uint16_t>(y),
                     .plane = 0,
                     .direction = vp9::direction_of(kind),
                     .width = static_cast<std::uint8_t>(vp9::width_of(kind)),
                     .level = static_cast<std::uint8_t>(level)});
  };
  if (vertical) {
    for (int band = 0; band < height; band += 2 * vp9::kEdgeLength) {
      for (int x = spacing; x + reach <= width; x += spacing) {
        for (const int y : {band, band + vp9::kEdgeLength}) {
          if (y + vp9::kEdgeLength <= height) add(x, y);
        }
      }
    }
  } else {
    for (int y = spacing; y + reach <= height; y += spacing) {
      for (int x = 0; x + vp9::kEdgeLength <= width; x += vp9::kEdgeLength) add(x, y);
    }
  }
  return edges;
}

void fill_edge(Content content, vp9::LoopFilterKind kind, const vp9::LoopFilterLimits& limits,
               std::uint8_t* q0, std::ptrdiff_t stride, Random& random) {
  assert(content != Content::input);
  const bool vertical = vp9::direction_of(kind) == vp9::EdgeDirection::vertical;
  const std::ptrdiff_t across = vertical ? 1 : stride;
  const std::ptrdiff_t along = vertical ? stride : 1;
  const int width = vp9::width_of(kind);
  const EdgeContent common = {.base = below(random, 256),
                              .slope = below(random, 3) - 1,
                              .long_flat = width == 16 && !one_in(random, 3),
                              .samples = static_cast<std::size_t>(vp9::read_reach(width))};
  for (int row = 0; row < vp9::kEdgeLength; ++row, q0 += along) {
    const Line line = make_line(content, common, row, width, limits, random);
    for (std::size_t i = 0; i < common.samples; ++i) {
      const auto step = static_cast<std::ptrdiff_t>(i);
      q0[step * across] = static_cast<std::uint8_t>(line.q[i]);
      q0[-(step + 1) * across] = static_cast<std::uint8_t>(line.p[i]);
    }
  }
}

}  // namespace sidecore::bench
