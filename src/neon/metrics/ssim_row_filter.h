// The horizontal pass of SSIM's filter over one row of a strip: weighted sums of eleven neighbours.
// They equal the scalar definition's (metrics/ssim.h) bit for bit, except for the sign of a sum of
// terms that are all -0.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "metrics/ssim.h"

namespace sidecore::neon {

/// Number of window columns in a strip. It is a multiple of 4. With a window's last ten columns it
/// is a multiple of 22, because bytes are filtered 22 at a time.
inline constexpr std::size_t kSsimStripColumns = 100;
static_assert(kSsimStripColumns % 4 == 0 &&
              (kSsimStripColumns + metrics::kSsimWindow - 1) % (2 * metrics::kSsimWindow) == 0);

/// Number of a row's samples in memory. Filters read whole vectors, of floats also from odd
/// columns, and eight bytes at a time. Samples after the last window may have any value.
inline constexpr std::size_t kSsimStripSamples = 120;
static_assert(kSsimStripSamples % 8 == 0 &&
              kSsimStripSamples >= kSsimStripColumns + metrics::kSsimWindow - 1 + 4);

/// Sums for each column of a strip. There is room on both sides, because filters begin with windows
/// left of the strip and end with a whole vector.
class SsimRowSums {
 public:
  /// Returns the sum of a column; it is aligned to 16 bytes if `column` is a multiple of 4.
  [[nodiscard]] float* at(std::size_t column) { return &sums_[kPaddingBefore + column]; }
  [[nodiscard]] const float* at(std::size_t column) const {
    return &sums_[kPaddingBefore + column];
  }

 private:
  static constexpr std::size_t kPaddingBefore = 12;
  static constexpr std::size_t kPaddingAfter = 4;
  static_assert(kPaddingBefore % 4 == 0 && kPaddingBefore >= metrics::kSsimWindow - 1 &&
                kPaddingAfter >= 3);

  alignas(16) std::array<float, kPaddingBefore + kSsimStripColumns + kPaddingAfter> sums_{};
};

/// Filters the first `columns` windows of a row of kSsimStripSamples samples.
void filter_row(const float* samples, std::size_t columns, SsimRowSums& sums);

/// Filters bytes, and the squares of bytes, in the same way.
void filter_row(const std::uint8_t* samples, std::size_t columns, SsimRowSums& sums,
                SsimRowSums& square_sums);

}  // namespace sidecore::neon
