#include "video/description.h"

#include <limits>
#include <numeric>

namespace sidecore::video {

PixelAspect pixel_aspect_of(int width, int height, int shown_width, int shown_height) {
  const std::int64_t across = std::int64_t{shown_width} * height;
  const std::int64_t down = std::int64_t{shown_height} * width;
  const std::int64_t divisor = std::gcd(across, down);
  if (divisor <= 0) return {};
  constexpr std::int64_t kMax = std::numeric_limits<int>::max();
  if (across / divisor > kMax || down / divisor > kMax) return {};
  return {static_cast<int>(across / divisor), static_cast<int>(down / divisor)};
}

Description Description::or_else(const Description& other) const {
  Description both = *this;
  if (both.range == SampleRange::unknown) both.range = other.range;
  if (!both.aspect.known()) both.aspect = other.aspect;
  if (both.siting == ChromaSiting::unknown) both.siting = other.siting;
  return both;
}

}  // namespace sidecore::video
