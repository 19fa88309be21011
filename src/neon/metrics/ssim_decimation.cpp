#include "neon/metrics/ssim_decimation.h"

#include <algorithm>
#include <array>

#include "metrics/decimation.h"
#include "neon/neon.h"

namespace sidecore::neon {
namespace {

using metrics::ConstFloatView;
using metrics::FloatView;
using metrics::mirror;

/// Number of result rows that a thread computes at a time.
constexpr int kBandRows = 16;
/// Number of samples before and after a row: mirrored samples, and samples that whole vectors read
/// beyond them.
constexpr std::size_t kMargin = 16;

/// Adds the products of `taps` samples to each sum. The first sample of a sum is `factor` samples
/// after that of the previous sum.
void add_box_row(const float* products, int factor, std::vector<double>& sums, int width) {
  for (int x = 0; x < width; ++x) {
    double sum = sums[static_cast<std::size_t>(x)];
    for (int u = 0; u < factor; ++u) sum += products[x * factor + u];
    sums[static_cast<std::size_t>(x)] = sum;
  }
}

}  // namespace

SsimDecimation::SsimDecimation(int max_width, std::size_t threads) : workspaces_(threads) {
  const auto width = static_cast<std::size_t>(max_width);
  for (Workspace& workspace : workspaces_) {
    workspace.sums.resize(width);
    workspace.products.resize(width + 2 * kMargin);
    for (SplitRow& row : workspace.ring) {
      row.even.resize(width / 2 + 2 * kMargin);
      row.odd.resize(width / 2 + 2 * kMargin);
    }
    for (std::vector<double>& sums : workspace.columns) sums.resize(width / 2 + 2 * kMargin);
  }
}

void SsimDecimation::box(ConstFloatView from, int factor, FloatView to, ThreadTeam& rows) {
  const float weight = metrics::box_weight(factor);
  const int before = factor / 2;
  rows.run_rows({0, to.height}, kBandRows, [&](int y, std::size_t thread) {
    Workspace& work = workspaces_[thread];
    std::fill_n(work.sums.begin(), to.width, 0.0);
    float* const products = work.products.data() + kMargin;
    for (int v = 0; v < factor; ++v) {
      const float* const row = from.row(mirror(y * factor + v - before, from.height));
      std::transform(row, row + from.width, products, [weight](float s) { return s * weight; });
      for (int beyond = 0; beyond < factor; ++beyond) {
        products[-1 - beyond] = products[beyond];
        products[from.width + beyond] = products[from.width - 1 - beyond];
      }
      add_box_row(products - before, factor, work.sums, to.width);
    }
    std::transform(work.sums.begin(), work.sums.begin() + to.width, to.row(y),
                   [](double sum) { return static_cast<float>(sum); });
  });
}

namespace {

/// Number of samples beyond either end of a row that taps reach.
constexpr int kTapsPerSide = metrics::kHalvingTaps / 2;

/// Splits a row into its even and its odd samples, mirrored at both ends: even[i] is sample 2i,
/// odd[i] is sample 2i + 1.
void split_row(const float* row, int width, float* even, float* odd) {
  int x = 0;
  for (; x + 8 <= width; x += 8) {
    const float32x4x2_t pairs = vld2q_f32(row + x);
    vst1q_f32(even + x / 2, pairs.val[0]);
    vst1q_f32(odd + x / 2, pairs.val[1]);
  }
  const auto put = [&](int index) {
    const int half = (index - (index & 1)) / 2;
    ((index & 1) != 0 ? odd : even)[half] = row[mirror(index, width)];
  };
  for (; x < width + kTapsPerSide; ++x) put(x);
  for (x = -kTapsPerSide; x < 0; ++x) put(x);
}

/// Smallest magnitude other than 0 of samples whose sums of products are exact in binary64, in any
/// order. The smallest weight is above 2^-12, so products are above 2^-20 and their last bits are
/// at 2^-43. The weights' magnitudes add up to less than 2, so sums stay below 2^10.
constexpr float kMinExact = 0x1p-8F;
constexpr float kLargestExact = 0x1p9F;

/// Returns true if every sample is 0 or at least kMinExact in magnitude.
bool sums_are_exact(const float* row, int width) {
  uint32x4_t inexact = vdupq_n_u32(0);
  const auto look = [&](float32x4_t samples) {
    const float32x4_t magnitudes = vabsq_f32(samples);
    const uint32x4_t below = vcltq_f32(magnitudes, vdupq_n_f32(kMinExact));
    const uint32x4_t small = vandq_u32(below, vcgtq_f32(magnitudes, vdupq_n_f32(0)));
    const uint32x4_t large = vcgtq_f32(magnitudes, vdupq_n_f32(kLargestExact));
    inexact = vorrq_u32(inexact, vorrq_u32(small, large));
  };
  int x = 0;
  for (; x + 4 <= width; x += 4) look(vld1q_f32(row + x));
  for (; x < width; ++x) look(vdupq_n_f32(row[x]));
  return vmaxvq_u32(inexact) == 0;
}

/// Weighted sums of four neighbouring output samples, in binary64.
struct FourSums {
  float64x2_t low = vdupq_n_f64(0);
  float64x2_t high = vdupq_n_f64(0);

