// Interface of loop_filter.comp, loop_filter_hbd.comp and loop_filter_wave.comp, read
// by GLSL and by C++: what stands here cannot differ between the two.
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

// Neighbouring invocations that filter one edge together, four lines each, as a power of two.
SIDECORE_CONST uint kInvocationsPerEdgeLog2 = 1u;

// Invocations of a workgroup, and edges that they filter at once: a round.
SIDECORE_CONST uint kRoundLanes = 256u;
SIDECORE_CONST uint kRoundEdges = kRoundLanes >> kInvocationsPerEdgeLog2;

// Workgroups of a dispatch that has more than one: 4096 invocations, as many as keep the machines
// we know busy (a Pi 5 runs 384 at a time), and then some, so that they end together.
SIDECORE_CONST uint kStepWorkgroups = 16u;

// Invocations of a workgroup that filters a superblock, and edges that they filter at once.
SIDECORE_CONST uint kWaveLanes = 64u;
SIDECORE_CONST uint kWaveEdges = kWaveLanes >> kInvocationsPerEdgeLog2;

// Specialization constant: which kinds of edges there are, bit (1 << vp9::LoopFilterKind) for each.
SIDECORE_CONST uint kKindsConstant = 0u;
SIDECORE_CONST uint kAllKinds = 0x77u;

// Of loop_filter_hbd.comp: by how many bits samples are longer than 8, up to 4.
SIDECORE_CONST uint kExtraBitsConstant = 1u;

// Binding 0, read and written: the planes, four samples a word; two, where they have more than 8
// bits. Binding 1, read: the edges, two words each: q0 of the first line, in words from the start
// of the planes; E | I << 8 | H << 16 | kind << 24 | stride << 27. Binding 2, read: the rounds, two
// words each: the edges [first, last), no more than kRoundEdges. Binding 3, read: the dispatches,
// two words each: the first round, and how many each workgroup takes. A workgroup's rounds lie as
// many apart as there are workgroups.
SIDECORE_CONST uint kKindShift = 24u;
SIDECORE_CONST uint kNoKind = 7u;
SIDECORE_CONST uint kStrideShift = 27u;

struct LoopFilterPush {
  uint dispatch_index;
  uint strides[2];  // words from a row to the next; an edge's bit at kStrideShift picks one
};

// Of the wave's shader. Binding 2, read: the steps; the first one has no edges and follows itself.
// Binding 3, read: the first step of each superblock. Binding 4, read: the waves.
struct LoopFilterWaveStep {
  uint first_edge;
  uint last_edge;  // one behind it; kWaveEdges further at most
  uint next_step;
};
struct LoopFilterWave {
  uint first_superblock;
  uint last_superblock;  // one behind it
  uint steps;            // of the superblock that has most
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
