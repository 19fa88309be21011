#include "metrics/feature.h"

#include <fmt/format.h>

#include "base/error.h"
#include "metrics/feature_family.h"

namespace sidecore::metrics {

const Feature& find_feature(std::string_view name) {
  std::string known;
  for (const FeatureFamily* const family : families()) {
    for (const Feature& feature : family->features) {
      if (feature.name == name) return feature;
      known += fmt::format("{}{}", known.empty() ? "" : ", ", feature.name);
    }
  }
  throw usage_error("there is no feature '{}': {}", name, known);
}

std::vector<std::string> FeatureRequest::outputs() const {
  std::vector<std::string> names = feature->outputs(options);
  const std::string suffix = options.name_suffix();
  for (std::string& name : names) name += suffix;
  return names;
}

std::string FeatureRequest::text() const {
  const std::string set = options.text();
  return fmt::format("{}{}{}", feature->name, set.empty() ? "" : "=", set);
}

FeatureRequest parse_feature_request(std::string_view text) {
  const std::string_view name = text.substr(0, text.find('='));
  const Feature& feature = find_feature(name);
  FeatureRequest request{&feature, FeatureOptions(feature.options)};
  if (name.size() == text.size()) return request;
  std::string_view rest = text.substr(name.size() + 1);
  while (true) {
    const std::string_view setting = rest.substr(0, rest.find(':'));
    const std::size_t equals = setting.find('=');
    if (equals == std::string_view::npos) {
      throw usage_error("'{}' in feature '{}' does not have the form OPTION=VALUE", setting, text);
    }
    try {
      request.options.set(setting.substr(0, equals), setting.substr(equals + 1));
    } catch (const Error& error) {
      throw error.reworded(fmt::format("feature {}: {}", name, error.what()));
    }
    if (setting.size() == rest.size()) return request;
    rest.remove_prefix(setting.size() + 1);
  }
}

void add_feature_request(std::vector<FeatureRequest>& requests, const FeatureRequest& request) {
  for (FeatureRequest& there : requests) {
    if (there.feature == request.feature && there.options.add_outputs_of(request.options)) return;
  }
  requests.push_back(request);
}

std::vector<std::string> output_names(std::span<const FeatureRequest> requests) {
  std::vector<std::string> names;
  for (const FeatureRequest& request : requests) {
    for (std::string& name : request.outputs()) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace sidecore::metrics
