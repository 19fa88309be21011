// The NEON loop filters of whole pictures, for vp9::make_cpu_filter() and whoever divides the work.
#pragma once

#include "neon/vp9/deep_loop_filter.h"
#include "neon/vp9/loop_filter.h"
#include "vp9/picture_filter.h"

namespace sidecore::neon {

/// Of samples of 8 bits, and of up to 12.
[[nodiscard]] inline vp9::EdgeListFilters edge_list_filters() {
  return {filter_edges_in_order, filter_deep_edges_in_order};
}

}  // namespace sidecore::neon
