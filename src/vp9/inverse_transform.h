// From coefficients to the residual, added to the prediction.
// Source: VP9 specification v0.6, section 8.7.
#pragma once

#include <cstdint>

#include "vp9/picture_data.h"

namespace sidecore::vp9 {

template <class Sample>
struct Dsp;

/// Fills the table's inverse transforms with the definition's scalar code.
template <class Sample>
void add_scalar_inverse_transforms(Dsp<Sample>& dsp);

/// Adds the inverse transform of `block` to the N x N samples at `samples`, whose rows lie `stride`
/// samples apart, and clamps them to `bits`. `coefficients` are the block's own, rows of N.
/// Sample and Coefficient are std::uint8_t and std::int16_t for 8 bits, else std::uint16_t and
/// std::int32_t. Intermediate values wrap to Coefficient, as streams of the specification never
/// make them do.
template <class Sample, class Coefficient>
void add_residual(const TransformBlock& block, const Coefficient* coefficients, Sample* samples,
                  std::ptrdiff_t stride, int bits);

extern template void add_residual(const TransformBlock&, const std::int16_t*, std::uint8_t*,
                                  std::ptrdiff_t, int);
extern template void add_residual(const TransformBlock&, const std::int32_t*, std::uint16_t*,
                                  std::ptrdiff_t, int);

}  // namespace sidecore::vp9
