// The depths of samples that take 16 bits each, for functions that are compiled for one each.
#pragma once

#include "base/error.h"

namespace sidecore::vp9 {

/// visit.operator()<bits>() for `bits` 10 or 12, which are VP9's beside 8. Throws Error (usage) for
/// any other.
template <class Visit>
decltype(auto) for_high_bit_depth(int bits, const Visit& visit) {
  switch (bits) {
    case 10:
      return visit.template operator()<10>();
    case 12:
      return visit.template operator()<12>();
    default:
      throw usage_error("there are no kernels for 16-bit samples of {} bits", bits);
  }
}

}  // namespace sidecore::vp9
