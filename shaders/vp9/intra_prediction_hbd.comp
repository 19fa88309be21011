// Intra prediction of superblocks of 10- and 12-bit samples; a group is two words.
// intra_prediction_superblock.glsl has the code.
#version 450
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require

#include "vp9/intra_prediction.interface.h"

layout(constant_id = kIntraExtraBitsConstant) const uint kExtraBits = 2u;

#define Group uvec2
#define Residual ivec4
const uint kMiddle = 128u << kExtraBits;
const int kMaxSample = (256 << kExtraBits) - 1;
const int kNeighboursAtOnce = 2;  // number of neighbours that the registers can hold
const uint kAllButLowest = 0xfffefffeu;

uvec2 group_of(uint s0, uint s1, uint s2, uint s3) {
  return uvec2(s0 | (s1 << 16), s2 | (s3 << 16));
}
uvec2 repeated(uint s) {
  return uvec2(s | (s << 16));
}
uint sample_of(uvec2 group, uint index) {
  return ((index < 2u ? group.x : group.y) >> (16u * (index & 1u))) & 0xffffu;
}
uint last_of(uvec2 group) {
  return group.y >> 16;
}
// Functions that return four consecutive samples: after_1, after_2 and after_3 start at the second, third or
// fourth sample of `low`; `high` follows `low`.
uvec2 after_1(uvec2 low, uvec2 high) {
  return uvec2((low.x >> 16) | (low.y << 16), (low.y >> 16) | (high.x << 16));
}
uvec2 after_2(uvec2 low, uvec2 high) {
  return uvec2(low.y, high.x);
}
uvec2 after_3(uvec2 low, uvec2 high) {
  return uvec2((low.y >> 16) | (high.x << 16), (high.x >> 16) | (high.y << 16));
}
uvec2 after(uvec2 low, uvec2 high, uint count) {  // `count` must be 0 to 3
  const uvec3 words = count < 2u ? uvec3(low, high.x) : uvec3(low.y, high);
  return (count & 1u) == 0u ? words.xy : (words.xy >> 16) | (words.yz << 16);
}
// Functions that alternate the samples of two groups: of their first halves (low_by_turns) or of their second
// halves.
uvec2 low_by_turns(uvec2 a, uvec2 b) {
  return uvec2((a.x & 0xffffu) | (b.x << 16), (a.x >> 16) | (b.x & 0xffff0000u));
}
uvec2 high_by_turns(uvec2 a, uvec2 b) {
  return uvec2((a.y & 0xffffu) | (b.y << 16), (a.y >> 16) | (b.y & 0xffff0000u));
}
// Functions that select every second sample of two groups, from the first sample (evens_of) or from the
// second (odds_of).
uvec2 evens_of(uvec2 low, uvec2 high) {
  return uvec2((low.x & 0xffffu) | (low.y << 16), (high.x & 0xffffu) | (high.y << 16));
}
uvec2 odds_of(uvec2 low, uvec2 high) {
  return uvec2((low.x >> 16) | (low.y & 0xffff0000u), (high.x >> 16) | (high.y & 0xffff0000u));
}
uint sum_of(uvec2 group) {
  const uint pairs = group.x + group.y;
  return (pairs + (pairs >> 16)) & 0xffffu;
}
uvec2 sum_group(uint sum) {
  return uvec2(sum, 0u);
}
uint sum_in(uvec2 group) {
  return group.x;
}
int residual_of(ivec4 row, int column) {
  return row[column];
}

#include "vp9/intra_prediction_superblock.glsl"