  void add_product(const float* samples, float weight) {
    const float32x4_t products = vmulq_n_f32(vld1q_f32(samples), weight);
    low = vaddq_f64(low, vcvt_f64_f32(vget_low_f32(products)));
    high = vaddq_f64(high, vcvt_high_f64_f32(products));
  }
  void add(const double* sums) {
    low = vaddq_f64(low, vld1q_f64(sums));
    high = vaddq_f64(high, vld1q_f64(sums + 2));
  }
  /// Writes the first `count` sums, or all four, rounded to binary32.
  void round_to(float* to, int count) const {
    const float32x4_t rounded = vcvt_high_f32_f64(vcvt_f32_f64(low), high);
    if (count >= 4) {
      vst1q_f32(to, rounded);
      return;
    }
    float four[4];
    vst1q_f32(four, rounded);
    std::copy_n(four, count, to);
  }
};

/// Returns the position of tap u of result 0 in a row's even samples (u even) or odd samples (u
/// odd).
constexpr int place_of(int u) {
  return (u & 1) != 0 ? (u - 5) / 2 : (u - 4) / 2;
}

}  // namespace

void SsimDecimation::halve_in_order(
    const std::array<const SplitRow*, metrics::kHalvingTaps>& window, int width, float* to) {
  const auto& kernel = metrics::halving_kernel();
  for (int x = 0; x < width; x += 4) {
    FourSums sums;
    for (std::size_t v = 0; v < window.size(); ++v) {
      const float* const even = window[v]->even.data() + kMargin + x;
      const float* const odd = window[v]->odd.data() + kMargin + x;
      for (int u = 0; u < metrics::kHalvingTaps; ++u) {
        sums.add_product(((u & 1) != 0 ? odd : even) + place_of(u), kernel[v][u]);
      }
    }
    sums.round_to(to + x, width - x);
  }
}

// Columns of weights u and 8 - u are equal. So the sum of a column of samples with these weights is
// computed once for the two results that need it.
void SsimDecimation::halve_by_columns(
    const std::array<const SplitRow*, metrics::kHalvingTaps>& window, ColumnSums& columns,
    int width, float* to) {
  // Number of samples on either side that a row of results reads, in groups of four.
  constexpr int kMarginColumns = 4;
  const auto& kernel = metrics::halving_kernel();
  for (int x = -kMarginColumns; x < width + kMarginColumns; x += 4) {
    std::array<FourSums, kTapsPerSide + 1> sums;
    for (std::size_t v = 0; v < window.size(); ++v) {
      const float* const even = window[v]->even.data() + kMargin + x;
      const float* const odd = window[v]->odd.data() + kMargin + x;
      for (std::size_t u = 0; u < sums.size(); ++u) {
        sums[u].add_product((u & 1) != 0 ? odd : even, kernel[v][u]);
      }
    }
    for (std::size_t u = 0; u < sums.size(); ++u) {
      double* const at = columns[u].data() + kMargin + x;
      vst1q_f64(at, sums[u].low);
      vst1q_f64(at + 2, sums[u].high);
    }
  }
  for (int x = 0; x < width; x += 4) {
    FourSums sums;
    for (int u = 0; u < metrics::kHalvingTaps; ++u) {
      const auto column = static_cast<std::size_t>(std::min(u, metrics::kHalvingTaps - 1 - u));
      sums.add(columns[column].data() + kMargin + x + place_of(u));
    }
    sums.round_to(to + x, width - x);
  }
}

void SsimDecimation::halve(ConstFloatView from, FloatView to, ThreadTeam& rows) {
  constexpr int kTaps = metrics::kHalvingTaps;
  rows.run_rows({0, to.height}, kBandRows, [&](int y, std::size_t thread) {
    Workspace& work = workspaces_[thread];
    const auto slot = [&](int row) -> SplitRow& {
      return work.ring[static_cast<std::size_t>(row + kTapsPerSide) % kTaps];
    };
    // True for the first result row of a piece. In other rows, the window shares all but two rows
    // with the previous result row.
    const bool first = y % kBandRows == 0;
    const int last = 2 * y + kTapsPerSide;
    for (int row = first ? last - kTaps + 1 : last - 1; row <= last; ++row) {
      const float* const samples = from.row(mirror(row, from.height));
      SplitRow& split = slot(row);
      split_row(samples, from.width, split.even.data() + kMargin, split.odd.data() + kMargin);
      split.exact = sums_are_exact(samples, from.width);
    }
    std::array<const SplitRow*, kTaps> window;
    for (int v = 0; v < kTaps; ++v) {
      window[static_cast<std::size_t>(v)] = &slot(last - kTaps + 1 + v);
    }
    if (std::ranges::all_of(window, &SplitRow::exact)) {
      halve_by_columns(window, work.columns, to.width, to.row(y));
    } else {
      halve_in_order(window, to.width, to.row(y));
    }
  });
}

}  // namespace sidecore::neon
