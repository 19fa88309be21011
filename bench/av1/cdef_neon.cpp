// CDEF on NEON. The filter reads the planes where they are; only blocks at the picture's border are
// copied first, beside a mask of the samples that exist.
#include <algorithm>
#include <bit>
#include <cstring>

#include "av1/cdef.h"
#include "neon/neon.h"

namespace sidecore::av1 {
namespace {

// ---- Direction -------------------------------------------------------------------------------

// Loads a row of 8 samples as values of 8 bits.
uint16x8_t load_row(const std::uint8_t* samples, int /*bits*/) {
  return vmovl_u8(vld1_u8(samples));
}
uint16x8_t load_row(const std::uint16_t* samples, int bits) {
  return vshlq_u16(vld1q_u16(samples), vdupq_n_s16(static_cast<std::int16_t>(8 - bits)));
}

// Sums of lines that are 8 lanes wide or wider: `low` has lines 0 to 7.
struct Lines {
  uint16x8_t low, high;
};

// Adds rows, of which each begins one line after the one before it.
template <std::size_t rows>
[[gnu::always_inline]] inline Lines add_shifted(const std::array<uint16x8_t, rows>& row) {
  const uint16x8_t zero = vdupq_n_u16(0);
  Lines lines{row[rows - 1], zero};
  for (std::size_t i = rows - 1; i-- > 0;) {
    lines.high = vextq_u16(lines.low, lines.high, 7);
    lines.low = vaddq_u16(vextq_u16(zero, lines.low, 7), row[i]);
  }
  return lines;
}

uint32x4_t square_low(uint16x8_t a) {
  return vmull_u16(vget_low_u16(a), vget_low_u16(a));
}
uint32x4_t square_high(uint16x8_t a) {
  return vmull_u16(vget_high_u16(a), vget_high_u16(a));
}

// Returns sums of squares of lines of 8 samples each, times 840 / 8.
uint32x4_t cost_of_full_lines(uint16x8_t lines) {
  return vmulq_n_u32(vaddq_u32(square_low(lines), square_high(lines)), 105);
}

// Weights of lines: 840 divided by their number of samples.
constexpr std::uint32_t kDiagonal[16] = {840, 420, 280, 210, 168, 140, 120, 105,
                                         120, 140, 168, 210, 280, 420, 840, 0};
constexpr std::uint32_t kSteep[12] = {420, 210, 140, 105, 105, 105, 105, 105, 140, 210, 420, 0};

uint32x4_t cost_of_diagonals(const Lines& lines) {
  uint32x4_t cost = vmulq_u32(square_low(lines.low), vld1q_u32(kDiagonal));
  cost = vmlaq_u32(cost, square_high(lines.low), vld1q_u32(kDiagonal + 4));
  cost = vmlaq_u32(cost, square_low(lines.high), vld1q_u32(kDiagonal + 8));
  return vmlaq_u32(cost, square_high(lines.high), vld1q_u32(kDiagonal + 12));
}

uint32x4_t cost_of_steep_lines(const Lines& lines) {
  uint32x4_t cost = vmulq_u32(square_low(lines.low), vld1q_u32(kSteep));
  cost = vmlaq_u32(cost, square_high(lines.low), vld1q_u32(kSteep + 4));
  return vmlaq_u32(cost, square_low(lines.high), vld1q_u32(kSteep + 8));
}

// Adds the lanes of four vectors; lane i of the result is the sum of vector i.
uint32x4_t sums(uint32x4_t a, uint32x4_t b, uint32x4_t c, uint32x4_t d) {
  return vpaddq_u32(vpaddq_u32(a, b), vpaddq_u32(c, d));
}

CdefDirection best_of(uint32x4_t first, uint32x4_t second) {
  const std::uint32_t best = vmaxvq_u32(vmaxq_u32(first, second));
  const uint32x4_t bests = vdupq_n_u32(best);
  const uint16x8_t equal =
      vcombine_u16(vmovn_u32(vceqq_u32(first, bests)), vmovn_u32(vceqq_u32(second, bests)));
  const std::uint64_t mask = vget_lane_u64(vreinterpret_u64_u8(vmovn_u16(equal)), 0);
  const int direction = std::countr_zero(mask) / 8;
  std::uint32_t cost[8];
  vst1q_u32(cost, second);
  vst1q_u32(cost + 4, first);
  return {direction, (best - cost[direction]) >> 10};
}

// Sums of lines use the samples themselves. The specification subtracts 128 first, which takes the
// same from the cost of every direction.
CdefDirection direction_of(const std::array<uint16x8_t, 8>& r) {
  const std::array turned{r[7], r[6], r[5], r[4], r[3], r[2], r[1], r[0]};
  // Sums of two samples of a row, four of each of two rows, for the lines nearest to horizontal.
  const std::array pairs{vpaddq_u16(r[0], r[4]), vpaddq_u16(r[1], r[5]), vpaddq_u16(r[2], r[6]),
                         vpaddq_u16(r[3], r[7])};
  const std::array turned_pairs{vpaddq_u16(r[7], r[3]), vpaddq_u16(r[6], r[2]),
                                vpaddq_u16(r[5], r[1]), vpaddq_u16(r[4], r[0])};
  const std::array doubled{vaddq_u16(r[0], r[1]), vaddq_u16(r[2], r[3]), vaddq_u16(r[4], r[5]),
                           vaddq_u16(r[6], r[7])};
  const std::array turned_doubled{doubled[3], doubled[2], doubled[1], doubled[0]};
  const uint16x8_t rows = vpaddq_u16(vpaddq_u16(vpaddq_u16(r[0], r[1]), vpaddq_u16(r[2], r[3])),
                                     vpaddq_u16(vpaddq_u16(r[4], r[5]), vpaddq_u16(r[6], r[7])));
  const uint16x8_t columns =
      vaddq_u16(vaddq_u16(doubled[0], doubled[1]), vaddq_u16(doubled[2], doubled[3]));
  return best_of(
      sums(cost_of_diagonals(add_shifted(r)), cost_of_steep_lines(add_shifted(pairs)),
           cost_of_full_lines(rows), cost_of_steep_lines(add_shifted(turned_pairs))),
      sums(cost_of_diagonals(add_shifted(turned)), cost_of_steep_lines(add_shifted(turned_doubled)),
           cost_of_full_lines(columns), cost_of_steep_lines(add_shifted(doubled))));
}

// ---- Filter ----------------------------------------------------------------------------------

// Operations on a vector of samples and on signed sums of the same width: 16 samples of 8 bits, or
// 8 of more. A vector has the first samples of several rows of a block of 8x8 or 4x4.
template <class Sample>
struct Lanes;

template <>
struct Lanes<std::uint8_t> {
  using Vector = uint8x16_t;
  using Sum = int8x16_t;
  template <int side>
  static Vector load(const std::uint8_t* at, std::ptrdiff_t stride) {
    if constexpr (side == 8) {
      return vcombine_u8(vld1_u8(at), vld1_u8(at + stride));
    } else {
      std::uint32_t rows[4];
      for (int row = 0; row < 4; ++row) std::memcpy(&rows[row], at + row * stride, 4);
      uint32x4_t words = vdupq_n_u32(rows[0]);
      words = vsetq_lane_u32(rows[1], words, 1);
      words = vsetq_lane_u32(rows[2], words, 2);
      return vreinterpretq_u8_u32(vsetq_lane_u32(rows[3], words, 3));
    }
  }
  template <int side>
  static void store(std::uint8_t* at, std::ptrdiff_t stride, Vector samples) {
    if constexpr (side == 8) {
      vst1_u8(at, vget_low_u8(samples));
      vst1_u8(at + stride, vget_high_u8(samples));
    } else {
      std::uint32_t rows[4];
      vst1q_u32(rows, vreinterpretq_u32_u8(samples));
      for (int row = 0; row < 4; ++row) std::memcpy(at + row * stride, &rows[row], 4);
    }
  }
  static Vector all(int value) { return vdupq_n_u8(static_cast<std::uint8_t>(value)); }
  static Sum all_signed(int value) { return vdupq_n_s8(static_cast<std::int8_t>(value)); }
  static Vector select(Vector mask, Vector a, Vector b) { return vbslq_u8(mask, a, b); }
  static Vector least(Vector a, Vector b) { return vminq_u8(a, b); }
  static Vector most(Vector a, Vector b) { return vmaxq_u8(a, b); }
  // Returns |tap - centre|, limited by the strength.
  static Sum limited(Vector tap, Vector centre, Vector strength, Sum shift) {
    const Vector size = vabdq_u8(tap, centre);
    return vreinterpretq_s8_u8(vminq_u8(size, vqsubq_u8(strength, vshlq_u8(size, shift))));
  }
  // Adds a limited difference with the sign of tap - centre.
  static Sum add_signed(Sum sum, Sum value, Vector tap, Vector centre, Sum one) {
    const Sum sign = vorrq_s8(vreinterpretq_s8_u8(vcgtq_u8(centre, tap)), one);
    return vmlaq_s8(sum, value, sign);
  }
  // Returns centre + the rounded sixteenth of the weighted sums.
  template <bool primary, bool secondary>
  static Vector moved(Vector centre, const Sum (&sum)[4], const Sum (&weight)[2]) {
    const Sum second = vaddq_s8(vaddq_s8(sum[2], sum[2]), sum[3]);
    if constexpr (!primary) {  // the sum has at most 48
      return vsqaddq_u8(centre, vrshrq_n_s8(vsraq_n_s8(second, second, 7), 4));
    } else {
      int16x8_t low = vmull_s8(vget_low_s8(sum[0]), vget_low_s8(weight[0]));
      low = vmlal_s8(low, vget_low_s8(sum[1]), vget_low_s8(weight[1]));
      int16x8_t high = vmull_high_s8(sum[0], weight[0]);
      high = vmlal_high_s8(high, sum[1], weight[1]);
      if constexpr (secondary) {
        low = vaddw_s8(low, vget_low_s8(second));
        high = vaddw_high_s8(high, second);
      }
      low = vsraq_n_s16(low, low, 15);
      high = vsraq_n_s16(high, high, 15);
      return vsqaddq_u8(centre, vqrshrn_high_n_s16(vqrshrn_n_s16(low, 4), high, 4));
    }
  }
};

template <>
struct Lanes<std::uint16_t> {
  using Vector = uint16x8_t;
  using Sum = int16x8_t;
  template <int side>
  static Vector load(const std::uint16_t* at, std::ptrdiff_t stride) {
    if constexpr (side == 8) return vld1q_u16(at);
    return vcombine_u16(vld1_u16(at), vld1_u16(at + stride));
  }
  template <int side>
  static void store(std::uint16_t* at, std::ptrdiff_t stride, Vector samples) {
    if constexpr (side == 8) {
      vst1q_u16(at, samples);
    } else {
      vst1_u16(at, vget_low_u16(samples));
      vst1_u16(at + stride, vget_high_u16(samples));
    }
  }
  static Vector all(int value) { return vdupq_n_u16(static_cast<std::uint16_t>(value)); }
  static Sum all_signed(int value) { return vdupq_n_s16(static_cast<std::int16_t>(value)); }
  static Vector select(Vector mask, Vector a, Vector b) { return vbslq_u16(mask, a, b); }
  static Vector least(Vector a, Vector b) { return vminq_u16(a, b); }
  static Vector most(Vector a, Vector b) { return vmaxq_u16(a, b); }
  static Sum limited(Vector tap, Vector centre, Vector strength, Sum shift) {
    const Vector size = vabdq_u16(tap, centre);
    return vreinterpretq_s16_u16(vminq_u16(size, vqsubq_u16(strength, vshlq_u16(size, shift))));
  }
  static Sum add_signed(Sum sum, Sum value, Vector tap, Vector centre, Sum one) {
    const Sum sign = vorrq_s16(vreinterpretq_s16_u16(vcgtq_u16(centre, tap)), one);
    return vmlaq_s16(sum, value, sign);
  }
  template <bool primary, bool secondary>
  static Vector moved(Vector centre, const Sum (&sum)[4], const Sum (&weight)[2]) {
    Sum all = vdupq_n_s16(0);
    if constexpr (secondary) all = vaddq_s16(vaddq_s16(sum[2], sum[2]), sum[3]);
    if constexpr (primary) all = vmlaq_s16(vmlaq_s16(all, sum[0], weight[0]), sum[1], weight[1]);
    const Sum moved_by = vrshrq_n_s16(vsraq_n_s16(all, all, 15), 4);
    // `centre` and `moved_by` are below 2^15. Their sum may be negative until it is limited.
    return vreinterpretq_u16_s16(
        vmaxq_s16(vaddq_s16(vreinterpretq_s16_u16(centre), moved_by), vdupq_n_s16(0)));
  }
};

// Constants of a block in vectors.
template <class Sample>
struct Constants {
  using L = Lanes<Sample>;
  Constants(const CdefBlock& block, std::ptrdiff_t stride, int bits)
      : one(L::all_signed(1)),
        strength{L::all(block.primary), L::all(block.secondary)},
        shift{
            L::all_signed(block.primary == 0 ? 0 : -cdef_shift(block.primary, block.damping)),
            L::all_signed(block.secondary == 0 ? 0 : -cdef_shift(block.secondary, block.damping))} {
    const bool odd = ((block.primary >> (bits - 8)) & 1) != 0;
    weight[0] = L::all_signed(odd ? 3 : 4);
    weight[1] = L::all_signed(odd ? 3 : 2);
    for (int turn = 0; turn < 3; ++turn) {
      const auto& steps =
          kCdefSteps[static_cast<std::size_t>((block.direction + (turn == 2 ? 6 : 2 * turn)) & 7)];
      for (std::size_t k = 0; k < 2; ++k) offset[turn][k] = steps[k][0] * stride + steps[k][1];
    }
  }

