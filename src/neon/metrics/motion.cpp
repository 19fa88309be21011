#include "neon/metrics/motion.h"

#include <algorithm>
#include <array>

#include "neon/metrics/families.h"
#include "neon/neon.h"

namespace sidecore::neon {
namespace {

using metrics::kMotionRadius;
using metrics::kMotionTaps;
using metrics::motion_mirror;

constexpr int kMotionLanes = 8;
/// Largest blurred difference for which a sum of two fits into 16 bits, and a sum of products into
/// 32 bits.
constexpr int kLargestNarrowDifference = 16383;

/// Returns the differences of eight samples of at most 12 bits.
int16x8_t load_difference(const std::uint8_t* previous, const std::uint8_t* current) {
  return vreinterpretq_s16_u16(vsubl_u8(vld1_u8(previous), vld1_u8(current)));
}
int16x8_t load_difference(const std::uint16_t* previous, const std::uint16_t* current) {
  return vreinterpretq_s16_u16(vsubq_u16(vld1q_u16(previous), vld1q_u16(current)));
}

struct BlurredLanes {
  int32x4_t low, high;
};

/// Mirrors a row into samples -2, -1, width and width + 1.
template <class Sample>
void mirror_ends_of(Sample* row, int width) {
  row[-1] = row[1];
  row[-2] = row[2];
  row[width] = row[width - 2];
  row[width + 1] = row[width - 3];
}

/// Applies the symmetric filter in four lanes: `outer` and `inner` are sums of two samples at equal
/// distance from the middle.
int32x4_t filtered(int16x4_t outer, int16x4_t inner, int16x4_t middle) {
  return vmlal_n_s16(vmlal_n_s16(vmull_n_s16(outer, kMotionTaps[0]), inner, kMotionTaps[1]), middle,
                     kMotionTaps[2]);
}

/// Filters eight columns of rows of differences vertically.
BlurredLanes blurred_columns(const std::array<const std::int16_t*, 5>& rows, int x, int bits) {
  const int32x4_t shift = vdupq_n_s32(-bits);
  const int16x8_t outer = vaddq_s16(vld1q_s16(rows[0] + x), vld1q_s16(rows[4] + x));
  const int16x8_t inner = vaddq_s16(vld1q_s16(rows[1] + x), vld1q_s16(rows[3] + x));
  const int16x8_t middle = vld1q_s16(rows[2] + x);
  const int32x4_t low = filtered(vget_low_s16(outer), vget_low_s16(inner), vget_low_s16(middle));
  const int32x4_t high =
      filtered(vget_high_s16(outer), vget_high_s16(inner), vget_high_s16(middle));
  return {vrshlq_s32(low, shift), vrshlq_s32(high, shift)};
}

/// Blurs eight samples horizontally and returns their magnitudes.
uint16x8_t magnitudes(const std::int16_t* from) {
  const int16x8_t outer = vaddq_s16(vld1q_s16(from - 2), vld1q_s16(from + 2));
  const int16x8_t inner = vaddq_s16(vld1q_s16(from - 1), vld1q_s16(from + 1));
  const int16x8_t middle = vld1q_s16(from);
  const int32x4_t low = filtered(vget_low_s16(outer), vget_low_s16(inner), vget_low_s16(middle));
  const int32x4_t high =
      filtered(vget_high_s16(outer), vget_high_s16(inner), vget_high_s16(middle));
  const int16x8_t blurred = vcombine_s16(vrshrn_n_s32(low, 16), vrshrn_n_s32(high, 16));
  return vreinterpretq_u16_s16(vabsq_s16(blurred));
}

/// Blurs four samples horizontally and returns their magnitudes; sums of products take 34 bits.
uint32x4_t wide_magnitudes(const std::int32_t* from) {
  const int32x4_t outer = vaddq_s32(vld1q_s32(from - 2), vld1q_s32(from + 2));
  const int32x4_t inner = vaddq_s32(vld1q_s32(from - 1), vld1q_s32(from + 1));
  const int32x4_t middle = vld1q_s32(from);
  const auto filter = [](int32x2_t o, int32x2_t i, int32x2_t m) {
    const int64x2_t sum = vmlal_n_s32(vmull_n_s32(o, kMotionTaps[0]), i, kMotionTaps[1]);
    return vrshrn_n_s64(vmlal_n_s32(sum, m, kMotionTaps[2]), 16);
  };
  const int32x2_t low = filter(vget_low_s32(outer), vget_low_s32(inner), vget_low_s32(middle));
  const int32x2_t high = filter(vget_high_s32(outer), vget_high_s32(inner), vget_high_s32(middle));
  return vreinterpretq_u32_s32(vabsq_s32(vcombine_s32(low, high)));
}

class NeonMotionSummer final : public metrics::MotionSummer {
 public:
  explicit NeonMotionSummer(const video::PictureFormat& format)
      : sad_(format.width, format.pixel.bits) {}

  [[nodiscard]] std::uint64_t sad(const video::Picture& previous, const video::Picture& current,
                                  int first, int last) override {
    if (current.format().pixel.bits == 8) {
      return sad_.sum(previous.plane<std::uint8_t>(0), current.plane<std::uint8_t>(0), first, last);
    }
    return sad_.sum(previous.plane<std::uint16_t>(0), current.plane<std::uint16_t>(0), first, last);
  }

