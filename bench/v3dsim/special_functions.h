// The special function unit: reciprocal, roots, exponent, logarithm, sine.
#pragma once

#include <cstdint>

#include "v3dsim/instruction.h"
#include "v3dsim/lanes.h"

namespace sidecore::v3dsim {

/// The last bits of the real unit are unknown. A program whose output claims to be exact must not
/// change under a disturbance: every finite, non-zero result moves by -ulps..+ulps, chosen by a
/// hash of seed, operation and operand, so that equal operands still give equal results.
struct Disturbance {
  std::uint32_t ulps = 0;  ///< 0 switches it off
  std::uint64_t seed = 0;
  bool recip = true, rsqrt = true, exp = true, log = true, sin = true;
};

/// `op` is a special function (is_special_function). Evaluated in double, rounded to float.
void special_function(Lanes& result, AddOp op, const Lanes& x, Version version,
                      const Disturbance& disturbance);

}  // namespace sidecore::v3dsim
