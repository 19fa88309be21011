// Guesses the binade of a plane's sum at each run: the powers of two around the sum of all earlier runs.
// The exact sum rounds at every addition and so drifts from this guess, usually by less than a hundredth.
// The lower end is therefore a thirty-second lower. If the guess is wrong, or if a run leads beyond the
// next binade, psnr_hvs_sum.comp does not use it.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/psnr_hvs.interface.h"

const uint kInvocations = 256u;
layout(local_size_x = 256) in;

layout(set = 0, binding = 0, std430) readonly buffer Sums { float sums[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Binades { uint binades[]; };
layout(push_constant, std430) uniform Push { HvsPush push; };

#include "metrics/psnr_hvs_plane.glsl"

shared float shares[kInvocations];

void main() {
  const HvsPlane plane = plane_at(gl_WorkGroupID.x);
  const uint lane = gl_LocalInvocationIndex;
  // Number of neighbouring runs that each invocation processes.
  const uint share = (plane.end_run - plane.first_run + kInvocations - 1u) >> 8;
  const uint begin = min(plane.first_run + lane * share, plane.end_run);
  const uint end = min(begin + share, plane.end_run);
  float sum = 0.0;
  for (uint run = begin; run < end; ++run) sum += sums[run];
  shares[lane] = sum;
  barrier();
  float before = 0.0;
  for (uint other = 0u; other < lane; ++other) before += shares[other];
  for (uint run = begin; run < end; ++run) {
    binades[run] = floatBitsToUint(before * 0.96875) & 0x7f800000u;
    before += sums[run];
  }
}
