// Metric features with the options that users give: all work of their shaders on one pair of
// pictures.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "metrics/feature.h"
#include "qpu/command_list.h"
#include "qpu/device.h"
#include "qpu/metrics/feature_work.h"

namespace sidecore::shaderdb {

struct PictureFeature {
  std::string name;     ///< name of the feature
  std::string variant;  ///< "picture" and options that differ from the defaults: "picture scale=2"
  metrics::FeatureRequest request;
};

/// Returns each feature with its default options, and with options that run further shaders.
[[nodiscard]] std::vector<PictureFeature> picture_features();

/// A feature's work on one pair of pictures of the synthetic clip, 4:2:0 with 8 bits per sample. A
/// temporal feature works as in the middle of a clip.
class PictureFeatureWork {
 public:
  /// Creates the work and records it. Throws Error as metrics::FeatureRequest::check() and
  /// qpu::FeatureWork's makers do.
  PictureFeatureWork(qpu::Device& device, const PictureFeature& feature, int width, int height);

  /// Returns the finished command list.
  [[nodiscard]] qpu::CommandList& list() const { return *list_; }

 private:
  qpu::DevicePicture reference_;
  qpu::DevicePicture distorted_;
  std::vector<std::unique_ptr<qpu::DevicePicture>> earlier_;
  std::unique_ptr<qpu::FeatureWork> work_;
  std::shared_ptr<qpu::Buffer> results_;
  std::unique_ptr<qpu::CommandList> list_;
};

}  // namespace sidecore::shaderdb
