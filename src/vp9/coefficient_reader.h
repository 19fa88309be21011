// The coefficients of one transform block.
// Source: VP9 specification v0.6, sections 6.4.24 (tokens), 9.3 ("more_coefs", "token") and 8.6.2.
#pragma once

#include <cstdint>

#include "vp9/bool_decoder.h"
#include "vp9/probabilities.h"
#include "vp9/types.h"

namespace sidecore::vp9 {

/// What decoding a transform block's tokens needs besides the stream.
struct TokenContext {
  TransformSize size = kTransform4x4;
  TransformType type = kDctDct;
  int first_context = 0;  ///< 0..2: blocks with coefficients among those above and to the left
  int dc_step = 0;        ///< quantiser steps
  int ac_step = 0;
  int bits = 8;                              ///< of samples
  const Probability (*probabilities)[6][3];  ///< [band][context][node]
  Count (*tokens)[6][4];                     ///< [band][context][token]
  Count (*more_coefficients)[6];             ///< [band][context]
};

struct CoefficientExtent {
  int end = 0;      ///< in decoding order, up to the last that was coded; 0 for an empty block
  int rows = 0;     ///< rows from the top that hold all that are not zero
  int columns = 0;  ///< columns from the left that do, or more
  std::uint64_t sum = 0;  ///< of the magnitudes
};

/// Reads the tokens and leaves the dequantised coefficients in rows of N at `coefficients`; clears
/// the N * N of them first, but touches nothing when there are none. Coefficient is
/// std::int16_t for samples of 8 bits, to which values wrap as in the reference decoder, else
/// std::int32_t.
template <class Coefficient>
CoefficientExtent read_coefficients(BoolDecoder& decoder, const TokenContext& context,
                                    Coefficient* coefficients);

extern template CoefficientExtent read_coefficients(BoolDecoder&, const TokenContext&,
                                                    std::int16_t*);
extern template CoefficientExtent read_coefficients(BoolDecoder&, const TokenContext&,
                                                    std::int32_t*);

}  // namespace sidecore::vp9
