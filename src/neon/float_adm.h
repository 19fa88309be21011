// NEON twin of metrics/float_adm_sums.h. On x86 the same source compiles through SIMDe.
#pragma once

#include <vector>

#include "metrics/float_adm.h"
#include "neon/adm_rows.h"

namespace sidecore::neon {

/// Twin of metrics::FloatAdm: the same bits.
class FloatAdm final : public metrics::AdmSummer {
 public:
  /// Throws Error (usage) as metrics::FloatAdm does.
  FloatAdm(const video::PictureFormat& format, const metrics::AdmOptions& options,
           std::size_t threads);

  [[nodiscard]] metrics::AdmSums sums(const video::Picture& reference,
                                      const video::Picture& distorted,
                                      metrics::RowTeam& rows) override;

 private:
  /// What a thread works in.
  struct Scratch {
    LumaRows luma;
    FilteredRow filtered;
    DetailRing details;
  };

  void transform(std::size_t k, const video::Picture& picture, metrics::RowTeam& rows,
                 std::array<AdmWavelet, metrics::kAdmScales>& wavelets);
  [[nodiscard]] metrics::AdmSums::Scale sum(std::size_t k, metrics::RowTeam& rows);

  metrics::AdmOptions options_;
  metrics::AdmScales scales_;
  std::array<AdmWavelet, metrics::kAdmScales> reference_;
  std::array<AdmWavelet, metrics::kAdmScales> distorted_;
  std::vector<Scratch> scratch_;                     ///< one a thread
  std::vector<metrics::AdmSums::Scale> row_sums_;  ///< one a row of the scale at hand
};

}  // namespace sidecore::neon
