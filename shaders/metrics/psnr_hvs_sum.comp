// Adds a plane's terms in order; the sum is exact even if guesses are wrong. A scan combines 64 runs at a
// time, and the sum advances while it stays in its binade and the runs' steps are known for that binade. The
// terms of the next run are then added block by block in the same way, and those of the block in which the
// sum leaves its binade one by one.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/psnr_hvs.interface.h"

const uint kInvocations = 64u;
layout(local_size_x = 64) in;

layout(set = 0, binding = 0, std430) readonly buffer Terms { float terms[]; };
layout(set = 0, binding = 1, std430) readonly buffer Sums { float sums[]; };
layout(set = 0, binding = 2, std430) readonly buffer Binades { uint binades[]; };
layout(set = 0, binding = 3, std430) readonly buffer Steps { uvec4 steps[]; };
layout(set = 0, binding = 4, std430) writeonly buffer Results { uint results[]; };
layout(push_constant, std430) uniform Push { HvsPush push; };

#include "metrics/psnr_hvs_order.glsl"
#include "metrics/psnr_hvs_plane.glsl"

shared uint sum;  // bits of the binary32 sum
shared uint taken;
shared uvec2 scan[kInvocations];
shared float block_terms[kHvsTerms];

const uvec2 kUnknown = uvec2(kHvsNoStep);

// Adds the steps of the invocations to the sum, one after another, until a step would leave the binade.
// Returns the number of steps added.
uint take(uvec2 step) {
  const uint lane = gl_LocalInvocationIndex;
  scan[lane] = step;
  barrier();
  for (uint distance = 1u; distance < kInvocations; distance <<= 1) {
    const uvec2 before = lane >= distance ? scan[lane - distance] : uvec2(0u);
    barrier();
    scan[lane] = combined_steps(before, scan[lane]);
    barrier();
  }
  // Steps other than 0 are not taken from a sum of 0, because 0 is in no binade.
  const uint from = sum;
  const uint room = from == 0u ? 0u : 0x00800000u - (from & 0x007fffffu);
  const bool odd = (from & 1u) != 0u;
  const uint here = odd ? scan[lane].y : scan[lane].x;
  const uvec2 behind = scan[min(lane + 1u, kInvocations - 1u)];
  const bool last = lane == kInvocations - 1u || (odd ? behind.y : behind.x) > room;
  barrier();
  if (here <= room && last) {
    sum = from + here;
    taken = lane + 1u;
  }
  if (here > room && lane == 0u) taken = 0u;
  barrier();
  return taken;
}

// Returns the steps of a run that an earlier dispatch computed for the binade of the present sum, or
// kUnknown.
uvec2 run_step(uint run) {
  if (sums[run] == 0.0) return uvec2(0u);
  const uint binade = sum & 0x7f800000u;
  const uint lower = binades[run];
  const uvec4 known = steps[run];
  // `lower` is the smaller of the two binades that were guessed for the sum; 0: none was guessed.
  if (binade == 0u || lower == 0u) return kUnknown;
  return binade == lower ? known.xy : binade == lower + 0x00800000u ? known.zw : kUnknown;
}

// Returns the steps of a block for the present sum.
uvec2 block_step(uint run, uint block) {
  const uint binade = sum & 0x7f800000u;
  precise vec2 summed = uintBitsToFloat(uvec2(binade, binade + 1u));
  const uint first = run * kHvsTerms * kHvsRunBlocks + block;
  bool empty = true;
  for (uint i = 0u; i < kHvsTerms; ++i) {
    const float term = terms[first + i * kHvsRunBlocks];
    empty = empty && term == 0.0;
    summed = summed + vec2(term);
  }
  return empty ? uvec2(0u) : binade == 0u ? kUnknown : steps_of(summed, binade);
}

void take_terms(uint run, uint block) {
  const uint lane = gl_LocalInvocationIndex;
  block_terms[lane] = terms[(run * kHvsTerms + lane) * kHvsRunBlocks + block];
  barrier();
  if (lane == 0u) {
    precise float total = uintBitsToFloat(sum);
    for (uint i = 0u; i < kHvsTerms; ++i) total = total + block_terms[i];
    sum = floatBitsToUint(total);
  }
  barrier();
}

void take_blocks(uint run) {
  const uint lane = gl_LocalInvocationIndex;
  uint block = 0u;
  while (block < kHvsRunBlocks) {
    uvec2 step = uvec2(0u);
    if (block + lane < kHvsRunBlocks) step = block_step(run, block + lane);
    block += take(step);
    if (block < kHvsRunBlocks) {
      take_terms(run, block);
      ++block;
    }
  }
}

void main() {
  const HvsPlane plane = plane_at(gl_WorkGroupID.x);
  const uint lane = gl_LocalInvocationIndex;
  if (lane == 0u) sum = 0u;
  barrier();
  uint run = plane.first_run;
  while (run < plane.end_run) {
    uvec2 step = uvec2(0u);
    if (run + lane < plane.end_run) step = run_step(run + lane);
    run += take(step);
    if (run < plane.end_run) {
      take_blocks(run);
      ++run;
    }
  }
  if (lane == 0u) results[gl_WorkGroupID.x] = sum;
}
