// Computes each value as the definition does, with functions of its own in place of the C
// library's. Where these could round a value to another number of binary32, the pixel is in doubt,
// and the definition computes it.
#include "metrics/ciede.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include "neon/metrics/ciede_functions.h"
#include "neon/metrics/families.h"

namespace sidecore::neon {
namespace {

using ciede::Doubles;
using ciede::Doubt;
using ciede::narrow;
using ciede::splat;
using ciede::widen;
using metrics::CiedeRows;
using std::numbers::pi;

/// Number of pixels that pass through the steps together.
constexpr std::size_t kCiedePixels = 32;
using Floats = std::array<float, kCiedePixels>;

/// Colours of CIE L*a*b*.
struct Colours {
  Floats l;
  Floats a;
  Floats b;
};

/// Colours of both pictures in polar coordinates. `a` is stretched.
struct PolarPair {
  std::array<Floats, 2> a;
  std::array<Floats, 2> chroma;
  Floats mean_chroma;
  Floats mean_power;  ///< 7th power of mean_chroma
};

using DoubtfulPixels = std::array<std::uint32_t, kCiedePixels>;

void add(const Doubt& doubt, std::uint32_t* pixels) {
  vst1q_u32(pixels, vorrq_u32(vld1q_u32(pixels), doubt.lanes()));
}

Doubles samples(const std::uint16_t* from) {
  return widen(vcvtq_f32_u32(vmovl_u16(vld1_u16(from))));
}

Doubles linear_light(const ciede::Power& power, Doubles component) {
  return ciede::select_above(component, 10.0 / 255.0, power((component + 0.055) * (1.0 / 1.055)),
                             component * (1.0 / 12.92));
}

Doubles lab_curve(const ciede::Power& root, Doubles component) {
  // The power and the line have equal values and slopes where they meet, so that an error there
  // does not matter.
  return ciede::select_above(component, 216.0 / 24389.0, root(component),
                             (component * (24389.0 / 27.0) + 16.0) * (1.0 / 116.0));
}

Doubles mixed(Doubles red, double r, Doubles green, double g, Doubles blue, double b) {
  return ciede::add_product(ciede::add_product(red * r, green, splat(g)), blue, splat(b));
}

/// Computes the colours of the pixels from x on.
void find_colours(const CiedeRows& rows, std::size_t x, int bits, Colours& to,
                  DoubtfulPixels& doubtful) {
  static const ciede::Power kLight(2.4);
  static const ciede::Power kRoot(1.0 / 3.0);
  const double scale = 1 << (bits - 8);
  const double luma_unit = 1.0 / (219.0 * scale);
  const double chroma_unit = 1.0 / (224.0 * scale);
  for (std::size_t i = 0; i < kCiedePixels; i += 4) {
    const Doubles y = (samples(rows[0] + x + i) - 16.0 * scale) * luma_unit;
    const Doubles u = (samples(rows[1] + x + i) - 128.0 * scale) * chroma_unit;
    const Doubles v = (samples(rows[2] + x + i) - 128.0 * scale) * chroma_unit;
    const Doubles red = linear_light(kLight, y + v * 1.28033);
    const Doubles green = linear_light(kLight, y - u * 0.21482 - v * 0.38059);
    const Doubles blue = linear_light(kLight, y + u * 2.12798);
    const Doubles x_curve =
        lab_curve(kRoot, mixed(red, 0.4124564390896921 / 0.95047, green,
                               0.357576077643909 / 0.95047, blue, 0.18043748326639894 / 0.95047));
    const Doubles y_curve = lab_curve(kRoot, mixed(red, 0.21267285140562248, green,
                                                   0.715152155287818, blue, 0.07217499330655958));
    const Doubles z_curve =
        lab_curve(kRoot, mixed(red, 0.019333895582329317 / 1.08883, green,
                               0.119192025881303 / 1.08883, blue, 0.9503040785363677 / 1.08883));
    Doubt doubt;
    // Colours far beyond RGB are near 0. There the error, at most 2^-44, is large for the value.
    for (const Doubles& curve : {x_curve, y_curve, z_curve}) doubt.add_small(curve, 1.0 / 32);
    const Doubles rounded_x = widen(doubt.round(x_curve));
    const Doubles rounded_y = widen(doubt.round(y_curve));
    const Doubles rounded_z = widen(doubt.round(z_curve));
    vst1q_f32(&to.l[i], narrow(rounded_y * 116.0 - 16.0));
    vst1q_f32(&to.a[i], narrow((rounded_x - rounded_y) * 500.0));
    vst1q_f32(&to.b[i], narrow((rounded_y - rounded_z) * 200.0));
    add(doubt, &doubtful[i]);
  }
}

float32x4_t chroma_of(float32x4_t a, float32x4_t b) {
  const Doubles wide_a = widen(a);
  const Doubles wide_b = widen(b);
  return narrow(ciede::square_root(wide_a * wide_a + wide_b * wide_b));
}

float32x4_t half_sum(float32x4_t a, float32x4_t b) {
  return vmulq_n_f32(vaddq_f32(a, b), 0.5F);
}

void find_chroma(const std::array<Colours, 2>& colours, PolarPair& to, DoubtfulPixels& doubtful) {
  constexpr double kPowerOf25 = 6103515625.0;
  for (std::size_t i = 0; i < kCiedePixels; i += 4) {
    std::array<float32x4_t, 2> a;
    std::array<float32x4_t, 2> b;
    for (std::size_t side = 0; side < 2; ++side) {
      a[side] = vld1q_f32(&colours[side].a[i]);
      b[side] = vld1q_f32(&colours[side].b[i]);
    }
    const Doubles mean = widen(half_sum(chroma_of(a[0], b[0]), chroma_of(a[1], b[1])));
    const Doubles square = mean * mean;
    const Doubles power = square * square * square * mean;
    const Doubles stretch = splat(1) - ciede::square_root(power / (power + kPowerOf25));
    Doubt doubt;
    std::array<float32x4_t, 2> chroma;
    for (std::size_t side = 0; side < 2; ++side) {
      const Doubles wide = widen(a[side]);
      const float32x4_t stretched = doubt.round(wide + wide * 0.5 * stretch);
      chroma[side] = chroma_of(stretched, b[side]);
      vst1q_f32(&to.a[side][i], stretched);
      vst1q_f32(&to.chroma[side][i], chroma[side]);
    }
    vst1q_f32(&to.mean_chroma[i], half_sum(chroma[0], chroma[1]));
    add(doubt, &doubtful[i]);
  }
  // The C library's function for binary32 has a larger error than could be left in doubt.
  std::ranges::transform(to.mean_chroma, to.mean_power.begin(),
                         [](float chroma) { return std::pow(chroma, 7.0F); });
}

/// Returns the hue in radians, from 0 to 2 pi.
float32x4_t hue_of(float32x4_t a, float32x4_t b, Doubt& doubt) {
  const float32x4_t size_a = vabsq_f32(a);
  const float32x4_t size_b = vabsq_f32(b);
  const float32x4_t largest = vmaxq_f32(size_a, size_b);
  const uint32x4_t is_coloured = vcgtq_f32(largest, vdupq_n_f32(0));
  const uint32x4_t is_steep = vcgtq_f32(size_b, size_a);
  const uint32x4_t is_left = vcltq_f32(a, vdupq_n_f32(0));
  // The angle is an arc tangent within 1/8 turn, added to or subtracted from 0, 1 or 2 right
  // angles.
  const uint32x4_t sign = vshlq_n_u32(veorq_u32(is_steep, is_left), 31);
  const float32x4_t smallest =
      vreinterpretq_f32_u32(veorq_u32(vreinterpretq_u32_f32(vminq_f32(size_a, size_b)), sign));
  const float32x4_t right_angles =
      vbslq_f32(is_steep, vdupq_n_f32(1),
                vreinterpretq_f32_u32(vandq_u32(is_left, vreinterpretq_u32_f32(vdupq_n_f32(2)))));
  const float32x4_t divisor = vbslq_f32(is_coloured, largest, vdupq_n_f32(1));
  const Doubles angle = ciede::add_product(ciede::arc_tangent(widen(smallest) / widen(divisor)),
                                           widen(right_angles), splat(pi / 2));
  const float32x4_t above = doubt.round(angle);
  const float32x4_t below = narrow(splat(2.0 * pi) - widen(above));
  const uint32x4_t is_below =
      vandq_u32(vcltq_f32(b, vdupq_n_f32(0)), vcgtq_f32(above, vdupq_n_f32(0)));
  return vreinterpretq_f32_u32(
      vandq_u32(is_coloured, vreinterpretq_u32_f32(vbslq_f32(is_below, below, above))));
}

struct Hues {
  float32x4_t step;  ///< difference, from -pi to pi
  float32x4_t mean;
};

Hues compare_hues(float32x4_t hue_1, float32x4_t hue_2) {
  const float32x4_t step = vsubq_f32(hue_2, hue_1);
  const float32x4_t sum = vaddq_f32(hue_1, hue_2);
  // No number of binary32 lies between pi and its rounded value, which is larger.
  const uint32x4_t is_far = vcgeq_f32(vabsq_f32(step), vdupq_n_f32(static_cast<float>(pi)));
  const uint32x4_t goes_down = vcleq_f32(hue_2, hue_1);
  const Doubles wide = widen(step);
  const float32x4_t around = vbslq_f32(goes_down, narrow(wide + 2.0 * pi), narrow(wide - 2.0 * pi));
  const float32x4_t opposite = narrow((widen(sum) + 2.0 * pi) * 0.5);
  return {vbslq_f32(is_far, around, step), vbslq_f32(is_far, opposite, vmulq_n_f32(sum, 0.5F))};
}

/// Returns the weight T of the hue's difference: a sum of cosines of multiples of the hue, here of
/// the angle from 5/4 pi, so that its half is within the range of sine() and cosine().
Doubles hue_weight(float32x4_t hue) {
  const Doubles half = (widen(hue) - 1.25 * pi) * 0.5;
  const Doubles half_sine = ciede::sine(half);
  const Doubles double_sine = half_sine + half_sine;
  const Doubles cosine_1 = splat(1) - double_sine * half_sine;
  const Doubles sine_1 = double_sine * ciede::cosine(half);
  const Doubles cosine_2 = cosine_1 * cosine_1 * 2 - 1;
  const Doubles sine_2 = sine_1 * cosine_1 * 2;
  const Doubles cosine_3 = cosine_1 * (cosine_2 * 2 - 1);
  const Doubles sine_3 = sine_1 * (cosine_2 * 2 + 1);
  const Doubles cosine_4 = cosine_2 * cosine_2 * 2 - 1;
  const Doubles sine_4 = sine_2 * cosine_2 * 2;
  Doubles sum = splat(1);
  sum = ciede::add_product(sum, cosine_1, splat(0.16420739046914162));
  sum = ciede::add_product(sum, sine_1, splat(-0.04399923766742853));
  sum = ciede::add_product(sum, sine_2, splat(-0.24));
  sum = ciede::add_product(sum, cosine_3, splat(0.2486867076662307));
  sum = ciede::add_product(sum, sine_3, splat(0.20138252513594798));
  sum = ciede::add_product(sum, cosine_4, splat(0.09079809994790937));
  return ciede::add_product(sum, sine_4, splat(0.17820130483767357));
}

/// Returns the weight of the product of both differences.
float32x4_t rotation(float32x4_t mean_power, float32x4_t hue, Doubt& doubt) {
  const float32x4_t turned = narrow(widen(hue) * (180.0 / pi));
  const float32x4_t degrees = narrow((widen(turned) - 275.0) * (1.0 / 25.0));
  // Beyond 40 the result is so small that it does not change the sum to which it is added.
  const float32x4_t square = vminq_f32(vmulq_f32(degrees, degrees), vdupq_n_f32(40));
  const float32x4_t swing = doubt.round(ciede::exponential(widen(vnegq_f32(square))) * 60.0);
  const float32x4_t angle = narrow(widen(swing) * (pi / 180.0));
  const float32x4_t power_of_25 = vdupq_n_f32(6103515625.0F);
  const float32x4_t ratio = vdivq_f32(mean_power, vaddq_f32(mean_power, power_of_25));
  return doubt.round(ciede::square_root(widen(ratio)) * -2.0 * ciede::sine(widen(angle)));
}

float32x4_t hue_distance(float32x4_t chroma_1, float32x4_t chroma_2, float32x4_t step,
                         Doubt& doubt) {
  const Doubles root = ciede::square_root(widen(vmulq_f32(chroma_1, chroma_2)));
  return doubt.round(root * 2.0 * ciede::sine(widen(step) * 0.5));
}

/// Returns 1 + 0.045 * mean_chroma, rounded as the definition does.
float32x4_t chroma_scale(Doubles mean_chroma) {
  return narrow(mean_chroma * 0.045 + 1.0);
}

float32x4_t lightness_difference(float32x4_t l_1, float32x4_t l_2) {
  const Doubles centred = widen(vsubq_f32(half_sum(l_1, l_2), vdupq_n_f32(50)));
  const Doubles light = centred * centred;
  const float32x4_t scale = narrow(light * 0.015 / ciede::square_root(light + 20) + 1.0);
  return vdivq_f32(vsubq_f32(l_2, l_1), vmulq_n_f32(scale, 0.65F));
}

void find_differences(const std::array<Colours, 2>& colours, const PolarPair& polar, Floats& to,
                      DoubtfulPixels& doubtful) {
  for (std::size_t i = 0; i < kCiedePixels; i += 4) {
    Doubt doubt;
    const auto hue = [&](std::size_t side) {
      return hue_of(vld1q_f32(&polar.a[side][i]), vld1q_f32(&colours[side].b[i]), doubt);
    };
    const float32x4_t chroma_1 = vld1q_f32(&polar.chroma[0][i]);
    const float32x4_t chroma_2 = vld1q_f32(&polar.chroma[1][i]);
    const Doubles mean_chroma = widen(vld1q_f32(&polar.mean_chroma[i]));
    const Hues hues = compare_hues(hue(0), hue(1));
    const float32x4_t weight = doubt.round(hue_weight(hues.mean));
    const float32x4_t hue_scale = narrow(mean_chroma * 0.015 * widen(weight) + 1.0);
    const float32x4_t l =
        lightness_difference(vld1q_f32(&colours[0].l[i]), vld1q_f32(&colours[1].l[i]));
    const float32x4_t c = vdivq_f32(vsubq_f32(chroma_2, chroma_1), chroma_scale(mean_chroma));
    const float32x4_t h =
        vdivq_f32(hue_distance(chroma_1, chroma_2, hues.step, doubt), vmulq_n_f32(hue_scale, 4));
    const float32x4_t turn = rotation(vld1q_f32(&polar.mean_power[i]), hues.mean, doubt);
    const Doubles wide_l = widen(l);
    const Doubles wide_c = widen(c);
    const Doubles wide_h = widen(h);
    const Doubles sum = wide_l * wide_l + wide_c * wide_c + wide_h * wide_h +
                        widen(vmulq_f32(vmulq_f32(turn, c), h));
    vst1q_f32(&to[i], narrow(ciede::square_root(sum)));
    add(doubt, &doubtful[i]);
  }
}

/// Writes the differences of kCiedePixels pixels from x on.
void process_block(const CiedeRows& reference, const CiedeRows& distorted, std::size_t x, int bits,
                   Floats& to) {
  std::array<Colours, 2> colours;
  PolarPair polar;
  DoubtfulPixels doubtful{};
  find_colours(reference, x, bits, colours[0], doubtful);
  find_colours(distorted, x, bits, colours[1], doubtful);
  find_chroma(colours, polar, doubtful);
  find_differences(colours, polar, to, doubtful);
  for (std::size_t i = 0; i < kCiedePixels; ++i) {
    if (doubtful[i] == 0) continue;
    const auto from = [&](const CiedeRows& rows) {
      return CiedeRows{rows[0] + x + i, rows[1] + x + i, rows[2] + x + i};
    };
    metrics::ciede_differences(from(reference), from(distorted), bits, 1, &to[i]);
  }
}

/// The last pixels of a row, filled up to a block.
class Rest {
 public:
  Rest(const CiedeRows& rows, std::size_t x, std::size_t count) {
    for (std::size_t plane = 0; plane < 3; ++plane) {
      std::copy_n(rows[plane] + x, count, samples_[plane].begin());
    }
  }
  [[nodiscard]] CiedeRows rows() const {
    return {samples_[0].data(), samples_[1].data(), samples_[2].data()};
  }

 private:
  std::array<std::array<std::uint16_t, kCiedePixels>, 3> samples_{};
};

void differences(const CiedeRows& reference, const CiedeRows& distorted, int bits, int width,
                 float* to) {
  const auto end = static_cast<std::size_t>(width);
  Floats found;
  std::size_t x = 0;
  for (; x + kCiedePixels <= end; x += kCiedePixels) {
    process_block(reference, distorted, x, bits, found);
    std::ranges::copy(found, to + x);
  }
  if (x == end) return;
  process_block(Rest(reference, x, end - x).rows(), Rest(distorted, x, end - x).rows(), 0, bits,
                found);
  std::copy_n(found.begin(), end - x, to + x);
}

}  // namespace

std::unique_ptr<metrics::PairKernel> make_ciede(const video::PictureFormat& format,
                                                std::span<const metrics::FeatureRequest> /*one*/,
                                                std::size_t threads) {
  return metrics::make_ciede_kernel(format, threads, differences);
}

}  // namespace sidecore::neon
