#include "vp9/loop_filter.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/error.h"
#include "vp9/bit_depth.h"
#include "vp9/dsp.h"

namespace sidecore::vp9 {
namespace {

// One line of samples across a boundary: p(7) ... p(0) | q(0) ... q(7).
template <class Sample>
class Line {
 public:
  Line(Sample* q0, std::ptrdiff_t across) : q0_(q0), across_(across) {}

  [[nodiscard]] int p(int i) const { return q0_[-(i + 1) * across_]; }
  [[nodiscard]] int q(int i) const { return q0_[i * across_]; }
  void set_p(int i, int value) const { q0_[-(i + 1) * across_] = static_cast<Sample>(value); }
  void set_q(int i, int value) const { q0_[i * across_] = static_cast<Sample>(value); }
  /// Returns the sample at `position` steps from q0; -1 is p0.
  [[nodiscard]] int at(int position) const { return q0_[position * across_]; }
  void set(int position, int value) const { q0_[position * across_] = static_cast<Sample>(value); }

 private:
  Sample* q0_;
  std::ptrdiff_t across_;
};

// Limits of an edge, scaled to the samples' bit depth.
struct Thresholds {
  constexpr Thresholds(const LoopFilterLimits& limits, int bits)
      : blimit(limits.blimit << (bits - 8)),
        limit(limits.limit << (bits - 8)),
        thresh(limits.thresh << (bits - 8)),
        flat(1 << (bits - 8)) {}
  int blimit, limit, thresh, flat;
};

// Filter mask process: returns true if the line is so smooth that its step may be a coding
// artefact.
template <class Sample>
bool filter_mask(const Line<Sample>& s, const Thresholds& t) {
  return std::abs(s.p(3) - s.p(2)) <= t.limit && std::abs(s.p(2) - s.p(1)) <= t.limit &&
         std::abs(s.p(1) - s.p(0)) <= t.limit && std::abs(s.q(1) - s.q(0)) <= t.limit &&
         std::abs(s.q(2) - s.q(1)) <= t.limit && std::abs(s.q(3) - s.q(2)) <= t.limit &&
         std::abs(s.p(0) - s.q(0)) * 2 + std::abs(s.p(1) - s.q(1)) / 2 <= t.blimit;
}

// Returns hevMask of the filter mask process.
template <class Sample>
bool high_edge_variance(const Line<Sample>& s, const Thresholds& t) {
  return std::abs(s.p(1) - s.p(0)) > t.thresh || std::abs(s.q(1) - s.q(0)) > t.thresh;
}

// Returns true if the samples `first` to `last` of both sides nearly equal p0 and q0. flatMask uses
// 1 to 3, flatMask2 uses 4 to 7.
template <class Sample>
bool flat(const Line<Sample>& s, int first, int last, const Thresholds& t) {
  for (int i = first; i <= last; ++i) {
    if (std::abs(s.p(i) - s.p(0)) > t.flat || std::abs(s.q(i) - s.q(0)) > t.flat) return false;
  }
  return true;
}

// Narrow filter process. Samples are made signed by subtracting half their range, as in the
// specification.
template <int bits, class Sample>
void narrow_filter(const Line<Sample>& s, bool hev) {
  constexpr int kHalf = 0x80 << (bits - 8);
  const auto clamp_signed = [](int value) { return std::clamp(value, -kHalf, kHalf - 1); };
  const int ps1 = s.p(1) - kHalf;
  const int ps0 = s.p(0) - kHalf;
  const int qs0 = s.q(0) - kHalf;
  const int qs1 = s.q(1) - kHalf;
  const int outer = hev ? clamp_signed(ps1 - qs1) : 0;
  const int filter = clamp_signed(outer + 3 * (qs0 - ps0));
  const int filter1 = clamp_signed(filter + 4) >> 3;
  const int filter2 = clamp_signed(filter + 3) >> 3;
  s.set_q(0, clamp_signed(qs0 - filter1) + kHalf);
  s.set_p(0, clamp_signed(ps0 + filter2) + kHalf);
  if (!hev) {
    const int inner = (filter1 + 1) >> 1;
    s.set_q(1, clamp_signed(qs1 - inner) + kHalf);
    s.set_p(1, clamp_signed(ps1 + inner) + kHalf);
  }
}

// Wide filter process with a box of `radius` 3 or 7 (log2Size 3 or 4). It uses 2^log2Size samples
// and keeps the outermost two. Each other sample becomes the mean of the box around it, where it
// counts twice and the outermost samples are repeated. A running sum moves the box along.
template <int radius, class Sample>
void wide_filter(const Line<Sample>& s) {
  constexpr int kLog2Size = radius == 3 ? 3 : 4;
  constexpr int kSize = 1 << kLog2Size;
  static_assert(kSize == 2 * (radius + 1));
  std::array<int, kSize> in{};
  for (int k = 0; k < kSize; ++k) in[static_cast<std::size_t>(k)] = s.at(k - kSize / 2);
  const auto sample = [&in](int k) {
    return in[static_cast<std::size_t>(std::clamp(k, 0, kSize - 1))];
  };
  int sum = 0;
  for (int k = 1 - radius; k <= 1 + radius; ++k) sum += sample(k);
  for (int k = 1; k < kSize - 1; ++k) {
    s.set(k - kSize / 2, (sum + sample(k) + kSize / 2) >> kLog2Size);
    sum += sample(k + 1 + radius) - sample(k - radius);
  }
}

// Sample filtering process of section 8.8.5 for one line.
template <int width, int bits, class Sample>
void filter_line(const Line<Sample>& s, const Thresholds& t) {
  if (!filter_mask(s, t)) return;
  if (width == 4 || !flat(s, 1, 3, t)) {
    narrow_filter<bits>(s, high_edge_variance(s, t));
  } else if (width == 8 || !flat(s, 4, 7, t)) {
    wide_filter<3>(s);
  } else {
    wide_filter<7>(s);
  }
}

template <LoopFilterKind kind, int bits, class Sample>
void filter_edge(Sample* q0, std::ptrdiff_t stride, const LoopFilterLimits& limits) {
  constexpr bool kVertical = direction_of(kind) == EdgeDirection::vertical;
  const Thresholds thresholds(limits, bits);
  for (int line = 0; line < kEdgeLength; ++line) {
    const Line<Sample> samples(q0 + line * (kVertical ? stride : 1), kVertical ? 1 : stride);
    filter_line<width_of(kind), bits>(samples, thresholds);
  }
}

template <LoopFilterKind kind, int bits, class Sample>
void filter_two_edges(Sample* q0_a, Sample* q0_b, std::ptrdiff_t stride,
                      const LoopFilterLimits& limits_a, const LoopFilterLimits& limits_b) {
  filter_edge<kind, bits>(q0_a, stride, limits_a);
  filter_edge<kind, bits>(q0_b, stride, limits_b);
}

template <int bits, class Sample>
void add_all_kinds(Dsp<Sample>& dsp) {
  for_each_loop_filter_kind([&dsp]<LoopFilterKind kind>() {
    dsp.loop_filter(kind) = {filter_edge<kind, bits, Sample>, filter_two_edges<kind, bits, Sample>};
  });
}

}  // namespace

LoopFilterLimitTable::LoopFilterLimitTable(int sharpness) {
  for (int level = 1; level <= 63; ++level) {
    limits_[static_cast<std::size_t>(level)] = loop_filter_limits(level, sharpness);
  }
}

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

const char* to_string(LoopFilterKind kind) {
  switch (kind) {
    case LoopFilterKind::h_4:
      return "h_4";
    case LoopFilterKind::h_8:
      return "h_8";
    case LoopFilterKind::h_16:
      return "h_16";
    case LoopFilterKind::v_4:
      return "v_4";
    case LoopFilterKind::v_8:
      return "v_8";
    case LoopFilterKind::v_16:
      return "v_16";
  }
  return "?";
}

template <class Sample>
void add_scalar_loop_filter(Dsp<Sample>& dsp) {
  if constexpr (sizeof(Sample) == 1) {
    add_all_kinds<8>(dsp);
  } else {
    for_high_bit_depth(dsp.bits, [&dsp]<int bits>() { add_all_kinds<bits>(dsp); });
  }
}
template void add_scalar_loop_filter(Dsp<std::uint8_t>&);
template void add_scalar_loop_filter(Dsp<std::uint16_t>&);

LoopFilterBranches& LoopFilterBranches::operator+=(const LoopFilterBranches& other) {
  lines += other.lines;
  mask += other.mask;
  hev += other.hev;
  flat += other.flat;
  flat2 += other.flat2;
  return *this;
}

template <class Sample>
LoopFilterBranches count_branches(LoopFilterKind kind, const Sample* q0, std::ptrdiff_t stride,
                                  const LoopFilterLimits& limits, int bits) {
  const bool vertical = direction_of(kind) == EdgeDirection::vertical;
  const Thresholds thresholds(limits, bits);
  LoopFilterBranches count;
  for (int i = 0; i < kEdgeLength; ++i) {
    const Line line(q0 + i * (vertical ? stride : 1), vertical ? 1 : stride);
    ++count.lines;
    if (!filter_mask(line, thresholds)) continue;
    ++count.mask;
    if (high_edge_variance(line, thresholds)) ++count.hev;
    if (!flat(line, 1, 3, thresholds)) continue;
    ++count.flat;
    if (width_of(kind) == 16 && flat(line, 4, 7, thresholds)) ++count.flat2;
  }
  return count;
}
template LoopFilterBranches count_branches(LoopFilterKind, const std::uint8_t*, std::ptrdiff_t,
                                           const LoopFilterLimits&, int);
template LoopFilterBranches count_branches(LoopFilterKind, const std::uint16_t*, std::ptrdiff_t,
                                           const LoopFilterLimits&, int);

}  // namespace sidecore::vp9
