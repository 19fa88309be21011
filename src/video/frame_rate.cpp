#include "video/frame_rate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace sidecore::video {
namespace {

constexpr int kMaxFramesPerSecond = 240;
/// Longest frame duration that is accepted as a frame rate.
constexpr std::uint64_t kMaxTicksPerFrame = std::uint64_t{1} << 32;
/// Shortest frame duration, in ticks, for which time stamps are taken as rounded.
constexpr std::uint64_t kMinTicksOfRounded = 8;

/// Returns numerator / denominator in lowest terms; unknown if that does not fit.
FrameRate reduced(std::uint64_t numerator, std::uint64_t denominator) {
  const std::uint64_t divisor = std::gcd(numerator, denominator);
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<int>::max());
  if (divisor == 0 || numerator / divisor > kMax || denominator / divisor > kMax) return {};
  return {static_cast<int>(numerator / divisor), static_cast<int>(denominator / divisor)};
}

/// Returns the ticks from a time stamp to a later one. They may be up to 64 bits apart.
std::uint64_t ticks_between(std::int64_t from, std::int64_t to) {
  return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
}

/// Returns the most common difference of consecutive stamps, the smallest of equally common ones; 0
/// if there is none.
std::uint64_t ticks_per_frame(std::span<const std::int64_t> stamps) {
  std::map<std::uint64_t, std::size_t> counts;
  for (std::size_t index = 1; index < stamps.size(); ++index) {
    if (stamps[index] <= stamps[index - 1]) continue;
    const std::uint64_t ticks = ticks_between(stamps[index - 1], stamps[index]);
    if (ticks <= kMaxTicksPerFrame) ++counts[ticks];
  }
  const auto most =
      std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
  return most == counts.end() ? 0 : most->first;
}

/// Returns the sum of the distances, in ticks, between stamps and the nearest multiple of `ticks`.
/// Returns nullopt if a distance is more than one tick.
std::optional<double> distance(std::span<const std::int64_t> stamps, double ticks) {
  double sum = 0;
  for (const std::int64_t stamp : stamps) {
    if (stamp < stamps.front()) continue;  // time stamps that are out of order are not compared
    const auto offset = static_cast<double>(ticks_between(stamps.front(), stamp));
    const double away = std::abs(offset - std::round(offset / ticks) * ticks);
    if (away > 1.0 + 1e-6) return std::nullopt;
    sum += away;
  }
  return sum;
}

/// Returns the common frame rate that best matches stamps about `frame` ticks apart.
std::optional<FrameRate> rounded_rate(double ticks_per_second, std::uint64_t frame,
                                      std::span<const std::int64_t> stamps) {
  std::optional<FrameRate> best;
  double least = std::numeric_limits<double>::infinity();
  const auto about = static_cast<double>(frame);
  for (int rate = 1; rate <= kMaxFramesPerSecond; ++rate) {
    for (const FrameRate candidate : {FrameRate{rate, 1}, FrameRate{rate * 1000, 1001}}) {
      const double ticks = ticks_per_second * candidate.denominator / candidate.numerator;
      if (std::abs(ticks - about) > 1.0) continue;
      const std::optional<double> sum = distance(stamps, ticks);
      if (!sum || *sum >= least) continue;
      least = *sum;
      best = reduced(static_cast<std::uint64_t>(candidate.numerator),
                     static_cast<std::uint64_t>(candidate.denominator));
    }
  }
  return best;
}

}  // namespace

FrameRate estimate_frame_rate(FrameRate ticks, std::span<const std::int64_t> stamps) {
  if (ticks.numerator <= 0 || ticks.denominator <= 0) return {};
  const auto numerator = static_cast<std::uint64_t>(ticks.numerator);
  const auto denominator = static_cast<std::uint64_t>(ticks.denominator);
  const std::uint64_t frame = ticks_per_frame(stamps);
  if (frame == 0) {
    return numerator <= kMaxFramesPerSecond * denominator ? reduced(numerator, denominator)
                                                          : FrameRate{};
  }
  const bool multiples = std::ranges::all_of(stamps, [&](std::int64_t stamp) {
    return stamp < stamps.front() || ticks_between(stamps.front(), stamp) % frame == 0;
  });
  if (!multiples && frame >= kMinTicksOfRounded) {
    const auto rate =
        rounded_rate(static_cast<double>(ticks.numerator) / ticks.denominator, frame, stamps);
    if (rate) return *rate;
  }
  return reduced(numerator, denominator * frame);
}

FrameRate frame_rate_of_duration(std::uint64_t nanoseconds) {
  constexpr std::uint64_t kMaxNumber = 30000;
  std::uint64_t dividend = 1'000'000'000;
  std::uint64_t divisor = nanoseconds;
  std::uint64_t numerator = 1;
  std::uint64_t denominator = 0;
  std::uint64_t last_numerator = 0;
  std::uint64_t last_denominator = 1;
  while (divisor != 0) {
    const std::uint64_t term = dividend / divisor;
    const std::uint64_t next_numerator = term * numerator + last_numerator;
    const std::uint64_t next_denominator = term * denominator + last_denominator;
    if (next_numerator > kMaxNumber || next_denominator > kMaxNumber) break;
    last_numerator = std::exchange(numerator, next_numerator);
    last_denominator = std::exchange(denominator, next_denominator);
    dividend = std::exchange(divisor, dividend % divisor);
  }
  if (denominator == 0) return {};
  return {static_cast<int>(numerator), static_cast<int>(denominator)};
}

}  // namespace sidecore::video
