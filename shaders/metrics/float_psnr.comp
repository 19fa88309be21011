// Sums the squared differences of two luma planes exactly, strip by strip. Samples are read in the
// picture's layout, 16 bytes per load. The 256 invocations of a workgroup are 16 rows of 16 columns, so
// that 16 lanes read 256 consecutive bytes.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/float_psnr.interface.h"

const uint kSum64Invocations = 256u;
#include "sum64.glsl"

layout(local_size_x = 256) in;
layout(constant_id = 0) const uint kBits = 8u;

layout(set = 0, binding = 0, std430) readonly buffer Reference { uvec4 reference[]; };
layout(set = 0, binding = 1, std430) readonly buffer Distorted { uvec4 distorted[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Strips { uvec2 strips[]; };
layout(push_constant, std430) uniform Push { PsnrPush push; };

// Returns the sum of the squared differences of the four bytes of two words; at most 4 * 255^2.
uint squares_of_bytes(uint a, uint b) {
  uint sum = 0u;
  for (int position = 0; position < 32; position += 8) {
    const int d = int(bitfieldExtract(a, position, 8)) - int(bitfieldExtract(b, position, 8));
    sum += uint(d * d);
  }
  return sum;
}

// Rounds `square` to 24 significant bits, ties to even, as a conversion to binary32 does. It uses integers,
// because Vulkan does not fix the rounding of that conversion.
uint round_to_binary32(uint square) {
  const int excess = findMSB(square) - 23;
  if (excess <= 0) return square;
  const uint half_unit = 1u << (excess - 1);
  const uint odd = (square >> excess) & 1u;
  return ((square + half_unit - 1u + odd) >> excess) << excess;
}

// Adds the rounded squared differences of two 16-bit samples per word to `sum`.
uvec2 squares_of_shorts(uvec2 sum, uint a, uint b) {
  for (int position = 0; position < 32; position += 16) {
    const int d = int(bitfieldExtract(a, position, 16)) - int(bitfieldExtract(b, position, 16));
    const uint magnitude = uint(abs(d));
    const uint square = magnitude * magnitude;
    sum = add64(sum, kBits == 16u ? round_to_binary32(square) : square);
  }
  return sum;
}

// Returns a mask of those bytes of word `word` of a vector that lie less than `bytes` bytes from the
// vector's start.
uint inside_mask(uint word, uint bytes) {
  const uint before = word * 4u;
  if (bytes >= before + 4u) return 0xffffffffu;
  return bytes <= before ? 0u : (1u << ((bytes - before) * 8u)) - 1u;
}

void main() {
  const uint row = gl_WorkGroupID.x * kPsnrStripRows + (gl_LocalInvocationIndex >> 4);
  uvec2 sum = uvec2(0u);
  if (row < push.height) {
    const uint row_bytes = kBits > 8u ? push.width * 2u : push.width;
    const uint vectors = (row_bytes + 15u) >> 4;
    for (uint column = gl_LocalInvocationIndex & 15u; column < vectors; column += 16u) {
      const uvec4 a = reference[row * push.reference_stride + column];
      const uvec4 b = distorted[row * push.distorted_stride + column];
      const uint bytes = row_bytes - column * 16u;
      for (uint word = 0u; word < 4u; ++word) {
        const uint mask = inside_mask(word, bytes);
        if (kBits > 8u) {
          sum = squares_of_shorts(sum, a[word] & mask, b[word] & mask);
        } else {
          sum = add64(sum, squares_of_bytes(a[word] & mask, b[word] & mask));
        }
      }
    }
  }
  const uvec2 total = workgroup_sum64(sum);
  if (gl_LocalInvocationIndex == 0u) strips[gl_WorkGroupID.x] = total;
}
