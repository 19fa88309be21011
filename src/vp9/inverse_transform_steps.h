// The steps of the discrete cosine transforms as data, which every implementation executes.
// Source: VP9 specification v0.6, section 8.7.1.
#pragma once

#include <array>

namespace sidecore::vp9 {

/// Returns cos(angle * pi / 64) in 16384ths, for angles 0..64.
[[nodiscard]] constexpr int cosine(int angle) {
  constexpr int kCosine[33] = {16384, 16364, 16305, 16207, 16069, 15893, 15679, 15426, 15137,
                               14811, 14449, 14053, 13623, 13160, 12665, 12140, 11585, 11003,
                               10394, 9760,  9102,  8423,  7723,  7005,  6270,  5520,  4756,
                               3981,  3196,  2404,  1606,  804,   0};
  return angle <= 32 ? kCosine[angle] : -kCosine[64 - angle];
}
/// Returns sin(angle * pi / 64) in 16384ths, for angles 0..64.
[[nodiscard]] constexpr int sine(int angle) {
  return cosine(angle < 32 ? 32 - angle : angle - 32);
}

// A DCT of N consists of the DCT of N / 2 on its even inputs, the steps below on its odd inputs,
// and butterflies that combine the two halves.
enum StepKind : unsigned char { kRotate, kRotateAndExchange, kButterfly };
/// One step on the values `a` and `b`. Rotations use `angle`, in units of pi / 64.
struct Step {
  StepKind kind;
  int a;
  int b;
  int angle;
};
template <int N>
inline constexpr int kOddSteps = 0;
template <>
inline constexpr std::array kOddSteps<4> = {Step{kRotate, 2, 3, 24}};
template <>
inline constexpr std::array kOddSteps<8> = {Step{kRotate, 4, 7, 28}, Step{kRotate, 5, 6, 12},
                                            Step{kButterfly, 4, 5, 0}, Step{kButterfly, 7, 6, 0},
                                            Step{kRotateAndExchange, 6, 5, 16}};
template <>
inline constexpr std::array kOddSteps<16> = {Step{kRotate, 8, 15, 30},
                                             Step{kRotate, 9, 14, 14},
                                             Step{kRotate, 10, 13, 22},
                                             Step{kRotate, 11, 12, 6},
                                             Step{kButterfly, 8, 9, 0},
                                             Step{kButterfly, 11, 10, 0},
                                             Step{kButterfly, 12, 13, 0},
                                             Step{kButterfly, 15, 14, 0},
                                             Step{kRotateAndExchange, 14, 9, 24},
                                             Step{kRotateAndExchange, 13, 10, 56},
                                             Step{kButterfly, 8, 11, 0},
                                             Step{kButterfly, 9, 10, 0},
                                             Step{kButterfly, 15, 12, 0},
                                             Step{kButterfly, 14, 13, 0},
                                             Step{kRotateAndExchange, 13, 10, 16},
                                             Step{kRotateAndExchange, 12, 11, 16}};
template <>
inline constexpr std::array kOddSteps<32> = {Step{kRotate, 16, 31, 31},
                                             Step{kRotate, 17, 30, 15},
                                             Step{kRotate, 18, 29, 23},
                                             Step{kRotate, 19, 28, 7},
                                             Step{kRotate, 20, 27, 27},
                                             Step{kRotate, 21, 26, 11},
                                             Step{kRotate, 22, 25, 19},
                                             Step{kRotate, 23, 24, 3},
                                             Step{kButterfly, 16, 17, 0},
                                             Step{kButterfly, 19, 18, 0},
                                             Step{kButterfly, 20, 21, 0},
                                             Step{kButterfly, 23, 22, 0},
                                             Step{kButterfly, 24, 25, 0},
                                             Step{kButterfly, 27, 26, 0},
                                             Step{kButterfly, 28, 29, 0},
                                             Step{kButterfly, 31, 30, 0},
                                             Step{kRotateAndExchange, 30, 17, 28},
                                             Step{kRotateAndExchange, 29, 18, 60},
                                             Step{kRotateAndExchange, 26, 21, 12},
                                             Step{kRotateAndExchange, 25, 22, 44},
                                             Step{kButterfly, 16, 19, 0},
                                             Step{kButterfly, 17, 18, 0},
                                             Step{kButterfly, 23, 20, 0},
                                             Step{kButterfly, 22, 21, 0},
                                             Step{kButterfly, 24, 27, 0},
                                             Step{kButterfly, 25, 26, 0},
                                             Step{kButterfly, 31, 28, 0},
                                             Step{kButterfly, 30, 29, 0},
                                             Step{kRotateAndExchange, 29, 18, 24},
                                             Step{kRotateAndExchange, 28, 19, 24},
                                             Step{kRotateAndExchange, 27, 20, 56},
                                             Step{kRotateAndExchange, 26, 21, 56},
                                             Step{kButterfly, 16, 23, 0},
                                             Step{kButterfly, 17, 22, 0},
                                             Step{kButterfly, 18, 21, 0},
                                             Step{kButterfly, 19, 20, 0},
                                             Step{kButterfly, 31, 24, 0},
                                             Step{kButterfly, 30, 25, 0},
                                             Step{kButterfly, 29, 26, 0},
                                             Step{kButterfly, 28, 27, 0},
                                             Step{kRotateAndExchange, 27, 20, 16},
                                             Step{kRotateAndExchange, 26, 21, 16},
                                             Step{kRotateAndExchange, 25, 22, 16},
                                             Step{kRotateAndExchange, 24, 23, 16}};

/// Returns the position of input `index` among the values that the steps of a transform of `size`
/// work on.
[[nodiscard]] constexpr int bit_reversed(int index, int size) {
  int reversed = 0;
  for (int bit = 1; bit < size; bit *= 2) {
    reversed = reversed * 2 + (index & bit ? 1 : 0);
  }
  return reversed;
}

}  // namespace sidecore::vp9
