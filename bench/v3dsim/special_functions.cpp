#include "v3dsim/special_functions.h"

#include <bit>
#include <cmath>
#include <numbers>

#include "v3dsim/noise.h"

namespace sidecore::v3dsim {
namespace {

double evaluate(AddOp op, double x, Version version) {
  switch (op) {
    case AddOp::recip:
      return 1.0 / x;
    case AddOp::rsqrt:
    case AddOp::rsqrt2:
      return 1.0 / std::sqrt(x);
    case AddOp::exp:
      return std::exp2(x);
    case AddOp::log:
      return std::log2(x);
    default:
      // The result of V3D 4.2 is known from hardware tests: if |x| is above 0.5, a quarter turn,
      // the result is 1 with the sign opposite to that of x.
      if (version == Version::v42 && x > 0.5) return -1.0;
      if (version == Version::v42 && x < -0.5) return 1.0;
      return std::sin(std::numbers::pi * x);
  }
}

bool disturbs(AddOp op, const Disturbance& disturbance) {
  if (disturbance.ulps == 0) return false;
  switch (op) {
    case AddOp::recip:
      return disturbance.recip;
    case AddOp::rsqrt:
    case AddOp::rsqrt2:
      return disturbance.rsqrt;
    case AddOp::exp:
      return disturbance.exp;
    case AddOp::log:
      return disturbance.log;
    default:
      return disturbance.sin;
  }
}

/// Returns `value` moved by `steps` representable neighbours, keeping its sign and the finite
/// range.
float moved(float value, std::int64_t steps) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  std::int64_t magnitude = static_cast<std::int64_t>(bits & 0x7fffffffU) + steps;
  if (magnitude < 1) magnitude = 1;
  if (magnitude > 0x7f7fffff) magnitude = 0x7f7fffff;
  return std::bit_cast<float>((bits & 0x80000000U) | static_cast<std::uint32_t>(magnitude));
}

}  // namespace

void special_function(Lanes& result, AddOp op, const Lanes& x, Version version,
                      const Disturbance& disturbance) {
  const bool disturbed = disturbs(op, disturbance);
  const std::uint64_t span = 2 * std::uint64_t{disturbance.ulps} + 1;
  for (std::size_t i = 0; i < kLanes; ++i) {
    const std::uint32_t operand = x.lane[i];
    auto value = static_cast<float>(
        evaluate(op, static_cast<double>(std::bit_cast<float>(operand)), version));
    if (disturbed && std::isfinite(value) && value != 0.0F) {
      const std::uint64_t hash =
          mix(mix(disturbance.seed ^ static_cast<std::uint64_t>(op)) ^ operand);
      value = moved(value, static_cast<std::int64_t>(hash % span) - disturbance.ulps);
    }
    result.lane[i] = std::bit_cast<std::uint32_t>(value);
  }
}

}  // namespace sidecore::v3dsim
