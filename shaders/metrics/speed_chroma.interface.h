// Interface of speed_chroma.comp and speed_chroma_scaled.comp, read by GLSL and by C++.
//
// Both reduce up to four planes at once, one for each z of the grid: bindings 0 to 3, read. Binding
// 4, written: the reduced planes, one behind the other, binary32 row after row.
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
// Of the filter, and how many of them differ: it is symmetric.
SIDECORE_CONST uint kSpeedShaderTaps = 9u;
SIDECORE_CONST uint kSpeedShaderWeights = 5u;

// Reduced samples that a workgroup makes: a rectangle in speed_chroma.comp, a part of a row in
// speed_chroma_scaled.comp.
SIDECORE_CONST uint kSpeedGroupColumns = 16u;
SIDECORE_CONST uint kSpeedGroupRows = 4u;

// constant_id 0 of both: bits per sample (8, 10, 12 or 16). Planes have at least 16 samples in both
// directions, after they were scaled, for each of the reduced ones.
struct SpeedChromaPush {
  uint stride;  // of planes: vectors of 8 bytes from a row to the next
  uint width;   // of reduced planes
  uint height;
  uint plane;                          // numbers from a reduced plane to the next
  float weights[kSpeedShaderWeights];  // of the filter, from its ends to its middle
};

// speed_chroma_scaled.comp reads planes as 32-bit words, with twice that stride, and from binding 5
// between which samples those lie that the filter sees: two words for each, the positions of the
// first (low half) and the second, then the share of the second as binary32. First kSpeedShaderTaps
// columns for each reduced column, then as many rows for each reduced row.

#ifdef __cplusplus
}  // namespace sidecore::qpu::shader
#endif
#undef SIDECORE_CONST
#endif
