#include "metrics/feature_family.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <set>
#include <string>

#include "base/error.h"
#include "metrics/families.h"

namespace sidecore::metrics {

std::span<const FeatureFamily* const> families() {
  static const std::array kAll = {
#define SIDECORE_FAMILY(name, neon, qpu) &name##_family(),
#include "metrics/families.inc"
#undef SIDECORE_FAMILY
  };
  return kAll;
}

const FeatureFamily& family_of(const Feature& feature) {
  const auto has = [&](const FeatureFamily* family) {
    return std::ranges::any_of(family->features,
                               [&](const Feature& member) { return &member == &feature; });
  };
  const auto found = std::ranges::find_if(families(), has);
  assert(found != families().end());
  return **found;
}

void FamilyRequests::place(std::span<const double> scores, std::span<double> all) const {
  assert(scores.size() == places.size());
  for (std::size_t i = 0; i < scores.size(); ++i) all[places[i]] = scores[i];
}

std::size_t FamilyRequests::history() const {
  std::size_t most = 0;
  for (const FeatureRequest& request : requests) most = std::max(most, request.history());
  return most;
}

bool FamilyRequests::is_temporal() const {
  return std::ranges::any_of(
      requests, [](const FeatureRequest& request) { return request.feature->finish != nullptr; });
}

void FamilyRequests::finish(std::span<const std::span<double>> columns) const {
  auto place = places.begin();
  for (const FeatureRequest& request : requests) {
    std::vector<std::span<double>> outputs(request.outputs().size());
    for (std::span<double>& output : outputs) output = columns[*place++];
    if (request.feature->finish != nullptr) request.feature->finish(request.options, outputs);
  }
}

std::vector<FamilyRequests> group_by_family(const video::PictureFormat& format,
                                            std::span<const FeatureRequest> requests) {
  if (requests.empty()) throw usage_error("no feature is requested");
  std::vector<FamilyRequests> groups;
  std::set<std::string> names;
  std::size_t place = 0;
  for (const FeatureRequest& request : requests) {
    request.check(format);
    const FeatureFamily& family = family_of(*request.feature);
    auto group = std::ranges::find(groups, &family, &FamilyRequests::family);
    if (group == groups.end()) group = groups.insert(groups.end(), {&family, {}, {}});
    group->requests.push_back(request);
    for (const std::string& name : request.outputs()) {
      if (!names.insert(name).second) {
        throw usage_error("two of the requested features would both write {}", name);
      }
      group->places.push_back(place++);
    }
  }
  return groups;
}

}  // namespace sidecore::metrics
