// float_adm, scale 0: computes the bands from luma samples, read in the picture's layout.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/float_adm.interface.h"
#include "metrics/float_adm_bands.glsl"

layout(constant_id = 0) const uint kBits = 8u;

layout(set = 0, binding = 0, std430) readonly buffer Reference { uint reference_input[]; };
layout(set = 0, binding = 1, std430) readonly buffer Distorted { uint distorted_input[]; };

const int kSamplesPerWordLog2 = kBits > 8u ? 1 : 2;
const int kSampleBits = kBits > 8u ? 16 : 8;

// Loads one word of each row. Outside the row, the first or last word is loaded instead.
uvec4 load_words(uint picture, uvec4 rows, int word) {
  const uint inside = uint(clamp(word, 0, (int(push.input_width) - 1) >> kSamplesPerWordLog2));
  if (picture == 0u) {
    const uvec4 at = rows * push.reference_stride + inside;
    return uvec4(reference_input[at.x], reference_input[at.y], reference_input[at.z],
                 reference_input[at.w]);
  }
  const uvec4 at = rows * push.distorted_stride + inside;
  return uvec4(distorted_input[at.x], distorted_input[at.y], distorted_input[at.z],
               distorted_input[at.w]);
}

// Returns samples scaled to 0..255.996, minus 128; no rounding occurs.
vec4 samples(uvec4 words, int position) {
  const float scale = 1.0 / float(1u << (kBits - 8u));
  return vec4(bitfieldExtract(words, position * kSampleBits, kSampleBits)) * scale - 128.0;
}

// Loads four columns; x must be odd.
void load_columns(uint picture, uvec4 rows, int x, out vec4 columns[4]) {
  const int word = x >> kSamplesPerWordLog2;
  const uvec4 w0 = load_words(picture, rows, word);
  const uvec4 w1 = load_words(picture, rows, word + 1);
  if (kBits > 8u) {
    columns[0] = samples(w0, 1);
    columns[1] = samples(w1, 0);
    columns[2] = samples(w1, 1);
    columns[3] = samples(load_words(picture, rows, word + 2), 0);
  } else {
    const int shift = (x & 3) * 8;
    const uvec4 four = w0 >> shift | w1 << (32 - shift);
    columns[0] = samples(four, 0);
    columns[1] = samples(four, 1);
    columns[2] = samples(four, 2);
    columns[3] = samples(four, 3);
  }
}
