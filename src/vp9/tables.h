// Large tables of the specification.
// Source: VP9 specification v0.6, section 10.
#pragma once

#include <cstdint>

#include "vp9/probabilities.h"

namespace sidecore::vp9 {

/// Quantiser steps: [bit depth 8, 10 or 12][quantiser index].
extern const std::int16_t kDcQuantizer[3][256];
extern const std::int16_t kAcQuantizer[3][256];

/// Probabilities for key frames and intra-only frames. Y: [mode above][mode left]; UV: [luma mode].
extern const Probability kKeyFrameYModeProbabilities[10][10][9];
extern const Probability kKeyFrameUvModeProbabilities[10][9];
extern const Probability kKeyFramePartitionProbabilities[16][3];

/// Distance by which a probability changes, for each index coded in the compressed header.
extern const std::uint8_t kInverseMapTable[255];

/// Probabilities of the tree nodes after "greater than one", indexed by the probability of "greater
/// than one" minus 1.
extern const Probability kParetoTable[255][8];

/// Probabilities at the start of a stream and after a reset of the contexts.
extern const Probabilities kDefaultProbabilities;

// Trees (section 9.3). An entry <= 0 is a leaf with the symbol -entry. An entry > 0 is the index of
// the next pair. The pair that begins at index i uses probability i / 2.
inline constexpr std::int8_t kIntraModeTree[18] = {0,  2,  -9, 4,  -1, 6,  8,  12, -2,
                                                   10, -4, -5, -3, 14, -8, 16, -6, -7};
// Leaves are modes, stored as their distance from kNearestMv.
inline constexpr std::int8_t kInterModeTree[6] = {-2, 2, 0, 4, -1, -3};
inline constexpr std::int8_t kPartitionTree[6] = {0, 2, -1, 4, -2, -3};
inline constexpr std::int8_t kInterpolationFilterTree[4] = {0, 2, -1, -2};
inline constexpr std::int8_t kSegmentTree[14] = {2, 4, 6, 8, 10, 12, 0, -1, -2, -3, -4, -5, -6, -7};
inline constexpr std::int8_t kMvJointTree[6] = {0, 2, -1, 4, -2, -3};
inline constexpr std::int8_t kMvClassTree[20] = {0,  2,  -1, 4,  6,  8,  -2, -3, 10, 12,
                                                 -4, -5, -6, 14, 16, 18, -7, -8, -9, -10};
inline constexpr std::int8_t kMvFractionTree[6] = {0, 2, -1, 4, -2, -3};
inline constexpr std::int8_t kTransform8x8Tree[2] = {0, -1};
inline constexpr std::int8_t kTransform16x16Tree[4] = {0, 2, -1, -2};
inline constexpr std::int8_t kTransform32x32Tree[6] = {0, 2, -1, 4, -2, -3};

}  // namespace sidecore::vp9
