// Scalar definition of the sums over a pair of pictures that float_adm's scores come of.
#pragma once

#include <cstddef>
#include <vector>

#include "metrics/float_adm.h"
#include "metrics/float_plane.h"

namespace sidecore::metrics {

/// A plane's wavelet coefficients of one scale.
struct AdmWavelet {
  FloatPlane approximation;  ///< input of the next scale
  PerBand<FloatPlane> bands;
};

/// The definition. Other implementations leave the same bits.
class FloatAdm final : public AdmSummer {
 public:
  /// `threads` bounds the thread numbers of the ThreadTeam. Throws Error (usage) as adm_scales()
  /// does.
  FloatAdm(const video::PictureFormat& format, const AdmOptions& options, std::size_t threads);

  void row_sums(const LumaView& reference, const LumaView& distorted, const AdmRows& rows,
                ThreadTeam& team, const AdmRowSums& sums) override;

 private:
  /// One row, filtered vertically.
  struct FilteredRow {
    std::vector<float> low;
    std::vector<float> high;
  };

  void transform(const FloatPlane& plane, const AdmRowRange& rows, ThreadTeam& team,
                 AdmWavelet& wavelet);
  void decouple(std::size_t k, const AdmRowRange& rows, ThreadTeam& team);
  void sum(std::size_t k, const AdmRowRange& rows, ThreadTeam& team,
           std::span<AdmSums::Scale> sums) const;

  int bits_;
  AdmOptions options_;
  FloatPlane reference_luma_;
  FloatPlane distorted_luma_;
  std::array<AdmWavelet, kAdmScales> reference_;
  std::array<AdmWavelet, kAdmScales> distorted_;
  PerBand<FloatPlane> restored_;       ///< of the largest scale's size
  PerBand<FloatPlane> impairment_;     ///< distorted less restored
  std::vector<FilteredRow> filtered_;  ///< one a thread
};

}  // namespace sidecore::metrics
