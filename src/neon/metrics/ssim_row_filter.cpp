#include "neon/metrics/ssim_row_filter.h"

#include <bit>
#include <cstring>
#include <memory>
#include <utility>

#include "neon/metrics/ssim_taps.h"
#include "neon/neon.h"

namespace sidecore::neon {
namespace {

using metrics::kSsimWeights;
using metrics::kSsimWindow;

/// Products of each sample 0..255, and of its square, with each weight, rounded to binary32 as in
/// the scalar definition, in units of 2^-33. All these products are whole units: the last bit of
/// the smallest weight, 0.001028, is one unit. Their sums stay below 2^49, so adding integers is as
/// exact as adding binary64 numbers.
class ByteProducts {
 public:
  using Products = std::array<std::int64_t, 2>;
  using Entry = std::array<Products, kSsimDistinctWeights>;

  ByteProducts() {
    for (std::size_t v = 0; v < entries_.size(); ++v) {
      const auto sample = static_cast<float>(v);
      const float square = sample * sample;
      for (std::size_t k = 0; k < kSsimDistinctWeights; ++k) {
        entries_[v][k] = {in_units(sample * kSsimWeights[k]), in_units(square * kSsimWeights[k])};
      }
      // Each window has exactly one sample with this weight, so its sums get the bias once.
      for (std::int64_t& product : entries_[v][kSsimDistinctWeights - 1]) {
        product += std::bit_cast<std::int64_t>(kBias);
      }
    }
  }

  /// Returns the entry at `offset` bytes from the first entry.
  [[nodiscard]] const std::byte* entry(std::uint32_t offset) const {
    return reinterpret_cast<const std::byte*>(entries_.data()) + offset;
  }
  static int64x2_t products(const std::byte* entry, std::size_t tap) {
    return vld1q_s64(reinterpret_cast<const std::int64_t*>(
        std::assume_aligned<16>(entry + tap * sizeof(Products))));
  }

  /// Converts complete sums of a window to binary64.
  static float64x2_t to_double(int64x2_t sums) {
    return vsubq_f64(vreinterpretq_f64_s64(sums), vdupq_n_f64(kBias));
  }

 private:
  /// A number whose last bit is 2^-33. Adding n units to its bits as an integer gives the bits of
  /// the number that is n * 2^-33 larger.
  static constexpr double kBias = 0x1p19;

  static std::int64_t in_units(float product) {
    return static_cast<std::int64_t>(static_cast<double>(product) * 0x1p33);
  }

