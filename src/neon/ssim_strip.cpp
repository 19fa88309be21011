#include "neon/ssim_strip.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "neon/neon.h"
#include "neon/settled.h"
#include "neon/widen.h"

namespace sidecore::neon {
namespace {

using metrics::kSsimWeights;
using metrics::kSsimWindow;

/// Weights are symmetric: this many differ.
constexpr std::size_t kHalf = kSsimWindow / 2 + 1;
constexpr std::size_t half_index(std::size_t tap) {
  return tap < kHalf ? tap : kSsimWindow - 1 - tap;
}

/// Samples that a strip's windows are made of, and as many more as whole vectors and elevens need.
constexpr std::size_t kRowSamples = 112;
static_assert(kRowSamples >= SsimStrip::kColumns + kSsimWindow - 1 + 3);
static_assert(kRowSamples >=
              (SsimStrip::kColumns + 2 * kSsimWindow - 2) / kSsimWindow * kSsimWindow);
/// One row of them.
using SampleRow = std::array<float, kRowSamples>;

/// Sums of the eleven windows that a row or a column of samples belongs to, each at the number,
/// modulo 11, of its own first row or column.
template <class Sum>
using OpenSums = std::array<Sum, kSsimWindow>;

/// The window in which row or column `Number`, modulo 11, has the weight `tap`.
template <std::size_t Number>
constexpr std::size_t slot_of(std::size_t tap) {
  return (Number + kSsimWindow - tap) % kSsimWindow;
}

/// For each sample 0..255 and weight: the sample's product and that of its square, rounded to
/// binary32 as in the definition, in units of 2^-33. All such products are whole in it: the least,
/// 0.001028, has its last bit there. Their sums stay below 2^49, so that integers add them as
/// exactly as binary64 does.
class ByteProducts {
 public:
  using Products = std::array<std::int64_t, 2>;
  using Entry = std::array<Products, kHalf>;

  ByteProducts() {
    for (std::size_t v = 0; v < entries_.size(); ++v) {
      const auto sample = static_cast<float>(v);
      const float square = sample * sample;
      for (std::size_t k = 0; k < kHalf; ++k) {
        entries_[v][k] = {in_units(sample * kSsimWeights[k]), in_units(square * kSsimWeights[k])};
      }
      // A window has one sample of this weight: its sums are biased once.
      for (std::int64_t& product : entries_[v][kHalf - 1])
        product += std::bit_cast<std::int64_t>(kBias);
    }
  }

  /// Entry of a sample: this many bytes from the first.
  static uint32x4_t offsets(float32x4_t samples) {
    static_assert(sizeof(Entry) * 255 < 1U << 16);
    // 2^23 more puts the whole number into the lowest bits.
    const uint32x4_t whole = vandq_u32(
        vreinterpretq_u32_f32(vaddq_f32(samples, vdupq_n_f32(0x1p23F))), vdupq_n_u32(255));
    return vreinterpretq_u32_u16(
        vmulq_u16(vreinterpretq_u16_u32(whole), vdupq_n_u16(sizeof(Entry))));
  }
  [[nodiscard]] const std::byte* first() const {
    return reinterpret_cast<const std::byte*>(entries_.data());
  }

  /// A window's complete sums as numbers.
  static float64x2_t to_double(int64x2_t sums) {
    return vsubq_f64(vreinterpretq_f64_s64(sums), vdupq_n_f64(kBias));
  }

 private:
  /// As an integer, the pattern of this number makes one of units in its mantissa that many times
  /// 2^-33 more.
  static constexpr double kBias = 0x1p19;

  static std::int64_t in_units(float product) {
    return static_cast<std::int64_t>(static_cast<double>(product) * 0x1p33);
  }

