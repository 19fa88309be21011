#include "neon/metrics/float_psnr.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

#include "neon/metrics/families.h"
#include "neon/neon.h"

namespace sidecore::neon {
namespace {

using metrics::SquaredErrorSum;

/// Sums of squares in 32-bit lanes, which flush() adds to the total.
class SquareSums {
 public:
  void flush() {
    sum64_ = vpadalq_u32(sum64_, low32_);
    sum64_ = vpadalq_u32(sum64_, high32_);
    low32_ = high32_ = vdupq_n_u32(0);
  }
  [[nodiscard]] SquaredErrorSum total() const {
    return vgetq_lane_u64(sum64_, 0) + vgetq_lane_u64(sum64_, 1);
  }

 protected:
  uint32x4_t low32_ = vdupq_n_u32(0);
  uint32x4_t high32_ = vdupq_n_u32(0);

 private:
  uint64x2_t sum64_ = vdupq_n_u64(0);
};

/// Adds squared differences of 8-bit samples, 64 at a time.
class Bytes : public SquareSums {
 public:
  using Sample = std::uint8_t;
  static constexpr int kSamples = 64;
  // An addition puts 8 squares into each 32-bit lane: 4096 * 8 * 255^2 < 2^32.
  static constexpr int kAdditionsBetweenFlushes = 4096;

  void add(const Sample* a, const Sample* b) {
    const uint8x16x4_t first = vld1q_u8_x4(a);
    const uint8x16x4_t second = vld1q_u8_x4(b);
    for (int i = 0; i < 4; ++i) {
      const uint8x16_t difference = vabdq_u8(first.val[i], second.val[i]);
      const uint8x8_t low = vget_low_u8(difference);
      low32_ = vpadalq_u16(low32_, vmull_u8(low, low));
      high32_ = vpadalq_u16(high32_, vmull_high_u8(difference, difference));
    }
  }
};

/// Adds squared differences of samples of up to 12 bits, 8 per vector.
class Words12 : public SquareSums {
 public:
  using Sample = std::uint16_t;
  static constexpr int kSamples = 8;
  // An addition puts 1 square into each 32-bit lane: 256 * 4095^2 < 2^32.
  static constexpr int kAdditionsBetweenFlushes = 256;

  void add(const Sample* a, const Sample* b) {
    const uint16x8_t difference = vabdq_u16(vld1q_u16(a), vld1q_u16(b));
    const uint16x4_t low = vget_low_u16(difference);
    const uint16x4_t high = vget_high_u16(difference);
    low32_ = vmlal_u16(low32_, low, low);
    high32_ = vmlal_u16(high32_, high, high);
  }
};

/// Adds squared differences of 16-bit samples, 8 per vector. If `kRounded`, each square is
/// converted to binary32, which rounds to nearest even, and back, which is exact.
template <bool kRounded>
class Words16 {
 public:
  using Sample = std::uint16_t;
  static constexpr int kSamples = 8;
  // Any number is allowed, because sums have 64 bits.
  static constexpr int kAdditionsBetweenFlushes = 1 << 20;

  void add(const Sample* a, const Sample* b) {
    const uint16x8_t difference = vabdq_u16(vld1q_u16(a), vld1q_u16(b));
    const uint16x4_t low = vget_low_u16(difference);
    const uint16x4_t high = vget_high_u16(difference);
    sum64_ = vpadalq_u32(sum64_, squares(low));
    sum64_ = vpadalq_u32(sum64_, squares(high));
  }
  void flush() {}
  [[nodiscard]] SquaredErrorSum total() const {
    return vgetq_lane_u64(sum64_, 0) + vgetq_lane_u64(sum64_, 1);
  }

 private:
  static uint32x4_t squares(uint16x4_t value) {
    const uint32x4_t exact = vmull_u16(value, value);
    return kRounded ? vcvtq_u32_f32(vcvtq_f32_u32(exact)) : exact;
  }

  uint64x2_t sum64_ = vdupq_n_u64(0);
};

template <class Sum>
SquaredErrorSum sum_planes(video::PlaneView<const typename Sum::Sample> reference,
                           video::PlaneView<const typename Sum::Sample> distorted) {
  using Sample = typename Sum::Sample;
  assert(reference.width == distorted.width && reference.height == distorted.height);
  Sum sum;
  const int whole = reference.width / Sum::kSamples * Sum::kSamples;
  const auto rest_bytes = static_cast<std::size_t>(reference.width - whole) * sizeof(Sample);
  constexpr int kBlock = Sum::kAdditionsBetweenFlushes * Sum::kSamples;
  for (int y = 0; y < reference.height; ++y) {
    const Sample* const a = reference.row(y);
    const Sample* const b = distorted.row(y);
    for (int x = 0; x < whole;) {
      const int block_end = std::min(whole, x + kBlock);
      for (; x < block_end; x += Sum::kSamples) sum.add(a + x, b + x);
      sum.flush();
    }
    if (rest_bytes == 0) continue;
    // The last samples go through a vector of zeros, because memory may end with the row.
    std::array<Sample, Sum::kSamples> rest_a{};
    std::array<Sample, Sum::kSamples> rest_b{};
    std::memcpy(rest_a.data(), a + whole, rest_bytes);
    std::memcpy(rest_b.data(), b + whole, rest_bytes);
    sum.add(rest_a.data(), rest_b.data());
    sum.flush();
  }
  return sum.total();
}

}  // namespace

SquaredErrorSum squared_error_sum(video::PlaneView<const std::uint8_t> reference,
                                  video::PlaneView<const std::uint8_t> distorted) {
  return sum_planes<Bytes>(reference, distorted);
}

SquaredErrorSum squared_error_sum(video::PlaneView<const std::uint16_t> reference,
                                  video::PlaneView<const std::uint16_t> distorted, int bits) {
  return bits == 16 ? sum_planes<Words16<true>>(reference, distorted)
                    : sum_planes<Words12>(reference, distorted);
}

std::uint64_t exact_squared_error_sum(video::PlaneView<const std::uint16_t> reference,
                                      video::PlaneView<const std::uint16_t> distorted) {
  return sum_planes<Words16<false>>(reference, distorted);
}

std::unique_ptr<metrics::PairKernel> make_float_psnr(
    const video::PictureFormat& format, std::span<const metrics::FeatureRequest> /*the one*/,
    std::size_t /*threads*/) {
  return metrics::make_float_psnr_kernel(
      format, {squared_error_sum, squared_error_sum, exact_squared_error_sum});
}

}  // namespace sidecore::neon
