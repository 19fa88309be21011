// Computes the share of a block's variance that remains within its four quadrants. It is near 0 if an edge
// between quadrants causes the variance, near 1 if texture fills the block. One invocation processes a
// block: the sums of squares round at every addition, and must follow the scalar definition's order.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/psnr_hvs.interface.h"

layout(local_size_x = 128) in;

layout(set = 0, binding = 0, std430) readonly buffer Picture { uint picture[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Textures { float textures[]; };
layout(push_constant, std430) uniform Push { HvsPush push; };

#include "correct_rounding.glsl"
#include "metrics/psnr_hvs_plane.glsl"
#include "metrics/psnr_hvs_samples.glsl"
#include "metrics/psnr_hvs_texture.glsl"

// Returns four samples of a row's left or right half. Words after the end of the row are not read.
uvec4 half_row(uint first, uint shift, uint last, uint half_number) {
  if (kSampleBytes == 1u) {
    const uint low = picture[first + half_number] >> shift;
    // First of two shifts, because one shift by 32 is undefined.
    const uint high = picture[min(first + half_number + 1u, last)] << 1u;
    const uint word = low | (high << (31u - shift));
    return uvec4(word, word >> 8u, word >> 16u, word >> 24u) & 0xffu;
  }
  const uint at = first + half_number * 2u;
  const uint middle = picture[at + 1u];
  const uint low = (picture[at] >> shift) | ((middle << 1u) << (31u - shift));
  const uint high = (middle >> shift) | ((picture[min(at + 2u, last)] << 1u) << (31u - shift));
  return uvec4(low, low >> 16u, high, high >> 16u) & 0xffffu;
}

uint sum_of(uvec4 samples) { return (samples.x + samples.y) + (samples.z + samples.w); }

void add_square(precise inout float sum, float sample_value, float mean) {
  precise const float difference = sample_value - mean;
  sum = sum + difference * difference;
}
void add_squares(precise inout float sum, vec4 samples, float mean) {
  add_square(sum, samples.x, mean);
  add_square(sum, samples.y, mean);
  add_square(sum, samples.z, mean);
  add_square(sum, samples.w, mean);
}

void main() {
  const uint row = gl_WorkGroupID.y;
  const HvsPlane plane = plane_at(plane_of_row(row));
  const uint run = gl_WorkGroupID.x * kHvsTextureRuns + (gl_LocalInvocationIndex >> 4);
  const uint block = gl_LocalInvocationIndex & 15u;
  const uint column = run * kHvsRunBlocks + block;
  if (column < plane.columns) {
    const uint x = column * kHvsStep * kSampleBytes;
    const uint shift = (x & 3u) * 8u;
    const uint y = (row - plane.first_row) * kHvsStep;
    const uint first = plane.offset + y * plane.stride + (x >> 2);
    const uint last = 2u * kSampleBytes - (shift == 0u ? 1u : 0u);

    uvec2 left = uvec2(0u);  // sums of the upper left and of the lower left quadrant
    uvec2 right = uvec2(0u);
    for (uint i = 0u; i < 4u; ++i) {
      const uint upper = first + i * plane.stride;
      const uint lower = upper + 4u * plane.stride;
      left += uvec2(sum_of(half_row(upper, shift, upper + last, 0u)),
                    sum_of(half_row(lower, shift, lower + last, 0u)));
      right += uvec2(sum_of(half_row(upper, shift, upper + last, 1u)),
                     sum_of(half_row(lower, shift, lower + last, 1u)));
    }

    const float mean = float((left.x + left.y) + (right.x + right.y)) * (1.0 / 64.0);  // no rounding occurs
    precise float variance = 0.0;
    vec4 parts;  // sums of the quadrants, in the scalar definition's order
    for (uint part = 0u; part < 2u; ++part) {
      const float left_mean = float(part == 0u ? left.x : left.y) * (1.0 / 16.0);
      const float right_mean = float(part == 0u ? right.x : right.y) * (1.0 / 16.0);
      precise float left_variance = 0.0;
      precise float right_variance = 0.0;
      for (uint i = 0u; i < 4u; ++i) {
        const uint at = first + (part * 4u + i) * plane.stride;
        const vec4 a = vec4(half_row(at, shift, at + last, 0u));
        const vec4 b = vec4(half_row(at, shift, at + last, 1u));
        add_squares(variance, a, mean);
        add_squares(variance, b, mean);
        add_squares(left_variance, a, left_mean);
        add_squares(right_variance, b, right_mean);
      }
      if (part == 0u) {
        parts.xz = vec2(left_variance, right_variance);
      } else {
        parts.yw = vec2(left_variance, right_variance);
      }
    }

    const uint number = plane.first_run + (row - plane.first_row) * plane.runs + run;
    textures[number * kHvsRunBlocks + block] =
        texture_of(variance, parts.x, parts.y, parts.z, parts.w);
  }
}
