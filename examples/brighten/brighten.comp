// brighten on the QPU: 16 samples per invocation, because the cost on V3D is per request, not per
// byte.
#version 450

const uint kInvocations =
    64u;  // number of invocations per workgroup; the same constant is in brighten.cpp
layout(local_size_x = kInvocations) in;

layout(set = 0, binding = 0, std430) buffer Samples {
  uvec4 samples[];
};
layout(push_constant, std430) uniform Push {
  uint width;   // number of samples per row
  uint stride;  // distance between two rows, in vectors
  uint offset;
}
push;

void main() {
  const uint vector = gl_GlobalInvocationID.x;  // index of the vector in its row
  const uint first = 16u * vector;              // index of the first sample of the vector
  if (first >= push.width) return;
  const uint at = gl_GlobalInvocationID.y * push.stride + vector;

  const uvec4 before = samples[at];
  uvec4 after = uvec4(0u);
  for (uint byte = 0u; byte < 4u; ++byte) {
    // The added number is 0 after the row's last sample, because kernels must not change those
    // bytes.
    const uvec4 x = first + uvec4(0u, 4u, 8u, 12u) + byte;
    const uvec4 offset = mix(uvec4(0u), uvec4(push.offset), lessThan(x, uvec4(push.width)));
    after |= min(((before >> (8u * byte)) & 255u) + offset, uvec4(255u)) << (8u * byte);
  }
  samples[at] = after;
}
