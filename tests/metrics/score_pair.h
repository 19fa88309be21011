// Scores of one pair of pictures, directly from a family's kernel.
#pragma once

#include <vector>

#include "metrics/feature_family.h"
#include "metrics/host_scorer.h"

namespace sidecore::test {

/// Returns the scores of one request for a pair of pictures, computed by the kernel that `kernels`
/// has for the request's family.
inline std::vector<double> score_pair(metrics::KernelChoice kernels,
                                      const metrics::FeatureRequest& request,
                                      const video::Picture& reference,
                                      const video::Picture& distorted) {
  request.check(reference.format());
  const auto kernel =
      kernels(metrics::family_of(*request.feature))(reference.format(), {&request, 1}, 1);
  std::vector<double> scores(request.outputs().size());
  CallingThread thread;
  kernel->score(reference, distorted, thread, scores);
  return scores;
}

}  // namespace sidecore::test
