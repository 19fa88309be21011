// Requires more than V3D has: 512 invocations, 20 KiB of shared memory, 64-bit integers, and an array of
// buffers.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 512) in;
layout(constant_id = 0) const uint kExtra = 3072u;

layout(set = 0, binding = 0, std430) buffer Data { uint64_t data[]; };
layout(set = 0, binding = 1, std430) readonly buffer More { uint word; } more[1];
shared uint scratch[2048u + kExtra];

void main() {
  scratch[gl_LocalInvocationIndex] = more[0].word;
  barrier();
  data[gl_GlobalInvocationID.x] += uint64_t(scratch[511u - gl_LocalInvocationIndex]) << 32;
}
