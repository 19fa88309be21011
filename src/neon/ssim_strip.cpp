#include "neon/ssim_strip.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "neon/lane_pairs.h"
#include "neon/neon.h"
#include "neon/settled.h"
#include "neon/widen.h"

namespace sidecore::neon {
namespace {

using metrics::kSsimWeights;
using metrics::kSsimWindow;

/// Weights are symmetric: this many differ.
constexpr std::size_t kHalf = kSsimWindow / 2 + 1;

/// Samples that a strip's windows are made of, in whole vectors and in elevens.
constexpr std::size_t kRowSamples = 112;
static_assert(SsimStrip::kColumns % 4 == 0 && kRowSamples % 4 == 0);
static_assert(kRowSamples >= SsimStrip::kColumns + kSsimWindow - 1);
static_assert(kRowSamples / kSsimWindow * kSsimWindow >= SsimStrip::kColumns + kSsimWindow - 1);
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
      for (std::int64_t& product : entries_[v][kHalf - 1]) {
        product += std::bit_cast<std::int64_t>(kBias);
      }
    }
  }

  /// Entry of a sample: this many bytes from the first.
  static uint32x4_t offsets(float32x4_t samples) {
    // 2^23 more puts the whole number into the lowest bits.
    const float32x4_t offset = vmulq_n_f32(samples, sizeof(Entry));
    return vandq_u32(vreinterpretq_u32_f32(vaddq_f32(offset, vdupq_n_f32(0x1p23F))),
                     vdupq_n_u32(kOffsetBits));
  }
  [[nodiscard]] const std::byte* first() const {
    return reinterpret_cast<const std::byte*>(entries_.data());
  }

  /// A window's complete sums as numbers.
  static float64x2_t to_double(int64x2_t sums) {
    return vsubq_f64(vreinterpretq_f64_s64(sums), vdupq_n_f64(kBias));
  }

 private:
  /// The last bit of this number is 2^-33: units added to its bits make those of the number that is
  /// as much larger.
  static constexpr double kBias = 0x1p19;

  static std::int64_t in_units(float product) {
    return static_cast<std::int64_t>(static_cast<double>(product) * 0x1p33);
  }

  /// That samples' offsets can have, all of them multiples of 32.
  static constexpr std::uint32_t kOffsetBits =
      std::bit_ceil(255U * std::uint32_t{sizeof(Entry)}) - 32;
  static_assert(sizeof(Entry) % 32 == 0);

  // As many as these bits can ask for, the last of them for nothing that is a sample.
  alignas(64) std::array<Entry, kOffsetBits / sizeof(Entry) + 2> entries_;
};

const ByteProducts& byte_products() {
  static const ByteProducts products;
  return products;
}

