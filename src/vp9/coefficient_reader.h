// Reads the coefficients of one transform block.
// Source: VP9 specification v0.6, sections 6.4.24 (tokens), 9.3 ("more_coefs", "token") and 8.6.2.
#pragma once

#include <cstdint>

#include "vp9/bool_decoder.h"
#include "vp9/probabilities.h"
#include "vp9/scan_tables.h"
#include "vp9/types.h"

namespace sidecore::vp9 {

/// Parameters for decoding the tokens of the transform blocks in one plane of a block.
struct TokenContext {
  TransformSize size = kTransform4x4;
  int dc_step = 0;  ///< quantiser step of the DC coefficient
  int ac_step = 0;
  int bits = 8;  ///< bit depth of samples: 8, 10 or 12
  /// Probabilities of tokens, [band][context].
  const TokenProbabilities (*probabilities)[6] = nullptr;
  /// Counts of tokens, [band][context]; null: tokens are not counted.
  TokenCounts (*counts)[6] = nullptr;
};

/// Extent of the nonzero coefficients in a transform block that has some.
struct CoefficientExtent {
  int end = 0;   ///< number of coefficients in decoding order up to the last coded one
  int rows = 0;  ///< rows and columns that can hold nonzero coefficients, as in TransformBlock
  int columns = 0;
  std::uint64_t sum = 0;  ///< sum of the coefficients' magnitudes
};

/// Reads whether a transform block has coefficients. `first_context` is 0..2: the number of
/// neighbours, above and to the left, that have coefficients.
inline bool read_any_coefficients(BoolDecoder& decoder, const TokenContext& context,
                                  int first_context) {
  if (decoder.read(context.probabilities[0][first_context][0])) return true;
  if (context.counts != nullptr) ++context.counts[0][first_context].asked[kNoMoreTokens];
  return false;
}

/// Reads the tokens of a block that has coefficients, and writes the dequantised values in rows of
/// N at `coefficients`, where all values must be 0 before. Coefficient is std::int16_t for 8-bit
/// samples, where values wrap as in the reference decoder, otherwise std::int32_t.
template <class Coefficient>
CoefficientExtent read_coefficients(BoolDecoder& decoder, const TokenContext& context,
                                    const ScanStep* scan, int first_context,
                                    Coefficient* coefficients);

extern template CoefficientExtent read_coefficients(BoolDecoder&, const TokenContext&,
                                                    const ScanStep*, int, std::int16_t*);
extern template CoefficientExtent read_coefficients(BoolDecoder&, const TokenContext&,
                                                    const ScanStep*, int, std::int32_t*);

}  // namespace sidecore::vp9
