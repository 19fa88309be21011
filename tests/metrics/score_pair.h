// Scores of one pair of pictures by a family's kernel, with nothing around it.
#pragma once

#include <vector>

#include "metrics/feature_family.h"
#include "metrics/host_scorer.h"

namespace sidecore::test {

/// Scores of one request by the backend's kernel for its family.
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
