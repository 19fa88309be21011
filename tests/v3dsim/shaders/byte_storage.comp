// Loads and stores 8-bit values, signed and unsigned; neighbouring lanes share words.
// run: --both --groups 4,1,1 --buffer 0.0:1024:31 --buffer 0.1:512 --buffer 0.2:1024:32
#version 450
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer Input { uint8_t bytes[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Output { uint8_t sums[]; };
layout(set = 0, binding = 2, std430) buffer Signed { int8_t signs[]; };

void main() {
  const uint at = gl_GlobalInvocationID.x;
  uint sum = 0u;
  for (uint i = 0u; i < 4u; ++i) sum += uint(bytes[at * 4u + i]);
  sums[at * 2u + 1u] = uint8_t((sum >> 2) & 255u);
  for (uint i = 0u; i < 4u; ++i) {
    const int value = int(signs[at * 4u + i]) + int(bytes[at * 4u + i]) - 128;
    signs[at * 4u + i] = int8_t(clamp((value * 3) >> 1, -128, 127));
  }
}
