// Features as users ask for them: all that their shaders do with a pair of whole pictures.
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
  std::string name;     ///< of the feature
  std::string variant;  ///< "picture", and options that are not the defaults: "picture scale=2"
  metrics::FeatureRequest request;
};

/// Every feature with its default options; with others where shaders run that these leave out.
[[nodiscard]] std::vector<PictureFeature> picture_features();

/// A feature's work on one pair of the synthetic clip's pictures, 8 bits a sample, 4:2:0; a
/// temporal feature's as in the midst of a clip.
class PictureFeatureWork {
 public:
  /// Throws Error as metrics::FeatureRequest::check() and qpu::FeatureWork's makers do.
  PictureFeatureWork(qpu::Device& device, const PictureFeature& feature, int width, int height);

  /// Finished.
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
