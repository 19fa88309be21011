// Features that are computed together because they share work.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "metrics/feature.h"
#include "metrics/pair_kernel.h"

namespace sidecore::metrics {

/// A family has one kernel on each backend, which scores any of its features, with any options, at
/// once. Lives as long as the program.
struct FeatureFamily {
  std::string_view name;  ///< of its files, e.g. "float_psnr"
  std::span<const Feature> features;
  KernelMaker scalar;  ///< the definition
};

/// All of them, in the order of the list of features.
[[nodiscard]] std::span<const FeatureFamily* const> families();

/// The family that a feature is of.
[[nodiscard]] const FeatureFamily& family_of(const Feature& feature);

/// The requests of one family, and where their scores stand among those of all requests.
struct FamilyRequests {
  const FeatureFamily* family = nullptr;
  std::vector<FeatureRequest> requests;
  std::vector<std::size_t> places;

  /// Copies the family's scores to their places.
  void place(std::span<const double> scores, std::span<double> all) const;

  /// The most that Feature::history of a request is.
  [[nodiscard]] std::size_t history() const;
  /// Whether any feature is temporal (Feature::finish).
  [[nodiscard]] bool is_temporal() const;
  /// Finishes the temporal features' columns among those of all requests.
  void finish(std::span<const std::span<double>> columns) const;
};

/// Sorts requests by family, after checking each for the format.
/// Throws Error (usage) when a check fails, when there is no request, and when two would write
/// scores of the same name.
[[nodiscard]] std::vector<FamilyRequests> group_by_family(const video::PictureFormat& format,
                                                          std::span<const FeatureRequest> requests);

}  // namespace sidecore::metrics
