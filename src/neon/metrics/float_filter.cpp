#include "neon/metrics/float_filter.h"

#include <cstddef>

#include "neon/metrics/filter_taps.h"

#include "neon/neon.h"

namespace sidecore::neon {
namespace {

using metrics::FloatFilter;
using metrics::FloatFilterRow;
using metrics::FloatTapRows;

template <std::size_t taps>
void filter_rows_of(const FloatTapRows& rows, int width, const FloatFilter& filter, float* to) {
  for (int x = 0; x < width; x += 4) {
    float32x4_t sum = vmulq_n_f32(vld1q_f32(rows[0] + x), filter.tap[0]);
    for (std::size_t t = 1; t < taps; ++t) {
      sum = vaddq_f32(sum, vmulq_n_f32(vld1q_f32(rows[t] + x), filter.tap[t]));
    }
    vst1q_f32(to + x, sum);
  }
}

/// Filters eight columns at once. Uses two sums, because each addition must wait for the previous
/// addition to the same sum.
template <std::size_t taps>
void filter_columns_of(const float* from, int width, const FloatFilter& filter, float* to) {
  for (int x = 0; x < width; x += 8) {
    const float* const at = from + x - taps / 2;
    float32x4_t low = vmulq_n_f32(vld1q_f32(at), filter.tap[0]);
    float32x4_t high = vmulq_n_f32(vld1q_f32(at + 4), filter.tap[0]);
    for (std::size_t t = 1; t < taps; ++t) {
      low = vaddq_f32(low, vmulq_n_f32(vld1q_f32(at + t), filter.tap[t]));
      high = vaddq_f32(high, vmulq_n_f32(vld1q_f32(at + t + 4), filter.tap[t]));
    }
    vst1q_f32(to + x, low);
    vst1q_f32(to + x + 4, high);
  }
}

template <std::size_t taps>
void filter_even_columns_of(const float* from, int width, const FloatFilter& filter, float* to) {
  for (int x = 0; x < width; x += 4) {
    const float* const at = from + std::ptrdiff_t{2} * x - taps / 2;
    float32x4_t sum = vmulq_n_f32(vld2q_f32(at).val[0], filter.tap[0]);
    for (std::size_t t = 1; t < taps; ++t) {
      sum = vaddq_f32(sum, vmulq_n_f32(vld2q_f32(at + t).val[0], filter.tap[t]));
    }
    vst1q_f32(to + x, sum);
  }
}

}  // namespace

void filter_float_rows(const FloatTapRows& rows, int width, const FloatFilter& filter,
                       FloatFilterRow& to) {
  with_taps(filter.taps, [&](auto taps) { filter_rows_of<taps>(rows, width, filter, to.data()); });
  to.mirror_ends(width, filter.taps);
}

void filter_float_columns(const FloatFilterRow& from, int width, int step,
                          const FloatFilter& filter, float* to) {
  with_taps(filter.taps, [&](auto taps) {
    if (step == 2) {
      filter_even_columns_of<taps>(from.data(), width, filter, to);
    } else {
      filter_columns_of<taps>(from.data(), width, filter, to);
    }
  });
}

}  // namespace sidecore::neon
