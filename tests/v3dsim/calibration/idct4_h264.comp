// H.264's inverse transform of 4x4 (section 8.5.12.2).
#version 450
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_GOOGLE_include_directive : require
const uint kSize = 4u;

void transform(inout int d[kSize]) {
  const int e = d[0] + d[2], f = d[0] - d[2], g = (d[1] >> 1) - d[3], h = d[1] + (d[3] >> 1);
  d[0] = e + h;
  d[1] = f + g;
  d[2] = f - g;
  d[3] = e - h;
}

#include "idct_h264.glsl"
