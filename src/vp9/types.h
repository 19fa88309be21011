// Basic types of a VP9 stream: block and transform sizes, modes, references, motion vectors.
// Enumerators have the specification's values, because they index its tables.
// Source: VP9 Bitstream & Decoding Process Specification v0.6, sections 3 and 7.4.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace sidecore::vp9 {

/// Block sizes: width x height in luma samples.
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

/// Ways to divide a square block.
enum Partition : std::uint8_t {
  kPartitionNone,
  kPartitionHorizontal,
  kPartitionVertical,
  kPartitionSplit
};

/// Transform sizes: log2 of the side in samples, minus 2.
enum TransformSize : std::uint8_t {
  kTransform4x4,
  kTransform8x8,
  kTransform16x16,
  kTransform32x32,
  kTransformSizes
};

/// Transform sizes that a frame allows. The first four values are the largest allowed size; every
/// block uses the largest size that fits it, up to this one.
enum class TransformMode : std::uint8_t {
  only_4x4,
  allow_8x8,
  allow_16x16,
  allow_32x32,
  select  ///< each block chooses its size
};

/// Type of the column transform, then of the row transform. kWalshHadamard is used in lossless
/// frames.
enum TransformType : std::uint8_t {
  kDctDct,
  kAdstDct,
  kDctAdst,
  kAdstAdst,
  kWalshHadamard,
  kTransformTypes
};

/// Prediction modes: ten intra modes, then four inter modes.
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

/// Source of a block's prediction. kNone means that there is no second reference.
enum ReferenceFrame : std::int8_t { kNone = -1, kIntra = 0, kLast = 1, kGolden = 2, kAltRef = 3 };

/// References per inter block: one, two, or as coded for each block.
enum class ReferenceMode : std::uint8_t { single, compound, select };

/// Interpolation filters in the order of contexts, counts and the tree.
enum InterpolationFilter : std::uint8_t {
  kEightTap,
  kEightTapSmooth,
  kEightTapSharp,
  kBilinear,
  kSwitchable
};

/// Displacement into a reference frame, in eighths of a luma sample. It is aligned to a word,
/// because it is compared as one.
struct alignas(4) MotionVector {
  std::int16_t row = 0;
  std::int16_t column = 0;
  bool operator==(const MotionVector& other) const {
    return std::bit_cast<std::uint32_t>(*this) == std::bit_cast<std::uint32_t>(other);
  }
};

/// Subsampling of a plane: 1 halves the number of samples in that direction.
struct Subsampling {
  int x = 0;
  int y = 0;
};

inline constexpr int kReferenceSlots = 8;    ///< number of frames kept as references
inline constexpr int kActiveReferences = 3;  ///< number of reference slots that one frame may use
inline constexpr int kMaxSegments = 8;
inline constexpr int kSuperblock = 64;  ///< side of a superblock in luma samples
inline constexpr int kUnit = 8;  ///< side of a unit in luma samples; modes are stored per unit
inline constexpr int kUnitsInSuperblock = kSuperblock / kUnit;

}  // namespace sidecore::vp9
