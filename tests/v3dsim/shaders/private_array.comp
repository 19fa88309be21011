// A private array indexed by data: it is in spill memory, one copy per lane.
// run: --both --groups 3,1,1 --buffer 0.0:1536:51 --buffer 0.1:768
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer Input { uint values[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Output { uint results[]; };

void main() {
  const uint at = gl_GlobalInvocationID.x;
  uint table[32];
  for (uint i = 0u; i < 32u; ++i) table[i] = values[(at + i) % 384u] >> 3;
  // An insertion sort makes the addresses differ between lanes.
  for (int i = 1; i < 32; ++i) {
    const uint key = table[i];
    int k = i - 1;
    while (k >= 0 && table[k] > key) {
      table[k + 1] = table[k];
      --k;
    }
    table[k + 1] = key;
  }
  results[at] = table[values[at] & 31u] + table[0] * 3u + table[31];
}