  alignas(64) std::array<Entry, 256> entries_;
};

const ByteProducts& table_of_bytes() {
  static const ByteProducts products;
  return products;
}

/// Offset of each sample's entry from the first entry, in bytes.
using Offsets = std::array<std::uint16_t, kSsimStripColumns + kSsimLast + 2>;
static_assert(sizeof(Offsets) % 16 == 0);

void find_entries(const std::uint8_t* samples, Offsets& offsets) {
  constexpr std::uint8_t kEntryBytes = sizeof(ByteProducts::Entry);
  for (std::size_t x = 0; x < offsets.size(); x += 8) {
    vst1q_u16(&offsets[x], vmull_u8(vld1_u8(samples + x), vdup_n_u8(kEntryBytes)));
  }
}

/// Adds a sample's products to all incomplete windows and returns the sums that are then complete.
template <std::size_t Number, std::size_t... Inner>
[[gnu::always_inline]] inline float64x2_t add_byte(const std::byte* entry,
                                                   IncompleteSums<int64x2_t>& incomplete,
                                                   std::index_sequence<Inner...>) {
  const int64x2_t complete = complete_sums<Number>(ByteProducts::products(entry, 0), incomplete);
  (add_product<Number, Inner + 1>(ByteProducts::products(entry, Inner + 1), incomplete), ...);
  return ByteProducts::to_double(complete);
}

/// Rounds the sums of two columns and stores them: sums of samples are in the first lanes, sums of
/// squares in the last.
[[gnu::always_inline]] inline void store_two(float64x2_t even, float64x2_t odd, float* sums,
                                             float* square_sums) {
  const float32x2_t first = vcvt_f32_f64(even);
  const float32x2_t last = vcvt_f32_f64(odd);
  vst1_f32(sums, vzip1_f32(first, last));
  vst1_f32(square_sums, vzip2_f32(first, last));
}

/// Adds two samples, given by the offsets of their entries, and stores the sums that are then
/// complete.
template <std::size_t Number>
[[gnu::always_inline]] inline void add_two(const ByteProducts& products,
                                           const std::uint16_t* offsets,
                                           IncompleteSums<int64x2_t>& incomplete, float* sums,
                                           float* square_sums) {
  static_assert(std::endian::native == std::endian::little);
  constexpr auto kInner = std::make_index_sequence<kSsimDistinctWeights - 1>();
  std::uint32_t both = 0;
  std::memcpy(&both, offsets, sizeof(both));
  const float64x2_t even =
      add_byte<Number % kSsimWindow>(products.entry(both & 0xffff), incomplete, kInner);
  const float64x2_t odd =
      add_byte<(Number + 1) % kSsimWindow>(products.entry(both >> 16), incomplete, kInner);
  store_two(even, odd, sums, square_sums);
}

/// Adds 22 samples; the first one's index must be a multiple of 22.
template <std::size_t... Two>
[[gnu::always_inline]] inline void add_bytes(const ByteProducts& products,
                                             const std::uint16_t* offsets,
                                             IncompleteSums<int64x2_t>& incomplete, float* sums,
                                             float* square_sums, std::index_sequence<Two...>) {
  (add_two<2 * Two>(products, offsets + 2 * Two, incomplete, sums + 2 * Two, square_sums + 2 * Two),
   ...);
}

/// Number of pairs of neighbouring windows that contain a given pair of neighbouring samples.
constexpr std::size_t kIncompleteNeighbours = kSsimDistinctWeights;
/// One element per pair of neighbouring windows; its lanes are the two windows' sums. Index:
/// number, modulo 6, of the pair of samples with which the windows begin.
using IncompleteNeighbours = std::array<float64x2_t, kIncompleteNeighbours>;

/// Returns the index of the windows in which pair of samples `Number`, modulo 6, has the weight
/// `tap`, 0..10. For odd weights the pair begins one sample later.
template <std::size_t Number>
constexpr std::size_t neighbours_of(std::size_t tap) {
  return (Number + kIncompleteNeighbours - tap / 2) % kIncompleteNeighbours;
}

/// Products of four samples with the even weights, and of the four samples that begin one later
/// with the odd weights.
using NeighbourProducts = std::array<float32x4_t, kSsimDistinctWeights>;

/// Adds a pair's products of one weight, which must not be the outermost, to all windows that need
/// them.
template <std::size_t Number, std::size_t Tap>
[[gnu::always_inline]] inline void add_pair(float64x2_t products,
                                            IncompleteNeighbours& incomplete) {
  incomplete[neighbours_of<Number>(Tap)] += products;
  if constexpr (Tap + 1 < kSsimDistinctWeights)
    incomplete[neighbours_of<Number>(kSsimLast - Tap)] += products;
}

/// Adds a pair's products to all incomplete windows, in the scalar definition's order, and returns
/// the sums that are then complete. `wide` converts the pair to binary64.
template <std::size_t Number, class Wide>
[[gnu::always_inline]] inline float64x2_t add_pairs(const NeighbourProducts& products,
                                                    IncompleteNeighbours& incomplete,
                                                    const Wide& wide) {
  const float64x2_t outermost = wide(products[0]);
  const float64x2_t complete = incomplete[neighbours_of<Number>(kSsimLast)] + outermost;
  incomplete[neighbours_of<Number>(0)] = outermost;
  add_pair<Number, 2>(wide(products[2]), incomplete);
  add_pair<Number, 4>(wide(products[4]), incomplete);
  add_pair<Number, 1>(wide(products[1]), incomplete);
  add_pair<Number, 3>(wide(products[3]), incomplete);
  add_pair<Number, 5>(wide(products[5]), incomplete);
  return complete;
}

/// Adds four samples to the sums of all windows that contain them, and stores the four sums that
/// are then complete. The first sample has the index 2 * Number modulo 12.
template <std::size_t Number>
[[gnu::always_inline]] inline void add_four(const SsimWeights& weights, const float* samples,
                                            IncompleteNeighbours& incomplete, float* sums) {
  const float32x4_t even = vld1q_f32(samples);
  const float32x4_t odd = vld1q_f32(samples + 1);
  const NeighbourProducts products{weights.products<0>(even), weights.products<1>(odd),
                                   weights.products<2>(even), weights.products<3>(odd),
                                   weights.products<4>(even), weights.products<5>(odd)};
  const float64x2_t first = add_pairs<Number>(products, incomplete, first_pair);
  const float64x2_t last = add_pairs<Number + 1>(products, incomplete, last_pair);
  vst1q_f32(sums, rounded(first, last));
}

}  // namespace

void filter_row(const std::uint8_t* samples, std::size_t columns, SsimRowSums& sums,
                SsimRowSums& square_sums) {
  alignas(16) Offsets offsets;
  find_entries(samples, offsets);
  const ByteProducts& products = table_of_bytes();
  const int64x2_t zero = vdupq_n_s64(0);
  IncompleteSums<int64x2_t> incomplete{zero, zero, zero, zero, zero, zero,
                                       zero, zero, zero, zero, zero};
  float* const first_sum = sums.at(0) - kSsimLast;
  float* const first_square_sum = square_sums.at(0) - kSsimLast;
  for (std::size_t x = 0; x < columns + kSsimLast; x += 2 * kSsimWindow) {
    add_bytes(products, &offsets[x], incomplete, first_sum + x, first_square_sum + x,
              std::make_index_sequence<kSsimWindow>());
  }
}

void filter_row(const float* samples, std::size_t columns, SsimRowSums& sums) {
  const SsimWeights weights;
  const float64x2_t zero = vdupq_n_f64(0);
  IncompleteNeighbours incomplete{zero, zero, zero, zero, zero, zero};
  float* const first_sum = sums.at(0) - kSsimLast;
  const std::size_t end = columns + kSsimLast;
  for (std::size_t x = 0; x < end; x += 2 * kIncompleteNeighbours) {
    add_four<0>(weights, samples + x, incomplete, first_sum + x);
    if (x + 4 >= end) break;
    add_four<2>(weights, samples + x + 4, incomplete, first_sum + x + 4);
    if (x + 8 >= end) break;
    add_four<4>(weights, samples + x + 8, incomplete, first_sum + x + 8);
  }
}

}  // namespace sidecore::neon
