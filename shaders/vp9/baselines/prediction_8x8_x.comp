// The published 8-tap prediction of VP9 (specification, section 8.5.2.3), only for blocks of 8x8 and
// fractions along x. One invocation predicts a row, eight invocations predict a block. The taps come from a
// table that is indexed at run time.
#version 450
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) readonly buffer Source { uint8_t source[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Target { uint8_t target[]; };
layout(set = 0, binding = 2, std430) readonly buffer Phases { uint phases[]; };
layout(push_constant, std430) uniform Push { uint blocks; };

const int kTaps[16][8] = {
    {0, 0, 0, 128, 0, 0, 0, 0},      {0, 1, -5, 126, 8, -3, 1, 0},    {-1, 3, -10, 122, 18, -6, 2, 0},
    {-1, 4, -13, 118, 27, -9, 3, -1}, {-1, 4, -16, 112, 37, -11, 4, -1}, {-1, 5, -18, 105, 48, -14, 4, -1},
    {-1, 5, -19, 97, 58, -16, 5, -1}, {-1, 6, -19, 88, 68, -18, 5, -1}, {-1, 6, -19, 78, 78, -19, 6, -1},
    {-1, 5, -18, 68, 88, -19, 6, -1}, {-1, 5, -16, 58, 97, -19, 5, -1}, {-1, 4, -14, 48, 105, -18, 5, -1},
    {-1, 4, -11, 37, 112, -16, 4, -1}, {-1, 3, -9, 27, 118, -13, 4, -1}, {0, 2, -6, 18, 122, -10, 3, -1},
    {0, 1, -3, 8, 126, -5, 1, 0}};

void store(uint at, int sum) { target[at] = uint8_t(clamp((sum + 64) >> 7, 0, 255)); }

void main() {
  const uint block = gl_GlobalInvocationID.x >> 3;
  if (block >= blocks) return;
  const uint row = gl_GlobalInvocationID.x & 7u;
  const uint phase = phases[block] & 15u;
  const uint from = block * 128u + row * 16u, to = block * 64u + row * 8u;
  const int t0 = kTaps[phase][0], t1 = kTaps[phase][1], t2 = kTaps[phase][2], t3 = kTaps[phase][3];
  const int t4 = kTaps[phase][4], t5 = kTaps[phase][5], t6 = kTaps[phase][6], t7 = kTaps[phase][7];
  const int s0 = int(source[from]), s1 = int(source[from + 1u]), s2 = int(source[from + 2u]);
  const int s3 = int(source[from + 3u]), s4 = int(source[from + 4u]), s5 = int(source[from + 5u]);
  const int s6 = int(source[from + 6u]), s7 = int(source[from + 7u]), s8 = int(source[from + 8u]);
  const int s9 = int(source[from + 9u]), s10 = int(source[from + 10u]), s11 = int(source[from + 11u]);
  const int s12 = int(source[from + 12u]), s13 = int(source[from + 13u]), s14 = int(source[from + 14u]);
  store(to, t0 * s0 + t1 * s1 + t2 * s2 + t3 * s3 + t4 * s4 + t5 * s5 + t6 * s6 + t7 * s7);
  store(to + 1u, t0 * s1 + t1 * s2 + t2 * s3 + t3 * s4 + t4 * s5 + t5 * s6 + t6 * s7 + t7 * s8);
  store(to + 2u, t0 * s2 + t1 * s3 + t2 * s4 + t3 * s5 + t4 * s6 + t5 * s7 + t6 * s8 + t7 * s9);
  store(to + 3u, t0 * s3 + t1 * s4 + t2 * s5 + t3 * s6 + t4 * s7 + t5 * s8 + t6 * s9 + t7 * s10);
  store(to + 4u, t0 * s4 + t1 * s5 + t2 * s6 + t3 * s7 + t4 * s8 + t5 * s9 + t6 * s10 + t7 * s11);
  store(to + 5u, t0 * s5 + t1 * s6 + t2 * s7 + t3 * s8 + t4 * s9 + t5 * s10 + t6 * s11 + t7 * s12);
  store(to + 6u, t0 * s6 + t1 * s7 + t2 * s8 + t3 * s9 + t4 * s10 + t5 * s11 + t6 * s12 + t7 * s13);
  store(to + 7u, t0 * s7 + t1 * s8 + t2 * s9 + t3 * s10 + t4 * s11 + t5 * s12 + t6 * s13 + t7 * s14);
}
