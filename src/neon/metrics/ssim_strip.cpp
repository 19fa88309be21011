#include "neon/metrics/ssim_strip.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "neon/metrics/ssim_taps.h"
#include "neon/neon.h"

namespace sidecore::neon {
namespace {

using metrics::kSsimWindow;

/// Samples of a row, or products of two rows' samples.
template <class Sample>
using SampleRow = std::array<Sample, kSsimStripSamples>;

void multiply(const float* a, const float* b, SampleRow<float>& products) {
  for (std::size_t x = 0; x < products.size(); x += 4) {
    vst1q_f32(&products[x], vmulq_f32(vld1q_f32(a + x), vld1q_f32(b + x)));
  }
}

void multiply(const std::uint8_t* a, const std::uint8_t* b, SampleRow<float>& products) {
  for (std::size_t x = 0; x < products.size(); x += 8) {
    const uint16x8_t eight = vmull_u8(vld1_u8(a + x), vld1_u8(b + x));
    vst1q_f32(&products[x], vcvtq_f32_u32(vmovl_u16(vget_low_u16(eight))));
    vst1q_f32(&products[x + 4], vcvtq_f32_u32(vmovl_high_u16(eight)));
  }
}

/// Returns kSsimStripSamples samples of a row from column `left` on, with 0 after its end. Copies
/// them to `copy` only if the row ends earlier.
template <class Sample>
const Sample* row_samples(const Sample* row, int left, int width, SampleRow<Sample>& copy) {
  const int count = width - left;
  if (count >= static_cast<int>(kSsimStripSamples)) return row + left;
  std::copy_n(row + left, count, copy.begin());
  std::fill(copy.begin() + count, copy.end(), Sample{0});
  return copy.data();
}

/// Prefetches the samples of a row that row_samples() will return. Each row of a strip lies in
/// other memory pages, where the processor does not prefetch by itself.
template <class Sample>
void prefetch(const Sample* row, int left, int width) {
  constexpr int kCacheLine = 64 / sizeof(Sample);
  const int end = std::min(width, left + static_cast<int>(kSsimStripSamples));
  for (int x = left; x < end; x += kCacheLine) __builtin_prefetch(row + x);
  __builtin_prefetch(row + end - 1);
}

/// Adds a pair of a row's products to all incomplete windows and returns the sums that are then
/// complete. `wide` converts the pair to binary64.
template <std::size_t Number, class Wide, std::size_t... Inner>
[[gnu::always_inline]] inline float64x2_t add_row(const SsimWeights& weights, float32x4_t samples,
                                                  IncompleteSums<float64x2_t>& incomplete,
                                                  const Wide& wide, std::index_sequence<Inner...>) {
  const float64x2_t complete =
      complete_sums<Number>(wide(weights.products<0>(samples)), incomplete);
  (add_product<Number, Inner + 1>(wide(weights.products<Inner + 1>(samples)), incomplete), ...);
  return complete;
}

using FourColumns = std::array<std::array<float, 4>, SsimStrip::kRows>;

/// Adds eleven rows of four columns and stores the sums that are complete after each row. It is not
/// inlined, because it occupies all registers.
template <std::size_t... Number>
[[gnu::noinline]] void add_rows(const SsimStrip::Rows& rows, std::size_t column,
                                SsimStrip::IncompletePair& first_incomplete,
                                SsimStrip::IncompletePair& last_incomplete, FourColumns& complete,
                                std::index_sequence<Number...>) {
  constexpr auto kInner = std::make_index_sequence<kSsimDistinctWeights - 1>();
  const SsimWeights weights;
  IncompleteSums<float64x2_t> first{vld1q_f64(first_incomplete[Number].data())...};
  IncompleteSums<float64x2_t> last{vld1q_f64(last_incomplete[Number].data())...};
  const auto samples = [&](std::size_t row) { return vld1q_f32(rows[row].at(column)); };
  const auto store = [&](std::size_t row, float64x2_t first_sums, float64x2_t last_sums) {
    vst1q_f32(complete[row].data(), rounded(first_sums, last_sums));
  };
  (store(Number, add_row<Number>(weights, samples(Number), first, first_pair, kInner),
         add_row<Number>(weights, samples(Number), last, last_pair, kInner)),
   ...);
  (vst1q_f64(first_incomplete[Number].data(), first[Number]), ...);
  (vst1q_f64(last_incomplete[Number].data(), last[Number]), ...);
}

}  // namespace

void SsimStrip::filter(const std::uint8_t* a, const std::uint8_t* b, std::size_t columns,
                       std::size_t row) {
  filter_row(a, columns, rows_[0][row], rows_[2][row]);
  filter_row(b, columns, rows_[1][row], rows_[3][row]);
  alignas(16) SampleRow<float> products;
  multiply(a, b, products);
  filter_row(products.data(), columns, rows_[4][row]);
}

void SsimStrip::filter(const float* a, const float* b, std::size_t columns, std::size_t row) {
  alignas(16) SampleRow<float> products;
  filter_row(a, columns, rows_[0][row]);
  filter_row(b, columns, rows_[1][row]);
  multiply(a, a, products);
  filter_row(products.data(), columns, rows_[2][row]);
  multiply(b, b, products);
  filter_row(products.data(), columns, rows_[3][row]);
  multiply(a, b, products);
  filter_row(products.data(), columns, rows_[4][row]);
}

template <class Sample>
void SsimStrip::advance(video::PlaneView<const Sample> a, video::PlaneView<const Sample> b,
                        int left, int columns, int first) {
  assert(first == 0 || next_column_ >= columns_);
  if (first == 0) incomplete_ = {};
  columns_ = static_cast<std::size_t>(columns);
  next_column_ = 0;
  constexpr int kRowsAhead = 2;
  SampleRow<Sample> copy_a;
  SampleRow<Sample> copy_b;
  for (std::size_t r = 0; r < kRows; ++r) {
    const int y = first + static_cast<int>(r);
    if (y + kRowsAhead < a.height) {
      prefetch(a.row(y + kRowsAhead), left, a.width);
      prefetch(b.row(y + kRowsAhead), left, b.width);
    }
    if (y >= a.height) {
      for (auto& moment : rows_) moment[r] = {};
      continue;
    }
    filter(row_samples(a.row(y), left, a.width, copy_a),
           row_samples(b.row(y), left, b.width, copy_b), columns_, r);
  }
}

const SsimStrip::Moments& SsimStrip::next_four() {
  assert(next_column_ < columns_);
  constexpr std::make_index_sequence<kSsimWindow> kEleven;
  for (std::size_t moment = 0; moment < moments_.size(); ++moment) {
    auto& [first, last] = incomplete_[next_column_ / 4][moment];
    add_rows(rows_[moment], next_column_, first, last, moments_[moment], kEleven);
  }
  next_column_ += 4;
  return moments_;
}

template void SsimStrip::advance(video::PlaneView<const std::uint8_t>,
                                 video::PlaneView<const std::uint8_t>, int, int, int);
template void SsimStrip::advance(video::PlaneView<const float>, video::PlaneView<const float>, int,
                                 int, int);

}  // namespace sidecore::neon
