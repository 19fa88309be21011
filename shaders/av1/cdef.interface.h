// Interface of cdef_direction.comp and cdef_filter.comp. GLSL and C++ both include this file, so
// their definitions cannot differ.
#ifndef SIDECORE_AV1_CDEF_INTERFACE_H
#define SIDECORE_AV1_CDEF_INTERFACE_H

#ifdef __cplusplus
#include <cstdint>
namespace sidecore::qpu::shader {
using uint = std::uint32_t;
#define SIDECORE_CONST inline constexpr
#else
#define SIDECORE_CONST const
#endif

// cdef_direction.comp: an invocation finds the direction of a block of 8x8 luma samples, a
// workgroup those of three filter blocks of 64x64 in a row.
// - Binding 0, read: the picture, four samples per word, two if samples have more than 8 bits. Luma
//   begins at the first word. Its rows begin at multiples of 16 bytes.
// - Binding 1, read: the filter blocks in raster order.
// - Binding 2, written: two words for each block, luma's and chroma's. A row has the blocks of all
//   its filter blocks, also those outside the picture.
SIDECORE_CONST uint kCdefFilterBlockSide = 8u;  // unit: blocks
SIDECORE_CONST uint kCdefFilterBlockLanes = 64u;
SIDECORE_CONST uint kCdefDirectionLanes = 192u;

// A filter block, four words: its strengths, bits 0 to 31 and 32 to 63 of CdefFrame::filtered, and
// 0. Positions in the word of strengths; primary strengths have four bits, secondary ones three.
SIDECORE_CONST uint kCdefLumaPrimary = 0u;
SIDECORE_CONST uint kCdefLumaSecondary = 4u;
SIDECORE_CONST uint kCdefChromaPrimary = 8u;
SIDECORE_CONST uint kCdefChromaSecondary = 12u;

struct CdefDirectionPush {
  uint luma_stride;     // distance between rows in words
  uint filter_columns;  // filter blocks per row
  uint damping;         // damping of luma, for samples of 8 bits
};

// Positions in a block's word. The word is 0 if the block is copied.
SIDECORE_CONST uint kCdefPrimary = 0u;          // strength, 6 bits
SIDECORE_CONST uint kCdefSecondary = 6u;        // strength, 5 bits
SIDECORE_CONST uint kCdefPrimaryShift = 11u;    // shift of differences, 4 bits
SIDECORE_CONST uint kCdefSecondaryShift = 15u;  // the same, 4 bits
SIDECORE_CONST uint kCdefTurn = 19u;            // direction, 3 bits

// cdef_filter.comp: an invocation filters four samples of a row. The first workgroups of each row
// of blocks filter luma, 12 blocks each; the others filter Cb, then Cr, 48 blocks of 4x4 each. A
// workgroup has 12 threads, one for each QPU of a Pi 5.
// - Binding 0, read, and binding 1, written: the picture before and after the filter.
// - Binding 2, read: cdef_direction.comp's blocks.
// - Binding 3, read: the steps of the eight directions of luma, then those of chroma, two vectors
//   of four words each: distances in bytes of steps 0 and 1 in the direction, in the direction 2
//   after it, and in the one 2 before it; then all six steps in the same order, a byte each, row +
//   2 in its low half and column + 2 in its high half.
SIDECORE_CONST uint kCdefFilterLanes = 192u;
SIDECORE_CONST uint kCdefLumaLanes = 16u;   // invocations per block of luma
SIDECORE_CONST uint kCdefChromaLanes = 4u;  // invocations per block of Cb or Cr
SIDECORE_CONST uint kCdefStepVectors = 2u;

struct CdefFilterPush {
  uint plane_offsets[3];  // offsets in bytes
  uint strides[2];        // distance between rows of luma and chroma in bytes
  uint columns;           // blocks per row
  uint rows;
  uint luma_groups;    // workgroups per row for luma, and
  uint chroma_groups;  // for each of Cb and Cr
  uint block_stride;   // distance between rows of binding 2 in blocks
  uint last_word;      // index of the picture's last word
};

#ifdef __cplusplus
}  // namespace sidecore::qpu::shader
#endif
#undef SIDECORE_CONST
#endif
