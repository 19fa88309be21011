// probes: clamping moves
// Clamps a NaN to [0, 1], to [-1, 1] and to non-negative values.
// run: --groups 4,1,1 --buffer 0.0:64 --buffer 0.1:3072
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer Input { uint nothing[16]; };
layout(set = 0, binding = 1, std430) writeonly buffer Output { uint results[]; };
const uint kCorners[16] = uint[](0x00000000u, 0x80000000u, 0x3f800000u, 0xbf800000u, 0x7f800000u,
    0xff800000u, 0x7fc00000u, 0xffc00001u, 0x00000001u, 0x807fffffu, 0x7f7fffffu, 0x4f000000u,
    0xcf000001u, 0x4f800000u, 0x477ff000u, 0x33000001u);

void main() {
  const uint at = gl_GlobalInvocationID.x;
  // The compiler cannot know that this word is 0, so it folds no constants.
  const float a = uintBitsToFloat(kCorners[at & 15u] ^ nothing[at & 15u]);
  const float b = uintBitsToFloat(kCorners[at >> 4] ^ nothing[at >> 4]);
  precise float sum = a + b;
  results[at * 3u] = floatBitsToUint(clamp(sum, 0.0, 1.0));
  results[at * 3u + 1u] = floatBitsToUint(clamp(sum, -1.0, 1.0));
  results[at * 3u + 2u] = floatBitsToUint(max(sum, 0.0));
}
