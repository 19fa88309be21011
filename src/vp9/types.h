// The vocabulary of a VP9 stream: block and transform sizes, modes, references, motion vectors.
// The enumerators' values are those of the specification, for they index its tables.
// Source: VP9 Bitstream & Decoding Process Specification v0.6, section 3 and 7.4.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace sidecore::vp9 {

/// Width x height in luma samples.
enum BlockSize : std::uint8_t {
  kBlock4x4,
  kBlock4x8,
  kBlock8x4,
  kBlock8x8,
  kBlock8x16,
  kBlock16x8,
  kBlock16x16,
  kBlock16x32,
  kBlock32x16,
  kBlock32x32,
  kBlock32x64,
  kBlock64x32,
  kBlock64x64,
  kBlockSizes
};

enum Partition : std::uint8_t {
  kPartitionNone,
  kPartitionHorizontal,
  kPartitionVertical,
  kPartitionSplit
};

/// log2 of the size in samples, less 2.
enum TransformSize : std::uint8_t {
  kTransform4x4,
  kTransform8x8,
  kTransform16x16,
  kTransform32x32,
  kTransformSizes
};

/// What transform sizes a frame uses; the first four are the largest size, always used where it
/// fits.
enum class TransformMode : std::uint8_t {
  only_4x4,
  allow_8x8,
  allow_16x16,
  allow_32x32,
  select  ///< each block says
};

/// The kind of the column transform, then of the row transform; walsh_hadamard where the frame is
/// lossless.
enum TransformType : std::uint8_t {
  kDctDct,
  kAdstDct,
  kDctAdst,
  kAdstAdst,
  kWalshHadamard,
  kTransformTypes
};

enum PredictionMode : std::uint8_t {
  kDcPrediction,
  kVerticalPrediction,
  kHorizontalPrediction,
  kD45Prediction,
  kD135Prediction,
  kD117Prediction,
  kD153Prediction,
  kD207Prediction,
  kD63Prediction,
  kTrueMotionPrediction,
  kNearestMv,
  kNearMv,
  kZeroMv,
  kNewMv
};
inline constexpr int kIntraModes = 10;
inline constexpr int kInterModes = 4;

/// What a block is predicted from.
enum ReferenceFrame : std::int8_t { kNone = -1, kIntra = 0, kLast = 1, kGolden = 2, kAltRef = 3 };

enum class ReferenceMode : std::uint8_t { single, compound, select };

/// In the order of contexts, counts and the tree.
enum InterpolationFilter : std::uint8_t {
  kEightTap,
  kEightTapSmooth,
  kEightTapSharp,
  kBilinear,
  kSwitchable
};

/// Displacement into a reference frame, in eighths of a luma sample. A word, as it is compared.
struct alignas(4) MotionVector {
  std::int16_t row = 0;
  std::int16_t column = 0;
  bool operator==(const MotionVector& other) const {
    return std::bit_cast<std::uint32_t>(*this) == std::bit_cast<std::uint32_t>(other);
  }
};

/// How a plane's samples are fewer than luma's: 1 halves them in that direction.
struct Subsampling {
  int x = 0;
  int y = 0;
};

inline constexpr int kReferenceSlots = 8;    ///< frames kept for reference
inline constexpr int kActiveReferences = 3;  ///< of those, what one frame refers to
inline constexpr int kMaxSegments = 8;
inline constexpr int kSuperblock = 64;  ///< luma samples on a side
inline constexpr int kUnit = 8;         ///< mode info is kept for units of 8x8 luma samples
inline constexpr int kUnitsInSuperblock = kSuperblock / kUnit;

}  // namespace sidecore::vp9
