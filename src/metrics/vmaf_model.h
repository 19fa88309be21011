// VMAF models: features of a picture in, one score out.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "metrics/feature.h"
#include "metrics/score_table.h"
#include "metrics/support_vectors.h"

namespace sidecore::metrics {

/// One input of a model.
struct VmafInput {
  FeatureRequest request;
  std::string output;  ///< name of the one of the request's scores that it is
  double slope = 1;
  double intercept = 0;
};

/// a0 + a1 y + a2 y^2, what lines between `knots` make of that, then a bound by y itself.
struct VmafTransform {
  std::optional<double> constant;
  std::optional<double> linear;
  std::optional<double> square;
  std::vector<std::pair<double, double>> knots;  ///< (from, to), ascending; none or at least 2
  bool at_most_input = false;
  bool at_least_input = false;
  bool enabled = false;  ///< unless asked for

  [[nodiscard]] double of(double score) const;
};

/// Where the chroma feature says nothing, it is derived from the luma feature: parameter times
/// 1 - luma.
struct VmafChromaCorrection {
  double parameter = 0;
  std::size_t luma = 0;    ///< input
  std::size_t chroma = 0;  ///< likewise
};

struct VmafModel {
  std::vector<VmafInput> inputs;
  double slope = 1;  ///< of the score, as those of inputs
  double intercept = 0;
  SupportVectors machine;
  std::optional<VmafChromaCorrection> chroma_correction;
  std::optional<VmafTransform> transform;
  std::optional<std::pair<double, double>> clip;  ///< least and largest score

  /// The score of a picture with these features, one for each input.
  [[nodiscard]] double predict(std::span<const double> features) const;
};

/// Options of features, other than those that a model's file has: (feature, option, value).
struct VmafOverride {
  std::string feature;
  std::string option;
  std::string value;
};

/// Reads libvmaf's JSON model files: their features with options, normalisation, correction of
/// chroma, transform and clip. Throws Error (usage), which names `origin`, for what is none, for
/// collections of models, and for features, options and kinds of models that are not here.
[[nodiscard]] VmafModel parse_vmaf_model(std::string_view text, const std::string& origin,
                                         std::span<const VmafOverride> overrides = {});

/// Versions of the built-in models.
[[nodiscard]] std::vector<std::string> vmaf_model_versions();
/// Throws Error (usage) that lists them when there is none of that version.
[[nodiscard]] VmafModel built_in_vmaf_model(std::string_view version,
                                            std::span<const VmafOverride> overrides = {});

/// A model whose score is asked for.
struct ModelRequest {
  std::string name;  ///< of its score, "vmaf" unless told otherwise
  std::string text;  ///< as it was asked for
  VmafModel model;
};

/// Reads a request as the `vmaf` command spells it: version=VERSION or path=FILE, and, between
/// colons, name=NAME, enable_transform, disable_clip, and FEATURE.OPTION=VALUE for what the
/// model's file sets otherwise. Throws Error (usage).
[[nodiscard]] ModelRequest parse_model_request(const std::string& text);

/// Adds what the models need to `requests`, as add_feature_request() does. Throws Error (usage)
/// that says who asked for which when two scores would have one name.
void add_model_features(std::span<const ModelRequest> models,
                        std::vector<FeatureRequest>& requests);

/// Adds a column for each model to a table that has the columns of their features.
void add_model_scores(std::span<const ModelRequest> models, ScoreTable& table);

}  // namespace sidecore::metrics
