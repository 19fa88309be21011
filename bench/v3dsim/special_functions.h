// The special function unit: reciprocal, square roots, exponent, logarithm, sine.
#pragma once

#include <cstdint>

#include "v3dsim/instruction.h"
#include "v3dsim/lanes.h"

namespace sidecore::v3dsim {

/// Disturbance of special-function results, because the real unit's last bits are unknown. The
/// output of a program that claims to be exact must not change under this disturbance. Every
/// finite, non-zero result moves by -ulps..+ulps, chosen by a hash of seed, operation and operand.
/// Equal operands therefore give equal results.
struct Disturbance {
  std::uint32_t ulps = 0;  ///< largest change in ulps; 0 means no disturbance
  std::uint64_t seed = 0;
  bool recip = true, rsqrt = true, exp = true, log = true, sin = true;
};

/// Evaluates special function `op` (is_special_function) in double and rounds to float.
void special_function(Lanes& result, AddOp op, const Lanes& x, Version version,
                      const Disturbance& disturbance);

}  // namespace sidecore::v3dsim
