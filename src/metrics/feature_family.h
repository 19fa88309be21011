// Families: features that are computed together because they share work.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "metrics/feature.h"
#include "metrics/pair_kernel.h"

namespace sidecore::metrics {

/// One family of features. Each implementation has one kernel per family, which scores any of its
/// features with any options at once. The object exists for the whole program.
struct FeatureFamily {
  std::string_view name;  ///< name of the family and of its files, e.g. "float_psnr"
  std::span<const Feature> features;
  KernelMaker scalar;  ///< maker of the kernel of the scalar definition
};

/// Returns all families in the order of the list of features.
[[nodiscard]] std::span<const FeatureFamily* const> families();

/// Returns the family that contains the feature.
[[nodiscard]] const FeatureFamily& family_of(const Feature& feature);

/// Requests of one family, and the positions of their scores among those of all requests.
struct FamilyRequests {
  const FeatureFamily* family = nullptr;
  std::vector<FeatureRequest> requests;
  std::vector<std::size_t> places;

  /// Copies the family's scores to their positions in `all`.
  void place(std::span<const double> scores, std::span<double> all) const;

  /// Returns the largest history() of the requests.
  [[nodiscard]] std::size_t history() const;
  /// Returns true if any feature is temporal (Feature::finish).
  [[nodiscard]] bool is_temporal() const;
  /// Computes the final scores of temporal features; `columns` has the columns of all requests.
  void finish(std::span<const std::span<double>> columns) const;
};

/// Checks each request for the format and sorts them by family. Throws Error (usage) if a check
/// fails, if there is no request, or if two requests would write scores of the same name.
[[nodiscard]] std::vector<FamilyRequests> group_by_family(const video::PictureFormat& format,
                                                          std::span<const FeatureRequest> requests);

}  // namespace sidecore::metrics
