// Intra prediction of superblocks of 8-bit samples; a group is a word. intra_prediction_superblock.glsl has
// the code.
#version 450
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require

#define Group uint
#define Residual uvec2
const uint kMiddle = 128u;
const int kMaxSample = 255;
const int kNeighboursAtOnce = 4;  // number of neighbours that the registers can hold
const uint kAllButLowest = 0xfefefefeu;

uint group_of(uint s0, uint s1, uint s2, uint s3) {
  return s0 | (s1 << 8) | (s2 << 16) | (s3 << 24);
}
uint repeated(uint s) {
  return s * 0x01010101u;
}
uint sample_of(uint group, uint index) {
  return (group >> (8u * index)) & 0xffu;
}
uint last_of(uint group) {
  return group >> 24;
}
// Functions that return four consecutive samples: after_1, after_2 and after_3 start at the second, third or
// fourth sample of `low`; `high` follows `low`.
uint after_1(uint low, uint high) {
  return (low >> 8) | (high << 24);
}
uint after_2(uint low, uint high) {
  return (low >> 16) | (high << 16);
}
uint after_3(uint low, uint high) {
  return (low >> 24) | (high << 8);
}
uint after(uint low, uint high, uint count) {  // `count` must be 0 to 3
  return (low >> (8u * count)) | ((high << 8) << (24u - 8u * count));
}
// Functions that alternate the samples of two groups: of their first halves (low_by_turns) or of their second
// halves.
uint low_by_turns(uint a, uint b) {
  return (a & 0xffu) | ((b & 0xffu) << 8) | ((a & 0xff00u) << 8) | ((b & 0xff00u) << 16);
}
uint high_by_turns(uint a, uint b) {
  return ((a >> 16) & 0xffu) | ((b >> 8) & 0xff00u) | ((a >> 8) & 0xff0000u) | (b & 0xff000000u);
}
// Functions that select every second sample of two groups, from the first sample (evens_of) or from the
// second (odds_of).
uint evens_of(uint low, uint high) {
  return (low & 0xffu) | ((low >> 8) & 0xff00u) | ((high & 0xffu) << 16) | ((high << 8) & 0xff000000u);
}
uint odds_of(uint low, uint high) {
  return evens_of(low >> 8, high >> 8);
}
uint sum_of(uint group) {
  const uint pairs = (group & 0x00ff00ffu) + ((group >> 8) & 0x00ff00ffu);
  return (pairs + (pairs >> 16)) & 0xffffu;
}
uint sum_group(uint sum) {
  return sum;
}
uint sum_in(uint group) {
  return group;
}
int residual_of(uvec2 row, int column) {
  return bitfieldExtract(int(column < 2 ? row.x : row.y), 16 * (column & 1), 16);
}

#include "vp9/intra_prediction_superblock.glsl"
