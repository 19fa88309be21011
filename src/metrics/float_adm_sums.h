// Scalar definition of the sums over a pair of pictures from which float_adm's scores are computed.
#pragma once

#include <cstddef>
#include <vector>

#include "metrics/float_adm.h"
#include "metrics/float_plane.h"

namespace sidecore::metrics {

/// Wavelet coefficients of one plane in one scale.
struct AdmWavelet {
  FloatPlane approximation;  ///< low-pass band, the input of the next scale
  PerBand<FloatPlane> bands;
};

/// Scalar definition of AdmSummer. Other implementations give the same bits.
class FloatAdm final : public AdmSummer {
 public:
  /// Creates the summer. `threads` is the exclusive limit of thread numbers in the ThreadTeam.
  /// Throws Error (usage) as adm_scales() does.
  FloatAdm(const video::PictureFormat& format, const AdmOptions& options, std::size_t threads);

  void row_sums(const LumaView& reference, const LumaView& distorted, const AdmRows& rows,
                ThreadTeam& team, const AdmRowSums& sums) override;

 private:
  /// One row of coefficients after the vertical filters, before the horizontal ones.
  struct FilteredRow {
    std::vector<float> low;
    std::vector<float> high;
  };

  void transform(const FloatPlane& plane, const RowRange& rows, ThreadTeam& team,
                 AdmWavelet& wavelet);
  void decouple(std::size_t k, const RowRange& rows, ThreadTeam& team);
  void sum(std::size_t k, const RowRange& rows, ThreadTeam& team,
           std::span<AdmSums::Scale> sums) const;

  int bits_;
  AdmOptions options_;
  FloatPlane reference_luma_;
  FloatPlane distorted_luma_;
  std::array<AdmWavelet, kAdmScales> reference_;
  std::array<AdmWavelet, kAdmScales> distorted_;
  PerBand<FloatPlane> restored_;       ///< restored details, of the size of the largest scale
  PerBand<FloatPlane> impairment_;     ///< distorted bands minus restored bands
  std::vector<FilteredRow> filtered_;  ///< rows after the vertical filters, one per thread
};

}  // namespace sidecore::metrics
