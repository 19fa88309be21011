// How much a weighted detail masks its neighbours in float_adm, as NEON code.
#pragma once

#include "metrics/float_adm.h"
#include "neon/neon.h"

namespace sidecore::neon {

/// Returns size * kAdmNeighbourMasking, rounded once to binary32, for sizes from 2^-90. The scalar
/// definition multiplies in binary64. Here the factor is the sum of two binary32 numbers, and the
/// second product is only rounded below the bits that decide: a test tries every significand.
inline float32x4_t neighbour_masking(float32x4_t size) {
  constexpr auto kFactor = static_cast<float>(metrics::kAdmNeighbourMasking);
  constexpr auto kRest = static_cast<float>(metrics::kAdmNeighbourMasking - double{kFactor});
  return vfmaq_f32(vmulq_n_f32(size, kRest), size, vdupq_n_f32(kFactor));
}

}  // namespace sidecore::neon