  alignas(64) std::array<Entry, 256> entries_;
};

const ByteProducts& byte_products() {
  static const ByteProducts products;
  return products;
}

/// Adds a sample's products to all open windows and returns the sums that they complete.
template <std::size_t Number, std::size_t... Tap>
int64x2_t add_byte(const std::byte* entry, OpenSums<int64x2_t>& sums, std::index_sequence<Tap...>) {
  const auto products = [&](std::size_t tap) {
    return vld1q_s64(reinterpret_cast<const std::int64_t*>(
        std::assume_aligned<16>(entry + tap * sizeof(ByteProducts::Products))));
  };
  const int64x2_t outermost = settled(products(0));
  const int64x2_t complete = vaddq_s64(sums[slot_of<Number>(kSsimWindow - 1)], outermost);
  sums[slot_of<Number>(0)] = outermost;
  const auto add = [&](std::size_t tap) {
    const int64x2_t both = settled(products(tap));
    int64x2_t& above = sums[slot_of<Number>(tap)];
    int64x2_t& below = sums[slot_of<Number>(kSsimWindow - 1 - tap)];
    above = settled(vaddq_s64(above, both));
    if (tap + 1 < kHalf) below = settled(vaddq_s64(below, both));
  };
  (add(Tap + 1), ...);
  return complete;
}

/// Adds eleven samples, the first of which is a multiple of 11, and writes both sums that each
/// completes.
template <std::size_t... Number>
void add_bytes(const std::byte* products, const std::uint32_t* offsets, OpenSums<int64x2_t>& sums,
               float* complete, std::index_sequence<Number...>) {
  constexpr auto kInner = std::make_index_sequence<kHalf - 1>();
  (vst1_f32(complete + 2 * Number, vcvt_f32_f64(ByteProducts::to_double(add_byte<Number>(
                                       products + offsets[Number], sums, kInner)))),
   ...);
}

/// Weighted sums of samples and of their squares, for whole samples 0..255.
void filter_bytes(const ByteProducts& products, const float* samples, std::size_t columns,
                  float* sums, float* square_sums) {
  alignas(16) std::array<std::uint32_t, kRowSamples> offsets;
  for (std::size_t x = 0; x < kRowSamples; x += 4) {
    vst1q_u32(&offsets[x], ByteProducts::offsets(vld1q_f32(samples + x)));
  }
  // At a window's last sample: its sum, and that of squares.
  alignas(16) std::array<float, 2 * kRowSamples> pairs;
  const int64x2_t zero = vdupq_n_s64(0);
  OpenSums<int64x2_t> open{zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero};
  for (std::size_t x = 0; x < columns + kSsimWindow - 1; x += kSsimWindow) {
    add_bytes(products.first(), &offsets[x], open, &pairs[2 * x],
              std::make_index_sequence<kSsimWindow>());
  }
  for (std::size_t x = 0; x < columns; x += 4) {
    const float* const four = &pairs[2 * (x + kSsimWindow - 1)];
    const float32x4x2_t split = vld2q_f32(four);
    vst1q_f32(sums + x, split.val[0]);
    vst1q_f32(square_sums + x, split.val[1]);
  }
}

/// Sums of four windows.
struct FourSums {
  float64x2_t low = vdupq_n_f64(0);
  float64x2_t high = vdupq_n_f64(0);

