// The coefficients of one transform block.
// Source: VP9 specification v0.6, sections 6.4.24 (tokens), 9.3 ("more_coefs", "token") and 8.6.2.
#pragma once

#include <cstdint>

#include "vp9/bool_decoder.h"
#include "vp9/probabilities.h"
#include "vp9/scan_tables.h"
#include "vp9/types.h"

namespace sidecore::vp9 {

/// What decoding the tokens of a block's plane needs besides the stream.
struct TokenContext {
  TransformSize size = kTransform4x4;
  int dc_step = 0;  ///< quantiser steps
  int ac_step = 0;
  int bits = 8;                                            ///< of samples
  const TokenProbabilities (*probabilities)[6] = nullptr;  ///< [band][context]
  TokenCounts (*counts)[6] = nullptr;                      ///< likewise; null: nobody wants them
};

/// Of a transform block that has coefficients.
struct CoefficientExtent {
  int end = 0;   ///< in decoding order, up to the last that was coded
  int rows = 0;  ///< as TransformBlock has them
  int columns = 0;
  std::uint64_t sum = 0;  ///< of the magnitudes
};

/// Whether a transform block has coefficients. `first_context` is 0..2: how many of the blocks
/// above and to the left have.
inline bool read_any_coefficients(BoolDecoder& decoder, const TokenContext& context,
                                  int first_context) {
  if (decoder.read(context.probabilities[0][first_context][0])) return true;
  if (context.counts != nullptr) ++context.counts[0][first_context].asked[kNoMoreTokens];
  return false;
}

/// Reads the tokens of a block that has coefficients, and leaves them dequantised in rows of N at
/// `coefficients`, which were all 0. Coefficient is std::int16_t for samples of 8
/// bits, to which values wrap as in the reference decoder, else std::int32_t.
template <class Coefficient>
CoefficientExtent read_coefficients(BoolDecoder& decoder, const TokenContext& context,
                                    const ScanStep* scan, int first_context,
                                    Coefficient* coefficients);

extern template CoefficientExtent read_coefficients(BoolDecoder&, const TokenContext&,
                                                    const ScanStep*, int, std::int16_t*);
extern template CoefficientExtent read_coefficients(BoolDecoder&, const TokenContext&,
                                                    const ScanStep*, int, std::int32_t*);

}  // namespace sidecore::vp9
