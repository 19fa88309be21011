// float_vif: visual information fidelity in four scales, in binary32, as libvmaf's feature of that
// name (Sheikh, Bovik, "Image information and visual quality", 2006). This header is what
// implementations share: the work on a row is theirs, all else is here.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "metrics/float_filter.h"
#include "metrics/pair_kernel.h"

namespace sidecore::metrics {

inline constexpr std::size_t kFloatVifScales = 4;
/// The filter of a scale must find its mirrored samples inside the plane.
inline constexpr int kFloatVifMinimumSize = 16;

/// A row of each moment of a window: means of the two planes, of their squares and of their
/// product.
struct FloatVifRows {
  FloatFilterRow mean1;
  FloatFilterRow mean2;
  FloatFilterRow square1;
  FloatFilterRow square2;
  FloatFilterRow product;

  FloatVifRows() = default;
  explicit FloatVifRows(int width)
      : mean1(width), mean2(width), square1(width), square2(width), product(width) {}
};

/// What information is measured against.
struct FloatVifModel {
  float gain_limit = 100;  ///< of the distorted window over the reference's
  double noise = 2;        ///< variance that the eye is taken to add
  float flat_weight = 0;   ///< of the distorted variance, where the reference has less than noise

  bool operator==(const FloatVifModel&) const = default;
};

/// Sums over windows, in bits.
struct FloatVifSums {
  float kept = 0;
  float there = 0;
};

/// Below this, a variance counts as none.
inline constexpr float kFloatVifEpsilon = 1e-10F;

/// libvmaf's approximation of log2: for m in 1..2 the polynomial of m - 1 with these coefficients,
/// the highest power first, and 0 at last.
inline constexpr std::array<float, 8> kFloatVifLog2{
    -0.012671635276421F, 0.064841182402670F, -0.157048836463065F, 0.257167726303123F,
    -0.353800560300520F, 0.480131410397451F, -0.721314327952201F, 1.442694803896991F};

/// The arithmetic of a row. The definition is float_vif_rows(); other implementations give the same
/// bits.
struct FloatVifRowFunctions {
  /// All moments, filtered vertically, with mirrored ends.
  void (*filter_moments)(const FloatTapRows& first, const FloatTapRows& second, int width,
                         const FloatFilter& filter, FloatVifRows& to);
  decltype(&filter_float_rows) filter_rows;
  decltype(&filter_float_columns) filter_columns;
  /// Of the windows whose moments the rows have, left to right in binary32.
  FloatVifSums (*sum_windows)(const FloatVifRows& rows, int width, const FloatVifModel& model);
};
[[nodiscard]] const FloatVifRowFunctions& float_vif_rows();

/// A kernel of the family float_vif.
[[nodiscard]] std::unique_ptr<PairKernel> make_float_vif_kernel(
    const video::PictureFormat& format, std::span<const FeatureRequest> requests,
    std::size_t threads, const FloatVifRowFunctions& rows);

}  // namespace sidecore::metrics
