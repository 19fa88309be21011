#include <algorithm>
#include <cstdlib>

#include "metrics/adm.h"

namespace sidecore::metrics {
namespace {

using IntegerTaps = std::array<std::int32_t, 4>;

/// Returns floor((value + 2^(shift-1)) / 2^shift).
std::int64_t rounded_shift(std::int64_t value, int shift) {
  return (value + (std::int64_t{1} << (shift - 1))) >> shift;
}
std::uint64_t rounded_shift_up(std::uint64_t value, int shift) {
  return (value + (std::uint64_t{1} << (shift - 1))) >> shift;
}

template <class Sample>
std::int64_t filtered_integers(const IntegerTaps& taps, Sample s0, Sample s1, Sample s2,
                               Sample s3) {
  return std::int64_t{taps[0]} * s0 + std::int64_t{taps[1]} * s1 + std::int64_t{taps[2]} * s2 +
         std::int64_t{taps[3]} * s3;
}

void mirror_columns(std::int32_t* row, int width) {
  row[-1] = row[1];
  row[width] = row[width - 1];
  row[width + 1] = row[width - 2];
}

// Half of the samples' range is subtracted from each sample. The high-pass filter is not affected.
template <class Sample>
void filter_luma(const std::array<const Sample*, 4>& rows, const AdmScale& scale, int bits,
                 IntegerFilteredRow& to) {
  std::int32_t* const low = to.low.row(0);
  std::int32_t* const high = to.high.row(0);
  const int half = 1 << (bits - 1);
  const int width = scale.input_width;
  for (int x = 0; x < width; ++x) {
    const auto at = [&](std::size_t row) { return int{rows[row][x]} - half; };
    low[x] = static_cast<std::int16_t>(
        rounded_shift(filtered_integers(kAdmIntegerLowPass, at(0), at(1), at(2), at(3)), bits));
    high[x] = static_cast<std::int16_t>(
        rounded_shift(filtered_integers(kAdmIntegerHighPass, at(0), at(1), at(2), at(3)), bits));
  }
  mirror_columns(low, width);
  mirror_columns(high, width);
}

void filter_bytes(const std::array<const std::uint8_t*, 4>& rows, const AdmScale& scale,
                  IntegerFilteredRow& to) {
  filter_luma(rows, scale, 8, to);
}

void filter_rows(const std::array<const std::int32_t*, 4>& rows, const IntegerAdmScale& scale,
                 IntegerFilteredRow& to) {
  std::int32_t* const low = to.low.row(0);
  std::int32_t* const high = to.high.row(0);
  const int width = scale.geometry.input_width;
  const auto store = [&](std::int64_t sum) {
    return static_cast<std::int32_t>(scale.index == 1 ? sum : rounded_shift(sum, 16));
  };
  for (int x = 0; x < width; ++x) {
    const auto sum = [&](const IntegerTaps& taps) {
      return filtered_integers(taps, rows[0][x], rows[1][x], rows[2][x], rows[3][x]);
    };
    low[x] = store(sum(kAdmIntegerLowPass));
    high[x] = store(sum(kAdmIntegerHighPass));
  }
  mirror_columns(low, width);
  mirror_columns(high, width);
}

void filter_columns(const IntegerFilteredRow& from, const IntegerAdmScale& scale, int y,
                    IntegerWavelet& to) {
  const int shift = scale.index == 0 || scale.index == 2 ? 16 : 15;
  const auto filter = [&](const IntegerTaps& taps, const std::int32_t* row, int x) {
    const std::int32_t* const s = row + std::ptrdiff_t{2} * x - 1;
    return static_cast<std::int32_t>(
        rounded_shift(filtered_integers(taps, s[0], s[1], s[2], s[3]), shift));
  };
  const std::int32_t* const low = from.low.row(0);
  const std::int32_t* const high = from.high.row(0);
  for (int x = 0; x < scale.geometry.width; ++x) {
    to.approximation.row(y)[x] = filter(kAdmIntegerLowPass, low, x);
    to.bands[0].row(y)[x] = filter(kAdmIntegerLowPass, high, x);
    to.bands[1].row(y)[x] = filter(kAdmIntegerHighPass, low, x);
    to.bands[2].row(y)[x] = filter(kAdmIntegerHighPass, high, x);
  }
}

// Returns the share t / o of the original that is restored, in units of 2^-15, limited to 0..1. A
// divisor of more than 15 bits is rounded to 15.
std::int32_t restored_share(std::int32_t o, std::int32_t t) {
  if (o == 0) return 32768;
  std::int64_t divisor = std::abs(std::int64_t{o});
  int excess = 0;
  while ((divisor >> excess) >= 32768) ++excess;
  if (excess > 0) divisor = rounded_shift(divisor, excess);
  const std::int64_t reciprocal = kAdmReciprocalOne / divisor;
  const std::int64_t ratio = rounded_shift((o < 0 ? -reciprocal : reciprocal) * t, 15 + excess);
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(ratio, 0, 32768));
}

std::int32_t restored_integer(std::int32_t o, std::int32_t t, bool enhanced, double gain_limit) {
  const std::int64_t share = restored_share(o, t);
  const auto restored = static_cast<std::int32_t>(rounded_shift(share * o, 15));
  if (!enhanced || share == 0 || o == 0) return restored;
  const double amplified = restored * gain_limit;
  const auto limit = static_cast<double>(t);
  return static_cast<std::int32_t>(o > 0 ? std::min(amplified, limit) : std::max(amplified, limit));
}

// Returns a coefficient times its contrast sensitivity.
std::int32_t weighed(const IntegerAdmScale& scale, std::size_t band, std::int32_t coefficient) {
  const std::int64_t product = std::int64_t{scale.factor[band]} * coefficient;
  if (scale.index > 0) return static_cast<std::int32_t>(rounded_shift(product, 28));
  // libvmaf's rounding term for the diagonal band is one less than a half.
  const std::int64_t sum = band == 2 ? (product + 65535) >> 17 : (product + 16384) >> 15;
  return static_cast<std::int16_t>(sum);
}

// Returns what a weighted detail adds to masking: 1/30 of it for its neighbours, 1/15 for itself.
// In scales 1 to 3 libvmaf subtracts the rounding term.
std::int32_t neighbour_share(const IntegerAdmScale& scale, std::int32_t detail) {
  const std::int64_t size = std::abs(std::int64_t{detail});
  if (scale.index == 0) return static_cast<std::int16_t>((4369 * size + 2048) >> 12);
  return static_cast<std::int32_t>((143165577 * size - (std::int64_t{1} << 31)) >> 32);
}
std::int32_t own_share(const IntegerAdmScale& scale, std::int32_t detail) {
  const std::int64_t size = std::abs(std::int64_t{detail});
  if (scale.index == 0) return static_cast<std::int16_t>((8738 * size + 2048) >> 12);
  return static_cast<std::int32_t>((286331153 * size - (std::int64_t{1} << 31)) >> 32);
}

void add_masking(const IntegerAdmScale& scale, int y, AdmDetail& detail) {
  const BandArea& area = scale.geometry.needed;
  std::int32_t* const neighbour = detail.neighbour.row(y);
  std::int32_t* const own = detail.own.row(y);
  for (int x = area.left; x < area.right; ++x) {
    neighbour[x] = own[x] = 0;
    for (std::size_t b = 0; b < kAdmBands; ++b) {
      const std::int32_t size = weighed(scale, b, detail.bands[b].row(y)[x]);
      const std::int32_t share = neighbour_share(scale, size);
      neighbour[x] += share;
      own[x] += own_share(scale, size) - share;
    }
  }
  mirror_columns(neighbour, scale.geometry.width);
}

void decouple_integers(const PerBand<IntegerRows>& reference, const PerBand<IntegerRows>& distorted,
                       const IntegerAdmScale& scale, int y, AdmDetail& restored,
                       AdmDetail& impairment) {
  const BandArea& area = scale.geometry.needed;
  for (int x = area.left; x < area.right; ++x) {
    const bool enhanced = adm_same_direction(reference[0].row(y)[x], reference[1].row(y)[x],
                                             distorted[0].row(y)[x], distorted[1].row(y)[x]);
    for (std::size_t b = 0; b < kAdmBands; ++b) {
      const std::int32_t t = distorted[b].row(y)[x];
      const std::int32_t r =
          restored_integer(reference[b].row(y)[x], t, enhanced, scale.gain_limit);
      restored.bands[b].row(y)[x] = r;
      impairment.bands[b].row(y)[x] = t - r;
    }
  }
  add_masking(scale, y, restored);
  add_masking(scale, y, impairment);
}

AdmRowSum sum_reference(const PerBand<IntegerRows>& reference, const IntegerAdmScale& scale,
                        int y) {
  constexpr std::array kSquareShift{0, 31, 30, 31};
  const BandArea& area = scale.geometry.summed;
  const int square_shift = kSquareShift[scale.index];
  const int cube_shift = adm_log2_ceiling(area.right - area.left);
  AdmRowSum sum{};
  for (int x = area.left; x < area.right; ++x) {
    for (std::size_t b = 0; b < kAdmBands; ++b) {
      const auto size = static_cast<std::uint64_t>(std::abs(std::int64_t{reference[b].row(y)[x]}));
      if (scale.index == 0) {
        sum[b] += size * size * size;
      } else {
        // The square is not rounded to nearest: libvmaf adds 1 where rounding would add one half.
        const std::uint64_t square =
            (size * size + (std::uint64_t{1} << square_shift)) >> square_shift;
        sum[b] += rounded_shift_up(square * size, cube_shift);
      }
    }
  }
  return sum;
}

AdmRowSum sum_visible(const AdmDetail& detail, const AdmDetail& masks, const IntegerAdmScale& scale,
                      int y) {
  const BandArea& area = scale.geometry.summed;
  const int height = scale.geometry.height;
  const std::array<const std::int32_t*, 3> rows{masks.neighbour.row(adm_mirror(y - 1, height)),
                                                masks.neighbour.row(y),
                                                masks.neighbour.row(adm_mirror(y + 1, height))};
  const int width_log2 = adm_log2_ceiling(scale.geometry.width);
  AdmRowSum sum{};
  for (int x = area.left; x < area.right; ++x) {
    std::int32_t threshold = masks.own.row(y)[x];
    for (const std::int32_t* const row : rows) threshold += row[x - 1] + row[x] + row[x + 1];
    for (std::size_t b = 0; b < kAdmBands; ++b) {
      const bool diagonal = b == 2;
      const std::int32_t coefficient = detail.bands[b].row(y)[x];
      std::int64_t visible = 0;
      if (scale.index == 0) {
        // The threshold, in the coefficients' units, wraps in 32 bits as in libvmaf.
        const auto size =
            static_cast<std::uint32_t>(std::abs(std::int64_t{scale.factor[b]} * coefficient));
        const std::uint32_t masked = static_cast<std::uint32_t>(threshold) << (diagonal ? 12 : 10);
        visible = static_cast<std::int32_t>(size - masked);
      } else {
        visible = std::abs(std::int64_t{weighed(scale, b, coefficient)}) - threshold;
      }
      visible = std::max<std::int64_t>(visible, 0);
      const int square_shift = scale.index > 0 || diagonal ? 30 : 29;
      const int cube_shift = scale.index > 0 ? width_log2 : width_log2 - (diagonal ? 3 : 4);
      const std::int64_t square = rounded_shift(visible * visible, square_shift);
      sum[b] += static_cast<std::uint64_t>(rounded_shift(square * visible, cube_shift));
    }
  }
  return sum;
}

}  // namespace

bool adm_same_direction(std::int64_t oh, std::int64_t ov, std::int64_t th, std::int64_t tv) {
  const auto scaled = [](std::int64_t value) { return double{static_cast<float>(value)} / 4096.0; };
  const double product = scaled(oh * th + ov * tv);
  const double reference = scaled(oh * oh + ov * ov);
  const double distorted = scaled(th * th + tv * tv);
  return product >= 0 && product * product >= double{kAdmCosSquared} * reference * distorted;
}

int adm_log2_ceiling(int value) {
  int log2 = 0;
  while ((1 << log2) < value) ++log2;
  return log2;
}

const AdmRowFunctions& adm_rows() {
  static constexpr AdmRowFunctions kRows{filter_bytes,   filter_luma<std::uint16_t>, filter_rows,
                                         filter_columns, decouple_integers,          sum_reference,
                                         sum_visible};
  return kRows;
}

}  // namespace sidecore::metrics
