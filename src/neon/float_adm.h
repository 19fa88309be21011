// NEON twin of metrics/float_adm_sums.h. On x86 the same source compiles through SIMDe.
#pragma once

#include <cstdint>
#include <vector>

#include "metrics/float_adm.h"

namespace sidecore::neon {

/// Rows of floats that may be read and written a few vectors beyond both ends.
class PaddedRows {
 public:
  PaddedRows() = default;
  PaddedRows(int width, int rows);
  [[nodiscard]] float* row(int y) { return samples_.data() + kPadding + y * stride_; }
  [[nodiscard]] const float* row(int y) const { return samples_.data() + kPadding + y * stride_; }

 private:
  static constexpr std::ptrdiff_t kPadding = 8;
  std::ptrdiff_t stride_ = 0;
  std::vector<float> samples_;
};

/// Twin of metrics::FloatAdm: the same bits.
class FloatAdm {
 public:
  /// Throws Error (usage) as metrics::FloatAdm does.
  FloatAdm(const video::PictureFormat& format, const metrics::AdmOptions& options);

  [[nodiscard]] metrics::AdmSums sums(video::PlaneView<const std::uint8_t> reference,
                                      video::PlaneView<const std::uint8_t> distorted);
  [[nodiscard]] metrics::AdmSums sums(video::PlaneView<const std::uint16_t> reference,
                                      video::PlaneView<const std::uint16_t> distorted);

  /// A plane's coefficients of one scale.
  struct Wavelet {
    PaddedRows approximation;
    metrics::PerBand<PaddedRows> bands;
  };

 private:
  template <class Sample>
  metrics::AdmSums sums_of(video::PlaneView<const Sample> reference,
                           video::PlaneView<const Sample> distorted);
  void sum_band_rows(std::size_t k, int first, int last);

  int bits_;
  metrics::AdmOptions options_;
  metrics::AdmScales scales_;
  std::array<Wavelet, metrics::kAdmScales> reference_;
  std::array<Wavelet, metrics::kAdmScales> distorted_;
  std::vector<metrics::AdmSums::Scale> row_sums_;  ///< of the scale at hand
};

}  // namespace sidecore::neon