  void add(float32x4_t terms) {
    low = vaddq_f64(low, widen_low(terms));
    high = vaddq_f64(high, widen_high(terms));
  }
};

template <std::size_t... Tap>
FourSums four_sums(const float* samples, std::index_sequence<Tap...>) {
  FourSums sums;
  (sums.add(vmulq_n_f32(vld1q_f32(samples + Tap), kSsimWeights[Tap])), ...);
  return sums;
}

/// Weighted sums of any samples.
void filter_floats(const float* samples, int columns, float* sums) {
  for (int x = 0; x < columns; x += 4) {
    const FourSums four = four_sums(samples + x, std::make_index_sequence<kSsimWindow>());
    vst1q_f32(sums + x, narrow(four.low, four.high));
  }
}

/// products[x] = a[x] * b[x] over a strip's samples.
void multiply(const float* a, const float* b, SampleRow& products) {
  for (std::size_t x = 0; x < products.size(); x += 4) {
    vst1q_f32(products.data() + x, vmulq_f32(vld1q_f32(a + x), vld1q_f32(b + x)));
  }
}

/// kRowSamples samples of a row from column `left` on, 0 beyond its end: where they are, or copied.
const float* row_samples(const float* row, int left, int width, SampleRow& copy) {
  const int count = width - left;
  if (count >= static_cast<int>(kRowSamples)) return row + left;
  std::copy_n(row + left, count, copy.begin());
  std::fill(copy.begin() + count, copy.end(), 0.0F);
  return copy.data();
}

/// Asks for the samples of a row that row_samples() will give. A strip's rows lie in memory pages
/// of their own, where no processor looks ahead by itself.
void prefetch(const float* row, int left, int width) {
  constexpr int kCacheLine = 16;
  const int end = std::min(width, left + static_cast<int>(kRowSamples));
  for (int x = left; x < end; x += kCacheLine) __builtin_prefetch(row + x);
}

/// Adds a row's product with one weight to the two windows, or the one, in which it has that
/// weight.
template <std::size_t Number, std::size_t Tap>
void add_product(float64x2_t product, OpenSums<float64x2_t>& sums) {
  constexpr std::size_t kOther = kSsimWindow - 1 - Tap;
  // Tap 0: the window's first product.
  sums[slot_of<Number>(Tap)] = Tap == 0 ? product : vaddq_f64(sums[slot_of<Number>(Tap)], product);
  if constexpr (Tap != kOther) {
    sums[slot_of<Number>(kOther)] = vaddq_f64(sums[slot_of<Number>(kOther)], product);
  }
}

/// Adds a row's samples to all open windows and returns the sums that they complete.
template <std::size_t Number, std::size_t... Tap>
float32x2_t add_row(float32x2_t sample, OpenSums<float64x2_t>& sums, std::index_sequence<Tap...>) {
  (add_product<Number, Tap>(vcvt_f64_f32(vmul_n_f32(sample, kSsimWeights[Tap])), sums), ...);
  return vcvt_f32_f64(sums[slot_of<Number>(kSsimWindow - 1)]);
}

using RowsOfMoment = std::array<std::array<float, SsimStrip::kColumns>, SsimStrip::kRows>;

/// Adds eleven rows of a pair of columns and stores the sums that each completes.
template <std::size_t... Number>
void add_rows(const RowsOfMoment& rows, std::size_t column, OpenSums<float64x2_t>& sums,
              RowsOfMoment& complete, std::index_sequence<Number...>) {
  constexpr auto kTaps = std::make_index_sequence<kHalf>();
  (vst1_f32(&complete[Number][column],
            add_row<Number>(vld1_f32(&rows[Number][column]), sums, kTaps)),
   ...);
}

}  // namespace

void SsimStrip::filter_row(const float* a, const float* b, metrics::SampleKind kind, int columns,
                           int row) {
  const auto count = static_cast<std::size_t>(columns);
  const auto to = [&](std::size_t moment) {
    return rows_[moment][static_cast<std::size_t>(row)].data();
  };
  SampleRow products;
  if (kind == metrics::SampleKind::bytes) {
    const ByteProducts& table = byte_products();
    filter_bytes(table, a, count, to(0), to(2));
    filter_bytes(table, b, count, to(1), to(3));
  } else {
    filter_floats(a, columns, to(0));
    filter_floats(b, columns, to(1));
    multiply(a, a, products);
    filter_floats(products.data(), columns, to(2));
    multiply(b, b, products);
    filter_floats(products.data(), columns, to(3));
  }
  multiply(a, b, products);
  filter_floats(products.data(), columns, to(4));
}

void SsimStrip::filter_columns(std::size_t moment, int columns) {
  for (std::size_t x = 0; x < static_cast<std::size_t>(columns); x += 2) {
    auto& open = open_[moment][x / 2];
    OpenSums<float64x2_t> sums;
    for (std::size_t slot = 0; slot < sums.size(); ++slot)
      sums[slot] = vld1q_f64(open[slot].data());
    add_rows(rows_[moment], x, sums, moments_[moment], std::make_index_sequence<kSsimWindow>());
    for (std::size_t slot = 0; slot < sums.size(); ++slot) vst1q_f64(open[slot].data(), sums[slot]);
  }
}

void SsimStrip::advance(metrics::ConstFloatView a, metrics::ConstFloatView b,
                        metrics::SampleKind kind, int left, int columns, int first) {
  if (first == 0) {
    for (auto& sums : open_) sums = {};
  }
  constexpr int kAhead = 2;
  SampleRow copy_a;
  SampleRow copy_b;
  for (int r = 0; r < kRows; ++r) {
    const int y = first + r;
    if (y + kAhead < a.height) {
      prefetch(a.row(y + kAhead), left, a.width);
      prefetch(b.row(y + kAhead), left, b.width);
    }
    if (y < a.height) {
      filter_row(row_samples(a.row(y), left, a.width, copy_a),
                 row_samples(b.row(y), left, b.width, copy_b), kind, columns, r);
    } else {
      for (auto& moment : rows_) moment[static_cast<std::size_t>(r)] = {};
    }
  }
  for (std::size_t moment = 0; moment < moments_.size(); ++moment) filter_columns(moment, columns);
}

}  // namespace sidecore::neon
