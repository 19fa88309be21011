// The wide part of speed_chroma: a chroma plane filtered and reduced to 1/16 in both directions,
// after it was scaled if the options say so. Samples count in levels of 8 bits, less 128. Every
// product and every sum is rounded to binary32, and sums keep the order of the taps.
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

/// One sample in so many is left of a plane, in both directions.
inline constexpr int kSpeedReduction = 16;
/// Taps of the filter before that, and how many samples it looks back.
inline constexpr std::size_t kSpeedTaps = 9;
inline constexpr int kSpeedReach = kSpeedTaps / 2;

/// to[x] = 0 + taps[0] rows[0][x] + taps[1] rows[1][x] + ... Rows may be read and written up to a
/// multiple of 4.
using SpeedRowFilter = void (*)(const std::array<const float*, kSpeedTaps>& rows,
                                std::span<const float, kSpeedTaps> taps, int width, float* to);

struct SpeedSize {
  int width = 0;
  int height = 0;

  bool operator==(const SpeedSize&) const = default;
};

/// The two samples between which one of a scaled row or column lies.
struct SpeedBetween {
  int first = 0;
  int second = 0;
  float share = 0;  ///< of the second; from -1.5 to 1, a multiple of 2^-26
};

/// Index of a sample, mirrored at the edge sample where it lies outside.
[[nodiscard]] constexpr int speed_mirror(int index, int size) {
  if (index < 0) return -index;
  return index < size ? index : 2 * (size - 1) - index;
}

/// How planes of one size are reduced.
class SpeedReduction {
 public:
  /// `scale` of the plane's sides from 0.1 to 4; 1 is left out. Throws Error (usage) unless a
  /// sample is left in both directions and `bits` are 8, 10, 12 or 16.
  SpeedReduction(SpeedSize plane, int bits, double scale);

  [[nodiscard]] SpeedSize plane() const { return plane_; }
  [[nodiscard]] int bits() const { return bits_; }
  [[nodiscard]] SpeedSize scaled() const { return scaled_; }    ///< what is filtered
  [[nodiscard]] SpeedSize reduced() const { return reduced_; }  ///< what is left
  [[nodiscard]] bool is_scaled() const { return scaled_ != plane_; }

  /// Symmetric.
  [[nodiscard]] std::span<const float, kSpeedTaps> taps() const { return taps_; }
  /// For each scaled column and row.
  [[nodiscard]] std::span<const SpeedBetween> columns() const { return columns_; }
  [[nodiscard]] std::span<const SpeedBetween> rows() const { return rows_; }

 private:
  SpeedSize plane_;
  int bits_;
  SpeedSize scaled_;
  SpeedSize reduced_;
  std::array<float, kSpeedTaps> taps_{};
  std::vector<SpeedBetween> columns_;
  std::vector<SpeedBetween> rows_;
};

/// Sides of a plane that is scaled by so much.
[[nodiscard]] SpeedSize speed_scaled_size(SpeedSize plane, double scale);

/// Makes reduced rows, one thread at a time.
class SpeedReducer {
 public:
  /// `reduction` outlives the object.
  SpeedReducer(const SpeedReduction& reduction, SpeedRowFilter filter);

  /// Row y of the reduced plane; `plane` has the reduction's depth and at least its size. This is
  /// the definition, but for the filter, which may be any implementation.
  template <class Sample>
  void reduce_row(video::PlaneView<const Sample> plane, int y, float* to);

 private:
  const SpeedReduction* reduction_;
  SpeedRowFilter filter_;
  FloatPlane source_;
  FloatPlane rows_;
  FloatPlane filtered_;
};

/// The definition of a filter.
void filter_speed_rows(const std::array<const float*, kSpeedTaps>& rows,
                       std::span<const float, kSpeedTaps> taps, int width, float* to);

}  // namespace sidecore::metrics
