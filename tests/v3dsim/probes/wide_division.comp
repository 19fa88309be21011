// probes: special functions
// Computes integer quotients and remainders of large operands, for which the driver uses the reciprocal.
// run: --groups 16,1,1 --buffer 0.0:8192:302 --buffer 0.1:16384
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer Input { uvec2 pairs[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Output { uint results[]; };

void main() {
  const uint at = gl_GlobalInvocationID.x;
  const uint a = pairs[at].x, b = (pairs[at].y >> (pairs[at].y & 31u)) | 1u;
  results[at * 4u] = a / b;
  results[at * 4u + 1u] = a % b;
  results[at * 4u + 2u] = uint(int(a) / int(b >> 1 | 1u));
  results[at * 4u + 3u] = a / 1000003u;
}
