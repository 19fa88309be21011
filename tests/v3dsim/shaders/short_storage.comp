// Loads and stores of 16-bit storage: integers, signed and unsigned, and half floats.
// run: --both --groups 4,1,1 --buffer 0.0:1024:41 --buffer 0.1:512 --buffer 0.2:512:42:0x7bff7bff
#version 450
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer Input { int16_t shorts[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Output { uint16_t maxima[]; };
layout(set = 0, binding = 2, std430) buffer Halves { float16_t halves[]; };

void main() {
  const uint at = gl_GlobalInvocationID.x;
  const int a = int(shorts[at * 2u]);
  const int b = int(shorts[at * 2u + 1u]);
  maxima[at] = uint16_t(uint(max(abs(a), abs(b))));
  const float half_value = float(halves[at]);
  halves[at] = float16_t(half_value * 0.5 + 1.0);
}
