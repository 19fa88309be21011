#include "metrics/pooling.h"

#include "base/error.h"

namespace sidecore::metrics {

Pooled pool(std::span<const double> scores) {
  if (scores.empty()) throw usage_error("there are no pictures whose scores can be pooled");
  Pooled pooled{.min = scores.front(), .max = scores.front()};
  double sum = 0;
  double harmonic_sum = 0;
  for (const double score : scores) {
    sum += score;
    harmonic_sum += 1 / (score + 1);
    if (score < pooled.min) pooled.min = score;
    if (score > pooled.max) pooled.max = score;
  }
  const auto count = static_cast<double>(scores.size());
  pooled.mean = sum / count;
  pooled.harmonic_mean = count / harmonic_sum - 1;
  return pooled;
}

}  // namespace sidecore::metrics
