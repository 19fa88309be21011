// The published copy by a fixed number of QPU threads: each takes vectors of four words, one a lane, in turn.
#version 450
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint kSize = 16u;
layout(set = 0, binding = 0, std430) readonly buffer Source { uvec4 source[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Target { uvec4 target[]; };
layout(push_constant, std430) uniform Push { uint vectors; };

void main() {
  for (uint at = gl_LocalInvocationIndex; at < vectors; at += kSize) target[at] = source[at];
}
