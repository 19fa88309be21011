// Computes the residual from coefficients and adds it to the prediction.
// Source: VP9 specification v0.6, section 8.7.
#pragma once

#include <cstdint>

#include "vp9/picture_data.h"

namespace sidecore::vp9 {

template <class Sample>
struct Dsp;

/// Fills the table's inverse transforms with the scalar definition.
template <class Sample>
void add_scalar_inverse_transforms(Dsp<Sample>& dsp);

/// Adds the inverse transform of `block` to the N x N samples at `samples` and clamps the sums to
/// `bits` bits. `stride` is the distance of rows in samples. `coefficients` are the block's own, in
/// rows of N. For 8 bits, Sample is std::uint8_t and Coefficient is std::int16_t; otherwise
/// std::uint16_t and std::int32_t. Intermediate values wrap to Coefficient; they never exceed it in
/// streams that conform to the specification.
template <class Sample, class Coefficient>
void add_residual(const TransformBlock& block, const Coefficient* coefficients, Sample* samples,
                  std::ptrdiff_t stride, int bits);

extern template void add_residual(const TransformBlock&, const std::int16_t*, std::uint8_t*,
                                  std::ptrdiff_t, int);
extern template void add_residual(const TransformBlock&, const std::int32_t*, std::uint16_t*,
                                  std::ptrdiff_t, int);

}  // namespace sidecore::vp9
