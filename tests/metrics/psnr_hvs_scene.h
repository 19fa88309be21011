// Pairs of pictures of many sizes, formats and kinds of content, for the tests of psnr_hvs.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "base/random.h"
#include "metrics/psnr_hvs.h"
#include "video/picture.h"

namespace sidecore::test {

struct HvsScene {
  video::Picture reference;
  video::Picture distorted;
};

enum class HvsContent : std::uint8_t {
  noise,      ///< unrelated samples of the whole range
  extremes,   ///< samples at both ends of the range, mostly inverted: the largest coefficients
  flat,       ///< constant samples, some changed by one: most blocks have no variance
  textured,   ///< steps, ramps and grain with a small error, part of which is masked
  untouched,  ///< textured content without errors
};
inline constexpr std::array kHvsContents{HvsContent::noise, HvsContent::extremes, HvsContent::flat,
                                         HvsContent::textured, HvsContent::untouched};

namespace hvs_scene {

struct Pair {
  int reference;
  int distorted;
};

inline Pair sample(HvsContent content, int x, int y, int max, Random& random) {
  const auto below = [&](int bound) {
    return static_cast<int>(random.below(static_cast<std::uint32_t>(bound)));
  };
  switch (content) {
    case HvsContent::noise:
      return {below(max + 1), below(max + 1)};
    case HvsContent::extremes: {
      const int value = (x / 3 + y / 5) % 2 == 0 ? 0 : max;
      return {value, below(16) == 0 ? value : max - value};
    }
    case HvsContent::flat:
      return {max / 2, max / 2 + (below(40) == 0 ? 1 : 0)};
    case HvsContent::textured:
    case HvsContent::untouched:
      break;
  }
  const int step = (x / 19 + y / 23) % 2 == 0 ? max / 4 : max / 2;
  const int value = step + x % 13 + below(1 + max / 32);
  const int error = content == HvsContent::textured ? below(5) - 2 : 0;
  return {value, std::clamp(value + error, 0, max)};
}

template <class Sample>
void fill(HvsScene& scene, HvsContent content, Random& random) {
  const int max = scene.reference.format().pixel.max_value();
  for (int plane = 0; plane < scene.reference.format().pixel.planes(); ++plane) {
    const auto a = scene.reference.plane<Sample>(plane);
    const auto b = scene.distorted.plane<Sample>(plane);
    for (int y = 0; y < a.height; ++y) {
      for (int x = 0; x < a.width; ++x) {
        const Pair pair = sample(content, x, y, max, random);
        a.row(y)[x] = static_cast<Sample>(pair.reference);
        b.row(y)[x] = static_cast<Sample>(pair.distorted);
      }
    }
  }
}

}  // namespace hvs_scene

/// Makes a scene of the given format and content. The padding of its rows has random bytes.
inline HvsScene make_hvs_scene(const video::PictureFormat& format, HvsContent content,
                               std::uint64_t seed) {
  HvsScene scene{video::Picture(format), video::Picture(format)};
  Random random(seed);
  for (video::Picture* const picture : {&scene.reference, &scene.distorted}) {
    for (std::byte& byte : picture->bytes()) byte = static_cast<std::byte>(random.below(256));
  }
  if (format.pixel.bits == 8) {
    hvs_scene::fill<std::uint8_t>(scene, content, random);
  } else {
    hvs_scene::fill<std::uint16_t>(scene, content, random);
  }
  return scene;
}

/// Returns a random format that psnr_hvs accepts, at most `largest` luma samples wide and high.
inline video::PictureFormat random_hvs_format(int largest, Random& random) {
  constexpr std::array kChroma{video::Chroma::c420, video::Chroma::c422, video::Chroma::c444};
  constexpr std::array kBits{8, 10, 12};
  video::PictureFormat format;
  format.pixel = {kChroma[random.below(3)], kBits[random.below(3)]};
  // Chroma needs at least 8 samples.
  const auto size = [&](bool halved) {
    const int least = halved ? 16 : 8;
    return least + static_cast<int>(random.below(static_cast<std::uint32_t>(largest - least + 1)));
  };
  format.width = size(format.pixel.chroma != video::Chroma::c444);
  format.height = size(format.pixel.chroma == video::Chroma::c420);
  return format;
}

}  // namespace sidecore::test
