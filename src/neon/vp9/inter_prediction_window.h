// Filtering along columns, for samples of any depth. A window of rows in registers moves down a
// strip, so each row is loaded, or filtered along x, only once.
//
// The template parameter A defines the arithmetic:
//   Register                            samples of a strip that are multiplied together
//   Sum product<tap>(Register, Taps)    begins a sum of products
//   Sum add<tap>(Sum, Register, Taps)   adds products to it
//   Register next_row(Register a, Register b)    if a register holds two rows: a's second and
//                                                b's first
#pragma once

#include <cstddef>
#include <type_traits>

namespace sidecore::neon::inter {

/// Addresses of rows of samples, four at a time, through offsets that stay in registers. If the
/// compiler knew that the offsets are multiples of the stride, it would compute each address from
/// another one.
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

  /// Returns to the top row and moves right by `columns` samples.
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

/// Hides from the compiler that registers are constant. Call it for each row if registers are
/// scarce: the compiler would otherwise hold the lower halves of constants in further registers.
template <class... Registers>
[[gnu::always_inline]] inline void make_opaque([[maybe_unused]] Registers&... registers) {
#if defined(__ARM_NEON)
  // NOLINTNEXTLINE(hicpp-no-assembler): no instruction
  (..., [](Registers& one) { asm volatile("" : "+w"(one)); }(registers));
#endif
}

/// Holds the rows that the next output rows need from above, and takes the next row from below. A
/// register has `rows` rows, 1 or 2.
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
    make_opaque(s0_, s1_, s2_, s3_, s4_, s5_, s6_);
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

// Two output rows are summed in one register, so pairs of rows must be in one register: rows 0 and
// 1, 1 and 2, and so on. The source provides every second of these pairs.
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

/// Filters a strip of `height` rows, a multiple of 4, along columns. `source` begins 3 rows above
/// the strip; its get<row>() returns a register of rows. If a register holds two rows, its first()
/// returns the top row in the register's second place. `destination` takes sums by put<row>(). Both
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
  // The loop is unrolled by eight rows. The calls of make_opaque() cover all registers of the
  // window, so that no row needs moves between registers.
  for (;; height -= 8) {
    four_rows();
    if (height == 4) return;
    four_rows();
    if (height == 8) return;
  }
}

}  // namespace sidecore::neon::inter
