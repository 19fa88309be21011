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

/// The same value, of which the compiler does not know that it is a constant.
template <class Vector>
inline Vector not_constant(Vector value) {
#if defined(__aarch64__) && defined(__GNUC__)
  asm("" : "+w"(value));
#endif
  return value;
}

}  // namespace sidecore::neon
