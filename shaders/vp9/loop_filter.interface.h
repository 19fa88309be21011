// Interface of loop_filter.comp, loop_filter_hbd.comp, loop_filter_wave.comp and
// loop_filter_wave_hbd.comp. GLSL and C++ both include this file, so their definitions cannot
// differ.
#ifndef SIDECORE_VP9_LOOP_FILTER_INTERFACE_H
#define SIDECORE_VP9_LOOP_FILTER_INTERFACE_H

#ifdef __cplusplus
#include <cstdint>
namespace sidecore::qpu::shader {
using uint = std::uint32_t;
#define SIDECORE_CONST inline constexpr
#else
#define SIDECORE_CONST const
#endif

// Log2 of the number of neighbouring invocations that filter one edge together, four lines each.
SIDECORE_CONST uint kInvocationsPerEdgeLog2 = 1u;

// Number of invocations per workgroup, and of edges that they filter at once. These edges are a
// round.
SIDECORE_CONST uint kRoundLanes = 256u;
SIDECORE_CONST uint kRoundEdges = kRoundLanes >> kInvocationsPerEdgeLog2;

// Number of workgroups in a dispatch for a large dependency level; any other dispatch has one
// workgroup. 16 workgroups have 4096 invocations, more than known GPUs run at a time (a Pi 5 runs
// 384). Therefore all cores of a GPU end at about the same time.
SIDECORE_CONST uint kStepWorkgroups = 16u;

// Number of invocations in a workgroup that filters a superblock, and of edges that these filter at
// once.
SIDECORE_CONST uint kWaveLanes = 64u;
SIDECORE_CONST uint kWaveEdges = kWaveLanes >> kInvocationsPerEdgeLog2;

// Specialization constant: kinds of edges in the dispatch, bit (1 << vp9::LoopFilterKind) for each.
SIDECORE_CONST uint kKindsConstant = 0u;
SIDECORE_CONST uint kAllKinds = 0x77u;

// Specialization constant of the hbd shaders: bits per sample minus 8, up to 4.
SIDECORE_CONST uint kExtraBitsConstant = 1u;

// - Binding 0, read and written: the planes, four samples per word; two if samples have more than 8
//   bits.
// - Binding 1, read: the edges, two words each: q0 of the first line, in words from the start of
//   the planes; E | I << 8 | H << 16 | kind << 24 | stride << 27.
// - Binding 2, read: the rounds, two words each: the edges [first, last), at most kRoundEdges.
// - Binding 3, read: the dispatches, two words each: the first round, and the number of rounds per
//   workgroup. The distance between two rounds of a workgroup is the number of workgroups.
SIDECORE_CONST uint kKindShift = 24u;
SIDECORE_CONST uint kNoKind = 7u;
SIDECORE_CONST uint kStrideShift = 27u;

struct LoopFilterPush {
  uint dispatch_index;
  uint strides[2];  // distance between rows in words; an edge's bit at kStrideShift selects one
};

// Structures of the superblock waves' shaders.
// - Binding 2, read: the steps, which are the dependency levels of one superblock in pieces of at
//   most kWaveEdges edges. Step 0 has no edges and is followed by itself.
// - Binding 3, read: the first step of each superblock.
// - Binding 4, read: the waves.
struct LoopFilterWaveStep {
  uint first_edge;
  uint last_edge;  // index after the last edge; at most first_edge + kWaveEdges
  uint next_step;
};
struct LoopFilterWave {
  uint first_superblock;
  uint last_superblock;  // index after the last superblock
  uint steps;            // number of steps of the superblock with the most steps
};
struct LoopFilterWavePush {
  uint wave;
  uint strides[2];
};

#ifdef __cplusplus
}  // namespace sidecore::qpu::shader
#endif
#undef SIDECORE_CONST
#endif
