// acceptance: 3
// Copies at odd offsets, fills and updates between buffers, then a dispatch that reads the result.
// run: --groups 64,1,1 --transfers 60:131 --buffer 0.0:16384:132 --buffer 0.1:70000:133 --buffer 0.2:4096
// run: --groups 64,1,1 --transfers 10:134 --buffer 0.0:4194304:135 --buffer 0.1:3000000:136 --buffer 0.2:4096
#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 0, std430) readonly buffer First { uint first[]; };
layout(set = 0, binding = 1, std430) readonly buffer Second { uint second[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Output { uint results[]; };

void main() {
  const uint at = gl_GlobalInvocationID.x;
  results[at] = first[at * 4u] ^ second[at * 17u];
}
