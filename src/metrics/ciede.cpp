#include "metrics/ciede.h"

#include <cmath>
#include <numbers>

namespace sidecore::metrics {
namespace {

using std::numbers::pi;

/// A colour of CIE L*a*b*.
struct Lab {
  float l;
  float a;
  float b;
};

double linear_light(double component) {
  return component > 10.0 / 255.0 ? std::pow((component + 0.055) * (1.0 / 1.055), 2.4)
                                  : component * (1.0 / 12.92);
}

float lab_curve(double component) {
  constexpr double kKappa = 24389.0 / 27.0;
  constexpr double kEpsilon = 216.0 / 24389.0;
  return static_cast<float>(component > kEpsilon ? std::pow(component, 1.0 / 3.0)
                                                 : (kKappa * component + 16.0) * (1.0 / 116.0));
}

Lab lab_of(const CiedeRows& rows, int x, int bits) {
  const double scale = 1 << (bits - 8);
  const double y = (rows[0][x] - 16.0 * scale) * (1.0 / (219.0 * scale));
  const double u = (rows[1][x] - 128.0 * scale) * (1.0 / (224.0 * scale));
  const double v = (rows[2][x] - 128.0 * scale) * (1.0 / (224.0 * scale));
  const double red = linear_light(y + 1.28033 * v);
  const double green = linear_light(y - 0.21482 * u - 0.38059 * v);
  const double blue = linear_light(y + 2.12798 * u);
  // CIE XYZ, relative to the white of D65.
  const double x_light =
      red * 0.4124564390896921 + green * 0.357576077643909 + blue * 0.18043748326639894;
  const double y_light =
      red * 0.21267285140562248 + green * 0.715152155287818 + blue * 0.07217499330655958;
  const double z_light =
      red * 0.019333895582329317 + green * 0.119192025881303 + blue * 0.9503040785363677;
  const double x_curve = lab_curve(x_light * (1.0 / 0.95047));
  const double y_curve = lab_curve(y_light);
  const double z_curve = lab_curve(z_light * (1.0 / 1.08883));
  return {static_cast<float>(116.0 * y_curve - 16.0),
          static_cast<float>(500.0 * (x_curve - y_curve)),
          static_cast<float>(200.0 * (y_curve - z_curve))};
}

double square(double value) {
  return value * value;
}

/// Returns the distance of a colour from grey.
float chroma_of(float a, float b) {
  return static_cast<float>(std::sqrt(square(a) + square(b)));
}

/// Returns the hue in radians, from 0 to 2 pi.
float hue_of(float a, float b) {
  if (a == 0 && b == 0) return 0;
  const auto angle = static_cast<float>(std::atan2(double{b}, double{a}));
  return angle < 0 ? static_cast<float>(angle + 2.0 * pi) : angle;
}

/// Moves a* away from 0, so that the formula is right for colours near grey.
float stretched_a(float a, float mean_chroma) {
  const double power = std::pow(double{mean_chroma}, 7.0);
  return static_cast<float>(a + (a / 2) * (1 - std::sqrt(power / (power + std::pow(25.0, 7.0)))));
}

float hue_difference(float chroma_1, float chroma_2, float hue_1, float hue_2) {
  if (chroma_1 == 0 || chroma_2 == 0) return 0;
  const float difference = hue_2 - hue_1;
  if (std::abs(hue_1 - hue_2) <= pi) return difference;
  return static_cast<float>(hue_2 <= hue_1 ? difference + 2.0 * pi : difference - 2.0 * pi);
}

float mean_hue(float hue_1, float hue_2) {
  const float sum = hue_1 + hue_2;
  return static_cast<float>(std::abs(hue_1 - hue_2) > pi ? (sum + 2.0 * pi) / 2.0 : sum / 2.0);
}

/// Returns the weight T of the hue's difference at a hue.
float hue_weight(float hue) {
  return static_cast<float>(1.0 - 0.17 * std::cos(hue - pi / 6.0) + 0.24 * std::cos(2.0 * hue) +
                            0.32 * std::cos(3.0 * hue + pi / 30.0) -
                            0.20 * std::cos(4.0 * hue - 7.0 * pi / 20.0));
}

/// Returns the weight of the product of both differences, which matters for blue.
float rotation(float mean_chroma, float hue) {
  const auto degrees =
      static_cast<float>((static_cast<float>(hue * (180.0 / pi)) - 275.0) * (1.0 / 25.0));
  const auto swing = static_cast<float>(60.0 * std::exp(double{-(degrees * degrees)}));
  const auto angle = static_cast<float>(swing * (pi / 180.0));
  const float power = std::pow(mean_chroma, 7.0F);
  const float ratio = power / (power + std::pow(25.0F, 7.0F));
  return static_cast<float>(-2.0 * std::sqrt(double{ratio}) * std::sin(double{angle}));
}

float difference_of(const Lab& one, const Lab& two) {
  const float mean_l = (one.l + two.l) / 2;
  const float plain_1 = chroma_of(one.a, one.b);
  const float plain_2 = chroma_of(two.a, two.b);
  const float mean_plain = (plain_1 + plain_2) / 2;
  const float a_1 = stretched_a(one.a, mean_plain);
  const float a_2 = stretched_a(two.a, mean_plain);
  const float chroma_1 = chroma_of(a_1, one.b);
  const float chroma_2 = chroma_of(a_2, two.b);
  const float mean_chroma = (chroma_1 + chroma_2) / 2;
  const float hue_1 = hue_of(a_1, one.b);
  const float hue_2 = hue_of(a_2, two.b);
  const float hue_step = hue_difference(plain_1, plain_2, hue_1, hue_2);
  const auto hue_distance =
      static_cast<float>(2.0 * std::sqrt(double{chroma_1 * chroma_2}) * std::sin(hue_step / 2.0));
  const float hue = mean_hue(hue_1, hue_2);

  const double light = square(mean_l - 50);
  const auto l_scale = static_cast<float>(1.0 + 0.015 * light / std::sqrt(20 + light));
  const auto chroma_scale = static_cast<float>(1.0 + 0.045 * mean_chroma);
  const auto hue_scale = static_cast<float>(1.0 + 0.015 * mean_chroma * hue_weight(hue));
  // libvmaf weights lightness by 1 / 0.65 and hue by 1 / 4.
  const float l = (two.l - one.l) / (0.65F * l_scale);
  const float c = (chroma_2 - chroma_1) / chroma_scale;
  const float h = hue_distance / (4.0F * hue_scale);
  return static_cast<float>(
      std::sqrt(square(l) + square(c) + square(h) + rotation(mean_chroma, hue) * c * h));
}

}  // namespace

void ciede_differences(const CiedeRows& reference, const CiedeRows& distorted, int bits, int width,
                       float* to) {
  for (int x = 0; x < width; ++x) {
    to[x] = difference_of(lab_of(reference, x, bits), lab_of(distorted, x, bits));
  }
}

}  // namespace sidecore::metrics
