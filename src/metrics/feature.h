// The features that can be scored, whatever computes them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "video/picture.h"

namespace sidecore::metrics {

/// A feature as libvmaf names it.
struct Feature {
  std::string_view name;
  std::vector<std::string> outputs;  ///< names of its scores, as libvmaf's files spell them
  std::string_view exactness;        ///< how its scores stand to libvmaf's
  /// Throws Error (usage) when the feature is not defined for such pictures.
  void (*check)(const video::PictureFormat& format);
};

/// All of them.
[[nodiscard]] std::span<const Feature> features();

/// Throws Error (usage) that lists the features when there is none of that name.
[[nodiscard]] const Feature& find_feature(std::string_view name);

/// Scores a pair of pictures of one format: writes one score for each of the feature's outputs.
/// Called from several threads at once.
using FeatureKernel = void (*)(const video::Picture& reference, const video::Picture& distorted,
                               std::span<double> scores);

/// The scalar definition of a feature. Throws Error (usage) as find_feature() does.
[[nodiscard]] FeatureKernel scalar_kernel(std::string_view feature);

}  // namespace sidecore::metrics
