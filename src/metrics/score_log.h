// Scores out of a JSON log: the `vmaf` command's, libvmaf's, or our own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace sidecore::metrics {

/// One score for each frame that has it. null, which stands for what is not finite, is NaN.
using LoggedScores = std::map<std::uint64_t, double>;

struct ScoreLog {
  std::string version;  ///< of the program that wrote it; empty when unknown
  std::map<std::string, LoggedScores> outputs;  ///< by name
};

/// Throws Error (usage) that names the file when it cannot be read, is not JSON, or has no
/// frames[].frameNum and frames[].metrics of the shape libvmaf gives them.
[[nodiscard]] ScoreLog parse_score_log(const std::string& text, const std::string& origin);
/// Throws Error (usage) also when the file cannot be read.
[[nodiscard]] ScoreLog read_score_log(const std::filesystem::path& path);

}  // namespace sidecore::metrics
