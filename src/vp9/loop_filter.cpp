#include "vp9/loop_filter.h"

#include <algorithm>
#include <cstdlib>

#include "base/error.h"

namespace sidecore::vp9 {
namespace {

constexpr int kLines = 8;

// One line of samples across a boundary, p3 p2 p1 p0 | q0 q1 q2 q3.
struct Line {
  int p3, p2, p1, p0, q0, q1, q2, q3;
};

Line load_line(const std::uint8_t* q0) {
  return {q0[-4], q0[-3], q0[-2], q0[-1], q0[0], q0[1], q0[2], q0[3]};
}

// Filter mask process: whether the line is smooth enough for its step to be a coding artefact.
bool filter_mask(const Line& s, const LoopFilterLimits& limits) {
  const int limit = limits.limit;
  return std::abs(s.p3 - s.p2) <= limit && std::abs(s.p2 - s.p1) <= limit &&
         std::abs(s.p1 - s.p0) <= limit && std::abs(s.q1 - s.q0) <= limit &&
         std::abs(s.q2 - s.q1) <= limit && std::abs(s.q3 - s.q2) <= limit &&
         std::abs(s.p0 - s.q0) * 2 + std::abs(s.p1 - s.q1) / 2 <= limits.blimit;
}

// hevMask of the same process.
bool high_edge_variance(const Line& s, const LoopFilterLimits& limits) {
  return std::abs(s.p1 - s.p0) > limits.thresh || std::abs(s.q1 - s.q0) > limits.thresh;
}

// flatMask of the same process, for 8-bit samples.
bool flat(const Line& s) {
  return std::abs(s.p1 - s.p0) <= 1 && std::abs(s.q1 - s.q0) <= 1 && std::abs(s.p2 - s.p0) <= 1 &&
         std::abs(s.q2 - s.q0) <= 1 && std::abs(s.p3 - s.p0) <= 1 && std::abs(s.q3 - s.q0) <= 1;
}

// filter4_clamp() of the specification at 8 bits.
int clamp_signed(int value) {
  return std::clamp(value, -128, 127);
}

std::uint8_t to_sample(int signed_value) {
  return static_cast<std::uint8_t>(clamp_signed(signed_value) + 128);
}

// Narrow filter process, on samples made signed by subtracting 128.
void narrow_filter(std::uint8_t* q0, const Line& s, bool hev) {
  const int ps1 = s.p1 - 128;
  const int ps0 = s.p0 - 128;
  const int qs0 = s.q0 - 128;
  const int qs1 = s.q1 - 128;
  const int outer = hev ? clamp_signed(ps1 - qs1) : 0;
  const int filter = clamp_signed(outer + 3 * (qs0 - ps0));
  const int filter1 = clamp_signed(filter + 4) >> 3;
  const int filter2 = clamp_signed(filter + 3) >> 3;
  q0[0] = to_sample(qs0 - filter1);
  q0[-1] = to_sample(ps0 + filter2);
  if (!hev) {
    const int inner = (filter1 + 1) >> 1;
    q0[1] = to_sample(qs1 - inner);
    q0[-2] = to_sample(ps1 + inner);
  }
}

}  // namespace

LoopFilterLimits loop_filter_limits(int level, int sharpness) {
  if (level < 1 || level > 63) {
    throw usage_error("loop filter level {} is outside 1..63", level);
  }
  if (sharpness < 0 || sharpness > 7) {
    throw usage_error("loop filter sharpness {} is outside 0..7", sharpness);
  }
  const int shift = sharpness > 4 ? 2 : sharpness > 0 ? 1 : 0;
  const int widest = sharpness > 0 ? 9 - sharpness : 63;
  const int limit = std::clamp(level >> shift, 1, widest);
  return {.blimit = static_cast<std::uint8_t>(2 * (level + 2) + limit),
          .limit = static_cast<std::uint8_t>(limit),
          .thresh = static_cast<std::uint8_t>(level >> 4)};
}

void loop_filter_h_4_8(std::uint8_t* q0, std::ptrdiff_t stride, const LoopFilterLimits& limits) {
  for (int line = 0; line < kLines; ++line) {
    std::uint8_t* const at = q0 + line * stride;
    const Line samples = load_line(at);
    if (filter_mask(samples, limits)) {
      narrow_filter(at, samples, high_edge_variance(samples, limits));
    }
  }
}

void loop_filter_h_4_8(const LoopFilterPlane& plane, std::span<const LoopFilterEdge> edges) {
  for (const LoopFilterEdge& edge : edges) {
    loop_filter_h_4_8(plane.bytes.data() + edge.offset, static_cast<std::ptrdiff_t>(plane.stride),
                      edge.limits);
  }
}

LoopFilterBranches count_branches_h_4_8(std::span<const std::uint8_t> plane, std::size_t stride,
                                        std::span<const LoopFilterEdge> edges) {
  LoopFilterBranches count;
  for (const LoopFilterEdge& edge : edges) {
    for (std::size_t line = 0; line < kLines; ++line) {
      const Line samples = load_line(plane.data() + edge.offset + line * stride);
      ++count.lines;
      if (!filter_mask(samples, edge.limits)) continue;
      ++count.mask;
      if (high_edge_variance(samples, edge.limits)) ++count.hev;
      if (flat(samples)) ++count.flat;
    }
  }
  return count;
}

}  // namespace sidecore::vp9
