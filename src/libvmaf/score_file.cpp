#include "libvmaf/score_file.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/markup.h"
#include "metrics/pooling.h"
#include "metrics/score_names.h"

namespace sidecore::libvmaf {
namespace {

/// Returns a score with 6 digits after the point, or 16 if its fraction is below 1e-6 and not 0.
std::string score_text(double score) {
  const double magnitude = std::fabs(score);
  double fraction = magnitude - std::trunc(magnitude);
  int steps = 0;
  while (fraction < 1 && fraction != 0) {
    fraction *= 10;
    ++steps;
  }
  return fmt::format("{:.{}f}", score, steps <= 6 ? 6 : 16);
}

std::string json_score(double score) {
  return std::isfinite(score) ? score_text(score) : "null";
}

std::string json_string(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Returns the name that files have for a column.
std::string file_name(const ScoreStore::Column& column) {
  std::string output = metrics::output_of_key(column.name);
  return metrics::key_of_output(output) == column.name ? output : column.name;
}

/// Returns the indices of the pictures that are written.
std::set<unsigned> written_pictures(const ScoreStore& scores, unsigned subsample) {
  std::set<unsigned> pictures;
  for (const ScoreStore::Column& column : scores.columns()) {
    for (const auto& [index, score] : column.scores) {
      if (index % subsample == 0) pictures.insert(index);
    }
  }
  return pictures;
}

/// Calls `call` with the name and the score of each column that has a score of the picture.
template <class Call>
void for_each_score(const ScoreStore& scores, unsigned index, const Call& call) {
  for (const ScoreStore::Column& column : scores.columns()) {
    const auto found = column.scores.find(index);
    if (found != column.scores.end()) call(file_name(column), found->second);
  }
}

using PooledMembers = std::vector<std::pair<const char*, double>>;

/// Returns a column's pooled scores; empty if one of the pictures has no score.
PooledMembers pooled_members(const ScoreStore::Column& column, const ScoreFileFacts& facts) {
  std::vector<double> scores;
  for (std::uint64_t index = 0; index < facts.pictures; index += facts.subsample) {
    const auto found = column.scores.find(static_cast<unsigned>(index));
    if (found == column.scores.end()) return {};
    scores.push_back(found->second);
  }
  if (scores.empty()) return {};
  const metrics::Pooled pooled = metrics::pool(scores);
  return {{"min", pooled.min},
          {"max", pooled.max},
          {"mean", pooled.mean},
          {"harmonic_mean", pooled.harmonic_mean}};
}

/// Writes the separators between the members of a JSON object or array.
class Separator {
 public:
  const char* next() { return std::exchange(first_, false) ? "\n" : ",\n"; }

 private:
  bool first_ = true;
};

std::string format_xml(const ScoreStore& scores, const ScoreFileFacts& facts) {
  std::string out = fmt::format(
      "<VMAF version=\"{}\">\n  <params qualityWidth=\"{}\" qualityHeight=\"{}\" />\n"
      "  <fyi fps=\"{:.2f}\" />\n  <frames>\n",
      escaped_markup(vmaf_version()), facts.width, facts.height, facts.fps);
  for (const unsigned index : written_pictures(scores, facts.subsample)) {
    out += fmt::format("    <frame frameNum=\"{}\" ", index);
    for_each_score(scores, index, [&](const std::string& name, double score) {
      out += fmt::format("{}=\"{}\" ", name, score_text(score));
    });
    out += "/>\n";
  }
  out += "  </frames>\n  <pooled_metrics>\n";
  for (const ScoreStore::Column& column : scores.columns()) {
    out += fmt::format("    <metric name=\"{}\" ", escaped_markup(file_name(column)));
    for (const auto& [method, score] : pooled_members(column, facts)) {
      out += fmt::format("{}=\"{}\" ", method, score_text(score));
    }
    out += "/>\n";
  }
  out += "  </pooled_metrics>\n  <aggregate_metrics ";
  for (const auto& [name, score] : scores.of_clip()) {
    out += fmt::format("{}=\"{}\" ", name, score_text(score));
  }
  return out + "/>\n</VMAF>\n";
}

std::string format_json(const ScoreStore& scores, const ScoreFileFacts& facts) {
  std::string out = fmt::format(
      "{{\n  \"version\": {},\n  \"fps\": {},\n  \"frames\": [", json_string(vmaf_version()),
      std::isfinite(facts.fps) ? fmt::format("{:.2f}", facts.fps) : "null");
  Separator frames;
  for (const unsigned index : written_pictures(scores, facts.subsample)) {
    out += fmt::format("{}    {{\n      \"frameNum\": {},\n      \"metrics\": {{", frames.next(),
                       index);
    Separator members;
    for_each_score(scores, index, [&](const std::string& name, double score) {
      out += fmt::format("{}        {}: {}", members.next(), json_string(name), json_score(score));
    });
    out += "\n      }\n    }";
  }
  out += "\n  ],\n  \"pooled_metrics\": {";
  Separator pooled;
  for (const ScoreStore::Column& column : scores.columns()) {
    out += fmt::format("{}    {}: {{", pooled.next(), json_string(file_name(column)));
    Separator members;
    for (const auto& [method, score] : pooled_members(column, facts)) {
      out += fmt::format("{}      \"{}\": {}", members.next(), method, json_score(score));
    }
    out += "\n    }";
  }
  out += "\n  },\n  \"aggregate_metrics\": {";
  Separator of_clip;
  for (const auto& [name, score] : scores.of_clip()) {
    out += fmt::format("{}    \"{}\": {}", of_clip.next(), name, json_score(score));
  }
  return out + "\n  }\n}\n";
}

std::string format_csv(const ScoreStore& scores, const ScoreFileFacts& facts) {
  // Every field is followed by a comma, including the last one, because readers of libvmaf's files
  // expect it.
  std::string out = "Frame,";
  for (const ScoreStore::Column& column : scores.columns()) out += file_name(column) + ",";
  out += "\n";
  for (const unsigned index : written_pictures(scores, facts.subsample)) {
    out += fmt::format("{},", index);
    for_each_score(scores, index,
                   [&](const std::string&, double score) { out += score_text(score) + ","; });
    out += "\n";
  }
  return out;
}

std::string format_subtitles(const ScoreStore& scores, const ScoreFileFacts& facts) {
  std::string out;
  for (const unsigned index : written_pictures(scores, facts.subsample)) {
    out += fmt::format("{{{}}}{{{}}}frame: {}|", index, std::uint64_t{index} + 1, index);
    for_each_score(scores, index, [&](const std::string& name, double score) {
      out += fmt::format("{}: {}|", name, score_text(score));
    });
    out += "\n";
  }
  return out;
}

}  // namespace

std::string format_scores(VmafOutputFormat format, const ScoreStore& scores,
                          const ScoreFileFacts& facts) {
  switch (format) {
    case VMAF_OUTPUT_FORMAT_XML:
      return format_xml(scores, facts);
    case VMAF_OUTPUT_FORMAT_JSON:
      return format_json(scores, facts);
    case VMAF_OUTPUT_FORMAT_CSV:
      return format_csv(scores, facts);
    case VMAF_OUTPUT_FORMAT_SUB:
      return format_subtitles(scores, facts);
    case VMAF_OUTPUT_FORMAT_NONE:
      break;
  }
  throw usage_error("unknown format of output: {}", static_cast<int>(format));
}

}  // namespace sidecore::libvmaf
