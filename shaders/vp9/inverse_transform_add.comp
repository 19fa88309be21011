// Adds the residuals of 32x32 blocks to the frame: one invocation adds eight residuals of a row.
#version 450
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require

#define OFFSET 0x8000
#include "vp9/inverse_transform_common.glsl"

layout(set = 0, binding = 3, std430) readonly buffer Residuals { uvec4 residuals[]; };
layout(set = 0, binding = 4, std430) buffer Frame { uvec2 frame[]; };

// Packs the residuals of two samples as halves in the form of clamped_sums().
uint halves(uint low, uint high) { return ((low & 0xffffu) | high << 16) ^ 0x80008000u; }

void main() {
  const uint entry = list[push.first + (gl_GlobalInvocationID.x >> 7)];
  if ((entry & (kNoEntry | kStoreResidual)) != 0u) return;
  const Block block = unpacked(blocks[entry & kEntryBlock]);
  const uint row = (gl_GlobalInvocationID.x >> 2) & 31u, eighth = gl_GlobalInvocationID.x & 3u;
  const uint from = (block.first_coefficient >> 3) + row * 4u + eighth;
  const uint to = (place_of(block, 8u * eighth) + row * stride_of(block)) >> 1;
  if (!kHbd) {
    const uvec4 r = residuals[from] ^ 0x80008000u;
    const uvec2 samples = frame[to];
    frame[to] = uvec2(with_residuals(samples.x, (r.x & 0xffffu) | r.y << 16,
                                     (r.x >> 16) | (r.y & 0xffff0000u)),
                      with_residuals(samples.y, (r.z & 0xffffu) | r.w << 16,
                                     (r.z >> 16) | (r.w & 0xffff0000u)));
  } else {
    const uvec4 left = residuals[2u * from], right = residuals[2u * from + 1u];
    const uvec2 first = frame[to], second = frame[to + 1u];
    frame[to] = uvec2(clamped_sums(first.x, halves(left.x, left.y)),
                      clamped_sums(first.y, halves(left.z, left.w)));
    frame[to + 1u] = uvec2(clamped_sums(second.x, halves(right.x, right.y)),
                           clamped_sums(second.y, halves(right.z, right.w)));
  }
}
