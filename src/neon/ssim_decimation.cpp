#include "neon/ssim_decimation.h"

#include <algorithm>
#include <array>

#include "metrics/decimation.h"
#include "neon/neon.h"

namespace sidecore::neon {
namespace {

using metrics::ConstFloatView;
using metrics::FloatView;
using metrics::mirror;

/// Rows of results that a thread makes at a time.
constexpr int kBandRows = 16;
/// Samples in front of and behind a row: mirrored ones, and what whole vectors read beyond them.
constexpr std::size_t kMargin = 16;

/// Calls task(y, whether y is the first row of a band, thread) for every row.
template <class Task>
void for_bands(int height, metrics::RowTeam& rows, const Task& task) {
  const auto bands = static_cast<std::size_t>((height + kBandRows - 1) / kBandRows);
  rows.run(bands, [&](std::size_t band, std::size_t thread) {
    const int first = static_cast<int>(band) * kBandRows;
    const int last = std::min(height, first + kBandRows);
    for (int y = first; y < last; ++y) task(y, y == first, thread);
  });
}

/// Adds to each sum the products of `taps` samples, `factor` further for each sum.
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
  }
}

void SsimDecimation::box(ConstFloatView from, int factor, FloatView to, metrics::RowTeam& rows) {
  const float weight = metrics::box_weight(factor);
  const int before = factor / 2;
  for_bands(to.height, rows, [&](int y, bool /*first*/, std::size_t thread) {
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

/// Samples beyond either end of a row that taps reach.
constexpr int kReach = metrics::kHalvingTaps / 2;

/// Splits a row into its even and its odd samples, mirrored at both ends: even[i] is sample 2i,
/// odd[i] sample 2i + 1.
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
  for (; x < width + kReach; ++x) put(x);
  for (x = -kReach; x < 0; ++x) put(x);
}

/// Adds a row's nine products to four neighbouring sums. Tap u lies on sample 2x + u - 4.
void add_taps(const float* even, const float* odd, const float (&weights)[metrics::kHalvingTaps],
              float64x2_t& low, float64x2_t& high) {
  for (int u = 0; u < metrics::kHalvingTaps; ++u) {
    const float* const samples = (u & 1) != 0 ? odd + (u - 5) / 2 : even + (u - 4) / 2;
    const float32x4_t products = vmulq_n_f32(vld1q_f32(samples), weights[u]);
    low = vaddq_f64(low, vcvt_f64_f32(vget_low_f32(products)));
    high = vaddq_f64(high, vcvt_f64_f32(vget_high_f32(products)));
  }
}

}  // namespace

void SsimDecimation::halve(ConstFloatView from, FloatView to, metrics::RowTeam& rows) {
  constexpr int kTaps = metrics::kHalvingTaps;
  const auto& kernel = metrics::halving_kernel();
  for_bands(to.height, rows, [&](int y, bool first, std::size_t thread) {
    std::array<SplitRow, kTaps>& ring = workspaces_[thread].ring;
    const auto slot = [&](int row) -> SplitRow& {
      return ring[static_cast<std::size_t>(row + kReach) % kTaps];
    };
    // All but two rows of the window are those of the row of results above.
    const int last = 2 * y + kReach;
    for (int row = first ? last - kTaps + 1 : last - 1; row <= last; ++row) {
      split_row(from.row(mirror(row, from.height)), from.width, slot(row).even.data() + kMargin,
                slot(row).odd.data() + kMargin);
    }
    for (int x = 0; x < to.width; x += 4) {
      float64x2_t low = vdupq_n_f64(0);
      float64x2_t high = vdupq_n_f64(0);
      for (int v = 0; v < kTaps; ++v) {
        const SplitRow& row = slot(2 * y - kReach + v);
        add_taps(row.even.data() + kMargin + x, row.odd.data() + kMargin + x, kernel[v], low, high);
      }
      float four[4];
      vst1q_f32(four, vcombine_f32(vcvt_f32_f64(low), vcvt_f32_f64(high)));
      std::copy_n(four, std::min(4, to.width - x), to.row(y) + x);
    }
  });
}

}  // namespace sidecore::neon
