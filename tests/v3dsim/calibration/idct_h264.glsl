// Published design of H.264's inverse transforms with their addition to the prediction (sections 8.5.12 and 8.5.13):
// one lane per row, then per column, of a block of kSize x kSize; a workgroup of 64 has 64 / kSize blocks, and hands the
// rows over in shared memory. Coefficients are 16 bits, in columns; samples are loaded and stored one by one.
// The including shader defines kSize and transform().
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer Coefficients { int16_t coefficients[]; };
layout(set = 0, binding = 1, std430) buffer Plane { uint8_t plane[]; };
layout(set = 0, binding = 2, std430) readonly buffer Blocks { uvec4 blocks[]; };
layout(push_constant, std430) uniform Push { uint block_count; uint stride; };
shared int rows[64 * kSize];

void main() {
  const uint lane = gl_LocalInvocationID.x % kSize, local_block = gl_LocalInvocationID.x / kSize;
  const uint block = gl_GlobalInvocationID.x / kSize;
  const bool live = block < block_count;
  int values[kSize];
  if (live) {
    for (uint i = 0u; i < kSize; ++i) values[i] = int(coefficients[block * kSize * kSize + i * kSize + lane]);
    transform(values);
    for (uint i = 0u; i < kSize; ++i) rows[(local_block * kSize + lane) * kSize + i] = values[i];
  }
  barrier();
  if (!live) return;
  for (uint i = 0u; i < kSize; ++i) values[i] = rows[(local_block * kSize + i) * kSize + lane];
  transform(values);
  const uint at = blocks[block].x + lane;
  for (uint i = 0u; i < kSize; ++i) {
    const int sample_before = int(plane[at + i * stride]);
    plane[at + i * stride] = uint8_t(clamp(sample_before + ((values[i] + 32) >> 6), 0, 255));
  }
}
