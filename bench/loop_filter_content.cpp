#include "bench/loop_filter_content.h"

#include <algorithm>
#include <cassert>

namespace sidecore::bench {
namespace {

using gates::Content;

constexpr int kLines = 8;

int below(Random& random, int bound) {
  return static_cast<int>(random.below(static_cast<std::uint32_t>(bound)));
}

// True once in `n` times.
bool one_in(Random& random, int n) {
  return below(random, n) == 0;
}

// `from` plus or minus `step`, whichever way stays a sample.
int walk(int from, int step, Random& random) {
  const int signed_step = one_in(random, 2) ? step : -step;
  const int to = from + signed_step;
  return to < 0 || to > 255 ? std::clamp(from - signed_step, 0, 255) : to;
}

// The largest step across the boundary that meets 2|p0-q0| + |p1-q1|/2 <= E when p1 and q1 are
// within 1 of p0 and q0: 2d + (d+2)/2 <= E.
int quiet_step(const vp9::LoopFilterLimits& limits) {
  return std::max(0, (2 * limits.blimit - 2) / 5);
}

struct Line {
  int p3, p2, p1, p0, q0, q1, q2, q3;
};

Line smooth_line(int base, int slope, const vp9::LoopFilterLimits& limits, Random& random) {
  const int across = below(random, 2 * quiet_step(limits) + 1) - quiet_step(limits);
  const int p0 = std::clamp(base, 3, 252);
  const int q0 = std::clamp(p0 + across, 3, 252);
  const int inner_p = one_in(random, 8) ? slope : 0;
  const int inner_q = one_in(random, 8) ? slope : 0;
  const int p1 = p0 - inner_p;
  const int q1 = q0 + inner_q;
  return {p1 - 2 * slope, p1 - slope, p1, p0, q0, q1, q1 + slope, q1 + 2 * slope};
}

Line flat_line(int base, const vp9::LoopFilterLimits& limits, Random& random) {
  const int across = below(random, 2 * quiet_step(limits) + 1) - quiet_step(limits);
  const int p0 = std::clamp(base, 0, 254);
  const int q0 = std::clamp(p0 + across, 0, 254);
  const auto near = [&random](int value) { return value + (one_in(random, 4) ? 1 : 0); };
  return {near(p0), near(p0), near(p0), p0, q0, near(q0), near(q0), near(q0)};
}

// A step of at most `limit`, at or just below it half of the time, and now and then just beyond.
int step_around(int limit, Random& random) {
  if (one_in(random, 16)) return limit + 1;
  return one_in(random, 2) ? std::max(0, limit - below(random, 2)) : below(random, limit + 1);
}

// A step that is high edge variance or not with equal chance.
int inner_step(const vp9::LoopFilterLimits& limits, Random& random) {
  if (one_in(random, 4)) return step_around(limits.limit, random);
  return one_in(random, 3) ? limits.thresh + 1 : below(random, limits.thresh + 1);
}

Line high_variance_line(const vp9::LoopFilterLimits& limits, Random& random) {
  Line s{};
  s.p0 = below(random, 256);
  s.p1 = walk(s.p0, inner_step(limits, random), random);
  s.p2 = walk(s.p1, step_around(limits.limit, random), random);
  s.p3 = walk(s.p2, step_around(limits.limit, random), random);
  const int most = limits.blimit / 2;
  const int across =
      one_in(random, 2) ? std::max(0, most - below(random, most / 4 + 1)) : below(random, most + 2);
  s.q0 = walk(s.p0, across, random);
  s.q1 = walk(s.q0, inner_step(limits, random), random);
  s.q2 = walk(s.q1, step_around(limits.limit, random), random);
  s.q3 = walk(s.q2, step_around(limits.limit, random), random);
  return s;
}

Line random_line(Random& random) {
  const auto any = [&random] { return below(random, 256); };
  Line s{};
  for (int* sample : {&s.p3, &s.p2, &s.p1, &s.p0, &s.q0, &s.q1, &s.q2, &s.q3}) *sample = any();
  return s;
}

void store(const Line& s, std::uint8_t* q0) {
  const int samples[] = {s.p3, s.p2, s.p1, s.p0, s.q0, s.q1, s.q2, s.q3};
  std::ranges::transform(samples, q0 - 4,
                         [](int value) { return static_cast<std::uint8_t>(value); });
}

}  // namespace

void fill_edge(Content content, const vp9::LoopFilterEdge& edge, const vp9::LoopFilterPlane& plane,
               Random& random) {
  assert(content != Content::input);
  const int base = below(random, 256);
  const int slope = below(random, 3) - 1;
  for (int row = 0; row < kLines; ++row) {
    std::uint8_t* const q0 =
        plane.bytes.data() + edge.offset + static_cast<std::size_t>(row) * plane.stride;
    switch (content) {
      case Content::smooth:
        store(smooth_line(base + row * slope, slope, edge.limits, random), q0);
        break;
      case Content::flat:
        store(flat_line(base, edge.limits, random), q0);
        break;
      case Content::high_variance:
        store(high_variance_line(edge.limits, random), q0);
        break;
      case Content::random:
      case Content::input:
        store(random_line(random), q0);
        break;
    }
  }
}

}  // namespace sidecore::bench
