// H.264's inverse transform of 8x8 (section 8.5.13.2).
#version 450
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_GOOGLE_include_directive : require
const uint kSize = 8u;

void transform(inout int d[kSize]) {
  const int a0 = d[0] + d[4], a2 = d[0] - d[4], a4 = (d[2] >> 1) - d[6], a6 = d[2] + (d[6] >> 1);
  const int b0 = a0 + a6, b2 = a2 + a4, b4 = a2 - a4, b6 = a0 - a6;
  const int a1 = d[5] - d[3] - d[7] - (d[7] >> 1), a3 = d[1] + d[7] - d[3] - (d[3] >> 1);
  const int a5 = d[7] - d[1] + d[5] + (d[5] >> 1), a7 = d[3] + d[5] + d[1] + (d[1] >> 1);
  const int b1 = a1 + (a7 >> 2), b7 = a7 - (a1 >> 2), b3 = a3 + (a5 >> 2), b5 = (a3 >> 2) - a5;
  d[0] = b0 + b7;
  d[1] = b2 + b5;
  d[2] = b4 + b3;
  d[3] = b6 + b1;
  d[4] = b6 - b1;
  d[5] = b4 - b3;
  d[6] = b2 - b5;
  d[7] = b0 - b7;
}

#include "idct_h264.glsl"
