// Adds the tiles of vif_windows.comp. One workgroup processes one scale.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/vif.interface.h"

const uint kSum64Invocations = 256u;
#include "sum64.glsl"

layout(local_size_x = 256) in;

layout(set = 0, binding = 0, std430) readonly buffer Tiles { uvec4 tiles[]; };
layout(set = 0, binding = 1, std430) readonly buffer Lists { VifUndecidedList lists[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Totals { VifTotals totals[]; };
layout(push_constant, std430) uniform Push { VifTotalPush push; };

void main() {
  const uint scale = gl_WorkGroupID.x;
  // OF selects by comparisons, because push constants with a variable index would be copied to memory.
#define OF(array) (scale == 0u ? array[0] : scale == 1u ? array[1] : scale == 2u ? array[2] : array[3])
  const uint first = OF(push.first);
  const uint end = first + OF(push.tiles);
  uvec2 kept = uvec2(0u);
  uvec2 there = uvec2(0u);
  uvec2 variance = uvec2(0u);
  uvec2 flats = uvec2(0u);
  for (uint i = first + gl_LocalInvocationIndex; i < end; i += kSum64Invocations) {
    const uvec4 tile = tiles[i];
    kept = add64(kept, tile.x);
    there = add64(there, tile.y);
    variance = add64(variance, uvec2(tile.z, tile.w & 0xffffu));
    flats = add64(flats, tile.w >> 16);
  }
  kept = workgroup_sum64(kept);
  barrier();
  there = workgroup_sum64(there);
  barrier();
  variance = workgroup_sum64(variance);
  barrier();
  flats = workgroup_sum64(flats);
  if (gl_LocalInvocationIndex == 0u) {
    const uint undecided = lists[scale].count;
    totals[scale].kept = uint[2](kept.x, kept.y);
    totals[scale].there = uint[2](there.x, there.y);
    totals[scale].variance = uint[2](variance.x, variance.y);
    totals[scale].flats = uint[2](flats.x, flats.y);
    totals[scale].lost = uint[2](max(undecided, kVifUndecidedWindows) - kVifUndecidedWindows, 0u);
  }
}
