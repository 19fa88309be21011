// Interface of inter_prediction.comp, inter_prediction_hbd.comp, inter_prediction_scaled.comp and
// inter_prediction_scaled_hbd.comp, read by GLSL and by C++: what stands here cannot differ between
// the two.
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

// Invocations of a workgroup; each predicts a strip.
SIDECORE_CONST uint kInterLanes = 256u;

// Specialization constants.
SIDECORE_CONST uint kHorizontalConstant = 0u;  // 1: there is a fraction of a sample along x
SIDECORE_CONST uint kVerticalConstant = 1u;    // 1: along y
SIDECORE_CONST uint kAverageConstant = 2u;     // 1: the mean with what the frame has
SIDECORE_CONST uint kBorderConstant = 3u;      // 1: samples may lie outside the reference
SIDECORE_CONST uint kStripWidthConstant =
    4u;  // samples: 4; or 8, if these are bytes without a border
SIDECORE_CONST uint kInterBitsConstant = 5u;  // of a sample, where these are no bytes

// Binding 0, written: the frame; also read for a mean. Binding 1, read: the reference. Binding 2,
// read: the filters, a row for each filter's 16ths: eight taps, divided by 128, as binary16, two a
// word, the first in the low half. Binding 3, read: the strips.

// A part of a block, as wide as kStripWidthConstant says.
struct InterStrip {
  // Bytes from the reference's start to the first sample that is read. With a border: to the plane.
  // Of a scaled reference: x of the first sample in 16ths, signed.
  uint from;
  // Words from the frame's start to the first sample, of a strip of 8 bytes a row units of 8 bytes.
  uint to;
  // The filters' row along x; along y << 8; the plane << 16. Of a scaled reference: the filter's
  // first row; the plane; 16ths from a sample to the next along x << 20; along y << 26.
  uint choice;
  // x and y << 16 of the first sample that is read, signed; the shader reads it with a border only.
  // Of a scaled reference: y of the first sample in 16ths, signed.
  uint place;
};
SIDECORE_CONST uint kFilterRows = 64u;
SIDECORE_CONST uint kVerticalFilterShift = 8u;
SIDECORE_CONST uint kPlaneShift = 16u;
SIDECORE_CONST uint kStepXShift = 20u;
SIDECORE_CONST uint kStepYShift = 26u;

// Of two values the second is for both planes of chroma. Planes and rows begin at multiples of 8
// bytes.
struct InterPush {
  uint first;       // strip
  uint last;        // one behind it
  uint rows;        // of a strip
  uint strides[2];  // units of 8 bytes, of the frame and the reference alike
  uint most_x[2];   // with a border: the last visible column,
  uint most_y[2];   // and row
};

// Of the shaders for scaled references, whose strips are 4x4.
struct InterScaledPush {
  uint first;
  uint last;
  uint to_strides[2];    // words
  uint from_strides[2];  // words
  uint most_x[2];        // of the reference
  uint most_y[2];
  uint planes[3];  // the words where the reference's planes begin
};

#ifdef __cplusplus
}  // namespace sidecore::qpu::shader
#endif
#undef SIDECORE_CONST
#endif
