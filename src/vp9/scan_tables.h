// The order in which the coefficients of a transform block are coded.
// Source: VP9 specification v0.6, sections 10.3 (scans) and 9.3 ("token": which neighbours count).
#pragma once

#include <array>
#include <cstdint>

#include "vp9/types.h"

namespace sidecore::vp9 {

/// A coefficient's position, row * N + column, and the two before it that make its context, by
/// decoding order.
struct alignas(8) ScanStep {
  std::uint16_t position;
  std::array<std::uint16_t, 2> neighbours;
};

/// N * N steps for [size][type]; null where there is no such transform.
extern const ScanStep* const kScans[kTransformSizes][kTransformTypes];

}  // namespace sidecore::vp9
