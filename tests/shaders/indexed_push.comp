// Computes target[i] = values[i & 3] from push constants that a variable indexes. The project's own shaders
// avoid that.
#version 450
layout(local_size_x = 64) in;

layout(set = 0, binding = 0, std430) writeonly buffer Output { uint target[]; };
layout(push_constant, std430) uniform Push { uint values[4]; } push;

void main() { target[gl_GlobalInvocationID.x] = push.values[gl_GlobalInvocationID.x & 3u]; }
