// Features that can be scored, and requests for them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/feature_options.h"
#include "video/picture.h"

namespace sidecore::metrics {

/// One feature, named as in libvmaf. The object exists for the whole program.
struct Feature {
  std::string_view name;
  std::string_view exactness;  ///< relation of its scores to libvmaf's, as text
  std::span<const OptionSpec> options;
  /// Returns the names of its scores as in libvmaf's files, without the suffixes that options add.
  std::vector<std::string> (*outputs)(const FeatureOptions& options);
  /// Checks a request. Throws Error (usage) if the feature is not defined for such pictures or
  /// options.
  void (*check)(const video::PictureFormat& format, const FeatureOptions& options);

  // Members below are for temporal features only, whose scores depend on neighbouring pictures.

  /// Returns how many earlier reference pictures a kernel needs. Null: it needs none.
  std::size_t (*history)(const FeatureOptions& options) = nullptr;
  /// Turns values into scores after the end of the clip, because kernels of temporal features write
  /// only values per picture. Columns are the feature's outputs, with one row per picture of the
  /// clip. Null: kernels write scores.
  void (*finish)(const FeatureOptions& options,
                 std::span<const std::span<double>> columns) = nullptr;

  /// True if the kernels read chroma planes. Without such a feature, pictures need only luma.
  bool reads_chroma = false;
};

/// Returns the feature of that name. Throws Error (usage) that lists all features if there is none.
[[nodiscard]] const Feature& find_feature(std::string_view name);

/// A feature with its options.
struct FeatureRequest {
  const Feature* feature = nullptr;
  FeatureOptions options;

  /// Returns the names of the scores in the order in which every kernel writes them.
  [[nodiscard]] std::vector<std::string> outputs() const;
  /// Returns the request in the form that parse_feature_request() reads, without options at their
  /// defaults.
  [[nodiscard]] std::string text() const;
  /// Returns Feature::history() for these options, 0 if that is null.
  [[nodiscard]] std::size_t history() const {
    return feature->history == nullptr ? 0 : feature->history(options);
  }
  /// Checks a request. Throws Error (usage) if the feature is not defined for such pictures with
  /// these options.
  void check(const video::PictureFormat& format) const { feature->check(format, options); }

  bool operator==(const FeatureRequest&) const = default;
};

/// Reads a request in the form of the `vmaf` command: NAME or NAME=OPTION=VALUE:OPTION=VALUE.
/// Throws Error (usage) for unknown names and values out of range.
[[nodiscard]] FeatureRequest parse_feature_request(std::string_view text);

/// Adds a request unless it is already there. If two requests differ only in options that add
/// outputs (`debug`, `enable_lcs`), they become one request with all these outputs.
void add_feature_request(std::vector<FeatureRequest>& requests, const FeatureRequest& request);

/// Returns the names of the scores of all requests, request by request.
[[nodiscard]] std::vector<std::string> output_names(std::span<const FeatureRequest> requests);

}  // namespace sidecore::metrics
