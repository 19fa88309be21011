#include "metrics/feature.h"

#include "base/error.h"
#include "metrics/float_psnr.h"

namespace sidecore::metrics {
namespace {

void score_float_psnr(const video::Picture& reference, const video::Picture& distorted,
                      std::span<double> scores) {
  const video::PictureFormat& format = reference.format();
  const int bits = format.pixel.bits;
  const SquaredErrorSum sum =
      bits == 8
          ? squared_error_sum(reference.plane<std::uint8_t>(0), distorted.plane<std::uint8_t>(0))
          : squared_error_sum(reference.plane<std::uint16_t>(0), distorted.plane<std::uint16_t>(0),
                              bits);
  scores[0] = float_psnr(sum, format.width, format.height, bits);
}

void check_float_psnr(const video::PictureFormat& format) {
  check_float_psnr_depth(format.pixel.bits);
}

/// A feature beside its definition.
struct Entry {
  std::string_view name;
  FeatureKernel kernel;
};
constexpr Entry kScalarKernels[] = {{"float_psnr", score_float_psnr}};

}  // namespace

std::span<const Feature> features() {
  static const std::vector<Feature> all = {
      {"float_psnr", {"float_psnr"}, "equal to libvmaf", check_float_psnr},
  };
  return all;
}

const Feature& find_feature(std::string_view name) {
  std::string known;
  for (const Feature& feature : features()) {
    if (feature.name == name) return feature;
    known += (known.empty() ? "" : ", ") + std::string(feature.name);
  }
  throw usage_error("there is no feature '{}': {}", name, known);
}

FeatureKernel scalar_kernel(std::string_view feature) {
  for (const Entry& entry : kScalarKernels) {
    if (entry.name == find_feature(feature).name) return entry.kernel;
  }
  throw usage_error("feature '{}' has no scalar definition", feature);
}

}  // namespace sidecore::metrics
