#include "vp9/inter_prediction.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "vp9/bit_depth.h"
#include "vp9/dsp.h"
#include "vp9/interpolation_filters.h"

namespace sidecore::vp9 {
namespace {

constexpr int kLargest = 64;
// Number of rows (or columns) that a block of 64 reads at the largest step, 2 samples.
constexpr int kLargestFetched = ((kLargest - 1) * 32 + 15) / 16 + kTapsBefore + 1 + kReadableAfter;

/// Range of whole samples that a kernel may read along one axis: [begin, end).
struct TapReach {
  int begin;
  int end;
};

TapReach tap_reach(int start, int step, int count, InterKind kind) {
  const int first = start >> 4;
  if (kind != InterKind::scaled && (start & 15) == 0) return {first, first + count};
  const int last = first + (((count - 1) * step + (start & 15)) >> 4);
  return {first - kTapsBefore, last + 1 + kReadableAfter};
}

/// Copies `size` bytes in pieces of `chunk` bytes. The last piece may overlap the previous one.
template <int chunk>
void copy_chunks(const std::byte* from, int size, std::byte* to) {
  const int last = size - chunk;
  for (int at = 0; at < last; at += chunk) std::memcpy(to + at, from + at, chunk);
  std::memcpy(to + last, from + last, chunk);
}

/// Copies `count` samples. Rows are so short that a call of memmove() would take longer.
template <class Sample>
void copy_samples(const Sample* from, int count, Sample* to) {
  const int size = count * static_cast<int>(sizeof(Sample));
  const auto* const first = reinterpret_cast<const std::byte*>(from);
  auto* const out = reinterpret_cast<std::byte*>(to);
  if (size >= 16) {
    copy_chunks<16>(first, size, out);
  } else if (size >= 8) {
    copy_chunks<8>(first, size, out);
  } else {
    for (int at = 0; at < count; ++at) to[at] = from[at];
  }
}

/// Copy of the samples that a kernel may read; samples outside the plane repeat its border.
template <class Sample>
class PaddedCopy {
 public:
  // `plane` is a copy, so that the compiler knows that writing samples does not change it.
  PaddedCopy(const video::PlaneView<const Sample> plane, const TapReach x, const TapReach y) {
    const int columns = x.end - x.begin;
    // The columns [inside, inside_end) of the copy come from inside the plane.
    const int inside = std::clamp(-x.begin, 0, columns);
    const int inside_end = std::clamp(plane.width - x.begin, inside, columns);
    Sample* to = samples_.data();
    for (int row = y.begin; row < y.end; ++row, to += kLargestFetched) {
      const Sample* const from = plane.row(std::clamp(row, 0, plane.height - 1));
      if (inside > 0) std::fill(to, to + inside, from[0]);
      copy_samples(from + x.begin + inside, inside_end - inside, to + inside);
      if (inside_end < columns) std::fill(to + inside_end, to + columns, from[plane.width - 1]);
    }
  }
  PaddedCopy(const PaddedCopy&) = delete;
  PaddedCopy& operator=(const PaddedCopy&) = delete;

  /// Returns the address of the sample at `x`, `y` relative to the first sample.
  [[nodiscard]] const Sample* at(int x, int y) const { return samples_.data() + y * kStride + x; }
  static constexpr std::ptrdiff_t kStride = kLargestFetched;

