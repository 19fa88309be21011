// PSNR of a whole clip, which libvmaf's feature psnr has with its option enable_apsnr.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "libvmaf/score_store.h"
#include "metrics/feature.h"
#include "video/picture.h"

namespace sidecore::libvmaf {

class PsnrTotal {
 public:
  PsnrTotal(const video::PictureFormat& format, const metrics::FeatureOptions& options)
      : format_(format), options_(options) {}

  /// Adds a picture, from the mean squared errors of its planes: of luma, or of all three.
  void add(std::span<const double> errors);
  /// Stores the scores apsnr_y, apsnr_cb and apsnr_cr. As in libvmaf, those of planes that were not
  /// added are not finite.
  void finish(ScoreStore& scores) const;

 private:
  /// Sums over all pictures.
  struct Plane {
    std::uint64_t error = 0;  ///< squared errors
    std::uint64_t samples = 0;
  };

  video::PictureFormat format_;
  metrics::FeatureOptions options_;
  std::array<Plane, 3> planes_;
};

}  // namespace sidecore::libvmaf
