// Computes output[i] = input[i] * kFactor + addend, for i < count.
#version 450
layout(local_size_x_id = 1) in;
layout(constant_id = 0) const uint kFactor = 3u;

layout(set = 0, binding = 0, std430) readonly buffer Input { uint source[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Output { uint target[]; };
layout(push_constant, std430) uniform Push { uint count; uint addend; } push;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < push.count) target[i] = source[i] * kFactor + push.addend;
}
