// VMAF models from libvmaf's files, and requests for models in the form of its command.
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/error.h"
#include "base/printable.h"
#include "base/text_file.h"
#include "metrics/feature_family.h"
#include "metrics/json_tree.h"
#include "metrics/score_names.h"
#include "metrics/vmaf_model.h"
#include "metrics/vmaf_models.h"

namespace sidecore::metrics {
namespace {

/// Largest number of a model's inputs, as in libvmaf.
constexpr std::size_t kMaxModelInputs = 64;

/// Reads members of a model. Its errors name the model.
class ModelReader {
 public:
  ModelReader(const JsonTree& members, std::string origin)
      : members_(members), origin_(std::move(origin)) {}

  template <class... Args>
  [[nodiscard]] Error error(fmt::format_string<Args...> format, Args&&... args) const {
    return usage_error("{}: {}", origin_,
                       printable(fmt::format(format, std::forward<Args>(args)...)));
  }

  /// Returns a member; null if there is none.
  [[nodiscard]] const JsonTree* find(const char* name) const {
    const JsonTree* const found = members_.find(name);
    return found == nullptr || found->is_null() ? nullptr : found;
  }
  [[nodiscard]] const JsonTree& member(const char* name) const {
    const JsonTree* const found = find(name);
    if (found == nullptr) throw error("it has no {}", name);
    return *found;
  }
  [[nodiscard]] const std::string& text(const char* name) const {
    const auto* const value = member(name).get<std::string>();
    if (value == nullptr) throw error("its {} must be a string", name);
    return *value;
  }
  [[nodiscard]] double number(const char* what, const JsonTree& value) const {
    const auto* const number = value.get<double>();
    if (number == nullptr || !std::isfinite(*number)) {
      throw error("its {} must be a finite number", what);
    }
    return *number;
  }
  [[nodiscard]] std::optional<double> optional_number(const char* name) const {
    const JsonTree* const value = find(name);
    return value == nullptr ? std::nullopt : std::optional(number(name, *value));
  }
  /// Returns a member that must be a list of `count` numbers.
  [[nodiscard]] std::vector<double> numbers(const char* name, std::size_t count) const {
    const auto* const list = member(name).get<JsonTree::List>();
    if (list == nullptr || list->size() != count) {
      throw error("its {} must be a list of {} numbers", name, count);
    }
    std::vector<double> values;
    values.reserve(count);
    for (const JsonTree& value : *list) values.push_back(number(name, value));
    return values;
  }
  /// Returns a flag; libvmaf writes flags as the text "true".
  [[nodiscard]] bool flag(const char* name) const {
    const JsonTree* const value = find(name);
    if (value == nullptr) return false;
    const auto* const flag = value->get<bool>();
    const auto* const text = value->get<std::string>();
    return (flag != nullptr && *flag) || (text != nullptr && *text == "true");
  }
  [[nodiscard]] ModelReader object_reader(const char* name) const {
    const JsonTree& value = member(name);
    if (value.get<JsonTree::Members>() == nullptr)
      throw error("its {} must be a JSON object", name);
    return {value, origin_};
  }
  /// Returns the names of the model's features, as the file has them.
  [[nodiscard]] std::vector<std::string> keys() const {
    const auto* const list = member("feature_names").get<JsonTree::List>();
    if (list == nullptr || list->empty() || list->size() > kMaxModelInputs) {
      throw error("its feature_names must be a list of 1 to {} names", kMaxModelInputs);
    }
    std::vector<std::string> keys;
    for (const JsonTree& value : *list) {
      const auto* const key = value.get<std::string>();
      if (key == nullptr) throw error("all elements of its feature_names must be strings");
      keys.push_back(*key);
    }
    return keys;
  }
  [[nodiscard]] const std::string& origin() const { return origin_; }

