// Scores from a JSON log of the `vmaf` command, of libvmaf, or of sidecore.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace sidecore::metrics {

/// Scores by frame number, for the frames that have one. null, which stands for any value that is
/// not finite, is read as NaN.
using LoggedScores = std::map<std::uint64_t, double>;

struct ScoreLog {
  std::string version;  ///< version of the program that wrote the log; empty if unknown
  std::map<std::string, LoggedScores> outputs;  ///< scores by the output's name
};

/// Reads a log. Throws Error (usage) that names `origin` if `text` is no JSON, or has no
/// frames[].frameNum and frames[].metrics as libvmaf writes them.
[[nodiscard]] ScoreLog parse_score_log(const std::string& text, const std::string& origin);
/// Reads a log from a file. Throws Error (usage) as parse_score_log() does, and if the file cannot
/// be read.
[[nodiscard]] ScoreLog read_score_log(const std::filesystem::path& path);

}  // namespace sidecore::metrics
