// Random pairs of pictures for the tests of SSIM, with every kind of content that its arithmetic
// treats differently.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "base/random.h"
#include "metrics/decimation.h"
#include "metrics/ssim_scores.h"
#include "video/picture.h"

namespace sidecore::test {

struct SsimScene {
  video::Picture reference, distorted;
  std::string description;

  /// Returns a random scale that the size permits, all with equal probability.
  [[nodiscard]] int random_scale(Random& random) const {
    const int shorter = std::min(reference.format().width, reference.format().height);
    int scales = 1;
    while (scales < metrics::kMaxSsimScale && shorter / (scales + 1) >= metrics::kSsimWindow) {
      ++scales;
    }
    return 1 + static_cast<int>(random.below(static_cast<unsigned>(scales)));
  }
};

namespace ssim_scene {

/// Distribution of the samples.
enum class Kind : unsigned { noise, dark, bright, flat, edges, count };

inline const char* name(Kind kind) {
  constexpr const char* kNames[] = {"noise", "dark", "bright", "flat", "edges"};
  return kNames[static_cast<unsigned>(kind)];
}

template <class Sample>
void fill(SsimScene& scene, Kind kind, Random& random) {
  const auto max = static_cast<std::uint32_t>(scene.reference.format().pixel.max_value());
  const auto reference = scene.reference.plane<Sample>(0);
  const auto distorted = scene.distorted.plane<Sample>(0);
  const std::uint32_t level = random.below(max + 1);
  for (int y = 0; y < reference.height; ++y) {
    for (int x = 0; x < reference.width; ++x) {
      std::uint32_t sample = 0;
      switch (kind) {
        case Kind::noise:
          sample = random.below(max + 1);
          break;
        case Kind::dark:
          sample = random.below(3);
          break;
        case Kind::bright:
          sample = max - random.below(3);
          break;
        case Kind::flat:
          sample = level;
          break;
        default:
          sample = (((x / 13) ^ (y / 9)) & 1) != 0 ? max : random.below(2);
          break;
      }
      const std::uint32_t change = kind == Kind::noise ? max / 16 + 1 : 3;
      const std::uint32_t other = sample + random.below(change);
      reference.row(y)[x] = static_cast<Sample>(sample);
      distorted.row(y)[x] = static_cast<Sample>(std::min(max, other));
    }
  }
}

}  // namespace ssim_scene

struct Size {
  int width = 0;
  int height = 0;
};

inline SsimScene random_ssim_scene(Random& random, int bits, Size size) {
  const video::PictureFormat format{size.width, size.height, {video::Chroma::c400, bits}};
  const auto kind =
      static_cast<ssim_scene::Kind>(random.below(static_cast<unsigned>(ssim_scene::Kind::count)));
  SsimScene scene{
      video::Picture(format), video::Picture(format),
      fmt::format("{}x{}, {} bits, {}", size.width, size.height, bits, ssim_scene::name(kind))};
  if (bits == 8) {
    ssim_scene::fill<std::uint8_t>(scene, kind, random);
  } else {
    ssim_scene::fill<std::uint16_t>(scene, kind, random);
  }
  return scene;
}

/// Makes pictures whose sides are smallest..largest samples long.
inline SsimScene random_ssim_scene(Random& random, int bits, int smallest, int largest) {
  const auto side = [&] {
    return smallest + static_cast<int>(random.below(static_cast<unsigned>(largest - smallest + 1)));
  };
  const int width = side();
  const int height = side();
  return random_ssim_scene(random, bits, {width, height});
}

}  // namespace sidecore::test
