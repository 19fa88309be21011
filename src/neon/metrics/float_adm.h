// NEON implementation of metrics/float_adm_sums.h.
#pragma once

#include <vector>

#include "metrics/float_adm.h"
#include "neon/metrics/float_adm_rows.h"

namespace sidecore::neon {

/// NEON implementation of metrics::FloatAdm.
class FloatAdm final : public metrics::AdmSummer {
 public:
  /// Creates the summer. Throws Error (usage) in the same cases as metrics::FloatAdm.
  FloatAdm(const video::PictureFormat& format, const metrics::AdmOptions& options,
           std::size_t threads);

  void row_sums(const metrics::LumaView& reference, const metrics::LumaView& distorted,
                const metrics::AdmRows& rows, ThreadTeam& team,
                const metrics::AdmRowSums& sums) override;

 private:
  /// Workspace of a thread.
  struct Scratch {
    LumaRows luma;
    FilteredRow filtered;
    DetailRing details;
  };

  void transform(std::size_t k, const metrics::LumaView& luma, const RowRange& rows,
                 ThreadTeam& team, std::array<AdmWavelet, metrics::kAdmScales>& wavelets);
  void sum(std::size_t k, const RowRange& rows, ThreadTeam& team,
           std::span<metrics::AdmSums::Scale> sums);

  int bits_;
  metrics::AdmOptions options_;
  std::array<AdmWavelet, metrics::kAdmScales> reference_;
  std::array<AdmWavelet, metrics::kAdmScales> distorted_;
  std::vector<Scratch> scratch_;  ///< one workspace per thread
};

}  // namespace sidecore::neon
