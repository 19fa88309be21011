#include "metrics/score_difference.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace sidecore::metrics {
namespace {

double distance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double apart = std::abs(a - b);
  return std::isnan(apart) ? std::numeric_limits<double>::infinity() : apart;
}

}  // namespace

bool ScoreDifference::within(int places) const {
  return max <= 0.5 * std::pow(10.0, -places);
}

int ScoreDifference::places() const {
  int places = 17;
  while (places >= 0 && !within(places)) --places;
  return places;
}

ScoreDifference difference(std::span<const std::uint64_t> numbers, std::span<const double> expected,
                           std::span<const double> found) {
  assert(numbers.size() == expected.size() && numbers.size() == found.size());
  ScoreDifference result;
  result.frames = numbers.size();
  double sum = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double apart = distance(expected[i], found[i]);
    if (apart == 0) continue;
    if (!result.first) result.first = numbers[i];
    result.max = std::max(result.max, apart);
    sum += apart;
  }
  if (!numbers.empty()) result.mean = sum / static_cast<double>(numbers.size());
  return result;
}

}  // namespace sidecore::metrics
