// brighten on the QPU: 16 samples an invocation, because V3D pays for a request, not for a byte.
#version 450

const uint kInvocations = 64u;  // a workgroup's; brighten.cpp knows them too
layout(local_size_x = kInvocations) in;

layout(set = 0, binding = 0, std430) buffer Samples { uvec4 samples[]; };
layout(push_constant, std430) uniform Push {
  uint width;   // in samples
  uint stride;  // from a row to the next, in vectors
  uint offset;
} push;

void main() {
  const uint vector = gl_GlobalInvocationID.x;  // in its row
  const uint first = 16u * vector;              // sample
  if (first >= push.width) return;
  const uint at = gl_GlobalInvocationID.y * push.stride + vector;

  const uvec4 before = samples[at];
  uvec4 after = uvec4(0u);
  for (uint byte = 0u; byte < 4u; ++byte) {
    // Beyond the row's last sample nothing is added: those bytes are not ours.
    const uvec4 x = first + uvec4(0u, 4u, 8u, 12u) + byte;
    const uvec4 offset = mix(uvec4(0u), uvec4(push.offset), lessThan(x, uvec4(push.width)));
    after |= min(((before >> (8u * byte)) & 255u) + offset, uvec4(255u)) << (8u * byte);
  }
  samples[at] = after;
}
