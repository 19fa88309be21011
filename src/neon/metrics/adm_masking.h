// From wavelet coefficients to the sums of float_adm, row by row.
#pragma once

#include "neon/metrics/adm_rows.h"

namespace sidecore::neon {

/// Splits row y of the distorted bands into restored detail and impairment, weighs both, and puts
/// them into the ring, mirrored at the band's ends.
void decouple_row(const metrics::PerBand<PaddedRows>& reference,
                  const metrics::PerBand<PaddedRows>& distorted, const metrics::AdmScale& scale,
                  int y, double gain_limit, DetailRing& ring);

/// Sums of row y, whose neighbours are in the ring.
[[nodiscard]] metrics::AdmSums::Scale sum_row(const metrics::PerBand<PaddedRows>& reference,
                                              DetailRing& ring, const metrics::AdmScale& scale,
                                              int y, double p_norm);

}  // namespace sidecore::neon
