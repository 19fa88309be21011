#include "metrics/speed_chroma_reduction.h"

#include <cassert>
#include <cmath>

#include "base/error.h"
#include "metrics/float_filter.h"

namespace sidecore::metrics {
namespace {

std::vector<SpeedInterpolation> speed_scaled_samples(int from, int to) {
  std::vector<SpeedInterpolation> samples(static_cast<std::size_t>(to));
  const float ratio = static_cast<float>(from) / static_cast<float>(to);
  for (int i = 0; i < to; ++i) {
    const auto at = static_cast<float>((i + 0.5) * double{ratio} - 0.5);
    const int first = speed_mirror(static_cast<int>(std::floor(at)), from);
    const int second = speed_mirror(static_cast<int>(std::ceil(at)), from);
    samples[static_cast<std::size_t>(i)] = {first, second, at - static_cast<float>(first)};
  }
  return samples;
}

template <class Sample>
void read_speed_row(video::PlaneView<const Sample> plane, int width, int bits, int y, float* to) {
  const Sample* const row = plane.row(y);
  const float unit = 1.0F / static_cast<float>(1 << (bits - 8));
  for (int x = 0; x < width; ++x) to[x] = static_cast<float>(row[x]) * unit - 128;
}

}  // namespace

SpeedSize speed_scaled_size(SpeedSize plane, double scale) {
  if (std::abs(scale - 1) < 1e-3) return plane;
  return {static_cast<int>(std::floor(plane.width * scale + 0.5)),
          static_cast<int>(std::floor(plane.height * scale + 0.5))};
}

SpeedReduction::SpeedReduction(SpeedSize plane, int bits, double scale)
    : plane_(plane),
      bits_(bits),
      scaled_(speed_scaled_size(plane, scale)),
      reduced_{scaled_.width / kSpeedReduction, scaled_.height / kSpeedReduction} {
  check_float_depth("speed_chroma", bits);
  if (reduced_.width == 0 || reduced_.height == 0) {
    throw usage_error("speed_chroma reduces planes of at least {0}x{0} samples, not {1}x{2}",
                      kSpeedReduction, scaled_.width, scaled_.height);
  }
  fill_gaussian(3.6F, taps_);
  columns_ = speed_scaled_samples(plane.width, scaled_.width);
  rows_ = speed_scaled_samples(plane.height, scaled_.height);
}

SpeedReducer::SpeedReducer(const SpeedReduction& reduction, SpeedRowFilter filter)
    : reduction_(&reduction),
      filter_(filter),
      source_(reduction.plane().width, 2),
      rows_(reduction.scaled().width, kSpeedTaps),
      filtered_(reduction.scaled().width, 1) {}

template <class Sample>
void SpeedReducer::reduce_row(video::PlaneView<const Sample> plane, int y, float* to) {
  const SpeedReduction& reduction = *reduction_;
  const auto [width, height] = reduction.scaled();
  const int samples = reduction.plane().width;
  const int bits = reduction.bits();
  std::array<const float*, kSpeedTaps> rows{};
  for (int t = 0; t < static_cast<int>(kSpeedTaps); ++t) {
    const int at = speed_mirror(kSpeedReduction * y + t - kSpeedReach, height);
    float* const row = rows_.row(t);
    rows[static_cast<std::size_t>(t)] = row;
    if (!reduction.is_scaled()) {
      read_speed_row(plane, samples, bits, at, row);
      continue;
    }
    const SpeedInterpolation& between = reduction.rows()[static_cast<std::size_t>(at)];
    float* const above = source_.row(0);
    float* const below = source_.row(1);
    read_speed_row(plane, samples, bits, between.before, above);
    read_speed_row(plane, samples, bits, between.after, below);
    const float dy = between.weight;
    for (int x = 0; x < width; ++x) {
      const auto [first, second, dx] = reduction.columns()[static_cast<std::size_t>(x)];
      row[x] = (1 - dy) * (1 - dx) * above[first] + (1 - dy) * dx * above[second] +
               dy * (1 - dx) * below[first] + dy * dx * below[second];
    }
  }
  const float* const filtered = filtered_.row(0);
  filter_(rows, reduction.taps(), width, filtered_.row(0));
  for (int x = 0; x < reduction.reduced().width; ++x) {
    float sum = 0;
    for (int t = 0; t < static_cast<int>(kSpeedTaps); ++t) {
      sum += reduction.taps()[static_cast<std::size_t>(t)] *
             filtered[speed_mirror(kSpeedReduction * x + t - kSpeedReach, width)];
    }
    to[x] = sum;
  }
}

template void SpeedReducer::reduce_row(video::PlaneView<const std::uint8_t> plane, int y,
                                       float* to);
template void SpeedReducer::reduce_row(video::PlaneView<const std::uint16_t> plane, int y,
                                       float* to);

void filter_speed_rows(const std::array<const float*, kSpeedTaps>& rows,
                       std::span<const float, kSpeedTaps> taps, int width, float* to) {
  for (int x = 0; x < width; ++x) {
    float sum = 0;
    for (std::size_t t = 0; t < kSpeedTaps; ++t) sum += taps[t] * rows[t][x];
    to[x] = sum;
  }
}

}  // namespace sidecore::metrics
