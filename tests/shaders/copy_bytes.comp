// Copies a buffer byte by byte.
#version 450
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 64) in;

layout(set = 0, binding = 0, std430) readonly buffer Input { uint8_t source[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Output { uint8_t target[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < source.length()) target[i] = source[i];
}