 private:
  MotionSad sad_;
};

std::unique_ptr<metrics::MotionSummer> make_neon_motion_summer(const video::PictureFormat& format) {
  return std::make_unique<NeonMotionSummer>(format);
}

}  // namespace

MotionSad::MotionSad(int width, int bits)
    : bits_(bits),
      width_(width),
      sad_row_(width),
      // Room for a row and its margins: eight lanes may begin at the last sample, and two samples
      // are mirrored before the first sample.
      narrow_(static_cast<std::size_t>(width + 4 * kMotionLanes)),
      wide_(narrow_.size()) {
  for (std::vector<std::int16_t>& row : differences_) row.resize(narrow_.size());
}

std::uint64_t MotionSad::sum(video::PlaneView<const std::uint8_t> previous,
                             video::PlaneView<const std::uint8_t> current, int first, int last) {
  return sum_rows(previous, current, first, last);
}

std::uint64_t MotionSad::sum(video::PlaneView<const std::uint16_t> previous,
                             video::PlaneView<const std::uint16_t> current, int first, int last) {
  // 16-bit samples use the scalar definition, whose sums have 64 bits: their differences take 17
  // bits, so NEON would not be faster.
  if (bits_ == 16) return metrics::motion_sad(previous, current, bits_, first, last, sad_row_);
  return sum_rows(previous, current, first, last);
}

template <class Sample>
std::uint64_t MotionSad::sum_rows(video::PlaneView<const Sample> previous,
                                  video::PlaneView<const Sample> current, int first, int last) {
  // Number of the first row of differences that is not computed yet.
  int made = std::max(first - kMotionRadius, 0);
  std::uint64_t total = 0;
  for (int y = first; y < last; ++y) {
    for (; made <= std::min(y + kMotionRadius, current.height - 1); ++made) {
      subtract(previous.row(made), current.row(made), made);
    }
    if (blur_vertically(y, current.height)) {
      total += sum_narrow();
    } else {
      blur_vertically_wide(y, current.height);
      total += sum_wide();
    }
  }
  return total;
}

template <class Sample>
void MotionSad::subtract(const Sample* previous, const Sample* current, int y) {
  std::int16_t* const to = difference_row(y);
  int x = 0;
  for (; x + kMotionLanes <= width_; x += kMotionLanes) {
    vst1q_s16(to + x, load_difference(previous + x, current + x));
  }
  for (; x < width_; ++x) to[x] = static_cast<std::int16_t>(int{previous[x]} - int{current[x]});
}

std::array<const std::int16_t*, 5> MotionSad::rows_around(int y, int height) {
  const auto row = [&](int offset) { return difference_row(motion_mirror(y + offset, height)); };
  return {row(-2), row(-1), row(0), row(1), row(2)};
}

bool MotionSad::blur_vertically(int y, int height) {
  const auto rows = rows_around(y, height);
  std::int16_t* const to = narrow_.data() + kMotionLanes;
  int16x8_t largest = vdupq_n_s16(0);
  for (int x = 0; x < width_; x += kMotionLanes) {
    const BlurredLanes lanes = blurred_columns(rows, x, bits_);
    const int16x8_t blurred = vcombine_s16(vqmovn_s32(lanes.low), vqmovn_s32(lanes.high));
    largest = vmaxq_s16(largest, vqabsq_s16(blurred));
    vst1q_s16(to + x, blurred);
  }
  mirror_ends_of(to, width_);
  return vmaxvq_s16(largest) <= kLargestNarrowDifference;
}

void MotionSad::blur_vertically_wide(int y, int height) {
  const auto rows = rows_around(y, height);
  std::int32_t* const to = wide_.data() + kMotionLanes;
  for (int x = 0; x < width_; x += kMotionLanes) {
    const BlurredLanes lanes = blurred_columns(rows, x, bits_);
    vst1q_s32(to + x, lanes.low);
    vst1q_s32(to + x + 4, lanes.high);
  }
  mirror_ends_of(to, width_);
}

std::uint64_t MotionSad::sum_narrow() const {
  const std::int16_t* const from = narrow_.data() + kMotionLanes;
  uint32x4_t total = vdupq_n_u32(0);
  int x = 0;
  for (; x + kMotionLanes <= width_; x += kMotionLanes) {
    total = vpadalq_u16(total, magnitudes(from + x));
  }
  if (x < width_) {
    static constexpr std::array<std::uint16_t, 2 * kMotionLanes> kMask{
        0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff};
    const uint16x8_t kept = vld1q_u16(kMask.data() + kMotionLanes - (width_ - x));
    total = vpadalq_u16(total, vandq_u16(magnitudes(from + x), kept));
  }
  return vaddlvq_u32(total);
}

std::uint64_t MotionSad::sum_wide() const {
  const std::int32_t* const from = wide_.data() + kMotionLanes;
  static constexpr std::array<std::int32_t, 4> kLane{0, 1, 2, 3};
  const int32x4_t lane = vld1q_s32(kLane.data());
  uint32x4_t total = vdupq_n_u32(0);
  for (int x = 0; x < width_; x += 4) {
    const uint32x4_t kept = vcltq_s32(lane, vdupq_n_s32(width_ - x));
    total = vaddq_u32(total, vandq_u32(wide_magnitudes(from + x), kept));
  }
  return vaddlvq_u32(total);
}

std::int16_t* MotionSad::difference_row(int y) {
  return differences_[static_cast<std::size_t>(y) % differences_.size()].data();
}

std::unique_ptr<metrics::PairKernel> make_motion(const video::PictureFormat& format,
                                                 std::span<const metrics::FeatureRequest> requests,
                                                 std::size_t threads) {
  return metrics::make_motion_kernel(format, requests, threads, make_neon_motion_summer);
}

}  // namespace sidecore::neon
