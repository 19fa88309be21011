// Filtering along columns, for samples of any size: a window of rows in registers moves down a
// strip, so that every row is loaded, or filtered along x, once.
//
// Arithmetic says what a register is. A register holds as many rows of the strip as fit: `rows`
// of them, 1, 2 or 4, the upper one in the lower lanes. Its halves are multiplied by taps into sums
// of twice the width:
//   Register, Sum, Taps
//   Sum product_low<tap>(Register, Taps), product_high; add_low<tap>(Sum, Register, Taps), add_high
//   Register narrow(Sum low, Sum high)    rounded, as samples
//   Register next_row<rows>(Register a, Register b)   a without its first row, then b's first
#pragma once

#include <cstddef>

namespace sidecore::neon::inter {

/// Holds what the next rows of output need of those above, and takes the rows below.
template <class A, int rows>
class Window;

template <class A>
class Window<A, 1> {
 public:
  using Register = typename A::Register;

  template <class Source>
  explicit Window(Source& source) {
    s0_ = source.first();
    s1_ = source.next();
    s2_ = source.next();
    s3_ = source.next();
    s4_ = source.next();
    s5_ = source.next();
    s6_ = source.next();
  }

  Register filter(Register s7, const typename A::Taps& taps) {
    typename A::Sum low = A::template product_low<0>(s0_, taps);
    typename A::Sum high = A::template product_high<0>(s0_, taps);
    add<1>(low, high, s1_, taps);
    add<2>(low, high, s2_, taps);
    add<3>(low, high, s3_, taps);
    add<4>(low, high, s4_, taps);
    add<5>(low, high, s5_, taps);
    add<6>(low, high, s6_, taps);
    add<7>(low, high, s7, taps);
    s0_ = s1_;
    s1_ = s2_;
    s2_ = s3_;
    s3_ = s4_;
    s4_ = s5_;
    s5_ = s6_;
    s6_ = s7;
    return A::narrow(low, high);
  }

 private:
  template <int tap>
  static void add(typename A::Sum& low, typename A::Sum& high, Register s,
                  const typename A::Taps& taps) {
    low = A::template add_low<tap>(low, s, taps);
    high = A::template add_high<tap>(high, s, taps);
  }

  Register s0_, s1_, s2_, s3_, s4_, s5_, s6_;
};

template <class A>
class Window<A, 2> {
 public:
  using Register = typename A::Register;

  template <class Source>
  explicit Window(Source& source) {
    s0_ = source.first();
    s12_ = source.next();
    s34_ = source.next();
    s56_ = source.next();
  }

  Register filter(Register s78, const typename A::Taps& taps) {
    typename A::Sum first = A::template product_high<0>(s0_, taps);
    typename A::Sum second = A::template product_low<0>(s12_, taps);
    first = A::template add_low<1>(first, s12_, taps);
    second = A::template add_high<1>(second, s12_, taps);
    first = A::template add_high<2>(first, s12_, taps);
    second = A::template add_low<2>(second, s34_, taps);
    first = A::template add_low<3>(first, s34_, taps);
    second = A::template add_high<3>(second, s34_, taps);
    first = A::template add_high<4>(first, s34_, taps);
    second = A::template add_low<4>(second, s56_, taps);
    first = A::template add_low<5>(first, s56_, taps);
    second = A::template add_high<5>(second, s56_, taps);
    first = A::template add_high<6>(first, s56_, taps);
    second = A::template add_low<6>(second, s78, taps);
    first = A::template add_low<7>(first, s78, taps);
    second = A::template add_high<7>(second, s78, taps);
    s0_ = s12_;
    s12_ = s34_;
    s34_ = s56_;
    s56_ = s78;
    return A::narrow(first, second);
  }

 private:
  Register s0_, s12_, s34_, s56_;  // of s0_ the upper half only
};

// Two rows of output are summed in one register, so their samples have to be side by side: rows 0
// and 1, 1 and 2, and so on. Those that lie in two registers are put together.
template <class A>
class Window<A, 4> {
 public:
  using Register = typename A::Register;

  template <class Source>
  explicit Window(Source& source) {
    s012_ = source.first();
    s3456_ = source.next();
    s0123_ = A::next_row(s012_, s3456_);
  }

  Register filter(Register s789a, const typename A::Taps& taps) {
    const Register s4567 = A::next_row(s3456_, s789a);
    const Register s89 = A::next_row(s789a, s789a);
    typename A::Sum first = A::template product_low<0>(s0123_, taps);
    typename A::Sum second = A::template product_high<0>(s0123_, taps);
    first = A::template add_high<1>(first, s012_, taps);
    second = A::template add_low<1>(second, s3456_, taps);
    first = A::template add_high<2>(first, s0123_, taps);
    second = A::template add_low<2>(second, s4567, taps);
    first = A::template add_low<3>(first, s3456_, taps);
    second = A::template add_high<3>(second, s3456_, taps);
    first = A::template add_low<4>(first, s4567, taps);
    second = A::template add_high<4>(second, s4567, taps);
    first = A::template add_high<5>(first, s3456_, taps);
    second = A::template add_low<5>(second, s789a, taps);
    first = A::template add_high<6>(first, s4567, taps);
    second = A::template add_low<6>(second, s89, taps);
    first = A::template add_low<7>(first, s789a, taps);
    second = A::template add_high<7>(second, s789a, taps);
    s012_ = s3456_;
    s3456_ = s789a;
    s0123_ = s4567;
    return A::narrow(first, second);
  }

 private:
  Register s012_, s3456_, s0123_;  // of s012_ the upper three rows only
};

/// Filters a strip of `height` rows, a multiple of 4, along columns. Source gives rows in order
/// from 3 above the strip: first() a register whose last rows are what its next() leaves over,
/// then next() registers full of them. `store` takes the strip's rows, a register at a time.
template <class A, int rows, class Source, class Store>
[[gnu::always_inline]] inline void filter_columns(Source source, const typename A::Taps& taps,
                                                  int height, Store store) {
  Window<A, rows> window(source);
  const auto four_rows = [&]() __attribute__((always_inline)) {
    for (int row = 0; row < 4; row += rows) store(window.filter(source.next(), taps));
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
