// Order in which the coefficients of a transform block are coded.
// Source: VP9 specification v0.6, sections 10.3 (scans) and 9.3 ("token": which neighbours count).
#pragma once

#include <array>
#include <cstdint>

#include "vp9/types.h"

namespace sidecore::vp9 {

/// Position of a coefficient (row * N + column) and of the two earlier coefficients, in decoding
/// order, that determine its context.
struct alignas(8) ScanStep {
  std::uint16_t position;
  std::array<std::uint16_t, 2> neighbours;
};

/// Scan orders of the coefficients: kScans[size][type] points to N * N steps for a transform of N x
/// N. It is null if VP9 has no transform of this size and type.
extern const ScanStep* const kScans[kTransformSizes][kTransformTypes];

}  // namespace sidecore::vp9
