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

// Specialization constants.
// 1: the motion vector has a fraction of a sample along x
SIDECORE_CONST uint kHorizontalConstant = 0u;
SIDECORE_CONST uint kVerticalConstant = 1u;  // 1: it has a fraction along y
// 1: store the mean of the prediction and the frame's sample
SIDECORE_CONST uint kAverageConstant = 2u;
// 1: the strip may read samples outside the reference
SIDECORE_CONST uint kBorderConstant = 3u;
SIDECORE_CONST uint kStripWidthConstant =
    4u;  // 4 or 8 samples; 8 only for 8-bit samples without a border
SIDECORE_CONST uint kInterBitsConstant = 5u;  // bits per sample, if more than 8

// - Binding 0, written: the frame; also read if kAverageConstant is 1.
// - Binding 1, read: the reference.
// - Binding 2, read: the filters, 16 rows per filter, one for each 16th of a sample. A row has
//   eight taps, divided by 128, as binary16, two per word, the first in the low half.
// - Binding 3, read: the strips.

// A strip is a part of a block, kStripWidthConstant samples wide.
struct InterStrip {
  // Bytes from the reference's start to the first sample that is read. With a border: bytes to the
  // plane's start. For a scaled reference: x of the first sample in 16ths of a sample, signed.
  uint from;
  // Words from the frame's start to the first sample; units of 8 bytes if a strip's row has 8
  // bytes.
  uint to;
  // Filter row along x; filter row along y << 8; plane << 16. For a scaled reference: first row of
  // the filter; plane << 16; step from a sample to the next, in 16ths of a sample, along x << 20,
  // along y << 26.
  uint choice;
  // x and y << 16 of the first sample that is read, signed; the shader reads them only with a
  // border. For a scaled reference: y of the first sample in 16ths of a sample, signed.
  uint place;
};
SIDECORE_CONST uint kFilterRows = 64u;
SIDECORE_CONST uint kVerticalFilterShift = 8u;
SIDECORE_CONST uint kPlaneShift = 16u;
SIDECORE_CONST uint kStepXShift = 20u;
SIDECORE_CONST uint kStepYShift = 26u;

// Arrays of two hold a value for luma, then one for both chroma planes. Planes and rows must begin
// at multiples of 8 bytes.
struct InterPush {
  uint first;       // index of the dispatch's first strip
  uint last;        // index after the dispatch's last strip
  uint rows;        // rows per strip
  uint strides[2];  // units of 8 bytes; the same for the frame and the reference
  uint most_x[2];   // with a border: index of the last visible column
  uint most_y[2];   // with a border: index of the last visible row
};

// Push constants of the shaders for scaled references, whose strips are 4x4.
struct InterScaledPush {
  uint first;
  uint last;
  uint to_strides[2];    // words from a row of the frame to the next
  uint from_strides[2];  // words from a row of the reference to the next
  uint most_x[2];        // index of the reference's last column
  uint most_y[2];
  uint planes[3];  // words from the reference's start to each plane
};

#ifdef __cplusplus
}  // namespace sidecore::qpu::shader
#endif
#undef SIDECORE_CONST
#endif