/// Adds a sample's products to all open windows and returns the sums that they complete.
template <std::size_t Number, std::size_t... Tap>
[[gnu::always_inline]] inline int64x2_t add_byte(const std::byte* entry, OpenSums<int64x2_t>& sums,
                                                 std::index_sequence<Tap...>) {
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

/// Weighted sums of samples of such signs.
template <Signs Of, std::size_t... Tap>
[[gnu::always_inline]] inline float32x4_t four_sums(const float* samples,
                                                    std::index_sequence<Tap...>) {
  float64x2_t first = vdupq_n_f64(0);
  float64x2_t last = vdupq_n_f64(0);
  const auto add = [&](std::size_t tap) {
    const float32x4_t products = vmulq_n_f32(vld1q_f32(samples + tap), kSsimWeights[tap]);
    first = settled(vaddq_f64(first, first_pair<Of>(products)));
    last = settled(vaddq_f64(last, last_pair<Of>(products)));
  };
  (add(Tap), ...);
  return join_pairs(round_pair(first), round_pair(last));
}

template <Signs Of>
void filter_floats(const float* samples, std::size_t columns, float* sums) {
  for (std::size_t x = 0; x < columns; x += 4) {
    vst1q_f32(sums + x, four_sums<Of>(samples + x, std::make_index_sequence<kSsimWindow>()));
  }
}

/// Whether one of a strip's samples has a sign.
bool has_sign(const float* samples) {
  uint32x4_t bits = vdupq_n_u32(0);
  for (std::size_t x = 0; x < kRowSamples; x += 4) {
    bits = vorrq_u32(bits, vreinterpretq_u32_f32(vld1q_f32(samples + x)));
  }
  return vmaxvq_u32(bits) >> 31 != 0;
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

/// The weights, on ARM in lanes of two registers: as six constants they would leave too few for the
/// sums of two pairs.
class Weights {
 public:
  template <std::size_t Tap>
  [[nodiscard]] float32x4_t products(float32x4_t samples) const {
#if defined(__aarch64__)
    return vmulq_laneq_f32(samples, lanes_[Tap / 4], Tap % 4);
#else
    return vmulq_n_f32(samples, kSsimWeights[Tap]);
#endif
  }

#if defined(__aarch64__)
 private:
  std::array<float32x4_t, 2> lanes_{not_constant(vld1q_f32(&kSsimWeights[0])),
                                    not_constant(vld1q_f32(&kSsimWeights[4]))};
#endif
};

/// Two of a row's four products in binary64: which, says `Pair`.
using Pair = float64x2_t (*)(float32x4_t products);

/// Adds a pair of a row's four samples to all open windows and returns the sums that they complete.
template <Pair pair, std::size_t Number, std::size_t... Tap>
[[gnu::always_inline]] inline float64x2_t add_row(const Weights& weights, float32x4_t samples,
                                                  OpenSums<float64x2_t>& sums,
                                                  std::index_sequence<Tap...>) {
  const float64x2_t outermost = settled(pair(weights.products<0>(samples)));
  const float64x2_t complete = vaddq_f64(sums[slot_of<Number>(kSsimWindow - 1)], outermost);
  sums[slot_of<Number>(0)] = outermost;
  const auto add = [&](std::size_t tap, float32x4_t products) {
    const float64x2_t both = settled(pair(products));
    float64x2_t& above = sums[slot_of<Number>(tap)];
    float64x2_t& below = sums[slot_of<Number>(kSsimWindow - 1 - tap)];
    above = settled(vaddq_f64(above, both));
    if (tap + 1 < kHalf) below = settled(vaddq_f64(below, both));
  };
  (add(Tap + 1, weights.products<Tap + 1>(samples)), ...);
  return complete;
}

using RowsOfMoment = std::array<std::array<float, SsimStrip::kColumns>, SsimStrip::kRows>;

/// Adds eleven rows of four columns and stores the sums that each completes. A function of its own:
/// its registers are all taken.
template <Signs Of, std::size_t... Number>
[[gnu::noinline]] void add_rows(const RowsOfMoment& rows, std::size_t column,
                                SsimStrip::OpenPair& first_open, SsimStrip::OpenPair& last_open,
                                RowsOfMoment& complete, std::index_sequence<Number...>) {
  constexpr auto kInner = std::make_index_sequence<kHalf - 1>();
  const Weights weights;
  OpenSums<float64x2_t> first{vld1q_f64(first_open[Number].data())...};
  OpenSums<float64x2_t> last{vld1q_f64(last_open[Number].data())...};
  const auto samples = [&](std::size_t row) { return vld1q_f32(&rows[row][column]); };
  const auto store = [&](std::size_t row, auto first_sums, auto last_sums) {
    vst1q_f32(&complete[row][column], join_pairs(first_sums, last_sums));
  };
  if constexpr (kRegistersForBothPairs) {
    (store(Number,
           round_pair(add_row<first_pair<Of>, Number>(weights, samples(Number), first, kInner)),
           round_pair(add_row<last_pair<Of>, Number>(weights, samples(Number), last, kInner))),
     ...);
  } else {
    const std::array first_sums{settled(
        round_pair(add_row<first_pair<Of>, Number>(weights, samples(Number), first, kInner)))...};
    (store(Number, first_sums[Number],
           round_pair(add_row<first_pair<Of>, Number>(weights, last_to_first(samples(Number)), last,
                                                      kInner))),
     ...);
  }
  (vst1q_f64(first_open[Number].data(), first[Number]), ...);
  (vst1q_f64(last_open[Number].data(), last[Number]), ...);
}

}  // namespace

template <Signs Of>
void SsimStrip::filter_row(const float* a, const float* b, std::size_t columns, std::size_t row) {
  const auto filter = [&](const float* samples, std::size_t moment) {
    filter_floats<Of>(samples, columns, rows_[moment][row].data());
  };
  SampleRow products;
  filter(a, 0);
  filter(b, 1);
  multiply(a, a, products);
  filter(products.data(), 2);
  multiply(b, b, products);
  filter(products.data(), 3);
  multiply(a, b, products);
  filter(products.data(), 4);
}

void SsimStrip::filter_byte_row(const float* a, const float* b, std::size_t columns,
                                std::size_t row) {
  const ByteProducts& table = byte_products();
  filter_bytes(table, a, columns, rows_[0][row].data(), rows_[2][row].data());
  filter_bytes(table, b, columns, rows_[1][row].data(), rows_[3][row].data());
  SampleRow products;
  multiply(a, b, products);
  filter_floats<Signs::none>(products.data(), columns, rows_[4][row].data());
}

template <Signs Of>
void SsimStrip::filter_columns(std::size_t columns) {
  for (std::size_t moment = 0; moment < moments_.size(); ++moment) {
    for (std::size_t x = 0; x < columns; x += 4) {
      add_rows<Of>(rows_[moment], x, open_[moment][x / 2], open_[moment][x / 2 + 1],
                   moments_[moment], std::make_index_sequence<kSsimWindow>());
    }
  }
}

void SsimStrip::advance(metrics::ConstFloatView a, metrics::ConstFloatView b,
                        metrics::SampleKind kind, int left, int columns, int first) {
  if (first == 0) {
    for (auto& sums : open_) sums = {};
  }
  constexpr int kAhead = 2;
  const auto count = static_cast<std::size_t>(columns);
  SampleRow copy_a;
  SampleRow copy_b;
  bool any_sign = false;
  for (std::size_t r = 0; r < kRows; ++r) {
    const int y = first + static_cast<int>(r);
    if (y + kAhead < a.height) {
      prefetch(a.row(y + kAhead), left, a.width);
      prefetch(b.row(y + kAhead), left, b.width);
    }
    if (y >= a.height) {
      for (auto& moment : rows_) moment[r] = {};
      continue;
    }
    const float* const row_a = row_samples(a.row(y), left, a.width, copy_a);
    const float* const row_b = row_samples(b.row(y), left, b.width, copy_b);
    if (kind == metrics::SampleKind::bytes) {
      filter_byte_row(row_a, row_b, count, r);
    } else if (kSignsMatter && (has_sign(row_a) || has_sign(row_b))) {
      any_sign = true;
      filter_row<Signs::any>(row_a, row_b, count, r);
    } else {
      filter_row<Signs::none>(row_a, row_b, count, r);
    }
  }
  if (any_sign) {
    filter_columns<Signs::any>(count);
  } else {
    filter_columns<Signs::none>(count);
  }
}

}  // namespace sidecore::neon
