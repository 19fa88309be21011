// Calls the functions of float_adm_arithmetic.glsl for pairs of numbers (x, y).
#version 450
#extension GL_GOOGLE_include_directive : require
#include "metrics/float_adm_arithmetic.glsl"

layout(local_size_x = 64) in;

layout(set = 0, binding = 0, std430) readonly buffer Input { vec2 pairs[]; };
// Results: neighbour_masking(y); bounds and exact value of x plus the centre's masking by y;
// restored_share(x, y).
struct Result {
  float neighbour;
  float lower;
  float upper;
  float exact;
  float restored;
};
layout(set = 0, binding = 1, std430) writeonly buffer Output { Result results[]; };
layout(push_constant, std430) uniform Push { uint count; } push;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < push.count) {
    const vec2 pair = pairs[i];
    const vec2 bounds = with_centre_masking(abs(pair.x), abs(pair.y));
    results[i] = Result(neighbour_masking(abs(pair.y)), bounds.x, bounds.y,
                        with_centre_masking_exactly(abs(pair.x), abs(pair.y)),
                        restored_share(pair.x, pair.y));
  }
}