 private:
  const JsonTree& members_;
  std::string origin_;
};

const Feature& feature_of_key(const ModelReader& reader, const std::string& key) {
  const std::string output = output_of_key(key);
  for (const FeatureFamily* const family : families()) {
    for (const Feature& feature : family->features) {
      const std::vector<std::string> names = feature.outputs(FeatureOptions(feature.options));
      if (std::ranges::find(names, output) != names.end()) return feature;
    }
  }
  throw reader.error("it needs the feature {}, which is not supported", key);
}

void set_option(const ModelReader& reader, FeatureRequest& request, const std::string& option,
                const std::string& value) {
  try {
    request.options.set(option, value);
  } catch (const Error& error) {
    throw reader.error("feature {}: {}", request.feature->name, error.what());
  }
}

/// Returns a value as an option's text; libvmaf writes numbers with six digits.
std::string option_text(const ModelReader& reader, const std::string& option,
                        const JsonTree& value) {
  if (const auto* const flag = value.get<bool>()) return *flag ? "true" : "false";
  if (const auto* const number = value.get<double>()) return fmt::format("{:g}", *number);
  if (const auto* const text = value.get<std::string>()) return *text;
  throw reader.error("its option {} must be a boolean, a number or a string", option);
}

/// Returns the options of the model's features, at most `count` of them; null if the file has none.
const JsonTree::List* read_options(const ModelReader& reader, std::size_t count) {
  const JsonTree* const options = reader.find("feature_opts_dicts");
  if (options == nullptr) return nullptr;
  const auto* const list = options->get<JsonTree::List>();
  if (list == nullptr || list->size() > count) {
    throw reader.error("its feature_opts_dicts must be a list for its {} features", count);
  }
  return list;
}

/// Reads the inputs except for slopes and intercepts.
std::vector<VmafInput> read_inputs(const ModelReader& reader,
                                   std::span<const VmafOverride> overrides) {
  const std::vector<std::string> keys = reader.keys();
  const JsonTree::List* const options = read_options(reader, keys.size());
  std::vector<VmafInput> inputs;
  inputs.reserve(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string& key = keys[i];
    const Feature& feature = feature_of_key(reader, key);
    FeatureRequest request{&feature, FeatureOptions(feature.options)};
    if (options != nullptr && i < options->size()) {
      const auto* const members = (*options)[i].get<JsonTree::Members>();
      if (members == nullptr) throw reader.error("the options of {} must be a JSON object", key);
      for (const JsonTree& option : members->values) {
        set_option(reader, request, option.name(), option_text(reader, option.name(), option));
      }
    }
    for (const VmafOverride& set : overrides) {
      if (set.feature == feature.name) set_option(reader, request, set.option, set.value);
    }
    const std::vector<std::string> names = feature.outputs(request.options);
    const auto output = std::ranges::find(names, output_of_key(key));
    if (output == names.end()) {
      throw reader.error("feature {} with the given options has no output {}", feature.name, key);
    }
    inputs.push_back(
        {request, request.outputs()[static_cast<std::size_t>(output - names.begin())], 1, 0});
  }
  for (const VmafOverride& set : overrides) {
    if (std::ranges::none_of(inputs, [&](const VmafInput& input) {
          return input.request.feature->name == set.feature;
        })) {
      throw reader.error("it has no feature {}, so its option {} cannot be set", set.feature,
                         set.option);
    }
  }
  return inputs;
}

void read_normalisation(const ModelReader& reader, VmafModel& model) {
  const std::string& type = reader.text("norm_type");
  if (type == "none") return;
  if (type != "linear_rescale") {
    throw reader.error("its norm_type must be linear_rescale or none, not '{}'", type);
  }
  const std::size_t count = model.inputs.size() + 1;
  const std::vector<double> slopes = reader.numbers("slopes", count);
  const std::vector<double> intercepts = reader.numbers("intercepts", count);
  if (slopes.front() == 0) throw reader.error("slopes[0], the slope of the score, must not be 0");
  model.slope = slopes.front();
  model.intercept = intercepts.front();
  for (std::size_t i = 1; i < count; ++i) {
    model.inputs[i - 1].slope = slopes[i];
    model.inputs[i - 1].intercept = intercepts[i];
  }
}

/// Returns the only input whose key contains `part`. Throws if there is none or more than one.
std::size_t only_input(const ModelReader& reader, std::string_view part) {
  const std::vector<std::string> keys = reader.keys();
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].find(part) == std::string::npos) continue;
    if (found)
      throw reader.error("its chroma correction needs one feature {}, but it has two", part);
    found = i;
  }
  if (!found) throw reader.error("its chroma correction needs a feature {}, but it has none", part);
  return *found;
}

std::optional<VmafChromaCorrection> read_chroma_correction(const ModelReader& reader,
                                                           const VmafModel& model) {
  const auto parameter = reader.optional_number("chroma_correction_parameter");
  if (!parameter) return std::nullopt;
  const VmafChromaCorrection correction{*parameter, only_input(reader, "adm3"),
                                        only_input(reader, "speed_chroma")};
  if (*parameter == 0 || model.inputs[correction.luma].slope == 0 ||
      model.inputs[correction.chroma].slope == 0) {
    throw reader.error(
        "its chroma_correction_parameter and the slopes of the corrected features must not be 0");
  }
  return correction;
}

