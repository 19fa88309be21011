// acceptance: 3
// Uniform buffers and read-only storage buffers at addresses that all lanes share: the driver reads them
// through the auxiliary uniform stream.
// run: --both --groups 4,1,1 --uniform 0.0:256:211 --buffer 0.1:256:212 --buffer 0.2:1024
// counts: auxiliary_uniforms
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std140) uniform Table { uvec4 table[16]; };
layout(set = 0, binding = 1, std430) readonly buffer Input { uint values[64]; };
layout(set = 0, binding = 2, std430) writeonly buffer Output { uint results[]; };

void main() {
  const uint at = gl_GlobalInvocationID.x, group = gl_WorkGroupID.x;
  const uvec4 row = table[group + 2u];
  results[at] = (row.x ^ row.w) + values[group * 3u] * at + values[17] + table[5].y;
}
