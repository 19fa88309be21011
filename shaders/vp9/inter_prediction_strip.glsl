// VP9 prediction from a reference of the same size (VP9 specification, section 8.5.2.4). All strips of a
// dispatch have one kind. One invocation processes a strip, row by row, downwards. It filters each row along
// x once; the last eight rows stay in registers for the filter along y. V3D multiplies two floats in one
// instruction, with operands in either half of a word, and adds two other floats at the same time; an integer
// product takes two instructions. Therefore samples become floats. Their sums are exact: they are multiples
// of 1/256, small enough for a float's mantissa. Shaders for samples of more than 8 bits define
// HIGH_BIT_DEPTH.

#include "vp9/inter_prediction.interface.h"

layout(local_size_x = kInterLanes) in;
layout(constant_id = kHorizontalConstant) const uint kHorizontal = 1u;
layout(constant_id = kVerticalConstant) const uint kVertical = 1u;
layout(constant_id = kAverageConstant) const uint kAverage = 0u;
layout(constant_id = kBorderConstant) const uint kBorder = 0u;

layout(set = 0, binding = 0, std430) buffer Frame { uvec2 frame[]; };
layout(set = 0, binding = 1, std430) readonly buffer Reference { uvec2 reference[]; };
layout(set = 0, binding = 2, std430) readonly buffer Filters { uvec4 filters[]; };
layout(set = 0, binding = 3, std430) readonly buffer Strips { InterStrip strips[]; };
layout(push_constant, std430) uniform Push { InterPush push; };

#ifdef HIGH_BIT_DEPTH
const uint kSampleBytesLog2 = 1u;
const uint kStripWidth = 4u;
#else
const uint kSampleBytesLog2 = 0u;
layout(constant_id = kStripWidthConstant) const uint kStripWidth = 8u;
#endif
const uint kStripWords = (kStripWidth << kSampleBytesLog2) >> 2;

#include "vp9/inter_prediction_window.glsl"
#ifdef HIGH_BIT_DEPTH
#include "vp9/inter_prediction_hbd.glsl"
#else
#include "vp9/inter_prediction_bytes.glsl"
#endif

const uint kRowsBefore = kVertical != 0u ? 7u : 0u;

// Direction in which rows are counted. Counting down takes one register less: deep strips at a border need
// that to avoid spills. For 8-bit samples at a border it makes the V3D compiler's code a tenth longer.
#ifdef HIGH_BIT_DEPTH
const bool kCountUp = false;
#else
const bool kCountUp = kBorder != 0u;
#endif

void store(uint to, uvec2 words) {
  if (kStripWords == 2u) {
    if (kAverage != 0u) words = mean(frame[to], words);
    frame[to] = words;
  } else {
    if (kAverage != 0u) words.x = mean(frame[to >> 1][to & 1u], words.x);
    frame[to >> 1][to & 1u] = words.x;
  }
}

void main() {
  const uint index = push.first + gl_GlobalInvocationID.x;
  // The function has no early return: after one, the V3D compiler's code tracks in every iteration of the
  // loop which lanes are still in it.
  const InterStrip strip = strips[min(index, push.last - 1u)];
  const bool luma = (strip.choice >> kPlaneShift) == 0u;
  const uvec4 along_x = filters[strip.choice & (kFilterRows - 1u)];
  const uvec4 along_y = filters[(strip.choice >> kVerticalFilterShift) & (kFilterRows - 1u)];
  Window window = first_window(strip, luma);
  // Position at which the strip is stored. It is negative, and stays so, for lanes after the end of the list,
  // which store nothing.
  int to = index < push.last ? int(strip.to) : -0x7fffffff;
  // Filtered rows above the current one; above6 is the nearest.
  Samples above0, above1, above2, above3, above4, above5, above6;
  const uint rows = push.rows + kRowsBefore;
  [[dont_unroll]] for (uint row = kCountUp ? 0u : rows; kCountUp ? row < rows : row != 0u;
                       row += kCountUp ? 1u : ~0u) {
    const Words words = next_row(window);
    Samples samples = kHorizontal != 0u ? filtered_row(along_x, words) : samples_of(words);
    if (kCountUp ? row >= kRowsBefore : row <= push.rows) {
      uvec2 predicted;
      if (kVertical != 0u) {
        predicted = packed(filtered(along_y, above0, above1, above2, above3, above4, above5, above6, samples));
      } else {
        predicted = kHorizontal != 0u ? packed(samples) : uvec2(words.at[0], words.at[1]);
      }
      if (to >= 0) store(uint(to), predicted);
      to += int(kStripWords == 2u ? window.stride : window.stride << 1);
    }
    above0 = above1;
    above1 = above2;
    above2 = above3;
    above3 = above4;
    above4 = above5;
    above5 = above6;
    above6 = samples;
  }
}
