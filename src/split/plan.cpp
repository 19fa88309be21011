#include "split/plan.h"

#include <fmt/format.h>

#include <algorithm>

namespace sidecore::split {
namespace {

void add_plans(FilterPlace place, int threads, qpu::LoopFilterOrder schedule,
               std::vector<Plan>& plans) {
  for (int count = 1; count < threads; count *= 2) plans.push_back({place, count, schedule});
  plans.push_back({place, threads, schedule});
}

}  // namespace

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
  const bool waves = needs_qpu(filter) && schedule == qpu::LoopFilterOrder::waves;
  return fmt::format("{} filter{}, {} thread{}", to_string(filter), waves ? " in waves" : "",
                     threads, threads == 1 ? "" : "s");
}

std::vector<Plan> all_plans(int threads, bool with_qpu) {
  std::vector<Plan> plans;
  for (const FilterPlace place : kFilterPlaces) {
    if (needs_qpu(place) && !with_qpu) continue;
    add_plans(place, threads, qpu::LoopFilterOrder::levels, plans);
    if (needs_qpu(place)) add_plans(place, threads, qpu::LoopFilterOrder::waves, plans);
  }
  return plans;
}

}  // namespace sidecore::split
