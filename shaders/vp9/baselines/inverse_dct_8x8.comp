// The published 8x8 inverse DCT of VP9. The size of the workgroup selects version 2 or 4. One invocation
// transforms a column, then a row of the same block; a subgroup has two blocks. Coefficients and samples are
// loaded one by one, and blocks are transposed in shared memory. Blocks are at positions that are multiples
// of 8 samples. With COEFFICIENT_WORDS the shader loads the word around a coefficient and extracts the
// coefficient. That takes two more instructions and as many requests, and is for devices without 16-bit
// storage.
#version 450
#extension GL_EXT_shader_8bit_storage : require
#ifndef COEFFICIENT_WORDS
#extension GL_EXT_shader_16bit_storage : require
#endif
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint kSize = 64u;
#ifdef COEFFICIENT_WORDS
layout(set = 0, binding = 0, std430) readonly buffer Coefficients { uint coefficients[]; };
#define COEFFICIENT(at) (int(coefficients[(at) >> 1] << (16u - 16u * (line & 1u))) >> 16)
#else
layout(set = 0, binding = 0, std430) readonly buffer Coefficients { int16_t coefficients[]; };
#define COEFFICIENT(at) int(coefficients[at])
#endif
layout(set = 0, binding = 1, std430) buffer Plane { uint8_t plane[]; };
layout(set = 0, binding = 2, std430) readonly buffer Places { uvec2 places[]; };
layout(push_constant, std430) uniform Push { uint blocks; uint stride; };
shared int turned[8u * kSize];

int rounded(int value) { return (value + 8192) >> 14; }

// Values of a column or row. There are eight variables, because an array would be stored in scratch memory.
int v0, v1, v2, v3, v4, v5, v6, v7;

void transform() {
  const int e0 = rounded((v0 + v4) * 11585), e1 = rounded((v0 - v4) * 11585);
  const int e2 = rounded(v2 * 6270 - v6 * 15137), e3 = rounded(v2 * 15137 + v6 * 6270);
  const int o0 = rounded(v1 * 3196 - v7 * 16069), o3 = rounded(v1 * 16069 + v7 * 3196);
  const int o1 = rounded(v5 * 13623 - v3 * 9102), o2 = rounded(v5 * 9102 + v3 * 13623);
  const int a0 = e0 + e3, a1 = e1 + e2, a2 = e1 - e2, a3 = e0 - e3;
  const int b0 = o0 + o1, b1 = o0 - o1, b2 = o3 - o2, b3 = o3 + o2;
  const int c1 = rounded((b2 - b1) * 11585), c2 = rounded((b1 + b2) * 11585);
  v0 = a0 + b3;
  v7 = a0 - b3;
  v1 = a1 + c2;
  v6 = a1 - c2;
  v2 = a2 + c1;
  v5 = a2 - c1;
  v3 = a3 + b0;
  v4 = a3 - b0;
}

uint at;
void add(uint i, int residue) {
  plane[at + i] = uint8_t(clamp(int(plane[at + i]) + ((residue + 16) >> 5), 0, 255));
}

void main() {
  const uint block = gl_GlobalInvocationID.x >> 3;
  const uint line = gl_LocalInvocationIndex & 7u;
  const uint tile = (gl_LocalInvocationIndex >> 3) * 64u;
  const bool inside = block < blocks;
  if (inside) {
    const uint from = block * 64u + line, to = tile + line;
    v0 = COEFFICIENT(from);
    v1 = COEFFICIENT(from + 8u);
    v2 = COEFFICIENT(from + 16u);
    v3 = COEFFICIENT(from + 24u);
    v4 = COEFFICIENT(from + 32u);
    v5 = COEFFICIENT(from + 40u);
    v6 = COEFFICIENT(from + 48u);
    v7 = COEFFICIENT(from + 56u);
    transform();
    turned[to] = v0;
    turned[to + 8u] = v1;
    turned[to + 16u] = v2;
    turned[to + 24u] = v3;
    turned[to + 32u] = v4;
    turned[to + 40u] = v5;
    turned[to + 48u] = v6;
    turned[to + 56u] = v7;
  }
  barrier();
  if (!inside) return;
  const uint from = tile + 8u * line;
  v0 = turned[from];
  v1 = turned[from + 1u];
  v2 = turned[from + 2u];
  v3 = turned[from + 3u];
  v4 = turned[from + 4u];
  v5 = turned[from + 5u];
  v6 = turned[from + 6u];
  v7 = turned[from + 7u];
  transform();
  const uvec2 place = places[block];
  at = (place.y * 8u + line) * stride + place.x * 8u;
  add(0u, v0);
  add(1u, v1);
  add(2u, v2);
  add(3u, v3);
  add(4u, v4);
  add(5u, v5);
  add(6u, v6);
  add(7u, v7);
}