std::vector<std::pair<double, double>> read_knots(const ModelReader& reader) {
  std::vector<std::pair<double, double>> knots;
  if (reader.find("knots") == nullptr) return knots;
  const auto* const list = reader.member("knots").get<JsonTree::List>();
  if (list == nullptr || list->size() < 2)
    throw reader.error("its knots must be a list of at least two");
  for (const JsonTree& element : *list) {
    const auto* const knot = element.get<JsonTree::List>();
    if (knot == nullptr || knot->size() != 2)
      throw reader.error("each of its knots must be a pair of numbers");
    knots.emplace_back(reader.number("knots", (*knot)[0]), reader.number("knots", (*knot)[1]));
    if (knots.size() == 1) continue;
    const auto& before = knots[knots.size() - 2];
    if (!(before.first < knots.back().first && before.second <= knots.back().second)) {
      throw reader.error("its knots must ascend");
    }
  }
  return knots;
}

std::optional<VmafTransform> read_transform(const ModelReader& reader) {
  if (reader.find("score_transform") == nullptr) return std::nullopt;
  const ModelReader members = reader.object_reader("score_transform");
  return VmafTransform{members.optional_number("p0"), members.optional_number("p1"),
                       members.optional_number("p2"), read_knots(members),
                       members.flag("out_lte_in"),    members.flag("out_gte_in"),
                       members.flag("enabled")};
}

VmafModel read_model(const ModelReader& reader, const std::string& machine,
                     std::span<const VmafOverride> overrides) {
  const std::string& type = reader.text("model_type");
  // The two other types mark the models of a collection. Each predicts like a single model.
  if (type != "LIBSVMNUSVR" && type != "BOOTSTRAP_LIBSVMNUSVR" &&
      type != "RESIDUEBOOTSTRAP_LIBSVMNUSVR") {
    throw reader.error("its model_type must be LIBSVMNUSVR, not '{}'", type);
  }
  VmafModel model;
  model.inputs = read_inputs(reader, overrides);
  read_normalisation(reader, model);
  model.machine = SupportVectors(machine, model.inputs.size(), reader.origin());
  model.chroma_correction = read_chroma_correction(reader, model);
  model.transform = read_transform(reader);
  if (reader.find("score_clip") != nullptr) {
    const std::vector<double> clip = reader.numbers("score_clip", 2);
    model.clip.emplace(clip[0], clip[1]);
  }
  return model;
}

bool is_collection(const JsonTree& file) {
  return file.find("0") != nullptr;
}

JsonTree parse_json(std::string_view text, const std::string& origin) {
  std::optional<JsonTree> file = JsonTree::parse(text);
  if (!file) throw usage_error("{} is not complete JSON", origin);
  return std::move(*file);
}

VmafModel read_model_file(const JsonTree& file, const std::string& origin,
                          std::span<const VmafOverride> overrides) {
  const JsonTree* const model = file.find("model_dict");
  if (model == nullptr || model->get<JsonTree::Members>() == nullptr) {
    throw usage_error("{} is not a VMAF model: it has no model_dict", origin);
  }
  const ModelReader reader(*model, origin);
  return read_model(reader, reader.text("model"), overrides);
}

/// Returns a member of the document of built-in models. The document is parsed only once.
const JsonTree& built_in(const char* name) {
  static const JsonTree kModels = JsonTree::parse(vmaf_models()).value();
  return *kModels.find(name);
}

std::vector<std::string> member_names(const JsonTree& object) {
  std::vector<std::string> names;
  for (const JsonTree& member : object.get<JsonTree::Members>()->values) {
    names.push_back(member.name());
  }
  std::ranges::sort(names);
  return names;
}

/// Returns a machine of a built-in collection as text in libsvm's format.
std::string machine_with_vectors(const JsonTree& machine, const JsonTree::List& vectors) {
  std::string text = *machine.find("head")->get<std::string>();
  std::string_view lines = *machine.find("vectors")->get<std::string>();
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    const std::string_view number = line.substr(line.find(' ') + 1);
    std::size_t vector = 0;
    std::from_chars(number.data(), number.data() + number.size(), vector);
    text += line.substr(0, line.find(' '));
    text += ' ';
    text += *vectors[vector].get<std::string>();
    text += '\n';
    lines.remove_prefix(line.size() + 1);
  }
  return text;
}

/// Returns a request's settings: KEY or KEY=VALUE, separated by colons.
std::vector<std::pair<std::string, std::string>> split_settings(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> settings;
  std::string_view rest = text;
  while (true) {
    const std::string_view setting = rest.substr(0, rest.find(':'));
    const std::size_t equals = setting.find('=');
    settings.emplace_back(setting.substr(0, equals), equals == std::string_view::npos
                                                         ? std::string_view("true")
                                                         : setting.substr(equals + 1));
    if (setting.size() == rest.size()) return settings;
    rest.remove_prefix(setting.size() + 1);
  }
}

