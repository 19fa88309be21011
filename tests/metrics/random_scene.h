// Random pairs of pictures and random requests, for tests that compare the implementations of every
// feature.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "metrics/feature_family.h"
#include "metrics/picture_scorer.h"
#include "video/picture.h"
#include "video/synthetic_clip.h"

namespace sidecore::test {

/// A pair of pictures whose rows are padded with random bytes.
struct Scene {
  video::PictureFormat format;
  std::string content;
  video::Picture reference;
  video::Picture distorted;
};

namespace scene {

/// Calls set(x, y, old) for every sample of every plane, and stores the result.
template <class Set>
void for_each_sample(video::Picture& picture, const Set& set) {
  const auto fill = [&]<class Sample>(Sample) {
    for (int index = 0; index < picture.format().pixel.planes(); ++index) {
      const video::PlaneView<Sample> plane = picture.plane<Sample>(index);
      for (int y = 0; y < plane.height; ++y) {
        for (int x = 0; x < plane.width; ++x) {
          plane.row(y)[x] = static_cast<Sample>(set(x, y, std::uint32_t{plane.row(y)[x]}));
        }
      }
    }
  };
  if (picture.format().pixel.bits == 8) {
    fill(std::uint8_t{});
  } else {
    fill(std::uint16_t{});
  }
}

inline void fill_padding(video::Picture& picture, Random& random) {
  for (std::byte& byte : picture.bytes()) byte = static_cast<std::byte>(random.below(256));
}

inline void copy_samples(const video::Picture& from, video::Picture& to) {
  std::ranges::copy(from.bytes(), to.bytes().begin());
}

inline video::PictureFormat random_format(Random& random) {
  constexpr std::array kDepths{8, 8, 10, 12, 16};
  constexpr std::array kChromas{video::Chroma::c420, video::Chroma::c420, video::Chroma::c422,
                                video::Chroma::c444, video::Chroma::c400};
  // The size is large enough for the five levels of float_ms_ssim in one of four scenes.
  const bool large = random.below(4) == 0;
  const auto size = [&] {
    return static_cast<int>(large ? 176 + random.below(80) : 1 + random.below(100));
  };
  return {size(), size(), {kChromas[random.below(5)], kDepths[random.below(5)]}};
}

/// Makes ramps with a little noise, and the same ramps with more noise.
inline void fill_smooth(Scene& scene, Random& random) {
  const auto max = static_cast<std::uint32_t>(scene.format.pixel.max_value());
  const std::uint32_t slope = 1 + random.below(max / 64 + 1);
  for_each_sample(scene.reference, [&](int x, int y, std::uint32_t) {
    const auto position = static_cast<std::uint32_t>(x + 2 * y);
    return std::min(max, position * slope % (max / 2 + 1) + max / 4 + random.below(max / 64 + 1));
  });
  copy_samples(scene.reference, scene.distorted);
  for_each_sample(scene.distorted, [&](int, int, std::uint32_t old) {
    return std::min(max, old + random.below(max / 16 + 1));
  });
}

inline void fill_noise(video::Picture& picture, Random& random) {
  const auto max = static_cast<std::uint32_t>(picture.format().pixel.max_value());
  for_each_sample(picture, [&](int, int, std::uint32_t) { return random.below(max + 1); });
}

inline void fill_flat(video::Picture& picture, std::uint32_t value) {
  for_each_sample(picture, [&](int, int, std::uint32_t) { return value; });
}

inline void fill(Scene& scene, Random& random) {
  const auto max = static_cast<std::uint32_t>(scene.format.pixel.max_value());
  const video::SyntheticClip clip(scene.format);
  switch (random.below(6)) {
    case 0:
      scene.content = "noise";
      fill_noise(scene.reference, random);
      fill_noise(scene.distorted, random);
      break;
    case 1:
      scene.content = "smooth";
      fill_smooth(scene, random);
      break;
    case 2:
      scene.content = "flat";
      fill_flat(scene.reference, random.below(max + 1));
      fill_flat(scene.distorted, random.below(max + 1));
      break;
    case 3:
      scene.content = "identical";
      clip.fill_reference(0, scene.reference);
      copy_samples(scene.reference, scene.distorted);
      break;
    case 4:
      scene.content = "extreme";
      for_each_sample(scene.reference,
                      [&](int x, int y, std::uint32_t) { return ((x ^ y) & 4) != 0 ? max : 0U; });
      for_each_sample(scene.distorted,
                      [&](int, int, std::uint32_t) { return random.below(2) * max; });
      break;
    default:
      scene.content = "synthetic";
      const auto t = static_cast<int>(random.below(50));
      clip.fill_reference(t, scene.reference);
      clip.fill_distorted(t, scene.reference, scene.distorted);
      break;
  }
}

/// Returns a valid value of the option as text.
inline std::string random_value(const metrics::OptionSpec& spec, Random& random) {
  switch (spec.type) {
    case metrics::OptionType::boolean:
      return random.below(2) == 0 ? "false" : "true";
    case metrics::OptionType::integer: {
      const auto range = static_cast<std::uint32_t>(spec.max - spec.min);
      return std::to_string(static_cast<int>(spec.min) + static_cast<int>(random.below(range + 1)));
    }
    case metrics::OptionType::real:
      return fmt::format("{}", spec.min + (spec.max - spec.min) * (random.below(65) / 64.0));
    case metrics::OptionType::choice:
      return std::string(
          spec.choices[random.below(static_cast<std::uint32_t>(spec.choices.size()))]);
  }
  return {};
}

}  // namespace scene

inline Scene random_scene(const video::PictureFormat& format, Random& random) {
  Scene scene{format, {}, video::Picture(format), video::Picture(format)};
  scene::fill_padding(scene.reference, random);
  scene::fill_padding(scene.distorted, random);
  scene::fill(scene, random);
  return scene;
}

/// Returns one request for each feature that is defined for the format; every other request has
/// some options at random values. `text` receives the requests' texts.
inline std::vector<metrics::FeatureRequest> random_requests(const video::PictureFormat& format,
                                                            Random& random, std::string& text) {
  std::vector<metrics::FeatureRequest> requests;
  for (const metrics::FeatureFamily* const family : metrics::families()) {
    for (const metrics::Feature& feature : family->features) {
      std::string spelling(feature.name);
      const bool defaults = random.below(2) == 0;
      char separator = '=';
      for (const metrics::OptionSpec& spec : feature.options) {
        const std::string value = scene::random_value(spec, random);
        if (defaults || random.below(3) != 0) continue;
        spelling += fmt::format("{}{}={}", separator, spec.name, value);
        separator = ':';
      }
      try {
        const metrics::FeatureRequest request = metrics::parse_feature_request(spelling);
        request.check(format);
        requests.push_back(request);
        text += " " + spelling;
      } catch (const Error&) {  // NOLINT(bugprone-empty-catch)
        // A feature is skipped if it is not defined for this format, or if its random options
        // conflict.
      }
    }
  }
  return requests;
}

/// Returns the scores of the scene, as a clip of one picture, from a scorer made for its format.
inline std::vector<double> score(metrics::PictureScorer& scorer, const Scene& scene) {
  scene::copy_samples(scene.reference, scorer.reference(0));
  scene::copy_samples(scene.distorted, scorer.distorted(0));
  scorer.submit(0);
  const std::span<const double> found = scorer.collect(0);
  std::vector<double> scores(found.begin(), found.end());
  std::vector<std::span<double>> columns;
  for (double& score : scores) columns.emplace_back(&score, 1);
  scorer.finish_clip(columns);
  return scores;
}

/// Returns true if two scores are the same 64 bits, or both NaN.
inline bool same_bits(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// Expects equal scores of the requests, bit for bit.
inline void expect_same_scores(std::span<const metrics::FeatureRequest> requests,
                               const std::vector<double>& expected,
                               const std::vector<double>& found) {
  const std::vector<std::string> names = metrics::output_names(requests);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_TRUE(same_bits(found[i], expected[i]))
        << fmt::format("{}: {} is not {}", names[i], found[i], expected[i]);
  }
}

/// Picture sizes that users have. Under a sanitizer 2160p takes half a minute and runs no other
/// code.
inline std::vector<std::pair<int, int>> full_sizes() {
#ifdef SIDECORE_SANITIZED
  return {{1920, 1080}};
#else
  return {{1920, 1080}, {3840, 2160}};
#endif
}

/// Returns a picture of the synthetic clip and its distorted version.
inline Scene synthetic_scene(int width, int height) {
  const video::PictureFormat format{width, height, {video::Chroma::c420, 8}};
  Scene scene{format, "synthetic", video::Picture(format), video::Picture(format)};
  const video::SyntheticClip clip(format);
  clip.fill_reference(1, scene.reference);
  clip.fill_distorted(1, scene.reference, scene.distorted);
  return scene;
}

/// Returns every feature with its default options.
inline std::vector<metrics::FeatureRequest> all_requests() {
  std::vector<metrics::FeatureRequest> requests;
  for (const metrics::FeatureFamily* const family : metrics::families()) {
    for (const metrics::Feature& feature : family->features) {
      requests.push_back(metrics::parse_feature_request(feature.name));
    }
  }
  return requests;
}

}  // namespace sidecore::test
