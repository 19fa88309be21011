#include "metrics/vif.h"

#include <algorithm>

namespace sidecore::metrics {
namespace {

std::uint64_t vif_rounded(std::uint64_t sum, int shift) {
  return shift == 0 ? sum : (sum + (std::uint64_t{1} << (shift - 1))) >> shift;
}

/// Returns a mean as libvmaf computes it: from a 32-bit sum of samples, with 16 bits after the
/// shift.
std::uint32_t vif_mean(std::uint32_t sum, int shift) {
  return static_cast<std::uint16_t>((sum + (1U << (shift - 1))) >> shift);
}

std::uint32_t vif_level(VifByte sample) {
  return static_cast<std::uint32_t>(sample + 128);
}
std::uint32_t vif_level(std::uint16_t sample) {
  return sample;
}

template <class Sample>
void filter_moments(const VifTapRows<Sample>& rows, int width, const VifFilter& filter,
                    const VifShifts& shifts, VifRows& to) {
  for (int x = 0; x < width; ++x) {
    std::uint32_t mean1 = 0;
    std::uint32_t mean2 = 0;
    std::uint64_t square1 = 0;
    std::uint64_t square2 = 0;
    std::uint64_t product = 0;
    for (std::size_t t = 0; t < static_cast<std::size_t>(filter.taps); ++t) {
      const std::uint32_t tap = filter.tap[t];
      const std::uint64_t a = vif_level(rows.first[rows.offset[t] + x]);
      const std::uint64_t b = vif_level(rows.second[rows.offset[t] + x]);
      mean1 += tap * static_cast<std::uint32_t>(a);
      mean2 += tap * static_cast<std::uint32_t>(b);
      square1 += tap * a * a;
      square2 += tap * b * b;
      product += tap * a * b;
    }
    to.row(kMean1)[x] = vif_mean(mean1, shifts.mean);
    to.row(kMean2)[x] = vif_mean(mean2, shifts.mean);
    to.row(kSquare1)[x] = static_cast<std::uint32_t>(vif_rounded(square1, shifts.square));
    to.row(kSquare2)[x] = static_cast<std::uint32_t>(vif_rounded(square2, shifts.square));
    to.row(kProduct)[x] = static_cast<std::uint32_t>(vif_rounded(product, shifts.square));
  }
}

template <class Sample>
void filter_planes(const VifTapRows<Sample>& rows, int width, const VifFilter& filter, int shift,
                   VifRows& to) {
  for (int x = 0; x < width; ++x) {
    std::uint32_t mean1 = 0;
    std::uint32_t mean2 = 0;
    for (std::size_t t = 0; t < static_cast<std::size_t>(filter.taps); ++t) {
      mean1 += filter.tap[t] * vif_level(rows.first[rows.offset[t] + x]);
      mean2 += filter.tap[t] * vif_level(rows.second[rows.offset[t] + x]);
    }
    to.row(kMean1)[x] = vif_mean(mean1, shift);
    to.row(kMean2)[x] = vif_mean(mean2, shift);
  }
}

template <class Sum>
Sum sum_of_columns(const std::uint32_t* from, const VifFilter& filter) {
  Sum sum = 0;
  for (int t = 0; t < filter.taps; ++t) {
    sum += static_cast<Sum>(filter.tap[static_cast<std::size_t>(t)]) * from[t - filter.taps / 2];
  }
  return sum;
}

/// Returns E[ab] - E[a] E[b]. Means are in units of 2^-24 of an 8-bit level, E[ab] in units of
/// 2^-16 of a squared 8-bit level.
std::uint32_t covariance(std::uint32_t product, std::uint32_t mean1, std::uint32_t mean2) {
  const std::uint64_t means = std::uint64_t{mean1} * mean2;
  return product - static_cast<std::uint32_t>((means + (std::uint64_t{1} << 31)) >> 32);
}

void filter_columns(const VifRows& from, int width, const VifFilter& filter,
                    const VifShifts& /*shifts*/, VifRows& to) {
  const auto mean = [&](VifMoment moment, int x) {
    return sum_of_columns<std::uint32_t>(from.row(moment) + x, filter);
  };
  const auto product = [&](VifMoment moment, int x) {
    return static_cast<std::uint32_t>(
        vif_rounded(sum_of_columns<std::uint64_t>(from.row(moment) + x, filter), 16));
  };
  for (int x = 0; x < width; ++x) {
    const std::uint32_t mean1 = mean(kMean1, x);
    const std::uint32_t mean2 = mean(kMean2, x);
    to.row(kVariance1)[x] = covariance(product(kSquare1, x), mean1, mean1);
    to.row(kVariance2)[x] = covariance(product(kSquare2, x), mean2, mean2);
    to.row(kCovariance)[x] = covariance(product(kProduct, x), mean1, mean2);
  }
}

void decimate_row(const VifRows& from, int width, const VifFilter& filter, std::uint16_t* first,
                  std::uint16_t* second) {
  const auto mean = [&](VifMoment moment, int x) {
    return static_cast<std::uint16_t>(
        vif_mean(sum_of_columns<std::uint32_t>(from.row(moment) + x, filter), 16));
  };
  for (int x = 0; x < width; ++x) {
    first[x] = mean(kMean1, 2 * x);
    second[x] = mean(kMean2, 2 * x);
  }
}

void add_windows(const VifRows& row, int first, int last, double gain_limit, VifSums& sums) {
  const VifLog2Table& table = VifLog2Table::instance();
  const auto statistic = [&](VifStatistic index, int x) {
    return static_cast<std::int32_t>(row.row(index)[x]);
  };
  VifSums of_row;
  for (int x = first; x < last; ++x) {
    const std::int32_t variance1 = statistic(kVariance1, x);
    const std::int32_t variance2 = std::max(statistic(kVariance2, x), std::int32_t{0});
    if (variance1 < kVifNoise) {
      of_row.flat_variance += variance2;
      ++of_row.flat;
      continue;
    }
    const auto power =
        static_cast<std::uint32_t>(kVifNoise) + static_cast<std::uint32_t>(variance1);
    of_row.there += table.log2(power) - 2048 * 17;
    const std::int32_t both = statistic(kCovariance, x);
    if (both > 0 && variance2 > 0) {
      of_row.kept += vif_kept_information(variance1, variance2, both, gain_limit);
    }
  }
  sums.add(of_row);
}

}  // namespace

std::int32_t vif_kept_information(std::int32_t variance1, std::int32_t variance2,
                                  std::int32_t covariance, double gain_limit) {
  const VifLog2Table& table = VifLog2Table::instance();
  const double gain = covariance / (variance1 + kVifEpsilon);
  const auto unexplained = std::max(static_cast<std::int32_t>(variance2 - gain * covariance), 0);
  const double limited = std::min(gain, gain_limit);
  const auto noise =
      static_cast<std::uint32_t>(unexplained) + static_cast<std::uint32_t>(kVifNoise);
  const auto signal = static_cast<std::int64_t>(limited * limited * variance1) + noise;
  return table.log2(static_cast<std::uint64_t>(signal)) - table.log2(noise);
}

const VifRowFunctions& vif_rows() {
  static constexpr VifRowFunctions kRows{filter_moments<VifByte>,
                                         filter_moments<std::uint16_t>,
                                         filter_columns,
                                         filter_planes<VifByte>,
                                         filter_planes<std::uint16_t>,
                                         decimate_row,
                                         add_windows};
  return kRows;
}

}  // namespace sidecore::metrics
