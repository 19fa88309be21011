// Result files in the shape of the `vmaf` command's, so that its readers read ours.
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

/// By the file name's extension (.json, .xml, .csv, case ignored); nothing for others.
[[nodiscard]] std::optional<ResultFormat> format_of_extension(const std::filesystem::path& path);

using Fact = std::variant<std::string, std::uint64_t, double>;

/// What a run says about itself beside the scores.
struct RunFacts {
  std::string version;  ///< of this program
  double fps = 0;       ///< pictures scored in a second
  int width = 0;
  int height = 0;
  /// Members of the JSON object "sidecore", in this order; other formats leave them out.
  std::vector<std::pair<std::string, Fact>> sidecore;
};

/// Digits of a score: as few as read back to the same double, or `precision` behind the point.
/// What is not finite is "inf", "-inf" or "nan".
[[nodiscard]] std::string format_score(double score, std::optional<int> precision);

/// The whole file. JSON and XML hold each picture's scores and the pooled ones, CSV each picture's
/// alone. JSON has no infinity: null stands for what is not finite.
/// Throws Error (usage) when the table has no pictures.
[[nodiscard]] std::string format_result(ResultFormat format, const ScoreTable& table,
                                        const RunFacts& facts, std::optional<int> precision);

}  // namespace sidecore::metrics
