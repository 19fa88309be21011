#include <algorithm>
#include <charconv>
#include <cstdlib>

#include <fmt/format.h>

#include "metrics/cambi.h"

namespace sidecore::metrics {
namespace {

void mark_flat_samples(const std::uint16_t* row, const std::uint16_t* below, int width,
                       std::uint8_t* flat) {
  for (int x = 0; x < width; ++x) {
    const bool right = x + 1 == width || row[x] == row[x + 1];
    const bool down = below == nullptr || row[x] == below[x];
    flat[x] = right && down ? 1 : 0;
  }
}

void mask_row(const std::array<const std::uint8_t*, kCambiFlatSize>& rows, int width, int limit,
              std::uint8_t* mask) {
  for (int x = 0; x < width; ++x) {
    int count = 0;
    for (const std::uint8_t* const row : rows) {
      for (int i = -kCambiFlatSize / 2; i <= kCambiFlatSize / 2; ++i) count += row[x + i];
    }
    mask[x] = count > limit ? 1 : 0;
  }
}

std::uint16_t mode_of(std::uint16_t a, std::uint16_t b, std::uint16_t c) {
  if (a == b || a == c) return a;
  return b == c ? b : std::min({a, b, c});
}

void modes_of_rows(const std::uint16_t* first, const std::uint16_t* second,
                   const std::uint16_t* third, int width, std::uint16_t* to) {
  for (int x = 0; x < width; ++x) to[x] = mode_of(first[x], second[x], third[x]);
}

void slide_windows(const CambiRow& entering, const CambiRow& leaving, int width,
                   const CambiSetup& setup, CambiCounts& counts) {
  const int half = setup.window / 2;
  for (int x = 0; x < width; ++x) {
    const int in = cambi_counted_value(entering, x, setup);
    const int out = cambi_counted_value(leaving, x, setup);
    if (in == out) continue;
    if (in >= 0) {
      std::uint16_t* const count = counts.at(in, x - half);
      for (int i = 0; i < setup.window; ++i) ++count[i];
    }
    if (out >= 0) {
      std::uint16_t* const count = counts.at(out, x - half);
      for (int i = 0; i < setup.window; ++i) --count[i];
    }
  }
}

void find_contrasts(const CambiRow& row, int width, const CambiSetup& setup,
                    const CambiCounts& counts, float* to) {
  for (int x = 0; x < width; ++x) {
    const int value = cambi_counted_value(row, x, setup);
    to[x] =
        value < 0 ? 0 : cambi_largest_contrast(value, counts.at(value, x), counts.stride(), setup);
  }
}

std::array<float, kCambiWindowLimit> make_cambi_reciprocals() {
  std::array<float, kCambiWindowLimit> reciprocals{};
  for (std::size_t n = 1; n < reciprocals.size(); ++n) {
    const std::string digits = fmt::format("{:.9g}", 1.0 / static_cast<double>(n));
    std::from_chars(digits.data(), digits.data() + digits.size(), reciprocals[n]);
  }
  return reciprocals;
}

}  // namespace

float cambi_largest_contrast(int value, const std::uint16_t* count, std::ptrdiff_t stride,
                             const CambiSetup& setup) {
  const std::span<const float> reciprocals = cambi_reciprocals();
  const std::span<const int> weights = cambi_step_weights();
  const int sample = value + setup.first_counted;
  const int own = *count;
  float largest = 0;
  for (int step = 1; step <= setup.steps; ++step) {
    const auto index = static_cast<std::size_t>(step - 1);
    // As in libvmaf, the sample that is compared with the dark limit is too large by the number of
    // steps.
    if (sample > setup.visible[index] || sample + setup.steps + step <= setup.dark) continue;
    const int above = count[step * stride];
    const int below = value >= step ? count[-step * stride] : 0;
    const int other = std::max(above, below);
    const int both = own + other;
    largest = std::max(largest, static_cast<float>(weights[index] * own * other) *
                                    reciprocals[static_cast<std::size_t>(both)]);
  }
  return largest;
}

std::span<const float> cambi_reciprocals() {
  static const std::array kReciprocals = make_cambi_reciprocals();
  return kReciprocals;
}

std::span<const int> cambi_step_weights() {
  static constexpr std::array<int, kCambiMaxContrastSteps> kWeights{1, 2, 3, 4, 4, 5, 5, 6, 6, 6, 6,
                                                                    7, 7, 7, 7, 8, 8, 8, 8, 8, 8, 8,
                                                                    9, 9, 9, 9, 9, 9, 9, 9, 9, 9};
  return kWeights;
}

const CambiRowFunctions& cambi_rows() {
  static constexpr CambiRowFunctions kRows{mark_flat_samples, mask_row, modes_of_rows,
                                           slide_windows, find_contrasts};
  return kRows;
}

}  // namespace sidecore::metrics
