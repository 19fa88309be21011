#include "metrics/vmaf_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <map>
#include <set>
#include <utility>

#include "base/error.h"

namespace sidecore::metrics {
namespace {

/// Returns a score on the line through two knots as libvmaf computes it: if the first knot is at x
/// = 0, its y is the line's constant.
double on_line(std::pair<double, double> first, std::pair<double, double> last, double score) {
  if (first.second == last.second) return first.second;
  if (first.first == 0) return (last.second - first.second) / last.first * score + first.second;
  const double slope = (last.second - first.second) / (last.first - first.first);
  return slope * score + (first.second - first.first * slope);
}

double between_knots(std::span<const std::pair<double, double>> knots, double score) {
  // A score at a knot between two segments belongs to the later one; the outer segments continue.
  std::size_t segment = 0;
  while (segment + 2 < knots.size() && score >= knots[segment + 1].first) ++segment;
  return on_line(knots[segment], knots[segment + 1], score);
}

std::size_t find_column(const ScoreTable& table, const std::string& output) {
  const auto found = std::ranges::find(table.names(), output);
  assert(found != table.names().end());
  return static_cast<std::size_t>(found - table.names().begin());
}

/// Throws Error (usage) if two requests of one feature with different values have equal output
/// names.
void check_outputs(std::span<const FeatureRequest> requests, std::span<const std::string> origins) {
  std::map<std::string, std::size_t> writers;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    for (const std::string& name : requests[i].outputs()) {
      const auto [writer, is_new] = writers.emplace(name, i);
      if (is_new) continue;
      throw usage_error(
          "{} would be written twice, with different values: by {} ({}) and by {} ({})", name,
          requests[writer->second].text(), origins[writer->second], requests[i].text(), origins[i]);
    }
  }
}

}  // namespace

double VmafTransform::of(double score) const {
  double result = score;
  if (constant || linear || square) {
    result = constant.value_or(0);
    if (linear) result += *linear * score;
    if (square) result += *square * score * score;
  }
  if (!knots.empty()) result = between_knots(knots, result);
  if (result_at_most_score) result = std::min(result, score);
  if (result_at_least_score) result = std::max(result, score);
  return result;
}

double VmafModel::raw_score(std::span<const double> features) const {
  assert(features.size() == inputs.size());
  std::vector<double> normalised(features.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    normalised[i] = inputs[i].slope * features[i] + inputs[i].intercept;
  }
  if (chroma_correction) {
    // As in libvmaf, the features are computed back from the normalised features, which rounds
    // twice.
    const auto feature = [&](std::size_t i) {
      return (normalised[i] - inputs[i].intercept) / inputs[i].slope;
    };
    const auto& [parameter, luma, chroma] = *chroma_correction;
    if (feature(chroma) == 0) {
      const double derived = -parameter * feature(luma) + parameter;
      normalised[chroma] = inputs[chroma].slope * derived + inputs[chroma].intercept;
    }
  }
  return (machine.predict(normalised) - intercept) / slope;
}

double VmafModel::limit(double raw_score) const {
  const double score = transform && transform->enabled ? transform->of(raw_score) : raw_score;
  return clip ? std::min(std::max(score, clip->first), clip->second) : score;
}

bool VmafModel::set_option(std::string_view feature, std::string_view option,
                           std::string_view value) {
  bool found = false;
  for (VmafInput& input : inputs) {
    if (input.request.feature->name != feature) continue;
    found = true;
    const std::vector<std::string> before = input.request.outputs();
    const auto place =
        static_cast<std::size_t>(std::ranges::find(before, input.output) - before.begin());
    input.request.options.set(option, value);
    // An option changes the names of outputs, not their order, but may remove the last ones.
    const std::vector<std::string> after = input.request.outputs();
    if (place >= after.size()) {
      throw usage_error("the model needs {}, which {}={} removes", input.output, option, value);
    }
    input.output = after[place];
  }
  return found;
}

void add_model_features(std::span<const ModelRequest> models,
                        std::vector<FeatureRequest>& requests) {
  std::vector<std::string> origins(requests.size(), "requested as a feature");
  for (const ModelRequest& model : models) {
    for (const VmafInput& input : model.model.inputs) {
      add_feature_request(requests, input.request);
      origins.resize(requests.size(), fmt::format("for model '{}'", model.text));
    }
  }
  check_outputs(requests, origins);
  const std::vector<std::string> outputs = output_names(requests);
  std::set<std::string> names(outputs.begin(), outputs.end());
  for (const ModelRequest& model : models) {
    if (names.insert(model.name).second) continue;
    throw usage_error("model '{}' would write {} a second time: set another name with name=NAME",
                      model.text, model.name);
  }
}

void add_model_scores(std::span<const ModelRequest> models, ScoreTable& table) {
  for (const auto& [name, text, model] : models) {
    std::vector<std::size_t> columns;
    columns.reserve(model.inputs.size());
    for (const VmafInput& input : model.inputs) columns.push_back(find_column(table, input.output));
    std::vector<double> features(columns.size());
    std::vector<double> scores(table.pictures());
    for (std::size_t picture = 0; picture < scores.size(); ++picture) {
      std::ranges::transform(columns, features.begin(),
                             [&](std::size_t column) { return table.column(column)[picture]; });
      scores[picture] = model.predict(features);
    }
    table.add_column(name, std::move(scores));
  }
}

}  // namespace sidecore::metrics
