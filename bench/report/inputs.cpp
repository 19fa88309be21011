#include "report/inputs.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "base/error.h"
#include "base/json.h"
#include "base/text_file.h"
#include "gates/result_document.h"

namespace sidecore::report {
namespace {

using Json = nlohmann::ordered_json;

/// Returns the scalar members of the log's object "sidecore" as text.
std::vector<std::pair<std::string, std::string>> facts_of(const Json& log) {
  std::vector<std::pair<std::string, std::string>> facts;
  const auto ours = log.find("sidecore");
  if (ours == log.end() || !ours->is_object()) return facts;
  for (const auto& [name, value] : ours->items()) {
    if (value.is_structured()) continue;
    facts.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return facts;
}

/// Returns the names in a log's "models": "version=V:name=mine version=W:name=other".
std::set<std::string> asked_for(const MetricsFile& file) {
  std::set<std::string> names;
  for (const auto& [fact, text] : file.facts) {
    if (fact != "models") continue;
    constexpr std::string_view kName = ":name=";
    for (std::size_t at = text.find(kName); at != std::string::npos; at = text.find(kName, at)) {
      at += kName.size();
      names.insert(text.substr(at, text.find_first_of(": ", at) - at));
    }
  }
  return names;
}

MetricsFile metrics_file(const Source& source, const std::string& text, const Json& json) {
  MetricsFile file{source, metrics::parse_score_log(text, source.file), facts_of(json), {}};
  const std::set<std::string> named = asked_for(file);
  for (const auto& [name, scores] : file.log.outputs) {
    if (name.starts_with("vmaf") || named.contains(name)) file.model_scores.insert(name);
  }
  return file;
}

void add(const Source& source, Inputs& inputs) {
  const std::string text = read_text_file(source.file);
  const Json json = json::parse<Json>(text, source.file);
  const Json schema = json.is_object() ? json.value("schema", Json()) : Json();
  if (schema == "sidecore-gate") {
    inputs.gates.push_back({source, gates::parse_result(text, source.file)});
  } else if (schema == "sidecore-gate-model") {
    inputs.models.push_back({source, model::parse_modelled_report(text, source.file)});
  } else if (schema == "sidecore-split") {
    inputs.split.push_back({source, split::parse_proposal(text, source.file)});
  } else if (schema == "sidecore-verdict") {
    inputs.boards.push_back({source, boards::parse_board_file(text, source.file)});
  } else if (schema.is_string() && schema.get<std::string>().starts_with("sidecore-shaderdb-")) {
    inputs.shaderdb.push_back({source, shaderdb::parse_tables(text, source.file)});
  } else if (schema.is_null() && json.is_object() && json.contains("frames")) {
    inputs.metrics.push_back(metrics_file(source, text, json));
  } else {
    throw usage_error(
        "'{}' is neither a result of sidecore gate, split, verdict or shaderdb, nor a log of "
        "sidecore "
        "metrics or libvmaf",
        source.file);
  }
}

}  // namespace

Inputs read_inputs(std::span<const std::filesystem::path> files) {
  Inputs inputs;
  std::size_t number = 0;
  for (const std::filesystem::path& file : files) add({++number, file.native()}, inputs);
  return inputs;
}

}  // namespace sidecore::report
