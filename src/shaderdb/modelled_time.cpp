#include "shaderdb/modelled_time.h"

#include <algorithm>

namespace sidecore::shaderdb {

void ModelledTime::add(const ModelledTime& other) {
  dispatches += other.dispatches;
  for (const auto& [bound, seconds] : other.low) low[bound] += seconds;
  for (const auto& [bound, seconds] : other.high) high[bound] += seconds;
}

double total_seconds(const std::map<std::string, double>& by_bound) {
  double sum = 0;
  for (const auto& [bound, seconds] : by_bound) sum += seconds;
  return sum;
}

std::string leading_bound(const std::map<std::string, double>& by_bound) {
  const auto most =
      std::ranges::max_element(by_bound, {}, [](const auto& of) { return of.second; });
  return most == by_bound.end() ? "" : most->first;
}

}  // namespace sidecore::shaderdb
