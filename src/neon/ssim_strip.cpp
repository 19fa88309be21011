#include "neon/ssim_strip.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "neon/neon.h"
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

/// Samples that a strip's windows are made of, and as many more as whole vectors need.
constexpr std::size_t kRowSamples = 108;
static_assert(kRowSamples >= SsimStrip::kColumns + kSsimWindow - 1);
/// One row of them.
using SampleRow = std::array<float, kRowSamples>;

/// For each sample 0..255 and weight: the sample's product and that of its square, rounded to
/// binary32 as in the definition, in units of 2^-33. All such products are whole in it: the least,
/// 0.001028, has its last bit there. Their sums stay below 2^49, so that integers add them as
/// exactly as binary64 does.
class ByteProducts {
 public:
  using Entry = std::array<std::array<std::int64_t, 2>, kHalf>;

  ByteProducts() {
    for (std::size_t v = 0; v < entries_.size(); ++v) {
      const auto sample = static_cast<float>(v);
      const float square = sample * sample;
      for (std::size_t k = 0; k < kHalf; ++k) {
        entries_[v][k] = {in_units(sample * kSsimWeights[k]), in_units(square * kSsimWeights[k])};
      }
    }
  }

  /// Entry of a sample: this many bytes from the first.
  static uint32x4_t offsets(float32x4_t samples) {
    static_assert(sizeof(Entry) == 96);
    // 2^23 more puts the whole number into the lowest bits.
    const uint32x4_t whole = vandq_u32(
        vreinterpretq_u32_f32(vaddq_f32(samples, vdupq_n_f32(0x1p23F))), vdupq_n_u32(255));
    return vaddq_u32(vshlq_n_u32(whole, 6), vshlq_n_u32(whole, 5));
  }
  [[nodiscard]] const std::byte* first() const {
    return reinterpret_cast<const std::byte*>(entries_.data());
  }

  /// Sums in units, below 2^52, as numbers.
  static float64x2_t to_double(int64x2_t sums) {
    // As the mantissa of 2^52 and up.
    const float64x2_t biased =
        vreinterpretq_f64_s64(vorrq_s64(sums, vreinterpretq_s64_f64(vdupq_n_f64(0x1p52))));
    return vmulq_f64(vsubq_f64(biased, vdupq_n_f64(0x1p52)), vdupq_n_f64(0x1p-33));
  }

 private:
  static std::int64_t in_units(float product) {
    return static_cast<std::int64_t>(static_cast<double>(product) * 0x1p33);
  }

  alignas(64) std::array<Entry, 256> entries_;
};

const ByteProducts& byte_products() {
  static const ByteProducts products;
  return products;
}

/// Sums of four neighbouring windows. Unrolled, as all loops over taps here; in the order of the
/// products' windows, so that each offset is read once for the windows that need it.
template <std::size_t... Tap>
std::array<int64x2_t, 4> four_byte_sums(const std::byte* products, const std::uint32_t* offsets,
                                        std::index_sequence<Tap...>) {
  std::array<int64x2_t, 4> sums;
  sums.fill(vdupq_n_s64(0));
  const auto add_to = [&](std::size_t window, std::size_t tap) {
    const auto* const entry =
        reinterpret_cast<const std::int64_t*>(products + offsets[window + tap]);
    sums[window] = vaddq_s64(sums[window], vld1q_s64(entry + 2 * half_index(tap)));
  };
  ((add_to(0, Tap), add_to(1, Tap), add_to(2, Tap), add_to(3, Tap)), ...);
  return sums;
}

