// Frames that the tests of split's arithmetic agree on.
#pragma once

#include <vector>

#include "split/frame_costs.h"

namespace sidecore::split {

inline constexpr double kSmall = 1e-9;

/// Frames of different sizes, all of them shown and predicted from others.
inline std::vector<FrameWork> some_work() {
  std::vector<FrameWork> work;
  for (const double bytes : {9000.0, 1000.0, 1500.0, 700.0, 2000.0, 1200.0, 800.0, 3000.0}) {
    work.push_back({FrameKind::inter, bytes});
  }
  return work;
}

/// So many frames as in some_work().
inline FrameTotals frames(double count, double bytes) {
  FrameTotals totals;
  totals.kinds[static_cast<std::size_t>(FrameKind::inter)] = {count, bytes};
  totals.shown = count;
  return totals;
}

}  // namespace sidecore::split