 private:
  std::array<Sample, kLargestFetched * kLargestFetched> samples_;
};

template <int bits>
using InterSample = std::conditional_t<bits == 8, std::uint8_t, std::uint16_t>;

/// Stores a prediction's final value, or its mean with the present sample.
template <bool average, class Sample>
void put(Sample& to, Sample value) {
  to = average ? static_cast<Sample>((to + value + 1) >> 1) : value;
}

/// Type of a sum of products of samples and taps that cannot overflow. 8-bit samples need 16 bits
/// if kOffset makes them signed. Taps add up to 128, so this subtracts 128 * 128 from the sum.
/// Their magnitudes add up to at most 236, so no partial sum exceeds 236 * 128.
template <int bits>
struct Sum {
  using Type = std::conditional_t<bits == 8, std::int16_t, std::int32_t>;
  static constexpr Type kOffset = bits == 8 ? 128 : 0;
};

/// Filters a row at steps of a whole sample. `tap_stride` is 1 for filtering along rows and the
/// stride for filtering along columns. `to` must not overlap the samples that are read.
template <int bits, bool average>
void filter_line(const InterSample<bits>* from, std::ptrdiff_t tap_stride, const std::int16_t* taps,
                 int width, InterSample<bits>* __restrict to) {
  using Type = typename Sum<bits>::Type;
  constexpr Type kOffset = Sum<bits>::kOffset;
  constexpr Type kMax = (1 << bits) - 1;
  const InterSample<bits>* const first = from - kTapsBefore * tap_stride;
  const std::array<Type, kTaps> weights = {taps[0], taps[1], taps[2], taps[3],
                                           taps[4], taps[5], taps[6], taps[7]};
  for (int x = 0; x < width; ++x) {
    Type sum = 64;
    for (std::size_t tap = 0; tap < kTaps; ++tap) {
      const int sample = first[x + static_cast<std::ptrdiff_t>(tap) * tap_stride] - kOffset;
      sum = static_cast<Type>(sum + static_cast<Type>(weights[tap] * sample));
    }
    const auto value = static_cast<Type>((sum >> 7) + kOffset);
    put<average>(to[x], static_cast<InterSample<bits>>(std::clamp<Type>(value, 0, kMax)));
  }
}

template <int bits, bool average>
void predict_copy(const InterSample<bits>* from, std::ptrdiff_t from_stride,
                  const ReferenceArea& area, InterpolationFilter /*filter*/, InterSample<bits>* to,
                  std::ptrdiff_t stride) {
  for (int y = 0; y < area.height; ++y) {
    for (int x = 0; x < area.width; ++x) {
      put<average>(to[y * stride + x], from[y * from_stride + x]);
    }
  }
}

template <int bits, bool average>
void predict_horizontal(const InterSample<bits>* from, std::ptrdiff_t from_stride,
                        const ReferenceArea& area, InterpolationFilter filter,
                        InterSample<bits>* to, std::ptrdiff_t stride) {
  const std::int16_t* const taps = kInterpolationFilters[filter][area.x & 15];
  for (int y = 0; y < area.height; ++y) {
    filter_line<bits, average>(from + y * from_stride, 1, taps, area.width, to + y * stride);
  }
}

template <int bits, bool average>
void predict_vertical(const InterSample<bits>* from, std::ptrdiff_t from_stride,
                      const ReferenceArea& area, InterpolationFilter filter, InterSample<bits>* to,
                      std::ptrdiff_t stride) {
  const std::int16_t* const taps = kInterpolationFilters[filter][area.y & 15];
  for (int y = 0; y < area.height; ++y) {
    filter_line<bits, average>(from + y * from_stride, from_stride, taps, area.width,
                               to + y * stride);
  }
}

// Filters rows first, rounds the result to samples, and then filters columns.
template <int bits, bool average>
void predict_both(const InterSample<bits>* from, std::ptrdiff_t from_stride,
                  const ReferenceArea& area, InterpolationFilter filter, InterSample<bits>* to,
                  std::ptrdiff_t stride) {
  std::array<InterSample<bits>, kLargest*(kLargest + kTaps - 1)> between;
  ReferenceArea rows = area;
  rows.height = area.height + kTaps - 1;
  predict_horizontal<bits, false>(from - kTapsBefore * from_stride, from_stride, rows, filter,
                                  between.data(), kLargest);
  predict_vertical<bits, average>(between.data() + kTapsBefore * kLargest, kLargest, area, filter,
                                  to, stride);
}

template <int bits, bool average>
void predict_scaled(const InterSample<bits>* from, std::ptrdiff_t from_stride,
                    const ReferenceArea& area, InterpolationFilter filter, InterSample<bits>* to,
                    std::ptrdiff_t stride) {
  std::array<InterSample<bits>, kLargest * kLargestFetched> between;
  const int rows = (((area.height - 1) * area.step_y + (area.y & 15)) >> 4) + kTaps;
  for (int y = 0; y < rows; ++y) {
    const InterSample<bits>* const line = from + (y - kTapsBefore) * from_stride - kTapsBefore;
    InterSample<bits>* const row = between.data() + y * kLargest;
    for (int x = 0; x < area.width; ++x) {
      const int position = (area.x & 15) + x * area.step_x;
      const std::int16_t* const taps = kInterpolationFilters[filter][position & 15];
      int sum = 64;
      for (int tap = 0; tap < kTaps; ++tap) sum += taps[tap] * line[(position >> 4) + tap];
      row[x] = static_cast<InterSample<bits>>(std::clamp(sum >> 7, 0, (1 << bits) - 1));
    }
  }
  for (int y = 0; y < area.height; ++y) {
    const int position = (area.y & 15) + y * area.step_y;
    filter_line<bits, average>(between.data() + ((position >> 4) + kTapsBefore) * kLargest,
                               kLargest, kInterpolationFilters[filter][position & 15], area.width,
                               to + y * stride);
  }
}

template <int bits, bool average>
void add_inter_kernels(Dsp<InterSample<bits>>& dsp) {
  dsp.inter[average] = {predict_copy<bits, average>, predict_horizontal<bits, average>,
                        predict_vertical<bits, average>, predict_both<bits, average>,
                        predict_scaled<bits, average>};
}

template <int bits>
void add_inter_kernels(Dsp<InterSample<bits>>& dsp) {
  add_inter_kernels<bits, false>(dsp);
  add_inter_kernels<bits, true>(dsp);
}

}  // namespace

ReferenceScale reference_scale(const FrameSize& reference, const FrameSize& frame) {
  return {(reference.width << 14) / frame.width, (reference.height << 14) / frame.height};
}

template <class Sample>
void add_scalar_inter_prediction(Dsp<Sample>& dsp) {
  if constexpr (sizeof(Sample) == 1) {
    add_inter_kernels<8>(dsp);
  } else {
    for_high_bit_depth(dsp.bits, [&]<int bits>() { add_inter_kernels<bits>(dsp); });
  }
}
template void add_scalar_inter_prediction(Dsp<std::uint8_t>&);
template void add_scalar_inter_prediction(Dsp<std::uint16_t>&);

template <class Sample>
void predict_inter_near_border(InterPredict<Sample> kernel,
                               const video::PlaneView<const Sample>& reference,
                               const ReferenceArea& area, InterpolationFilter filter, Sample* to,
                               std::ptrdiff_t stride) {
  const InterKind kind = inter_kind(area);
  const TapReach x = tap_reach(area.x, area.step_x, area.width, kind);
  const TapReach y = tap_reach(area.y, area.step_y, area.height, kind);
  if (x.begin >= 0 && y.begin >= 0 && x.end <= reference.width && y.end <= reference.height) {
    return kernel(reference.row(area.y >> 4) + (area.x >> 4), reference.stride, area, filter, to,
                  stride);
  }
  const PaddedCopy<Sample> copy(reference, x, y);
  kernel(copy.at((area.x >> 4) - x.begin, (area.y >> 4) - y.begin), PaddedCopy<Sample>::kStride,
         area, filter, to, stride);
}
template void predict_inter_near_border(InterPredict<std::uint8_t>,
                                        const video::PlaneView<const std::uint8_t>&,
                                        const ReferenceArea&, InterpolationFilter, std::uint8_t*,
                                        std::ptrdiff_t);
template void predict_inter_near_border(InterPredict<std::uint16_t>,
                                        const video::PlaneView<const std::uint16_t>&,
                                        const ReferenceArea&, InterpolationFilter, std::uint16_t*,
                                        std::ptrdiff_t);

}  // namespace sidecore::vp9
