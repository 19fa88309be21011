// Adds the `kept` information of undecided windows to the sums of their tiles. One invocation processes one
// window.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/vif.interface.h"

#define VIF_RECIPROCAL(x) (1.0f / (x))
#include "metrics/vif_information.glsl"
#include "metrics/vif_binary64.glsl"

layout(local_size_x = 64) in;

layout(set = 0, binding = 0, std430) readonly buffer Lists { VifUndecidedList lists[]; };
layout(set = 0, binding = 1, std430) buffer Tiles { VifTile tiles[]; };
layout(push_constant, std430) uniform Push { VifRecomputePush push; };

void main() {
  const uint scale = gl_LocalInvocationIndex >> 4;
  const uint place = gl_LocalInvocationIndex & 15u;
  if (place >= min(lists[scale].count, kVifUndecidedWindows)) return;
  const VifUndecidedWindow window = lists[scale].windows[place];
  const int kept = vif_kept_as_binary64(window.variance1, window.variance2, window.both, push.gain);
  atomicAdd(tiles[window.tile].kept, uint(kept));
}
