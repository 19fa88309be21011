// Code shared by the shaders for inverse transforms: blocks, the list, the coefficients. They are compiled
// with HBD 0 for samples of 8 bits and with HBD 1 for longer ones; most of them also with KIND, the kind of
// their blocks.
#include "vp9/inverse_transform.interface.h"
#include "vp9/inverse_transform_steps.glsl"

layout(local_size_x = kTransformLanes) in;

const bool kHbd = HBD != 0;
#if HBD
layout(constant_id = kTransformBitsConstant) const uint kBits = 10u;
#else
const uint kBits = 8u;
#endif

layout(set = 0, binding = 0, std430) readonly buffer Blocks { uvec4 blocks[]; };
layout(set = 0, binding = 1, std430) readonly buffer List { uint list[]; };
layout(push_constant, std430) uniform Push { InverseTransformPush push; };

layout(constant_id = kTransformSizeConstant) const uint kSize = 1u;
#ifdef KIND
const uint kKind = KIND;
#else
layout(constant_id = kTransformKindConstant) const uint kKind = 0u;
#endif
const bool kHasSineRows = kKind == kSineRows || kKind == kSineRows + kSineColumns;
const bool kHasSineColumns = kKind == kSineColumns || kKind == kSineRows + kSineColumns;

// Separates two steps by a branch that is never taken, because the V3D compiler moves no code across it.
// Otherwise it would begin the next step early and spill registers.
#define STEP_ENDS \
  if (push.first == 0xffffffffu) never();

// Members of vp9::TransformBlock that the shaders need.
struct Block {
  uint first_coefficient;
  uint x, y;
  uint plane;
};

Block unpacked(uvec4 words) {
  return Block(words.x, words.y & 0xffffu, words.y >> 16, (words.w >> 8) & 0xffu);
}

// Returns the distance between rows of the block's plane, in words.
uint stride_of(Block block) { return block.plane == 0u ? push.strides[0] : push.strides[1]; }
// Returns the index of the frame's word that holds sample `column` of the block's row 0.
uint place_of(Block block, uint column) {
  const uint plane = block.plane == 0u ? push.planes[0]
                                       : block.plane == 1u ? push.planes[1] : push.planes[2];
  return plane + block.y * stride_of(block) + ((block.x + column) >> (!kHbd ? 2 : 1));
}

// Functions that return the two signed halves of a word of coefficients.
int low_half(uint word) { return bitfieldExtract(int(word), 0, 16); }
int high_half(uint word) { return int(word) >> 16; }

// Packs two signed 16-bit values into a word: low + high * 65536. They are not packed as two halves,
// because the V3D compiler recognizes the masks and then keeps two registers instead of the word.
uint packed_values(int low, int high) { return uint(low + (high << 16)); }
int low_value(uint word) { return bitfieldExtract(int(word), 0, 16); }
int high_value(uint word) { return (int(word) + 0x8000) >> 16; }

// Offset that is added to a residual within a transform, so that it is positive. Where a constant is added
// anyway, the offset costs nothing. Values that wrap need all 16 bits.
const int kOffset = kValueRange == kFitting ? OFFSET : 0x8000;
// Returns the constant to add before the last shift of a transform.
int last_bias(int shift) { return (kOffset << shift) + (1 << (shift - 1)); }
// Shifts a value and adds kOffset. Values of 16 bits must already contain last_bias(). Values of 32 bits
// are rounded and clamped: a larger magnitude would change no sample.
int residual_of(int value, int shift) {
  if (kValueRange != kWrapping32) return value >> shift;
  return clamp((value >> shift) + ((value >> (shift - 1)) & 1), -0x4000, 0x3fff) + kOffset;
}
const uint kHalves = 0x00010001u;
// Removes kOffset from two residuals and returns them as signed halves.
uint as_stored(uint residuals) {
  return (residuals + kHalves * uint(0x8000 - kOffset)) ^ (kHalves * 0x8000u);
}

// Adds two residuals, which contain kOffset, to two samples and clamps the sums.
uint clamped_sums(uint samples, uint residuals) {
  const uint kFlags = kHalves * 0x8000u;
  const uint kMaxima = kHalves * ((1u << kBits) - 1u);
  const uint sums = samples + residuals + kHalves * uint(0x8000 - kOffset);
  const uint at_least_0 = sums & kFlags;
  const uint positive = sums & (at_least_0 - (at_least_0 >> 15));
  const uint beyond = (positive + (kFlags - kMaxima - kHalves)) & kFlags;
  return (positive | (beyond - (beyond >> 15))) & kMaxima;
}
// Adds residuals to the four samples of a word: `even` to the first and third, `odd` to the second and
// fourth.
uint with_residuals(uint samples, uint even, uint odd) {
  const uint kEven = 0x00ff00ffu;
  return clamped_sums(samples & kEven, even) | clamped_sums((samples >> 8) & kEven, odd) << 8;
}
