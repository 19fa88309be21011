// Scalar definition of the sums over a pair of pictures that float_adm's scores come of.
#pragma once

#include <cstdint>
#include <vector>

#include "metrics/float_adm.h"

namespace sidecore::metrics {

/// Samples in rows without padding.
struct FloatPlane {
  int width = 0;
  int height = 0;
  std::vector<float> samples;

  FloatPlane() = default;
  FloatPlane(int plane_width, int plane_height);
  [[nodiscard]] float* row(int y);
  [[nodiscard]] const float* row(int y) const;
};

/// A plane's wavelet coefficients of one scale.
struct AdmWavelet {
  FloatPlane approximation;  ///< input of the next scale
  PerBand<FloatPlane> bands;
};

/// Owns everything that a pair of pictures needs; made once, used for many pairs.
class FloatAdm {
 public:
  /// Throws Error (usage) as check_float_adm_format() and check_float_adm_options() do.
  FloatAdm(const video::PictureFormat& format, const AdmOptions& options);

  /// Luma planes of the format's size. 8-bit samples are bytes, others 16-bit words.
  [[nodiscard]] AdmSums sums(video::PlaneView<const std::uint8_t> reference,
                             video::PlaneView<const std::uint8_t> distorted);
  [[nodiscard]] AdmSums sums(video::PlaneView<const std::uint16_t> reference,
                             video::PlaneView<const std::uint16_t> distorted);

 private:
  [[nodiscard]] AdmSums sums_of_luma();

  int bits_;
  AdmOptions options_;
  AdmScales scales_;
  FloatPlane reference_luma_;
  FloatPlane distorted_luma_;
  std::array<AdmWavelet, kAdmScales> reference_;
  std::array<AdmWavelet, kAdmScales> distorted_;
  PerBand<FloatPlane> restored_;    ///< of the largest scale's size
  PerBand<FloatPlane> impairment_;  ///< distorted less restored
  std::vector<float> low_;
  std::vector<float> high_;
};

}  // namespace sidecore::metrics
