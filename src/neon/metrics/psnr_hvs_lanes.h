// Eight 32-bit lanes for eight blocks of psnr_hvs.
#pragma once

#include "neon/neon.h"

namespace sidecore::neon {

/// Eight binary32 lanes.
struct Floats8 {
  float32x4_t low;
  float32x4_t high;
};

inline Floats8 broadcast(float value) {
  return {vdupq_n_f32(value), vdupq_n_f32(value)};
}
// Multiplication and addition round separately: no intrinsic here may fuse them.
inline Floats8 operator+(const Floats8& a, const Floats8& b) {
  return {vaddq_f32(a.low, b.low), vaddq_f32(a.high, b.high)};
}
inline Floats8 operator-(const Floats8& a, const Floats8& b) {
  return {vsubq_f32(a.low, b.low), vsubq_f32(a.high, b.high)};
}
inline Floats8 operator*(const Floats8& a, const Floats8& b) {
  return {vmulq_f32(a.low, b.low), vmulq_f32(a.high, b.high)};
}
inline Floats8 operator/(const Floats8& a, const Floats8& b) {
  return {vdivq_f32(a.low, b.low), vdivq_f32(a.high, b.high)};
}
inline Floats8 maximum(const Floats8& a, const Floats8& b) {
  return {vmaxq_f32(a.low, b.low), vmaxq_f32(a.high, b.high)};
}
inline Floats8 square_root(const Floats8& a) {
  return {vsqrtq_f32(a.low), vsqrtq_f32(a.high)};
}
/// Returns value in lanes where `test` > 0, otherwise 0.
inline Floats8 where_positive(const Floats8& test, const Floats8& value) {
  const auto keep = [](float32x4_t t, float32x4_t v) {
    return vreinterpretq_f32_u32(vandq_u32(vcgtq_f32(t, vdupq_n_f32(0)), vreinterpretq_u32_f32(v)));
  };
  return {keep(test.low, value.low), keep(test.high, value.high)};
}

/// Eight integer lanes.
struct Integers8 {
  int32x4_t low;
  int32x4_t high;

  Integers8() = default;
  explicit Integers8(uint16x8_t samples)
      : low(vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(samples)))),
        high(vreinterpretq_s32_u32(vmovl_u16(vget_high_u16(samples)))) {}
  Integers8(int32x4_t low_lanes, int32x4_t high_lanes) : low(low_lanes), high(high_lanes) {}

  friend Integers8 operator+(Integers8 a, Integers8 b) {
    return {vaddq_s32(a.low, b.low), vaddq_s32(a.high, b.high)};
  }
  friend Integers8 operator-(Integers8 a, Integers8 b) {
    return {vsubq_s32(a.low, b.low), vsubq_s32(a.high, b.high)};
  }
  friend Integers8 half(Integers8 a) {
    const auto of = [](int32x4_t v) { return vhsubq_s32(v, vshrq_n_s32(v, 31)); };
    return {of(a.low), of(a.high)};
  }

  [[nodiscard]] Floats8 to_float() const { return {vcvtq_f32_s32(low), vcvtq_f32_s32(high)}; }
  [[nodiscard]] Floats8 square() const {
    return {vcvtq_f32_s32(vmulq_s32(low, low)), vcvtq_f32_s32(vmulq_s32(high, high))};
  }
  friend Floats8 difference(Integers8 a, Integers8 b) {
    return Integers8(vabdq_s32(a.low, b.low), vabdq_s32(a.high, b.high)).to_float();
  }
};

/// Returns a * factor / 2^shift, rounded.
template <int factor, int shift>
inline Integers8 scaled(Integers8 a) {
  return {vrshrq_n_s32(vmulq_n_s32(a.low, factor), shift),
          vrshrq_n_s32(vmulq_n_s32(a.high, factor), shift)};
}

}  // namespace sidecore::neon
