// Uses buffers in three descriptor sets, one of them a uniform buffer, and specialization constants.
// run: --both --groups 4,1,1 --buffer 0.0:1024:101 --uniform 1.0:256:102 --buffer 1.3:1024:103 --buffer 2.1:1024 --constant 0=5 --constant 7=0xff
#version 450
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint kShift = 0u;
layout(constant_id = 7) const uint kMask = 0u;
layout(set = 0, binding = 0, std430) readonly buffer First { uint first[]; };
layout(set = 1, binding = 0, std140) uniform Table { uvec4 table[16]; };
layout(set = 1, binding = 3, std430) readonly buffer Second { uint second[]; };
layout(set = 2, binding = 1, std430) writeonly buffer Output { uint results[]; };

void main() {
  const uint at = gl_GlobalInvocationID.x;
  const uvec4 row = table[at & 15u];
  results[at] = ((first[at] >> kShift) & kMask) + row.x * second[at] + row[at >> 4 & 3u] +
                table[2].w + first[3];
}
