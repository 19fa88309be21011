// Interface of loop_filter_h_4_byte.comp, loop_filter_h_8_byte.comp and loop_filter_h_4_word.comp.
// GLSL and C++ both include this file, so their definitions cannot differ.
#ifndef SIDECORE_VP9_BASELINES_LOOP_FILTER_H_4_INTERFACE_H
#define SIDECORE_VP9_BASELINES_LOOP_FILTER_H_4_INTERFACE_H

#ifdef __cplusplus
#include <cstdint>
namespace sidecore::qpu::shader {
using uint = std::uint32_t;
#define SIDECORE_CONST inline constexpr
#else
#define SIDECORE_CONST const
#endif

// Base-2 logarithm of the number of neighbouring invocations that filter one edge together. The
// shaders shift by it, because V3D has no instruction for division.
SIDECORE_CONST uint kByteInvocationsPerEdgeLog2 = 3u;
SIDECORE_CONST uint kWordInvocationsPerEdgeLog2 = 0u;

// - Binding 0, read and written: the plane; bytes for `byte`, 32-bit words for `word`.
// - Binding 1, read: the edges, two words each: offset of q0 in bytes; E | I << 8 | H << 16. The
//   h_4 shaders number workgroups by workgroup_index.glsl, so that a list may have any length. The
//   h_8 shader numbers them along x only.
struct LoopFilterPush {
  uint edge_count;
  uint stride;  // distance between rows in bytes; for `word` it must be a multiple of 4
};

#ifdef __cplusplus
}  // namespace sidecore::qpu::shader
#endif
#undef SIDECORE_CONST
#endif
