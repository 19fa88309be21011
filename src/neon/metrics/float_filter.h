// NEON implementations of the separable filters of metrics/float_filter.h.
#pragma once

#include "metrics/float_filter.h"

namespace sidecore::neon {

void filter_float_rows(const metrics::FloatTapRows& rows, int width,
                       const metrics::FloatFilter& filter, metrics::FloatFilterRow& to);
/// Filters the columns of a row. Writes some vectors beyond the end of the row.
void filter_float_columns(const metrics::FloatFilterRow& from, int width, int step,
                          const metrics::FloatFilter& filter, float* to);

}  // namespace sidecore::neon
