// Interface of inter_prediction.comp, inter_prediction_hbd.comp, inter_prediction_scaled.comp and
// inter_prediction_scaled_hbd.comp. GLSL and C++ both include this file, so their definitions
// cannot differ.
#ifndef SIDECORE_VP9_INTER_PREDICTION_INTERFACE_H
#define SIDECORE_VP9_INTER_PREDICTION_INTERFACE_H

#ifdef __cplusplus
#include <cstdint>
namespace sidecore::qpu::shader {
using uint = std::uint32_t;
#define SIDECORE_CONST inline constexpr
#else
#define SIDECORE_CONST const
#endif

// Number of invocations per workgroup. Each invocation predicts one strip.
SIDECORE_CONST uint kInterLanes = 256u;

// Ids of specialization constants. kHorizontalConstant is 1 if the motion vector has a fraction of
// a sample along x.
SIDECORE_CONST uint kHorizontalConstant = 0u;
// 1: the motion vector has a fraction of a sample along y.
SIDECORE_CONST uint kVerticalConstant = 1u;
// Value 1: store the mean of the prediction and the frame's sample.
SIDECORE_CONST uint kAverageConstant = 2u;
// Value 1: the strip may read samples outside the reference.
SIDECORE_CONST uint kBorderConstant = 3u;
SIDECORE_CONST uint kStripWidthConstant =
    4u;  // width of a strip: 4 or 8 samples; 8 only for 8-bit samples without a border
SIDECORE_CONST uint kInterBitsConstant = 5u;  // bits per sample, set only for more than 8

// - Binding 0, written: the frame; also read if kAverageConstant is 1.
// - Binding 1, read: the reference.
// - Binding 2, read: the filters, 16 rows per filter, one for each 16th of a sample. A row has
//   eight taps, divided by 128, as binary16, two per word, the first in the low half.
// - Binding 3, read: the strips.

// A part of a block that one invocation predicts; it is kStripWidthConstant samples wide.
struct InterStrip {
  // Bytes from the reference's start to the first sample that is read. With a border: bytes to the
  // plane's start. For a scaled reference: x of the first sample in 16ths of a sample, signed.
  uint from;
  // Words from the frame's start to the first sample of the strip; units of 8 bytes if a strip's
  // row has 8 bytes.
  uint to;
  // Bits 0 to 7: filter row along x; bits 8 to 15: filter row along y; from bit 16: plane. For a
  // scaled reference: first row of the filter; from bit 16: plane; from bits 20 and 26: steps from
  // a sample to the next along x and y, in 16ths of a sample.
  uint choice;
  // Position of the first sample that is read, signed: x in the low half, y in the high half. The
  // shader reads it only with a border. For a scaled reference: y of the first sample in 16ths of a
  // sample, signed.
  uint place;
};
SIDECORE_CONST uint kFilterRows = 64u;
SIDECORE_CONST uint kVerticalFilterShift = 8u;
SIDECORE_CONST uint kPlaneShift = 16u;
SIDECORE_CONST uint kStepXShift = 20u;
SIDECORE_CONST uint kStepYShift = 26u;

// Push constants for references of the frame's size. Arrays of two hold a value for luma, then one
// for both chroma planes. Planes and rows must begin at multiples of 8 bytes.
struct InterPush {
  uint first;  // index of the dispatch's first strip
  uint last;   // index after the dispatch's last strip
  uint rows;   // number of rows per strip
  // Distance between rows in units of 8 bytes, the same for the frame and the reference.
  uint strides[2];
  uint most_x[2];  // only for strips at a border: index of the plane's last visible column
  uint most_y[2];  // only for strips at a border: index of the plane's last visible row
};

// Push constants of the shaders for scaled references, whose strips are 4x4.
struct InterScaledPush {
  uint first;
  uint last;
  uint to_strides[2];    // distance between rows of the frame, in words
  uint from_strides[2];  // distance between rows of the reference, in words
  uint most_x[2];        // index of the reference's last column
  uint most_y[2];
  uint planes[3];  // offset of each plane from the reference's start, in words
};

#ifdef __cplusplus
}  // namespace sidecore::qpu::shader
#endif
#undef SIDECORE_CONST
#endif
