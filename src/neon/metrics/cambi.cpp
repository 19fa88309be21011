#include "neon/metrics/cambi.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "neon/metrics/families.h"
#include "neon/neon.h"

namespace sidecore::neon {
namespace {

using metrics::cambi_counted_value;
using metrics::CambiCounts;
using metrics::CambiRow;
using metrics::CambiSetup;
using metrics::kCambiFlatSize;

void mark_flat(const std::uint16_t* row, const std::uint16_t* below, int width,
               std::uint8_t* flat) {
  // Samples of the last row count as equal to the missing next row.
  if (below == nullptr) below = row;
  int x = 0;
  for (; x + 8 < width; x += 8) {
    const uint16x8_t samples = vld1q_u16(row + x);
    const uint16x8_t right = vceqq_u16(samples, vld1q_u16(row + x + 1));
    const uint16x8_t down = vceqq_u16(samples, vld1q_u16(below + x));
    vst1_u8(flat + x, vshr_n_u8(vmovn_u16(vandq_u16(right, down)), 7));
  }
  for (; x < width; ++x) {
    const bool right = x + 1 == width || row[x] == row[x + 1];
    flat[x] = right && row[x] == below[x] ? 1 : 0;
  }
}

void mask(const std::array<const std::uint8_t*, kCambiFlatSize>& rows, int width, int limit,
          std::uint8_t* mask) {
  constexpr int kHalf = kCambiFlatSize / 2;
  const int8x16_t least = vdupq_n_s8(static_cast<std::int8_t>(limit));
  const auto column_sums = [&](int x) {
    uint8x16_t sum = vld1q_u8(rows[0] + x);
    for (std::size_t i = 1; i < rows.size(); ++i) sum = vaddq_u8(sum, vld1q_u8(rows[i] + x));
    return sum;
  };
  uint8x16_t before = column_sums(-16);
  uint8x16_t sums = column_sums(0);
  for (int x = 0; x < width; x += 16) {
    const uint8x16_t behind = column_sums(x + 16);
    uint8x16_t count =
        vaddq_u8(sums, vaddq_u8(vextq_u8(before, sums, 15), vextq_u8(sums, behind, 1)));
    count = vaddq_u8(count, vaddq_u8(vextq_u8(before, sums, 14), vextq_u8(sums, behind, 2)));
    count = vaddq_u8(count,
                     vaddq_u8(vextq_u8(before, sums, 16 - kHalf), vextq_u8(sums, behind, kHalf)));
    vst1q_u8(mask + x, vshrq_n_u8(vcgtq_s8(vreinterpretq_s8_u8(count), least), 7));
    before = sums;
    sums = behind;
  }
}

void modes(const std::uint16_t* first, const std::uint16_t* second, const std::uint16_t* third,
           int width, std::uint16_t* to) {
  for (int x = 0; x < width; x += 8) {
    const uint16x8_t a = vld1q_u16(first + x);
    const uint16x8_t b = vld1q_u16(second + x);
    const uint16x8_t c = vld1q_u16(third + x);
    const uint16x8_t least = vminq_u16(vminq_u16(a, b), c);
    const uint16x8_t is_a = vorrq_u16(vceqq_u16(a, b), vceqq_u16(a, c));
    vst1q_u16(to + x, vbslq_u16(is_a, a, vbslq_u16(vceqq_u16(b, c), b, least)));
  }
}

/// Adds `step` to the counts of all columns of a window.
void count(std::uint16_t* counts, int window, std::uint16_t step) {
  int i = 0;
  for (; i + 8 <= window; i += 8) {
    vst1q_u16(counts + i, vaddq_u16(vld1q_u16(counts + i), vdupq_n_u16(step)));
  }
  static constexpr std::array<std::uint16_t, 16> kMask{0xffff, 0xffff, 0xffff, 0xffff,
                                                       0xffff, 0xffff, 0xffff, 0xffff};
  const uint16x8_t kept = vld1q_u16(kMask.data() + 8 - (window - i));
  const uint16x8_t steps = vandq_u16(vdupq_n_u16(step), kept);
  vst1q_u16(counts + i, vaddq_u16(vld1q_u16(counts + i), steps));
}

/// Returns eight elements of a mask as one number; 0 for an empty row.
std::uint64_t eight_of_mask(const CambiRow& row, int x) {
  std::uint64_t eight = 0;
  if (row.mask != nullptr) std::memcpy(&eight, row.mask + x, sizeof(eight));
  return eight;
}

/// Calls work(x) for each column for which a row has an examined sample, and for some others. Most
/// pictures have few, so eight columns are skipped at once.
template <class Work>
[[gnu::always_inline]] inline void for_examined(const CambiRow& row, const CambiRow& other,
                                                int width, const Work& work) {
  for (int x = 0; x < width; x += 8) {
    if ((eight_of_mask(row, x) | eight_of_mask(other, x)) == 0) continue;
    for (int i = x; i < std::min(x + 8, width); ++i) work(i);
  }
}

void slide(const CambiRow& entering, const CambiRow& leaving, int width, const CambiSetup& setup,
           CambiCounts& counts) {
  const int half = setup.window / 2;
  for_examined(entering, leaving, width, [&](int x) {
    const int in = cambi_counted_value(entering, x, setup);
    const int out = cambi_counted_value(leaving, x, setup);
    if (in == out) return;
    if (in >= 0) count(counts.at(in, x - half), setup.window, 1);
    if (out >= 0) count(counts.at(out, x - half), setup.window, 0xffff);
  });
}

void contrasts(const CambiRow& row, int width, const CambiSetup& setup, const CambiCounts& counts,
               float* to) {
  std::fill_n(to, width, 0.0F);
  for_examined(row, {}, width, [&](int x) {
    const int value = cambi_counted_value(row, x, setup);
    if (value < 0) return;
    to[x] = cambi_largest_contrast(value, counts.at(value, x), counts.stride(), setup);
  });
}

}  // namespace

const metrics::CambiRowFunctions& cambi_rows() {
  static constexpr metrics::CambiRowFunctions kRows{mark_flat, mask, modes, slide, contrasts};
  return kRows;
}

std::unique_ptr<metrics::PairKernel> make_cambi(const video::PictureFormat& format,
                                                std::span<const metrics::FeatureRequest> requests,
                                                std::size_t threads) {
  return metrics::make_cambi_kernel(format, requests, threads, cambi_rows());
}

}  // namespace sidecore::neon
