// Pairs of pictures that exercise all branches of float_adm.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "video/picture.h"

namespace sidecore::test {

enum class AdmContent {
  noise,      ///< two unrelated pictures
  distorted,  ///< a texture with flat areas, and the same texture with noise
  enhanced,   ///< a texture, and the same texture with more contrast
  flat,       ///< grey next to black, and the same picture one level brighter in places
};
inline constexpr AdmContent kAdmContents[] = {AdmContent::noise, AdmContent::distorted,
                                              AdmContent::enhanced, AdmContent::flat};

struct PicturePair {
  video::Picture reference;
  video::Picture distorted;
};

namespace adm_pictures_detail {

/// Returns the reference and distorted sample at (x, y), both 0..1.
struct SamplePair {
  double reference;
  double distorted;
};

inline SamplePair samples(AdmContent content, int x, int y, Random& random) {
  const auto unit = [&] { return static_cast<double>(random.below(4096)) / 4096; };
  const double waves = 0.25 * std::sin(0.31 * x + 0.05 * y) * std::sin(0.17 * y - 0.02 * x);
  const bool flat_area = (x / 24 + y / 16) % 3 == 0;
  const double texture = flat_area ? 0.4 : 0.5 + waves + 0.1 * (unit() - 0.5);
  switch (content) {
    case AdmContent::noise:
      return {unit(), unit()};
    case AdmContent::distorted:
      return {texture, flat_area && x % 2 == 0 ? texture : texture + 0.08 * (unit() - 0.5)};
    case AdmContent::enhanced:
      return {texture, 0.5 + (texture - 0.5) * (y % 32 < 16 ? 1.25 : 0.8)};
    case AdmContent::flat:
      return {x % 50 < 25 ? 0.5 : 0.0, (x % 50 < 25 ? 0.5 : 0.0) + (y % 40 < 7 ? 0.004 : 0.0)};
  }
  return {};
}

}  // namespace adm_pictures_detail

[[nodiscard]] inline PicturePair adm_pictures(const video::PictureFormat& format,
                                              AdmContent content, Random& random) {
  PicturePair pair{video::Picture(format), video::Picture(format)};
  const double max = format.pixel.max_value();
  const auto level = [&](double value) { return std::clamp(std::round(value * max), 0.0, max); };
  const auto fill = [&]<class Sample>(Sample) {
    const auto reference = pair.reference.plane<Sample>(0);
    const auto distorted = pair.distorted.plane<Sample>(0);
    for (int y = 0; y < format.height; ++y) {
      for (int x = 0; x < format.width; ++x) {
        const auto sample = adm_pictures_detail::samples(content, x, y, random);
        reference.row(y)[x] = static_cast<Sample>(level(sample.reference));
        distorted.row(y)[x] = static_cast<Sample>(level(sample.distorted));
      }
    }
  };
  if (format.pixel.bits == 8) {
    fill(std::uint8_t{});
  } else {
    fill(std::uint16_t{});
  }
  return pair;
}

}  // namespace sidecore::test