/// Weighted sums of samples and of their squares, for whole samples 0..255.
void filter_bytes(const ByteProducts& products, const SampleRow& samples, int columns, float* sums,
                  float* square_sums) {
  alignas(16) std::array<std::uint32_t, kRowSamples> offsets;
  for (std::size_t x = 0; x < kRowSamples; x += 4) {
    vst1q_u32(&offsets[x], ByteProducts::offsets(vld1q_f32(&samples[x])));
  }
  constexpr auto kTaps = std::make_index_sequence<kSsimWindow>();
  for (int x = 0; x < columns; x += 4) {
    const auto four = four_byte_sums(products.first(), offsets.data() + x, kTaps);
    const auto pair = [&](std::size_t window) {
      return vcvt_f32_f64(ByteProducts::to_double(four[window]));
    };
    const float32x4_t first = vcombine_f32(pair(0), pair(1));
    const float32x4_t last = vcombine_f32(pair(2), pair(3));
    vst1q_f32(sums + x, vuzp1q_f32(first, last));
    vst1q_f32(square_sums + x, vuzp2q_f32(first, last));
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
void multiply(const SampleRow& a, const SampleRow& b, SampleRow& products) {
  for (std::size_t x = 0; x < a.size(); x += 4) {
    vst1q_f32(products.data() + x, vmulq_f32(vld1q_f32(a.data() + x), vld1q_f32(b.data() + x)));
  }
}

/// Copies a row's samples; those beyond are 0.
void load(const float* from, int count, SampleRow& to) {
  std::copy_n(from, count, to.begin());
  std::fill(to.begin() + count, to.end(), 0.0F);
}

/// Sums of the eleven windows that a row belongs to, each at its first row's number modulo 11.
using OpenSums = std::array<float64x2_t, kSsimWindow>;

/// The window in which row `Number`, modulo 11, has the weight `tap`.
template <std::size_t Number>
constexpr std::size_t slot_of(std::size_t tap) {
  return (Number + kSsimWindow - tap) % kSsimWindow;
}

/// Adds a row's product with one weight to the two windows, or the one, in which it has that
/// weight.
template <std::size_t Number, std::size_t Tap>
void add_product(float64x2_t product, OpenSums& sums) {
  constexpr std::size_t kOther = kSsimWindow - 1 - Tap;
  // Tap 0: the window's first product.
  sums[slot_of<Number>(Tap)] = Tap == 0 ? product : vaddq_f64(sums[slot_of<Number>(Tap)], product);
  if constexpr (Tap != kOther) {
    sums[slot_of<Number>(kOther)] = vaddq_f64(sums[slot_of<Number>(kOther)], product);
  }
}

/// Adds a row's samples to all open windows and returns the sums that they complete.
template <std::size_t Number, std::size_t... Tap>
float32x2_t add_row(float32x2_t sample, OpenSums& sums, std::index_sequence<Tap...>) {
  (add_product<Number, Tap>(vcvt_f64_f32(vmul_n_f32(sample, kSsimWeights[Tap])), sums), ...);
  return vcvt_f32_f64(sums[slot_of<Number>(kSsimWindow - 1)]);
}

using RowsOfMoment = std::array<std::array<float, SsimStrip::kColumns>, SsimStrip::kRows>;

/// Adds eleven rows of a pair of columns and stores the sums that each completes.
template <std::size_t... Number>
void add_rows(const RowsOfMoment& rows, std::size_t column, OpenSums& sums, RowsOfMoment& complete,
              std::index_sequence<Number...>) {
  constexpr auto kTaps = std::make_index_sequence<kHalf>();
  (vst1_f32(&complete[Number][column],
            add_row<Number>(vld1_f32(&rows[Number][column]), sums, kTaps)),
   ...);
}

}  // namespace

void SsimStrip::filter_row(const float* a, const float* b, metrics::SampleKind kind, int columns,
                           int row) {
  const int count = columns + kSsimWindow - 1;
  const auto r = static_cast<std::size_t>(row);
  SampleRow samples_a;
  SampleRow samples_b;
  SampleRow products;
  load(a, count, samples_a);
  load(b, count, samples_b);
  if (kind == metrics::SampleKind::bytes) {
    const ByteProducts& table = byte_products();
    filter_bytes(table, samples_a, columns, rows_[0][r].data(), rows_[2][r].data());
    filter_bytes(table, samples_b, columns, rows_[1][r].data(), rows_[3][r].data());
  } else {
    filter_floats(samples_a.data(), columns, rows_[0][r].data());
    filter_floats(samples_b.data(), columns, rows_[1][r].data());
    multiply(samples_a, samples_a, products);
    filter_floats(products.data(), columns, rows_[2][r].data());
    multiply(samples_b, samples_b, products);
    filter_floats(products.data(), columns, rows_[3][r].data());
  }
  multiply(samples_a, samples_b, products);
  filter_floats(products.data(), columns, rows_[4][r].data());
}

void SsimStrip::filter_columns(std::size_t moment, int columns) {
  for (std::size_t x = 0; x < static_cast<std::size_t>(columns); x += 2) {
    auto& open = open_[moment][x / 2];
    OpenSums sums;
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
  for (int r = 0; r < kRows; ++r) {
    if (first + r < a.height) {
      filter_row(a.row(first + r) + left, b.row(first + r) + left, kind, columns, r);
    } else {
      for (auto& moment : rows_) moment[static_cast<std::size_t>(r)] = {};
    }
  }
  for (std::size_t moment = 0; moment < moments_.size(); ++moment) filter_columns(moment, columns);
}

}  // namespace sidecore::neon
