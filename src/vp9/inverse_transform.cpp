#include "vp9/inverse_transform.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "vp9/dsp.h"
#include "vp9/inverse_transform_steps.h"

namespace sidecore::vp9 {
namespace {

constexpr int kCosine16 = cosine(16);

/// One value for each of several columns (or rows). A one-dimensional transform works on eight at
/// once, in loops that compilers vectorise.
template <class Value, int Count>
struct Lanes {
  Value values[Count];
  Value& operator[](int lane) { return values[lane]; }
  Value operator[](int lane) const { return values[lane]; }
};

/// Type that holds the sum of two products of a value and a cosine.
template <class Value>
using Product = std::conditional_t<sizeof(Value) == 2, std::int32_t, std::int64_t>;

template <class Value>
Value rounded(Product<Value> sum) {
  return static_cast<Value>((sum + (1 << 13)) >> 14);
}

// Computes B(a, b, angle, 0) of section 8.7.1.1: (a cos - b sin, a sin + b cos).
template <int Angle, class Value, int Count>
void rotate(Lanes<Value, Count>& a, Lanes<Value, Count>& b) {
  constexpr Product<Value> kCos = cosine(Angle);
  constexpr Product<Value> kSin = sine(Angle);
  for (int lane = 0; lane < Count; ++lane) {
    const Product<Value> p = a[lane] * kCos - b[lane] * kSin;
    const Product<Value> q = a[lane] * kSin + b[lane] * kCos;
    a[lane] = rounded<Value>(p);
    b[lane] = rounded<Value>(q);
  }
}

// Computes H(a, b, 0): (a + b, a - b).
template <class Value, int Count>
void butterfly(Lanes<Value, Count>& a, Lanes<Value, Count>& b) {
  for (int lane = 0; lane < Count; ++lane) {
    const Product<Value> sum = Product<Value>{a[lane]} + b[lane];
    const Product<Value> difference = Product<Value>{a[lane]} - b[lane];
    a[lane] = static_cast<Value>(sum);
    b[lane] = static_cast<Value>(difference);
  }
}

template <StepKind Kind, int A, int B, int Angle, class Value, int Count>
void apply(Lanes<Value, Count>* t) {
  if constexpr (Kind == kButterfly) {
    butterfly(t[A], t[B]);
  } else if constexpr (Kind == kRotate) {
    rotate<Angle>(t[A], t[B]);
  } else {
    rotate<Angle>(t[A], t[B]);
    std::swap(t[A], t[B]);
  }
}

/// Runs a DCT; the input is in bit-reversed order, the output in natural order.
template <int N, class Value, int Count>
void dct(Lanes<Value, Count>* t) {
  if constexpr (N == 2) {
    apply<kRotateAndExchange, 0, 1, 16>(t);
  } else {
    dct<N / 2>(t);
    [t]<std::size_t... Index>(std::index_sequence<Index...>) {
      (apply<kOddSteps<N>[Index].kind, kOddSteps<N>[Index].a, kOddSteps<N>[Index].b,
             kOddSteps<N>[Index].angle>(t),
       ...);
    }
    (std::make_index_sequence<kOddSteps<N>.size()>());
    for (int index = 0; index < N / 2; ++index) butterfly(t[index], t[N - 1 - index]);
  }
}

// Rotates a, b by Angle1 and c, d by Angle2, then adds and subtracts the results before rounding
// (SB and SH of section 8.7.1.1).
template <int Angle1, int Angle2, class Value, int Count>
void rotate_and_cross(Lanes<Value, Count>& a, Lanes<Value, Count>& b, Lanes<Value, Count>& c,
                      Lanes<Value, Count>& d) {
  constexpr Product<Value> kCos1 = cosine(Angle1);
  constexpr Product<Value> kSin1 = sine(Angle1);
  constexpr Product<Value> kCos2 = cosine(Angle2);
  constexpr Product<Value> kSin2 = sine(Angle2);
  for (int lane = 0; lane < Count; ++lane) {
    const Product<Value> p = a[lane] * kCos1 + b[lane] * kSin1;
    const Product<Value> q = a[lane] * kSin1 - b[lane] * kCos1;
    const Product<Value> r = c[lane] * kCos2 + d[lane] * kSin2;
    const Product<Value> s = c[lane] * kSin2 - d[lane] * kCos2;
    a[lane] = rounded<Value>(p + r);
    b[lane] = rounded<Value>(q + s);
    c[lane] = rounded<Value>(p - r);
    d[lane] = rounded<Value>(q - s);
  }
}

// Computes (Scale * (a + b), ScaleA * a + ScaleB * b) * cos(pi / 4): the last stage of the sine
// transforms.
template <int Scale, int ScaleA, int ScaleB, class Value, int Count>
void halve(Lanes<Value, Count>& a, Lanes<Value, Count>& b) {
  for (int lane = 0; lane < Count; ++lane) {
    const Product<Value> sum = Product<Value>{a[lane]} + b[lane];
    const Product<Value> difference =
        Product<Value>{a[lane]} * ScaleA + Product<Value>{b[lane]} * ScaleB;
    a[lane] = rounded<Value>(sum * (Scale * kCosine16));
    b[lane] = rounded<Value>(difference * kCosine16);
  }
}

template <class Value, int Count>
void negate(Lanes<Value, Count>& a) {
  for (int lane = 0; lane < Count; ++lane) a[lane] = static_cast<Value>(-Product<Value>{a[lane]});
}

// Implements the sine transform of section 8.7.1.6 for 4 values. The sums need more than 32 bits if
// a damaged stream uses the full 16 bits.
template <class Value, int Count>
void adst4(Lanes<Value, Count>* t) {
  constexpr std::int64_t kSine1 = 5283;
  constexpr std::int64_t kSine2 = 9929;
  constexpr std::int64_t kSine3 = 13377;
  constexpr std::int64_t kSine4 = 15212;
  const auto round = [](std::int64_t sum) { return static_cast<Value>((sum + (1 << 13)) >> 14); };
  for (int lane = 0; lane < Count; ++lane) {
    const std::int64_t in0 = t[0][lane];
    const std::int64_t in1 = t[1][lane];
    const std::int64_t in2 = t[2][lane];
    const std::int64_t in3 = t[3][lane];
    const std::int64_t a = kSine1 * in0 + kSine4 * in2 + kSine2 * in3;
    const std::int64_t b = kSine2 * in0 - kSine1 * in2 - kSine4 * in3;
    const std::int64_t c = kSine3 * in1;
    t[0][lane] = round(a + c);
    t[1][lane] = round(b + c);
    t[2][lane] = round(kSine3 * (in0 - in2 + in3));
    t[3][lane] = round(a + b - c);
  }
}

// Section 8.7.1.7.
template <class Value, int Count>
void adst8(Lanes<Value, Count>* t) {
  Lanes<Value, Count> x[8] = {t[7], t[0], t[5], t[2], t[3], t[4], t[1], t[6]};
  rotate_and_cross<2, 18>(x[0], x[1], x[4], x[5]);
  rotate_and_cross<10, 26>(x[2], x[3], x[6], x[7]);
  butterfly(x[0], x[2]);
  butterfly(x[1], x[3]);
  rotate_and_cross<8, 40>(x[4], x[5], x[6], x[7]);
  halve<1, 1, -1>(x[2], x[3]);
  halve<1, 1, -1>(x[6], x[7]);
  for (const int index : {4, 2, 7, 1}) negate(x[index]);
  const int kOrder[8] = {0, 4, 6, 2, 3, 7, 5, 1};
  for (int index = 0; index < 8; ++index) t[index] = x[kOrder[index]];
}

// Section 8.7.1.8.
template <class Value, int Count>
void adst16(Lanes<Value, Count>* t) {
  Lanes<Value, Count> x[16];
  for (int index = 0; index < 8; ++index) {
    x[2 * index] = t[15 - 2 * index];
    x[2 * index + 1] = t[2 * index];
  }
  rotate_and_cross<1, 17>(x[0], x[1], x[8], x[9]);
  rotate_and_cross<5, 21>(x[2], x[3], x[10], x[11]);
  rotate_and_cross<9, 25>(x[4], x[5], x[12], x[13]);
  rotate_and_cross<13, 29>(x[6], x[7], x[14], x[15]);
  for (int index = 0; index < 4; ++index) butterfly(x[index], x[index + 4]);
  rotate_and_cross<4, 36>(x[8], x[9], x[12], x[13]);
  rotate_and_cross<20, 52>(x[10], x[11], x[14], x[15]);
  for (const int first : {0, 8}) {
    butterfly(x[first], x[first + 2]);
    butterfly(x[first + 1], x[first + 3]);
    rotate_and_cross<8, 40>(x[first + 4], x[first + 5], x[first + 6], x[first + 7]);
  }
  halve<-1, 1, -1>(x[2], x[3]);
  halve<1, -1, 1>(x[6], x[7]);
  halve<1, -1, 1>(x[10], x[11]);
  halve<-1, 1, -1>(x[14], x[15]);
  for (const int index : {8, 4, 13, 1}) negate(x[index]);
  const int kOrder[16] = {0, 8, 12, 4, 6, 14, 10, 2, 3, 11, 15, 7, 5, 13, 9, 1};
  for (int index = 0; index < 16; ++index) t[index] = x[kOrder[index]];
}

/// One-dimensional transform of `Count` rows or columns; in(i) returns input i.
template <int N, class Value, int Count>
void transform(bool sine_transform, Lanes<Value, Count>* t, auto&& in) {
  if constexpr (N <= 16) {
    if (sine_transform) {
      for (int index = 0; index < N; ++index) t[index] = in(index);
      if constexpr (N == 4) adst4(t);
      if constexpr (N == 8) adst8(t);
      if constexpr (N == 16) adst16(t);
      return;
    }
  }
  for (int index = 0; index < N; ++index) t[index] = in(bit_reversed(index, N));
  dct<N>(t);
}

template <class Sample>
Sample clamped(std::int64_t value, int bits) {
  return static_cast<Sample>(std::clamp<std::int64_t>(value, 0, (1 << bits) - 1));
}

template <class Sample>
void add_to(Sample& sample, int residual, int bits) {
  sample = static_cast<Sample>(std::clamp(sample + residual, 0, (1 << bits) - 1));
}

template <int N, class Sample, class Value>
void add_transform(const TransformBlock& block, const Value* coefficients, Sample* samples,
                   std::ptrdiff_t stride, int bits) {
  constexpr int kLanes = std::min(N, 8);
  constexpr int kShift = N == 4 ? 4 : N == 8 ? 5 : 6;
  using Group = Lanes<Value, kLanes>;
  std::array<Group, N> t;
  alignas(32) Value between[N * N];
  const bool sine_rows = block.type == kDctAdst || block.type == kAdstAdst;
  const bool sine_columns = block.type == kAdstDct || block.type == kAdstAdst;
  // Rows that can hold nonzero values; all other rows are zero.
  const int rows = (block.rows + kLanes - 1) / kLanes * kLanes;
  for (int row = 0; row < rows; row += kLanes) {
    transform<N>(sine_rows, t.data(), [&](int index) {
      Group group;
      for (int lane = 0; lane < kLanes; ++lane) {
        group[lane] = coefficients[(row + lane) * N + index];
      }
      return group;
    });
    for (int index = 0; index < N; ++index) {
      for (int lane = 0; lane < kLanes; ++lane) {
        between[(row + lane) * N + index] = t[static_cast<std::size_t>(index)][lane];
      }
    }
  }
  std::fill(between + rows * N, between + N * N, Value{0});
  for (int column = 0; column < N; column += kLanes) {
    transform<N>(sine_columns, t.data(), [&](int index) {
      Group group;
      for (int lane = 0; lane < kLanes; ++lane) group[lane] = between[index * N + column + lane];
      return group;
    });
    for (int row = 0; row < N; ++row) {
      Sample* const to = samples + row * stride + column;
      const Group& residual = t[static_cast<std::size_t>(row)];
      for (int lane = 0; lane < kLanes; ++lane) {
        const auto shifted = static_cast<std::int32_t>(
            (Product<Value>{residual[lane]} + (1 << (kShift - 1))) >> kShift);
        add_to(to[lane], shifted, bits);
      }
    }
  }
}

// Adds the residual of a DCT block whose only coefficient is the first: one value for all samples.
template <int N, class Sample, class Value>
void add_dc(const Value* coefficients, Sample* samples, std::ptrdiff_t stride, int bits) {
  constexpr int kShift = N == 4 ? 4 : N == 8 ? 5 : 6;
  const Value row = rounded<Value>(Product<Value>{coefficients[0]} * kCosine16);
  const Value both = rounded<Value>(Product<Value>{row} * kCosine16);
  const auto residual =
      static_cast<std::int32_t>((Product<Value>{both} + (1 << (kShift - 1))) >> kShift);
  for (int y = 0; y < N; ++y) {
    for (int x = 0; x < N; ++x) add_to(samples[y * stride + x], residual, bits);
  }
}

// Section 8.7.1.10: transforms four values in place that are `step` apart.
template <class Value>
void walsh_hadamard(Value* in, int step, int shift) {
  std::int64_t a = in[0] >> shift;
  std::int64_t c = in[step] >> shift;
  std::int64_t d = in[2 * step] >> shift;
  std::int64_t b = in[3 * step] >> shift;
  a += c;
  d -= b;
  const std::int64_t e = (a - d) >> 1;
  b = e - b;
  c = e - c;
  in[0] = static_cast<Value>(a - b);
  in[step] = static_cast<Value>(b);
  in[2 * step] = static_cast<Value>(c);
  in[3 * step] = static_cast<Value>(d + c);
}

template <class Sample, class Value>
void add_walsh_hadamard(const Value* coefficients, Sample* samples, std::ptrdiff_t stride,
                        int bits) {
  std::array<Value, 16> t;
  std::copy_n(coefficients, 16, t.begin());
  for (int row = 0; row < 4; ++row) walsh_hadamard(t.data() + 4 * row, 1, 2);
  for (int column = 0; column < 4; ++column) walsh_hadamard(t.data() + column, 4, 0);
  for (int index = 0; index < 16; ++index) {
    Sample& sample = samples[index / 4 * stride + index % 4];
    sample = clamped<Sample>(std::int64_t{sample} + t[static_cast<std::size_t>(index)], bits);
  }
}

template <int N, class Sample, class Value>
void add_sized(const TransformBlock& block, const Value* coefficients, Sample* samples,
               std::ptrdiff_t stride, int bits) {
  if (block.end == 1 && block.type == kDctDct) {
    add_dc<N>(coefficients, samples, stride, bits);
  } else {
    add_transform<N>(block, coefficients, samples, stride, bits);
  }
}

}  // namespace

template <class Sample, class Coefficient>
void add_residual(const TransformBlock& block, const Coefficient* coefficients, Sample* samples,
                  std::ptrdiff_t stride, int bits) {
  if (block.type == kWalshHadamard) {
    return add_walsh_hadamard(coefficients, samples, stride, bits);
  }
  switch (block.size) {
    case kTransform4x4:
      return add_sized<4>(block, coefficients, samples, stride, bits);
    case kTransform8x8:
      return add_sized<8>(block, coefficients, samples, stride, bits);
    case kTransform16x16:
      return add_sized<16>(block, coefficients, samples, stride, bits);
    default:
      return add_sized<32>(block, coefficients, samples, stride, bits);
  }
}

template void add_residual(const TransformBlock&, const std::int16_t*, std::uint8_t*,
                           std::ptrdiff_t, int);
template void add_residual(const TransformBlock&, const std::int32_t*, std::uint16_t*,
                           std::ptrdiff_t, int);

template <class Sample>
void add_scalar_inverse_transforms(Dsp<Sample>& dsp) {
  const auto of_bits = []<int bits>(std::integral_constant<int, bits>) {
    return [](const TransformBlock& block, const typename Dsp<Sample>::Coefficient* coefficients,
              Sample* samples,
              std::ptrdiff_t stride) { add_residual(block, coefficients, samples, stride, bits); };
  };
  typename Dsp<Sample>::InverseTransform all = nullptr;
  if (dsp.bits == 8) all = of_bits(std::integral_constant<int, 8>{});
  if (dsp.bits == 10) all = of_bits(std::integral_constant<int, 10>{});
  if (dsp.bits == 12) all = of_bits(std::integral_constant<int, 12>{});
  dsp.inverse_transforms[kTransform4x4].fill(all);
  for (const TransformSize size : {kTransform8x8, kTransform16x16}) {
    std::fill_n(dsp.inverse_transforms[size].begin(), 4, all);
  }
  dsp.inverse_transforms[kTransform32x32][kDctDct] = all;
}

template void add_scalar_inverse_transforms(Dsp<std::uint8_t>&);
template void add_scalar_inverse_transforms(Dsp<std::uint16_t>&);

}  // namespace sidecore::vp9
