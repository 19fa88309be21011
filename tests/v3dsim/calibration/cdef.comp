// Published shader for AV1's constrained directional enhancement (section 7.15.2), 8x8: one lane per sample,
// 64 lanes per block. The offsets of the directions come from a constant table of 14 pairs, indexed at run
// time in three places. The driver's compiler copies the table word by word to scratch memory for each of
// them. That explains the published 133 uniforms, which this shader has too.
#version 450
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) readonly buffer Source { uint16_t source[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Target { uint8_t target[]; };
layout(set = 0, binding = 2, std430) readonly buffer Blocks { uint parameters[]; };
layout(push_constant, std430) uniform Push { uint blocks; };

// Offsets of the first and second step in directions 6, 7, 0 to 7, 0 to 3, for blocks with a row stride of
// 16.
const ivec2 kSteps[14] = {{16, 32}, {16, 31}, {-15, -30}, {1, -14}, {1, 2}, {1, 18}, {17, 34},
                          {16, 33}, {16, 32}, {16, 31},   {-15, -30}, {1, -14}, {1, 2}, {1, 18}};

int constrained(int difference, int strength, int shift) {
  const int size = abs(difference);
  return sign(difference) * min(size, max(0, strength - (size >> shift)));
}
int x, sum, least, most;
void take(int tap, int weight, int strength, int shift) {
  sum += weight * constrained(tap - x, strength, shift);
  if (tap != 0x7fff) most = max(most, tap);
  least = min(least, tap);
}
void tap_pair(int at, int offset, int weight, int strength, int shift) {
  take(int(source[at + offset]), weight, strength, shift);
  take(int(source[at - offset]), weight, strength, shift);
}
void main() {
  const uint block = gl_GlobalInvocationID.x >> 6;
  if (block >= blocks) return;
  const uint sample_index = gl_GlobalInvocationID.x & 63u;
  const uint word = parameters[block];
  const int primary = int(word & 15u), secondary = int((word >> 4) & 3u), damping = 3 + int((word >> 6) & 3u);
  const uint direction = (word >> 8) & 7u;
  const int at = int(block * 192u + (sample_index >> 3) * 16u + (sample_index & 7u) + 34u);
  x = int(source[at]);
  const int primary_shift = max(0, damping - max(findMSB(primary), 0));
  const int secondary_shift = max(0, damping - max(findMSB(secondary), 0));
  least = most = x;
  sum = 0;
  const int even = (primary & 1) != 0 ? 3 : 4, odd = (primary & 1) != 0 ? 3 : 2;
  const ivec2 p = kSteps[direction + 2u], s = kSteps[direction + 4u], t = kSteps[direction];
  tap_pair(at, p.x, even, primary, primary_shift);
  tap_pair(at, s.x, 2, secondary, secondary_shift);
  tap_pair(at, t.x, 2, secondary, secondary_shift);
  tap_pair(at, p.y, odd, primary, primary_shift);
  tap_pair(at, s.y, 1, secondary, secondary_shift);
  tap_pair(at, t.y, 1, secondary, secondary_shift);
  target[block * 64u + sample_index] = uint8_t(clamp(x + ((8 + sum - (sum < 0 ? 1 : 0)) >> 4), least, most));
}
