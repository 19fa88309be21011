// Result files in the `vmaf` command's format, so that tools for its files can read them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "metrics/score_table.h"

namespace sidecore::metrics {

enum class ResultFormat { json, xml, csv };

/// Returns the format for a file name's extension (.json, .xml, .csv, case ignored); nothing for
/// any other.
[[nodiscard]] std::optional<ResultFormat> format_of_extension(const std::filesystem::path& path);

using Fact = std::variant<std::string, std::uint64_t, double>;

/// Facts about a run that are written beside the scores.
struct RunFacts {
  std::string version;  ///< version of the program that wrote the file
  double fps = 0;       ///< pictures scored per second
  int width = 0;
  int height = 0;
  /// Members of the JSON object "sidecore", in this order. XML and CSV do not contain them.
  std::vector<std::pair<std::string, Fact>> sidecore;
};

/// Returns a score as text: the fewest digits that read back to the same double, or `precision`
/// digits after the point. A score that is not finite is "inf", "-inf" or "nan".
[[nodiscard]] std::string format_score(double score, std::optional<int> precision);

/// Returns the whole file. JSON and XML contain each picture's scores and the pooled scores, CSV
/// only each picture's. JSON has no infinity, so a score that is not finite is null. Throws Error
/// (usage) if the table has no pictures.
[[nodiscard]] std::string format_result(ResultFormat format, const ScoreTable& table,
                                        const RunFacts& facts, std::optional<int> precision);

}  // namespace sidecore::metrics
