#include "metrics/result_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "base/error.h"
#include "base/markup.h"
#include "metrics/pooling.h"

namespace sidecore::metrics {
namespace {

using Precision = std::optional<int>;

std::string json_string(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_score(double score, Precision precision) {
  return std::isfinite(score) ? format_score(score, precision) : "null";
}

std::string json_fact(const Fact& fact) {
  if (const auto* text = std::get_if<std::string>(&fact)) return json_string(*text);
  if (const auto* count = std::get_if<std::uint64_t>(&fact)) return std::to_string(*count);
  return json_score(std::get<double>(fact), std::nullopt);
}

/// Returns the pooled scores of an output in the order of libvmaf's files.
std::array<std::pair<const char*, double>, 4> pooled_members(std::span<const double> scores) {
  const Pooled pooled = pool(scores);
  return {{{"min", pooled.min},
           {"max", pooled.max},
           {"mean", pooled.mean},
           {"harmonic_mean", pooled.harmonic_mean}}};
}

/// Writes the separators between the members of a JSON object or array.
class Separator {
 public:
  const char* next() { return std::exchange(first_, false) ? "\n" : ",\n"; }

 private:
  bool first_ = true;
};

std::string format_json(const ScoreTable& table, const RunFacts& facts, Precision precision) {
  const std::vector<std::string>& names = table.names();
  std::string out = fmt::format(
      "{{\n  \"version\": {},\n  \"fps\": {},\n  \"frames\": [", json_string(facts.version),
      std::isfinite(facts.fps) ? fmt::format("{:.2f}", facts.fps) : "null");
  Separator frames;
  for (std::size_t picture = 0; picture < table.pictures(); ++picture) {
    out += fmt::format("{}    {{\n      \"frameNum\": {},\n      \"metrics\": {{", frames.next(),
                       table.number(picture));
    Separator metrics;
    for (std::size_t output = 0; output < names.size(); ++output) {
      out += fmt::format("{}        {}: {}", metrics.next(), json_string(names[output]),
                         json_score(table.column(output)[picture], precision));
    }
    out += "\n      }\n    }";
  }
  out += "\n  ],\n  \"pooled_metrics\": {";
  Separator pooled;
  for (std::size_t output = 0; output < names.size(); ++output) {
    out += fmt::format("{}    {}: {{", pooled.next(), json_string(names[output]));
    Separator members;
    for (const auto& [method, score] : pooled_members(table.column(output))) {
      out +=
          fmt::format("{}      \"{}\": {}", members.next(), method, json_score(score, precision));
    }
    out += "\n    }";
  }
  out += "\n  },\n  \"aggregate_metrics\": {\n  },\n  \"sidecore\": {";
  Separator members;
  for (const auto& [name, fact] : facts.sidecore) {
    out += fmt::format("{}    {}: {}", members.next(), json_string(name), json_fact(fact));
  }
  return out + "\n  }\n}\n";
}

std::string format_xml(const ScoreTable& table, const RunFacts& facts, Precision precision) {
  const std::vector<std::string>& names = table.names();
  std::string out = fmt::format(
      "<VMAF version=\"{}\">\n  <params qualityWidth=\"{}\" qualityHeight=\"{}\" />\n"
      "  <fyi fps=\"{:.2f}\" />\n  <frames>\n",
      escaped_markup(facts.version), facts.width, facts.height, facts.fps);
  for (std::size_t picture = 0; picture < table.pictures(); ++picture) {
    out += fmt::format("    <frame frameNum=\"{}\" ", table.number(picture));
    for (std::size_t output = 0; output < names.size(); ++output) {
      out += fmt::format("{}=\"{}\" ", names[output],
                         format_score(table.column(output)[picture], precision));
    }
    out += "/>\n";
  }
  out += "  </frames>\n  <pooled_metrics>\n";
  for (std::size_t output = 0; output < names.size(); ++output) {
    out += fmt::format("    <metric name=\"{}\" ", names[output]);
    for (const auto& [method, score] : pooled_members(table.column(output))) {
      out += fmt::format("{}=\"{}\" ", method, format_score(score, precision));
    }
    out += "/>\n";
  }
  return out + "  </pooled_metrics>\n  <aggregate_metrics />\n</VMAF>\n";
}

std::string format_csv(const ScoreTable& table, Precision precision) {
  // Every field is followed by a comma, including the last one, because readers of the vmaf
  // command's files expect it.
  std::string out = "Frame,";
  for (const std::string& name : table.names()) out += name + ",";
  out += "\n";
  for (std::size_t picture = 0; picture < table.pictures(); ++picture) {
    out += fmt::format("{},", table.number(picture));
    for (std::size_t output = 0; output < table.names().size(); ++output) {
      out += format_score(table.column(output)[picture], precision) + ",";
    }
    out += "\n";
  }
  return out;
}

}  // namespace

std::optional<ResultFormat> format_of_extension(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(), [](unsigned char c) {
    return c < 0x80 ? static_cast<char>(std::tolower(c)) : 'x';
  });
  if (extension == ".json") return ResultFormat::json;
  if (extension == ".xml") return ResultFormat::xml;
  if (extension == ".csv") return ResultFormat::csv;
  return std::nullopt;
}

std::string format_score(double score, Precision precision) {
  if (std::isnan(score)) return "nan";
  if (std::isinf(score)) return score < 0 ? "-inf" : "inf";
  if (precision) return fmt::format("{:.{}f}", score, *precision);
  std::array<char, 32> text{};
  const auto [end, status] = std::to_chars(text.data(), text.data() + text.size(), score);
  return {text.data(), end};
}

std::string format_result(ResultFormat format, const ScoreTable& table, const RunFacts& facts,
                          Precision precision) {
  if (table.pictures() == 0) throw usage_error("there are no pictures whose scores can be written");
  switch (format) {
    case ResultFormat::json:
      return format_json(table, facts, precision);
    case ResultFormat::xml:
      return format_xml(table, facts, precision);
    case ResultFormat::csv:
      return format_csv(table, precision);
  }
  return {};
}

}  // namespace sidecore::metrics
