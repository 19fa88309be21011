// Filtering along columns, for samples of any size: a window of rows in registers moves down a
// strip, so that every row is loaded, or filtered along x, once.
//
// Arithmetic says what a register is:
//   Register                            samples of a strip that are multiplied together
//   Sum product<tap>(Register, Taps)    begins a sum of products
//   Sum add<tap>(Sum, Register, Taps)
//   Register next_row(Register a, Register b)    where a register holds two rows: a's second and
//                                                b's first
#pragma once

#include <cstddef>
#include <type_traits>

namespace sidecore::neon::inter {

/// Rows of samples, four at a time: addressed by offsets that are in registers for all of them. A
/// compiler that knew them to be multiples of the stride would compute each address from another.
template <class Sample>
class FourRows {
 public:
  FourRows(Sample* first, std::ptrdiff_t stride)
      : top_(reinterpret_cast<Byte*>(first)),
        first_(top_),
        one_(stride * static_cast<std::ptrdiff_t>(sizeof(Sample))),
        two_(2 * one_),
        three_(3 * one_) {
    asm("" : "+r"(two_), "+r"(three_));  // NOLINT(hicpp-no-assembler): no instruction
  }

  template <int row>
  [[nodiscard]] Sample* at() const {
    static_assert(0 <= row && row < 4);
    return reinterpret_cast<Sample*>(row == 0   ? first_
                                     : row == 1 ? first_ + one_
                                     : row == 2 ? first_ + two_
                                                : first_ + three_);
  }
  template <int rows>
  void go_down() {
    static_assert(1 <= rows && rows <= 4);
    first_ += rows == 1 ? one_ : rows == 2 ? two_ : rows == 3 ? three_ : 4 * one_;
    asm("" : "+r"(first_));  // NOLINT(hicpp-no-assembler)
  }

  /// Goes up to where it began, and to the right.
  template <int columns>
  void next_strip() {
    top_ += columns * static_cast<std::ptrdiff_t>(sizeof(Sample));
    first_ = top_;
  }

 private:
  using Byte = std::conditional_t<std::is_const_v<Sample>, const std::byte, std::byte>;
  Byte* top_;
  Byte* first_;
  std::ptrdiff_t one_;
  std::ptrdiff_t two_;
  std::ptrdiff_t three_;
};

/// To be called for each row where registers are scarce: a compiler that took these for constants
/// would hold their lower halves in registers of their own.
template <class... Registers>
[[gnu::always_inline]] inline void renew([[maybe_unused]] Registers&... registers) {
#if defined(__ARM_NEON)
  // NOLINTNEXTLINE(hicpp-no-assembler): no instruction
  (..., [](Registers& one) { asm volatile("" : "+w"(one)); }(registers));
#endif
}

/// Holds what the next rows of output need of those above, and takes the rows below. `rows` of
/// them, 1 or 2, are in a register.
template <class A, int rows>
class Window;

template <class A>
class Window<A, 1> {
 public:
  using Register = typename A::Register;

  template <class Source>
  explicit Window(Source& source) {
    s0_ = source.template get<0>();
    s1_ = source.template get<1>();
    s2_ = source.template get<2>();
    source.template go_down<3>();
    s3_ = source.template get<0>();
    s4_ = source.template get<1>();
    s5_ = source.template get<2>();
    s6_ = source.template get<3>();
    source.template go_down<4>();
  }

  typename A::Sum filter(Register s7, const typename A::Taps& taps) {
    renew(s0_, s1_, s2_, s3_, s4_, s5_, s6_);
    typename A::Sum sum = A::template product<1>(s1_, taps);
    sum = A::template add<2>(sum, s2_, taps);
    sum = A::template add<3>(sum, s3_, taps);
    sum = A::template add<4>(sum, s4_, taps);
    sum = A::template add<5>(sum, s5_, taps);
    sum = A::template add<6>(sum, s6_, taps);
    sum = A::template add<7>(sum, s7, taps);
    sum = A::template add<0>(sum, s0_, taps);
    s0_ = s1_;
    s1_ = s2_;
    s2_ = s3_;
    s3_ = s4_;
    s4_ = s5_;
    s5_ = s6_;
    s6_ = s7;
    return sum;
  }

 private:
  Register s0_, s1_, s2_, s3_, s4_, s5_, s6_;
};

// Two rows of output are summed in one register, so their samples have to be side by side: rows 0
// and 1, 1 and 2, and so on. The source gives every second of these pairs.
template <class A>
class Window<A, 2> {
 public:
  using Register = typename A::Register;

  template <class Source>
  explicit Window(Source& source) {
    const Register s0 = source.first();
    source.template go_down<1>();
    s12_ = source.template get<0>();
    s34_ = source.template get<2>();
    source.template go_down<4>();
    s56_ = source.template get<0>();
    source.template go_down<2>();
    s01_ = A::next_row(s0, s12_);
    s23_ = A::next_row(s12_, s34_);
    s45_ = A::next_row(s34_, s56_);
  }

  typename A::Sum filter(Register s78, const typename A::Taps& taps) {
    const Register s67 = A::next_row(s56_, s78);
    typename A::Sum sum = A::template product<0>(s01_, taps);
    sum = A::template add<1>(sum, s12_, taps);
    sum = A::template add<2>(sum, s23_, taps);
    sum = A::template add<3>(sum, s34_, taps);
    sum = A::template add<4>(sum, s45_, taps);
    sum = A::template add<5>(sum, s56_, taps);
    sum = A::template add<6>(sum, s67, taps);
    sum = A::template add<7>(sum, s78, taps);
    s01_ = s23_;
    s12_ = s34_;
    s23_ = s45_;
    s34_ = s56_;
    s45_ = s67;
    s56_ = s78;
    return sum;
  }

 private:
  Register s01_, s12_, s23_, s34_, s45_, s56_;
};

/// Filters a strip of `height` rows, a multiple of 4, along columns. From `source`, which begins 3
/// rows above the strip, get<row>() takes a register of rows; first(), where a register holds two,
/// the uppermost row in a register's second place. put<row>() of `destination` takes sums. Both
/// have FourRows' go_down().
template <class A, int rows, class Source, class Destination>
[[gnu::always_inline]] inline void filter_columns(Source& source, typename A::Taps& taps,
                                                  int height, Destination& destination) {
  Window<A, rows> window(source);
  const auto step = [&]<int row>() __attribute__((always_inline)) {
    A::next_row(taps);
    destination.template put<row>(window.filter(source.template get<row>(), taps));
  };
  const auto four_rows = [&]() __attribute__((always_inline)) {
    step.template operator()<0>();
    if constexpr (rows == 1) step.template operator()<1>();
    step.template operator()<2>();
    if constexpr (rows == 1) step.template operator()<3>();
    source.template go_down<4>();
    destination.template go_down<4>();
  };
  // By eight rows all registers of the window are renewed: they need not move.
  for (;; height -= 8) {
    four_rows();
    if (height == 4) return;
    four_rows();
    if (height == 8) return;
  }
}

}  // namespace sidecore::neon::inter
