// The features that can be scored, whatever computes them, and requests for them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/feature_options.h"
#include "video/picture.h"

namespace sidecore::metrics {

/// A feature as libvmaf names it. Lives as long as the program.
struct Feature {
  std::string_view name;
  std::string_view exactness;  ///< how its scores stand to libvmaf's
  std::span<const OptionSpec> options;
  /// Names of its scores, as libvmaf's files spell them, without what options append to them.
  std::vector<std::string> (*outputs)(const FeatureOptions& options);
  /// Throws Error (usage) when the feature is not defined for such pictures or options.
  void (*check)(const video::PictureFormat& format, const FeatureOptions& options);

  // Temporal features only: their scores depend on the pictures around theirs.

  /// How many pictures back the reference pictures lie that a kernel needs; null: it needs none.
  std::size_t (*history)(const FeatureOptions& options) = nullptr;
  /// What kernels of such a feature write of a picture are values, of which scores are made when
  /// the clip has ended: turns the columns of its outputs, a row for each picture of the clip, from
  /// values into scores. Null: kernels write scores.
  void (*finish)(const FeatureOptions& options,
                 std::span<const std::span<double>> columns) = nullptr;
};

/// Throws Error (usage) that lists the features when there is none of that name.
[[nodiscard]] const Feature& find_feature(std::string_view name);

/// A feature with options.
struct FeatureRequest {
  const Feature* feature = nullptr;
  FeatureOptions options;

  /// Names of the scores, in the order in which every kernel writes them.
  [[nodiscard]] std::vector<std::string> outputs() const;
  /// As parse_feature_request() reads it, without options that are at their defaults.
  [[nodiscard]] std::string text() const;
  /// Feature::history of these options.
  [[nodiscard]] std::size_t history() const {
    return feature->history == nullptr ? 0 : feature->history(options);
  }
  /// Throws Error (usage) when the feature is not defined for such pictures with these options.
  void check(const video::PictureFormat& format) const { feature->check(format, options); }

  bool operator==(const FeatureRequest&) const = default;
};

/// Reads a request as the `vmaf` command spells it: NAME or NAME=OPTION=VALUE:OPTION=VALUE.
/// Throws Error (usage) for what is unknown or out of range.
[[nodiscard]] FeatureRequest parse_feature_request(std::string_view text);

/// Adds a request, unless it is there. One that only adds outputs to another (`debug`,
/// `enable_lcs`), or lacks some of its outputs, becomes one with that.
void add_feature_request(std::vector<FeatureRequest>& requests, const FeatureRequest& request);

/// Names of the scores of all requests, one request after the other.
[[nodiscard]] std::vector<std::string> output_names(std::span<const FeatureRequest> requests);

}  // namespace sidecore::metrics
