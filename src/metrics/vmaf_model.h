// VMAF models: they predict one score from a picture's features.
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
  std::string output;  ///< name of the request's score that is the input
  double slope = 1;
  double intercept = 0;
};

/// Transform of a score y in three steps: the polynomial a0 + a1 y + a2 y^2; linear interpolation
/// between `knots`; a limit of the result to at most y, or to at least y.
struct VmafTransform {
  std::optional<double> constant;
  std::optional<double> linear;
  std::optional<double> square;
  std::vector<std::pair<double, double>> knots;  ///< (x, y) with ascending x; empty, or at least 2
  bool result_at_most_score = false;             ///< true: the result is limited to at most y
  bool result_at_least_score = false;            ///< true: the result is limited to at least y
  bool enabled = false;  ///< true: predict() applies the transform; a ModelRequest can change it

  [[nodiscard]] double of(double score) const;
};

/// Correction of a chroma feature. If the feature is 0, it becomes parameter * (1 - luma feature).
struct VmafChromaCorrection {
  double parameter = 0;
  std::size_t luma = 0;    ///< index of the luma feature among the inputs
  std::size_t chroma = 0;  ///< index of the chroma feature among the inputs
};

struct VmafModel {
  std::vector<VmafInput> inputs;
  double slope = 1;  ///< slope of the score's normalisation, as in VmafInput
  double intercept = 0;
  SupportVectors machine;
  std::optional<VmafChromaCorrection> chroma_correction;
  std::optional<VmafTransform> transform;
  std::optional<std::pair<double, double>> clip;  ///< lowest and highest score

  /// Returns the score of a picture; `features` has one element per input.
  [[nodiscard]] double predict(std::span<const double> features) const {
    return limit(raw_score(features));
  }
  /// Returns the score before the transform and the clip.
  [[nodiscard]] double raw_score(std::span<const double> features) const;
  /// Applies the transform, if it is enabled, and the clip to a raw score.
  [[nodiscard]] double limit(double raw_score) const;

  /// Sets an option in all inputs of one feature. Returns false if no input has that feature.
  /// Throws Error (usage) if the feature does not accept the option or the value.
  bool set_option(std::string_view feature, std::string_view option, std::string_view value);
};

/// Option of a feature that replaces the value in the model's file.
struct VmafOverride {
  std::string feature;
  std::string option;
  std::string value;
};

/// Reads one of libvmaf's JSON model files: features with options, normalisation, chroma
/// correction, transform and clip. Throws Error (usage), which names `origin`, for text that is no
/// model, for collections of models, and for unsupported features, options and kinds of models.
[[nodiscard]] VmafModel parse_vmaf_model(std::string_view text, const std::string& origin,
                                         std::span<const VmafOverride> overrides = {});

/// Returns true if the text is a JSON file that holds a collection of models.
[[nodiscard]] bool is_vmaf_model_collection(std::string_view text);

/// Reads a file of libvmaf's that holds a collection of models: at least two, named "0", "1", and
/// so on. The first was trained on all ratings, the others on resampled ratings. Throws Error
/// (usage) as parse_vmaf_model() does, and for a file of one model.
[[nodiscard]] std::vector<VmafModel> parse_vmaf_model_collection(std::string_view text,
                                                                 const std::string& origin);

/// Returns the versions of the built-in models.
[[nodiscard]] std::vector<std::string> vmaf_model_versions();
/// Returns a built-in model. Throws Error (usage) that lists the versions if there is none of that
/// version.
[[nodiscard]] VmafModel built_in_vmaf_model(std::string_view version,
                                            std::span<const VmafOverride> overrides = {});

/// Largest size of a model file in bytes; a collection of models has about half a megabyte.
inline constexpr std::size_t kMaxModelBytes = std::size_t{16} << 20;

/// A model whose score a user requests.
struct ModelRequest {
  std::string name;  ///< name of its score, "vmaf" by default
  std::string text;  ///< text of the request
  VmafModel model;
};

/// Returns the versions of the built-in collections.
[[nodiscard]] std::vector<std::string> vmaf_collection_versions();
/// Returns a built-in collection in the order of parse_vmaf_model_collection(). Throws Error
/// (usage) that lists the versions if there is none of that version.
[[nodiscard]] std::vector<VmafModel> built_in_vmaf_model_collection(std::string_view version);

/// Reads a request in the form of the `vmaf` command: version=VERSION or path=FILE, and, separated
/// by colons, name=NAME, enable_transform, disable_clip, and FEATURE.OPTION=VALUE, which replaces
/// the option in the model's file. Throws Error (usage).
[[nodiscard]] ModelRequest parse_model_request(const std::string& text);

/// Adds the features that the models need to `requests`, as add_feature_request() does. If two
/// scores would have one name, throws Error (usage) that names the origin of both.
void add_model_features(std::span<const ModelRequest> models,
                        std::vector<FeatureRequest>& requests);

/// Adds one column per model to a table that has the columns of the models' features.
void add_model_scores(std::span<const ModelRequest> models, ScoreTable& table);

}  // namespace sidecore::metrics
