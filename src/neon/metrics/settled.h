// Keeps many sums in registers.
#pragma once

#include "neon/neon.h"

namespace sidecore::neon {

/// The same value, computed where this stands. gcc 12 otherwise puts additions off, and with more
/// terms waiting than x86 has registers the sums go through memory.
template <class Vector>
inline Vector settled(Vector value) {
#if defined(__SSE2__) && defined(__GNUC__)
  asm volatile("" : "+x"(value));
#endif
  return value;
}

/// sum += term, where this stands and in the sum's own register: gcc 12 adds to copies of sums,
/// which on x86 without AVX are an instruction more each.
inline void add_to(float64x2_t& sum, float64x2_t term) {
#if defined(__SSE2__) && !defined(__AVX__) && defined(__GNUC__)
  asm volatile("addpd %1, %0" : "+x"(sum) : "x"(term));
#else
  sum = settled(vaddq_f64(sum, term));
#endif
}
inline void add_to(int64x2_t& sum, int64x2_t term) {
#if defined(__SSE2__) && !defined(__AVX__) && defined(__GNUC__)
  asm volatile("paddq %1, %0" : "+x"(sum) : "x"(term));
#else
  sum = settled(vaddq_s64(sum, term));
#endif
}

/// The same value, of which the compiler does not know that it is a constant.
template <class Vector>
inline Vector not_constant(Vector value) {
#if defined(__aarch64__) && defined(__GNUC__)
  asm("" : "+w"(value));
#endif
  return value;
}

}  // namespace sidecore::neon
