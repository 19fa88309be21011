// Frames and candidates that the tests of predictions share.
#pragma once

#include <string_view>
#include <vector>

#include "model/candidate.h"
#include "model/frame_costs.h"

namespace sidecore::model {

inline constexpr double kSmall = 1e-9;

/// Returns inter frames of different sizes, all shown.
inline std::vector<FrameWork> some_work() {
  std::vector<FrameWork> work;
  for (const double bytes : {9000.0, 1000.0, 1500.0, 700.0, 2000.0, 1200.0, 800.0, 3000.0}) {
    work.push_back({FrameKind::inter, bytes});
  }
  return work;
}

/// Returns totals of `count` frames of the kind in some_work(), with `bytes` bytes together.
inline FrameTotals frames(double count, double bytes) {
  FrameTotals totals;
  totals.kinds[static_cast<std::size_t>(FrameKind::inter)] = {count, bytes};
  totals.shown = count;
  return totals;
}

/// Returns the candidate with this text of --plan and this number of threads.
inline Candidate candidate(std::string_view plan, int threads = 1) {
  return {vp9::Plan::parse(plan), threads};
}

}  // namespace sidecore::model