  typename L::Sum one;
  typename L::Vector strength[2];  // primary, secondary
  typename L::Sum shift[2];        // negative: to the right
  typename L::Sum weight[2];       // weights of the primary taps
  std::ptrdiff_t offset[3][2];  // offsets of both steps in the direction, and 2 after and before it
};

// Samples of a block and around it, and where they exist.
template <class Sample>
struct Source {
  const Sample* samples;
  const Sample* exists = nullptr;  // all bits set or none, in the samples' layout
  std::ptrdiff_t stride;
};

template <class Sample, int side, bool primary, bool secondary, bool border>
[[gnu::always_inline]] inline auto filter_vector(const Source<Sample>& from, std::ptrdiff_t at,
                                                 const Constants<Sample>& constants) {
  using L = Lanes<Sample>;
  const auto centre = L::template load<side>(from.samples + at, from.stride);
  auto least = centre;
  auto most = centre;
  typename L::Sum sum[4] = {L::all_signed(0), L::all_signed(0), L::all_signed(0), L::all_signed(0)};
  const auto add = [&](int turn, int k) __attribute__((always_inline)) {
    const int kind = turn == 0 ? 0 : 1;
    for (const std::ptrdiff_t offset : {constants.offset[turn][k], -constants.offset[turn][k]}) {
      auto tap = L::template load<side>(from.samples + at + offset, from.stride);
      if constexpr (border) {
        tap =
            L::select(L::template load<side>(from.exists + at + offset, from.stride), tap, centre);
      }
      if constexpr (primary && secondary) {  // otherwise no result is outside
        least = L::least(least, tap);
        most = L::most(most, tap);
      }
      auto& total = sum[2 * kind + k];
      total = L::add_signed(
          total, L::limited(tap, centre, constants.strength[kind], constants.shift[kind]), tap,
          centre, constants.one);
    }
  };
  for (int k = 0; k < 2; ++k) {
    if constexpr (primary) add(0, k);
    if constexpr (secondary) {
      add(1, k);
      add(2, k);
    }
  }
  const auto moved = L::template moved<primary, secondary>(centre, sum, constants.weight);
  if constexpr (primary && secondary) return L::least(L::most(moved, least), most);
  return moved;
}

template <class Sample, int side, bool primary, bool secondary, bool border>
void filter_rows(const Source<Sample>& from, Sample* to, std::ptrdiff_t to_stride,
                 const Constants<Sample>& constants) {
  constexpr int kRows = static_cast<int>(16 / sizeof(Sample)) / side;
  for (int y = 0; y < side; y += kRows) {
    Lanes<Sample>::template store<side>(
        to + y * to_stride, to_stride,
        filter_vector<Sample, side, primary, secondary, border>(from, y * from.stride, constants));
  }
}

template <class Sample, int side, bool border>
void filter_source(const Source<Sample>& from, Sample* to, std::ptrdiff_t to_stride,
                   const CdefBlock& block, int bits) {
  const Constants<Sample> constants(block, from.stride, bits);
  if (block.primary == 0) {
    filter_rows<Sample, side, false, true, border>(from, to, to_stride, constants);
  } else if (block.secondary == 0) {
    filter_rows<Sample, side, true, false, border>(from, to, to_stride, constants);
  } else {
    filter_rows<Sample, side, true, true, border>(from, to, to_stride, constants);
  }
}

// Filters a block at the picture's border.
template <class Sample, int side>
void filter_border(const video::PlaneView<const Sample>& plane, int left, int top, Sample* to,
                   std::ptrdiff_t to_stride, const CdefBlock& block, int bits) {
  constexpr int kReach = 2;
  constexpr int kStride = 16;
  constexpr int kFirst = kReach * kStride + kReach;
  Sample samples[kStride * (side + 2 * kReach)] = {};
  Sample exists[kStride * (side + 2 * kReach)] = {};
  const int last_row = std::min(top + side + kReach, plane.height);
  const int first = std::max(left - kReach, 0);
  const int count = std::min(left + side + kReach, plane.width) - first;
  for (int row = std::max(top - kReach, 0); row < last_row; ++row) {
    const int at = kFirst + (row - top) * kStride + first - left;
    std::copy_n(plane.row(row) + first, count, &samples[at]);
    std::fill_n(&exists[at], count, static_cast<Sample>(~Sample{0}));
  }
  filter_source<Sample, side, true>({&samples[kFirst], &exists[kFirst], kStride}, to, to_stride,
                                    block, bits);
}

template <class Sample, int side>
void filter(const video::PlaneView<const Sample>& from, const video::PlaneView<Sample>& to,
            int left, int top, const CdefBlock& block, int bits) {
  const Sample* const samples = from.row(top) + left;
  Sample* const target = to.row(top) + left;
  if (block.primary == 0 && block.secondary == 0) {
    for (int y = 0; y < side; ++y) {
      std::memcpy(target + y * to.stride, samples + y * from.stride, side * sizeof(Sample));
    }
  } else if (left == 0 || top == 0 || left + side == from.width || top + side == from.height) {
    filter_border<Sample, side>(from, left, top, target, to.stride, block, bits);
  } else {
    filter_source<Sample, side, false>({samples, nullptr, from.stride}, target, to.stride, block,
                                       bits);
  }
}

}  // namespace

template <class Sample>
CdefDirection find_cdef_direction_neon(const Sample* samples, std::ptrdiff_t stride, int bits) {
  std::array<uint16x8_t, 8> rows;
  for (std::size_t y = 0; y < 8; ++y) {
    rows[y] = load_row(samples + static_cast<std::ptrdiff_t>(y) * stride, bits);
  }
  return direction_of(rows);
}

template <class Sample>
void cdef_block_neon(const CdefPlanes<Sample>& planes, const CdefFrame& frame, int column,
                     int row) {
  const video::PlaneView<const Sample>& luma = planes.from[0];
  for_each_cdef_plane(
      frame, (luma.width + kCdefFilterBlock - 1) / kCdefFilterBlock, planes.planes, planes.bits,
      column, row,
      [&] {
        return find_cdef_direction_neon(luma.row(row * kCdefBlock) + column * kCdefBlock,
                                        luma.stride, planes.bits);
      },
      [&](std::size_t plane, const CdefBlock& block) {
        if (plane == 0) {
          filter<Sample, 8>(luma, planes.to[0], 8 * column, 8 * row, block, planes.bits);
        } else {
          filter<Sample, 4>(planes.from[plane], planes.to[plane], 4 * column, 4 * row, block,
                            planes.bits);
        }
      });
}

template CdefDirection find_cdef_direction_neon(const std::uint8_t*, std::ptrdiff_t, int);
template CdefDirection find_cdef_direction_neon(const std::uint16_t*, std::ptrdiff_t, int);
template void cdef_block_neon(const CdefPlanes<std::uint8_t>&, const CdefFrame&, int, int);
template void cdef_block_neon(const CdefPlanes<std::uint16_t>&, const CdefFrame&, int, int);

}  // namespace sidecore::av1
