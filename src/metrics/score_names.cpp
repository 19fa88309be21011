#include "metrics/score_names.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sidecore::metrics {
namespace {

constexpr std::string_view kEnd = "_score";

/// Beginnings of keys, and what stands for them in output names. The order matters: an output name
/// without "integer_" belongs to a float feature.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kBeginnings{
    {{"VMAF_integer_feature_", "integer_"},
     {"VMAF_feature_", ""},
     {"Cambi_feature_", ""},
     {"Speed_chroma_feature_", ""},
     {"Speed_temporal_feature_", ""}}};

/// Scores of adm, motion and vif that have a key, in their integer and their float version.
constexpr std::array<std::string_view, 14> kVmafScores{
    "adm2",   "aim",     "adm3",    "adm_scale0", "adm_scale1", "adm_scale2", "adm_scale3",
    "motion", "motion2", "motion3", "vif_scale0", "vif_scale1", "vif_scale2", "vif_scale3"};

std::string key(std::string_view beginning, std::string_view score) {
  return std::string(beginning) + std::string(score) + std::string(kEnd);
}

}  // namespace

std::string output_of_key(std::string_view key) {
  for (const auto& [beginning, replacement] : kBeginnings) {
    if (!key.starts_with(beginning) || !key.ends_with(kEnd)) continue;
    key.remove_prefix(beginning.size());
    key.remove_suffix(kEnd.size());
    return std::string(replacement) + std::string(key);
  }
  return std::string(key);
}

std::string key_of_output(std::string_view output) {
  const bool is_integer = output.starts_with("integer_");
  const std::string_view score = is_integer ? output.substr(8) : output;
  if (std::ranges::find(kVmafScores, score) != kVmafScores.end()) {
    return key(is_integer ? "VMAF_integer_feature_" : "VMAF_feature_", score);
  }
  if (output == "cambi") return key("Cambi_feature_", output);
  if (output == "speed_temporal") return key("Speed_temporal_feature_", output);
  if (output == "speed_chroma_u" || output == "speed_chroma_v" || output == "speed_chroma_uv") {
    return key("Speed_chroma_feature_", output);
  }
  return std::string(output);
}

}  // namespace sidecore::metrics
