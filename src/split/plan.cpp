#include "split/plan.h"

#include <fmt/format.h>

#include <algorithm>

namespace sidecore::split {

const char* to_string(FilterPlace place) {
  switch (place) {
    case FilterPlace::scalar:
      return "scalar";
    case FilterPlace::neon:
      return "neon";
    case FilterPlace::qpu:
      return "qpu";
    case FilterPlace::split:
      return "split";
  }
  return "unknown";
}

std::string Plan::label() const {
  return fmt::format("{} filter, {} thread{}", to_string(filter), threads, threads == 1 ? "" : "s");
}

std::vector<Plan> all_plans(int threads, bool with_qpu) {
  std::vector<Plan> plans;
  for (const FilterPlace place : kFilterPlaces) {
    if (needs_qpu(place) && !with_qpu) continue;
    for (int count = 1; count < threads; count *= 2) plans.push_back({place, count});
    plans.push_back({place, threads});
  }
  return plans;
}

}  // namespace sidecore::split
