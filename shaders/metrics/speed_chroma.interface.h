// Interface of speed_chroma.comp and speed_chroma_scaled.comp. GLSL and C++ both include this file.
//
// Each shader reduces up to four planes at once, one for each z of the grid.
// - Bindings 0 to 3, read: the planes.
// - Binding 4, written: the reduced planes, one after the other, as binary32 numbers, row by row.
#ifndef SIDECORE_SPEED_CHROMA_INTERFACE_H
#define SIDECORE_SPEED_CHROMA_INTERFACE_H

#ifdef __cplusplus
#include <cstdint>
namespace sidecore::qpu::shader {
using uint = std::uint32_t;
#define SIDECORE_CONST inline constexpr
#else
#define SIDECORE_CONST const
#endif

SIDECORE_CONST uint kSpeedShaderPlanes = 4u;
// Number of the filter's taps; the next constant is the number of different weights, because the
// filter is symmetric.
SIDECORE_CONST uint kSpeedShaderTaps = 9u;
SIDECORE_CONST uint kSpeedShaderWeights = 5u;

// Number of reduced samples per workgroup: a rectangle in speed_chroma.comp, a part of a row in
// speed_chroma_scaled.comp.
SIDECORE_CONST uint kSpeedGroupColumns = 16u;
SIDECORE_CONST uint kSpeedGroupRows = 4u;

// constant_id 0 of both shaders: bits per sample (8, 10, 12 or 16). In both directions, planes must
// have (after scaling) at least 16 samples per reduced sample.
struct SpeedChromaPush {
  uint stride;  // distance between rows of a plane, in vectors of 8 bytes
  uint width;   // number of columns of a reduced plane
  uint height;
  uint plane;                          // distance between the starts of reduced planes, in numbers
  float weights[kSpeedShaderWeights];  // weights of the filter, from its ends to its middle
};

// speed_chroma_scaled.comp reads planes as 32-bit words, with twice the value of `stride`. Binding
// 5, read: the two samples between which each sample of the filter lies. An entry has two words:
// the positions of the first (low half) and of the second sample, then the share of the second as
// binary32. First come kSpeedShaderTaps columns for each reduced column, then as many rows for each
// reduced row.

#ifdef __cplusplus
}  // namespace sidecore::qpu::shader
#endif
#undef SIDECORE_CONST
#endif
