// Selects code that is compiled once for each bit depth whose samples take 16 bits: 10 and 12.
#pragma once

#include "base/error.h"

namespace sidecore::vp9 {

/// Calls visit.operator()<bits>() for `bits` 10 or 12. VP9's third depth, 8, does not use 16-bit
/// samples. Throws Error (usage) for any other value.
template <class Visit>
decltype(auto) for_high_bit_depth(int bits, const Visit& visit) {
  switch (bits) {
    case 10:
      return visit.template operator()<10>();
    case 12:
      return visit.template operator()<12>();
    default:
      throw usage_error("no kernel has 16-bit samples of {} bits: the depth must be 10 or 12",
                        bits);
  }
}

}  // namespace sidecore::vp9
