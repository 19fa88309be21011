// The probabilities with which a frame's symbols are coded, and the counts that adapt them.
// Source: VP9 specification v0.6, sections 8.4 and 10.5.
#pragma once

#include <array>
#include <cstdint>

#include "vp9/types.h"

namespace sidecore::vp9 {

using Probability = std::uint8_t;  ///< probability of a 0, in 256ths; 1..255
using Count = std::uint32_t;

/// Probabilities for one component of motion vectors: row or column.
struct MvComponentProbabilities {
  Probability sign;
  Probability classes[10];
  Probability class0;
  Probability bits[10];
  Probability class0_fraction[2][3];
  Probability fraction[3];
  Probability class0_high_precision;
  Probability high_precision;
};

/// Probabilities of the nodes in a token's tree: more tokens, not zero, more than one. The fourth
/// element is unused; it makes a row one word.
using TokenProbabilities = Probability[4];

/// [plane is chroma][block is inter][band][context]. Band 0 has only three contexts.
using CoefficientProbabilities = TokenProbabilities[2][2][6][6];

/// Probabilities of all symbols that may adapt from frame to frame.
struct Probabilities {
  Probability y_mode[4][9];
  Probability uv_mode[10][9];
  Probability partition[16][3];
  Probability skip[3];
  Probability is_inter[4];
  Probability compound_mode[5];
  Probability compound_reference[5];
  Probability single_reference[5][2];
  Probability inter_mode[7][3];
  Probability interpolation_filter[4][2];
  Probability transform_8x8[2][1];
  Probability transform_16x16[2][2];
  Probability transform_32x32[2][3];
  CoefficientProbabilities coefficients[kTransformSizes];
  Probability mv_joint[3];
  MvComponentProbabilities mv_component[2];  ///< [0]: row, [1]: column
};

/// Number of times that each symbol of a vector component was decoded.
struct MvComponentCounts {
  Count sign[2];
  Count classes[11];
  Count class0[2];
  Count bits[10][2];
  Count class0_fraction[2][4];
  Count fraction[4];
  Count class0_high_precision[2];
  Count high_precision[2];
};

/// Classes of tokens, as they are counted for the adaptation.
enum Token : std::uint8_t { kZeroToken, kOneToken, kLargerToken, kNoMoreTokens };

/// Number of times that each token was decoded in a context. `asked`: a "no more tokens" was
/// possible. `after_zero`: after a zero token, where more tokens always follow.
struct TokenCounts {
  Count asked[4];
  /// Number of times after a zero token, where "no more tokens" is impossible; the last element
  /// stays 0.
  Count after_zero[4];
};

/// Number of times that each symbol was decoded in a frame.
struct Counts {
  Count y_mode[4][10];
  Count uv_mode[10][10];
  Count partition[16][4];
  Count skip[3][2];
  Count is_inter[4][2];
  Count compound_mode[5][2];
  Count compound_reference[5][2];
  Count single_reference[5][2][2];
  Count inter_mode[7][4];
  Count interpolation_filter[4][3];
  Count transform_8x8[2][2];
  Count transform_16x16[2][3];
  Count transform_32x32[2][4];
  /// Number of times for each token, with the indices of CoefficientProbabilities.
  TokenCounts tokens[kTransformSizes][2][2][6][6];
  Count mv_joint[4];
  MvComponentCounts mv_component[2];
};

/// Adds the counts `more` of one tile column to `sum`.
void add_counts(Counts& sum, const Counts& more);

/// Values of a frame, besides probabilities and counts, that control the adaptation.
struct AdaptationRules {
  bool intra_frame = false;      ///< key or intra-only frame: only coefficient probabilities adapt
  bool after_key_frame = false;  ///< the previous frame was a key frame
  bool switchable_filter = false;  ///< blocks choose their interpolation filter
  bool select_transform = false;   ///< blocks choose their transform size
  bool high_precision_mv = false;
};

/// Adapts probabilities to a decoded frame (sections 8.4.2 to 8.4.4). `current` holds the
/// probabilities that the frame was decoded with and receives those for the next frame. `before`
/// holds this frame's initial probabilities, without the changes of its compressed header.
void adapt_probabilities(Probabilities& current, const Probabilities& before, const Counts& counts,
                         const AdaptationRules& rules);

}  // namespace sidecore::vp9
