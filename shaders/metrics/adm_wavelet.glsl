// Code shared by adm_luma.comp and adm_bands.comp: Daubechies-2 taps times 2^15, and indices of rows and
// columns.

const ivec4 kLowTaps = ivec4(15826, 27411, 7345, -4240);
const ivec4 kHighTaps = ivec4(-4240, -7345, 27411, -15826);

layout(local_size_x = kIntegerAdmLanes, local_size_y = kIntegerAdmRows) in;

layout(push_constant, std430) uniform Push { AdmWaveletPush push; };

#include "metrics/adm_mirroring.glsl"

uvec4 input_rows(uint row) {
  const int y = int(2u * row);
  return uvec4(mirrored(y - 1, push.input_height), y, mirrored(y + 1, push.input_height),
               mirrored(y + 2, push.input_height));
}

int weighed_sum(ivec4 taps, ivec4 s) {
  return taps.x * s.x + taps.y * s.y + taps.z * s.z + taps.w * s.w;
}
