// Published design of H.264's half-sample luma prediction of 8x8 (section 8.4.2.2.1): one workgroup per block, one lane
// per predicted sample. Each lane loads all samples that it needs one by one; lanes share nothing.
#version 450
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint kPosition = 0u;  // 0: horizontal (mc20), 1: vertical (mc02), 2: both (mc22)
layout(set = 0, binding = 0, std430) readonly buffer Reference { uint8_t reference[]; };
layout(set = 0, binding = 1, std430) buffer Plane { uint8_t plane[]; };
layout(set = 0, binding = 2, std430) readonly buffer Blocks { uvec4 blocks[]; };
layout(push_constant, std430) uniform Push { uint block_count; uint stride; };

// Returns the sum of the six taps 1, -5, 20, 20, -5, 1 from `at` on, `across` samples apart.
int filtered(uint at, uint across) {
  return int(reference[at]) - 5 * int(reference[at + across]) + 20 * int(reference[at + 2u * across]) +
         20 * int(reference[at + 3u * across]) - 5 * int(reference[at + 4u * across]) + int(reference[at + 5u * across]);
}

void main() {
  const uint index = gl_WorkGroupID.x;
  if (index >= block_count) return;
  const uint row = gl_LocalInvocationID.x >> 3, column = gl_LocalInvocationID.x & 7u;
  const uvec4 block = blocks[index];
  const uint from = block.x + row * stride + column;
  int sum = 0;
  if (kPosition == 0u) {
    sum = (filtered(from - 2u, 1u) + 16) >> 5;
  } else if (kPosition == 1u) {
    sum = (filtered(from - 2u * stride, stride) + 16) >> 5;
  } else {
    const uint first = from - 2u * stride - 2u;
    sum = filtered(first, 1u) - 5 * filtered(first + stride, 1u) + 20 * filtered(first + 2u * stride, 1u) +
          20 * filtered(first + 3u * stride, 1u) - 5 * filtered(first + 4u * stride, 1u) +
          filtered(first + 5u * stride, 1u);
    sum = (sum + 512) >> 10;
  }
  plane[block.y + row * stride + column] = uint8_t(clamp(sum, 0, 255));
}
