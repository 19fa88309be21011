#include "neon/ssim_strip.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "neon/neon.h"

namespace sidecore::neon {
namespace {

using metrics::kSsimWeights;
using metrics::kSsimWindow;

/// Weights are symmetric: this many differ.
constexpr std::size_t kHalf = kSsimWindow / 2 + 1;
constexpr std::size_t half_index(std::size_t tap) {
  return tap < kHalf ? tap : kSsimWindow - 1 - tap;
}

/// Samples that a strip's windows are made of, in whole vectors and in whole elevens.
constexpr std::size_t kRowSamples = 112;
static_assert(kRowSamples >= SsimStrip::kColumns + kSsimWindow - 1);
static_assert((SsimStrip::kColumns + kSsimWindow - 1) % kSsimWindow == 0);
/// One row of them.
using SampleRow = std::array<float, kRowSamples>;

/// For each sample 0..255 and weight: the sample's product and that of its square, rounded to binary32
/// as in the definition, in units of 2^-33. All such products are whole in it: the least, 0.001028,
/// has its last bit there. Their sums stay below 2^49, so that integers add them as exactly as
/// binary64 does.
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
    const uint32x4_t whole =
        vandq_u32(vreinterpretq_u32_f32(vaddq_f32(samples, vdupq_n_f32(0x1p23F))),
                  vdupq_n_u32(255));
    return vaddq_u32(vshlq_n_u32(whole, 6), vshlq_n_u32(whole, 5));
  }
  [[nodiscard]] const std::byte* first() const {
    return reinterpret_cast<const std::byte*>(entries_.data());
  }

  /// Sums in units, below 2^52, as numbers.
  static float64x2_t to_double(int64x2_t sums) {
    // As the mantissa of 2^52 and up.
    const float64x2_t biased = vreinterpretq_f64_s64(
        vorrq_s64(sums, vreinterpretq_s64_f64(vdupq_n_f64(0x1p52))));
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

/// Sums of the eleven windows that a sample belongs to, each at its first sample's number modulo 11.
template <class Sum>
using OpenSums = std::array<Sum, kSsimWindow>;

/// The window in which sample `Number`, modulo 11, has the weight `tap`.
template <std::size_t Number>
constexpr std::size_t slot_of(std::size_t tap) {
  return (Number + kSsimWindow - tap) % kSsimWindow;
}

float64x2_t add(float64x2_t a, float64x2_t b) {
  return vaddq_f64(a, b);
}
int64x2_t add(int64x2_t a, int64x2_t b) {
  return vaddq_s64(a, b);
}

/// Adds a sample's product with one weight to the two windows, or the one, in which it has that weight.
template <std::size_t Number, std::size_t Tap, class Sum>
void add_product(Sum product, OpenSums<Sum>& sums) {
  constexpr std::size_t kOther = kSsimWindow - 1 - Tap;
  // Tap 0: the window's first product.
  sums[slot_of<Number>(Tap)] = Tap == 0 ? product : add(sums[slot_of<Number>(Tap)], product);
  if constexpr (Tap != kOther) {
    sums[slot_of<Number>(kOther)] = add(sums[slot_of<Number>(kOther)], product);
  }
}

/// Adds a sample to all open windows and returns the sum of the one that it completes.
/// product(tap) is its product with a weight.
template <std::size_t Number, class Sum, class Product, std::size_t... Tap>
Sum add_sample(const Product& product, OpenSums<Sum>& sums, std::index_sequence<Tap...>) {
  (add_product<Number, Tap>(product(Tap), sums), ...);
  return sums[slot_of<Number>(kSsimWindow - 1)];
}

constexpr auto kAllTaps = std::make_index_sequence<kHalf>();
constexpr auto kElevenSamples = std::make_index_sequence<kSsimWindow>();

/// Adds eleven samples and stores the two sums that each completes, side by side.
template <std::size_t... Number>
void add_bytes(const std::byte* products, const std::uint32_t* offsets, OpenSums<int64x2_t>& sums,
               float* complete, std::index_sequence<Number...>) {
  const auto add_one = [&]<std::size_t Sample>(std::integral_constant<std::size_t, Sample>) {
    const std::byte* const entry = products + offsets[Sample];
    const auto product = [entry](std::size_t tap) {
      return vld1q_s64(reinterpret_cast<const std::int64_t*>(entry) + 2 * tap);
    };
    const int64x2_t sum = add_sample<Sample>(product, sums, kAllTaps);
    vst1_f32(complete + 2 * Sample, vcvt_f32_f64(ByteProducts::to_double(sum)));
  };
  (add_one(std::integral_constant<std::size_t, Number>()), ...);
}

/// Weighted sums of samples and of their squares, for whole samples 0..255.
void filter_bytes(const ByteProducts& products, const SampleRow& samples, int columns, float* sums,
                  float* square_sums) {
  alignas(16) std::array<std::uint32_t, kRowSamples> offsets;
  alignas(16) std::array<float, 2 * kRowSamples> complete;  // of windows by their last sample
  const auto count = static_cast<std::size_t>(columns) + kSsimWindow - 1;
  // All of them: elevens may end beyond `count`.
  for (std::size_t x = 0; x < kRowSamples; x += 4) {
    vst1q_u32(&offsets[x], ByteProducts::offsets(vld1q_f32(&samples[x])));
  }
  OpenSums<int64x2_t> open;
  open.fill(vdupq_n_s64(0));
  for (std::size_t x = 0; x < count; x += kSsimWindow) {
    add_bytes(products.first(), &offsets[x], open, &complete[2 * x], kElevenSamples);
  }
  const float* const first = &complete[2 * (kSsimWindow - 1)];
  for (int x = 0; x < columns; x += 4) {
    const float32x4x2_t pairs = vld2q_f32(first + 2 * x);
    vst1q_f32(sums + x, pairs.val[0]);
    vst1q_f32(square_sums + x, pairs.val[1]);
  }
}

/// Sums of four windows.
struct FourSums {
  float64x2_t low = vdupq_n_f64(0);
  float64x2_t high = vdupq_n_f64(0);

  void add(float32x4_t terms) {
    low = vaddq_f64(low, vcvt_f64_f32(vget_low_f32(terms)));
    high = vaddq_f64(high, vcvt_f64_f32(vget_high_f32(terms)));
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
    vst1q_f32(sums + x, vcombine_f32(vcvt_f32_f64(four.low), vcvt_f32_f64(four.high)));
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

using RowsOfMoment = std::array<std::array<float, SsimStrip::kColumns>, SsimStrip::kRows>;

/// Adds eleven rows of a pair of columns and stores the sums that each completes.
template <std::size_t... Number>
void add_rows(const RowsOfMoment& rows, std::size_t column, OpenSums<float64x2_t>& sums,
              RowsOfMoment& complete, std::index_sequence<Number...>) {
  const auto add_one = [&]<std::size_t Row>(std::integral_constant<std::size_t, Row>) {
    const float32x2_t sample = vld1_f32(&rows[Row][column]);
    const auto product = [sample](std::size_t tap) {
      return vcvt_f64_f32(vmul_n_f32(sample, kSsimWeights[tap]));
    };
    vst1_f32(&complete[Row][column], vcvt_f32_f64(add_sample<Row>(product, sums, kAllTaps)));
  };
  (add_one(std::integral_constant<std::size_t, Number>()), ...);
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
    OpenSums<float64x2_t> sums;
    for (std::size_t slot = 0; slot < sums.size(); ++slot) sums[slot] = vld1q_f64(open[slot].data());
    add_rows(rows_[moment], x, sums, moments_[moment], kElevenSamples);
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
