// float_adm, scale 0: from luma samples as they lie in the pictures.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "float_adm.interface.h"

layout(constant_id = 0) const uint kBits = 8u;

layout(set = 0, binding = 0, std430) readonly buffer Reference { uint reference_input[]; };
layout(set = 0, binding = 1, std430) readonly buffer Distorted { uint distorted_input[]; };

vec4 column(uint picture, uvec4 rows, uint x);

#include "float_adm_bands.glsl"

vec4 column(uint picture, uvec4 rows, uint x) {
  const uint samples_per_word_log2 = kBits > 8u ? 1u : 2u;
  const uint word = x >> samples_per_word_log2;
  const uint bits = kBits > 8u ? 16u : 8u;
  const int position = int((x & ((1u << samples_per_word_log2) - 1u)) * bits);
  uvec4 words;
  if (picture == 0u) {
    const uvec4 at = rows * push.reference_stride + word;
    words = uvec4(reference_input[at.x], reference_input[at.y], reference_input[at.z],
                  reference_input[at.w]);
  } else {
    const uvec4 at = rows * push.distorted_stride + word;
    words = uvec4(distorted_input[at.x], distorted_input[at.y], distorted_input[at.z],
                  distorted_input[at.w]);
  }
  // 0 to 255.996: exact, and so is the difference.
  const float scale = 1.0 / float(1u << (kBits - 8u));
  return vec4(bitfieldExtract(words, position, int(bits))) * scale - 128.0;
}