bool parse_flag(const std::string& text, const std::string& key, const std::string& value) {
  if (value == "true" || value == "false") return value == "true";
  throw usage_error("{} in model '{}' must be true or false, not '{}'", key, text, value);
}

}  // namespace

VmafModel parse_vmaf_model(std::string_view text, const std::string& origin,
                           std::span<const VmafOverride> overrides) {
  const JsonTree file = parse_json(text, origin);
  if (is_collection(file)) {
    throw usage_error("{} is a collection of models, which is not supported", origin);
  }
  return read_model_file(file, origin, overrides);
}

bool is_vmaf_model_collection(std::string_view text) {
  const std::optional<JsonTree> file = JsonTree::parse(text);
  return file && is_collection(*file);
}

std::vector<VmafModel> parse_vmaf_model_collection(std::string_view text,
                                                   const std::string& origin) {
  const JsonTree file = parse_json(text, origin);
  std::vector<VmafModel> models;
  while (const JsonTree* const model = file.find(std::to_string(models.size()))) {
    models.push_back(
        read_model_file(*model, fmt::format("{}, model {}", origin, models.size()), {}));
  }
  if (models.size() < 2) throw usage_error("{} is not a collection of models", origin);
  return models;
}

std::vector<std::string> vmaf_model_versions() {
  return member_names(built_in("models"));
}

std::vector<std::string> vmaf_collection_versions() {
  return member_names(built_in("collections"));
}

std::vector<VmafModel> built_in_vmaf_model_collection(std::string_view version) {
  const JsonTree* const collection = built_in("collections").find(version);
  if (collection == nullptr) {
    throw usage_error("there is no built-in collection of version '{}'; choose one of {}", version,
                      fmt::join(vmaf_collection_versions(), ", "));
  }
  const ModelReader reader(*collection, fmt::format("collection {}", version));
  const JsonTree& bootstrap = *built_in("bootstraps").find(reader.text("bootstrap"));
  const auto& vectors = *bootstrap.find("vectors")->get<JsonTree::List>();
  std::vector<VmafModel> models;
  for (const JsonTree& machine : *bootstrap.find("machines")->get<JsonTree::List>()) {
    models.push_back(read_model(reader, machine_with_vectors(machine, vectors), {}));
  }
  return models;
}

VmafModel built_in_vmaf_model(std::string_view version, std::span<const VmafOverride> overrides) {
  const JsonTree* const model = built_in("models").find(version);
  if (model == nullptr) {
    throw usage_error("there is no built-in model of version '{}'; choose one of {}", version,
                      fmt::join(vmaf_model_versions(), ", "));
  }
  const ModelReader reader(*model, fmt::format("model {}", version));
  const JsonTree& machine = *built_in("machines").find(reader.text("machine"));
  return read_model(reader, *machine.get<std::string>(), overrides);
}

ModelRequest parse_model_request(const std::string& text) {
  ModelRequest request{"vmaf", text, {}};
  std::optional<std::string> version;
  std::optional<std::string> path;
  std::vector<VmafOverride> overrides;
  bool transform = false;
  bool unclipped = false;
  for (const auto& [key, value] : split_settings(text)) {
    const std::size_t point = key.find('.');
    if (key == "version") {
      version = value;
    } else if (key == "path") {
      path = value;
    } else if (key == "name") {
      request.name = value;
    } else if (key == "enable_transform") {
      transform = parse_flag(text, key, value);
    } else if (key == "disable_clip") {
      unclipped = parse_flag(text, key, value);
    } else if (point != std::string::npos) {
      overrides.push_back({key.substr(0, point), key.substr(point + 1), value});
    } else {
      throw usage_error(
          "'{}' in model '{}' is not one of version, path, name, enable_transform, "
          "disable_clip and FEATURE.OPTION",
          key, text);
    }
  }
  if (version.has_value() == path.has_value()) {
    throw usage_error("model '{}' needs either version=VERSION or path=FILE", text);
  }
  if (request.name.empty()) throw usage_error("the name in model '{}' is empty", text);
  request.model = version ? built_in_vmaf_model(*version, overrides)
                          : parse_vmaf_model(read_text_file(*path, kMaxModelBytes),
                                             fmt::format("'{}'", *path), overrides);
  if (unclipped) request.model.clip.reset();
  if (transform) {
    if (!request.model.transform) throw usage_error("model '{}' has no transform to enable", text);
    request.model.transform->enabled = true;
  }
  return request;
}

}  // namespace sidecore::metrics
