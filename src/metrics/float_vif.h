// float_vif: visual information fidelity in four scales, in binary32, as libvmaf's feature
// float_vif computes it (Sheikh, Bovik, "Image information and visual quality", 2006).
// Implementations share this header; each provides only the arithmetic of a row
// (FloatVifRowFunctions).
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "metrics/float_filter.h"
#include "metrics/pair_kernel.h"

namespace sidecore::metrics {

inline constexpr std::size_t kFloatVifScales = 4;
/// Smallest width and height: in smaller planes a scale's filter would mirror samples to positions
/// that are also outside the plane.
inline constexpr int kFloatVifMinimumSize = 16;

/// One row of each moment of sample windows: means of both planes, of their squares and of their
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

/// Constants of the visual model.
struct FloatVifModel {
  float gain_limit = 100;  ///< limit of the gain of the distorted window over the reference window
  double noise = 2;        ///< variance of the noise by which the model describes the eye
  /// Weight of a window's distorted variance if its reference variance is below the noise.
  float flat_weight = 0;

  bool operator==(const FloatVifModel&) const = default;
};

/// Sums of information over windows, in bits.
struct FloatVifSums {
  float kept = 0;
  float there = 0;
};

/// Limit below which a variance counts as zero.
inline constexpr float kFloatVifEpsilon = 1e-10F;

/// Coefficients of libvmaf's approximation of log2: a polynomial of m - 1 for m in 1..2. The
/// highest power comes first, the constant 0 last.
inline constexpr std::array<float, 8> kFloatVifLog2{
    -0.012671635276421F, 0.064841182402670F, -0.157048836463065F, 0.257167726303123F,
    -0.353800560300520F, 0.480131410397451F, -0.721314327952201F, 1.442694803896991F};

/// Arithmetic of one row. float_vif_rows() is the scalar definition; other implementations give the
/// same bits.
struct FloatVifRowFunctions {
  /// Filters all moments vertically and mirrors both ends of each row.
  void (*filter_moments)(const FloatTapRows& first, const FloatTapRows& second, int width,
                         const FloatFilter& filter, FloatVifRows& to);
  decltype(&filter_float_rows) filter_rows;
  decltype(&filter_float_columns) filter_columns;
  /// Returns the sums over the windows whose moments are in `rows`, left to right in binary32.
  FloatVifSums (*sum_windows)(const FloatVifRows& rows, int width, const FloatVifModel& model);
};
[[nodiscard]] const FloatVifRowFunctions& float_vif_rows();

/// Makes a kernel of the family float_vif.
[[nodiscard]] std::unique_ptr<PairKernel> make_float_vif_kernel(
    const video::PictureFormat& format, std::span<const FeatureRequest> requests,
    std::size_t threads, const FloatVifRowFunctions& rows);

}  // namespace sidecore::metrics
