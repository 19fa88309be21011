// The horizontal pass of SSIM's filter over one row of a strip: weighted sums of eleven neighbours,
// bit for bit those of the definition (metrics/ssim.h) but for the sign of a sum of nothing but -0.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "metrics/ssim.h"

namespace sidecore::neon {

/// Columns of windows in a strip: a multiple of 4, and with a window's last ten a multiple of 22,
/// since bytes are filtered 22 at a time.
inline constexpr std::size_t kSsimStripColumns = 100;
static_assert(kSsimStripColumns % 4 == 0 &&
              (kSsimStripColumns + metrics::kSsimWindow - 1) % (2 * metrics::kSsimWindow) == 0);

/// Samples of a row in memory: filters read whole vectors, of floats from odd columns too and of
/// bytes eight at a time. Samples beyond the last window may have any value.
inline constexpr std::size_t kSsimStripSamples = 120;
static_assert(kSsimStripSamples % 8 == 0 &&
              kSsimStripSamples >= kSsimStripColumns + metrics::kSsimWindow - 1 + 4);

/// A sum for each of a strip's columns, and room around them: filters begin with windows that lie
/// to the left of the strip, and end with a whole vector.
class SsimRowSums {
 public:
  /// The sum of a column, aligned to 16 bytes if it is a multiple of 4.
  [[nodiscard]] float* at(std::size_t column) { return &sums_[kBefore + column]; }
  [[nodiscard]] const float* at(std::size_t column) const { return &sums_[kBefore + column]; }

 private:
  static constexpr std::size_t kBefore = 12;
  static constexpr std::size_t kBehind = 4;
  static_assert(kBefore % 4 == 0 && kBefore >= metrics::kSsimWindow - 1 && kBehind >= 3);

  alignas(16) std::array<float, kBefore + kSsimStripColumns + kBehind> sums_{};
};

/// Sums over the first `columns` windows of a row of kSsimStripSamples samples.
void filter_row(const float* samples, std::size_t columns, SsimRowSums& sums);

/// The same of bytes, and of their squares.
void filter_row(const std::uint8_t* samples, std::size_t columns, SsimRowSums& sums,
                SsimRowSums& square_sums);

}  // namespace sidecore::neon
