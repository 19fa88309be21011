// Reduction of speed_chroma: a chroma plane is scaled if the options ask for it, then filtered and
// reduced to 1/16 of its width and height. Sample values are in 8-bit levels, minus 128. Every
// product and every sum is rounded to binary32, and sums follow the order of the taps.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "metrics/feature_options.h"
#include "metrics/float_plane.h"
#include "video/picture.h"

namespace sidecore::metrics {

/// Factor of the reduction in both directions: one of 16 samples is kept.
inline constexpr int kSpeedReduction = 16;
/// Number of taps of the filter that is applied before the reduction, and of samples it reads
/// before the current one.
inline constexpr std::size_t kSpeedTaps = 9;
inline constexpr int kSpeedReach = kSpeedTaps / 2;

/// Computes to[x] = 0 + taps[0] rows[0][x] + taps[1] rows[1][x] + ... Code may read and write rows
/// up to the next multiple of 4 samples.
using SpeedRowFilter = void (*)(const std::array<const float*, kSpeedTaps>& rows,
                                std::span<const float, kSpeedTaps> taps, int width, float* to);

struct SpeedSize {
  int width = 0;
  int height = 0;

  bool operator==(const SpeedSize&) const = default;
};

/// The two samples from which a sample of a scaled row or column is interpolated.
struct SpeedInterpolation {
  int before = 0;
  int after = 0;
  float weight = 0;  ///< weight of the sample `after`; from -1.5 to 1, a multiple of 2^-26
};

/// Returns the index of a sample, mirrored at the border sample if it lies outside.
[[nodiscard]] constexpr int speed_mirror(int index, int size) {
  if (index < 0) return -index;
  return index < size ? index : 2 * (size - 1) - index;
}

/// Parameters of the reduction for planes of one size.
class SpeedReduction {
 public:
  /// Creates the parameters. `scale` is the factor for the plane's sides, 0.1 to 4; with 1 the
  /// plane is not scaled. Throws Error (usage) if no sample remains in one direction, or if `bits`
  /// is not 8, 10, 12 or 16.
  SpeedReduction(SpeedSize plane, int bits, double scale);

  [[nodiscard]] SpeedSize plane() const { return plane_; }
  [[nodiscard]] int bits() const { return bits_; }
  /// Returns the size of the plane after scaling, before it is filtered.
  [[nodiscard]] SpeedSize scaled() const { return scaled_; }
  [[nodiscard]] SpeedSize reduced() const { return reduced_; }  ///< size of the reduced plane
  [[nodiscard]] bool is_scaled() const { return scaled_ != plane_; }

  /// Returns the filter's taps, which are symmetric.
  [[nodiscard]] std::span<const float, kSpeedTaps> taps() const { return taps_; }
  /// Returns one element per scaled column or row.
  [[nodiscard]] std::span<const SpeedInterpolation> columns() const { return columns_; }
  [[nodiscard]] std::span<const SpeedInterpolation> rows() const { return rows_; }

 private:
  SpeedSize plane_;
  int bits_;
  SpeedSize scaled_;
  SpeedSize reduced_;
  std::array<float, kSpeedTaps> taps_{};
  std::vector<SpeedInterpolation> columns_;
  std::vector<SpeedInterpolation> rows_;
};

/// Returns the size of a plane scaled by `scale`.
[[nodiscard]] SpeedSize speed_scaled_size(SpeedSize plane, double scale);

/// Computes reduced rows. Only one thread at a time may call it.
class SpeedReducer {
 public:
  /// Creates a reducer; `reduction` must outlive it.
  SpeedReducer(const SpeedReduction& reduction, SpeedRowFilter filter);

  /// Writes row y of the reduced plane. `plane` must have the reduction's depth and at least its
  /// size. This is the scalar definition, except that `filter` may be any implementation.
  template <class Sample>
  void reduce_row(video::PlaneView<const Sample> plane, int y, float* to);

 private:
  const SpeedReduction* reduction_;
  SpeedRowFilter filter_;
  FloatPlane source_;
  FloatPlane rows_;
  FloatPlane filtered_;
};

/// Scalar definition of SpeedRowFilter.
void filter_speed_rows(const std::array<const float*, kSpeedTaps>& rows,
                       std::span<const float, kSpeedTaps> taps, int width, float* to);

}  // namespace sidecore::metrics
