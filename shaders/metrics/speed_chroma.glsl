// Code shared by speed_chroma.comp and speed_chroma_scaled.comp.

#include "metrics/speed_chroma.interface.h"

layout(constant_id = 0) const uint kBits = 8u;

layout(set = 0, binding = 4, std430) writeonly buffer Reduced { float reduced[]; };
layout(push_constant, std430) uniform Push { SpeedChromaPush push; };

// Converts samples to 8-bit levels and subtracts 128; no rounding occurs.
vec4 centred(uvec4 samples) {
  return vec4(samples) * (1.0 / float(1u << (kBits - 8u))) - 128.0;
}

// Returns the weight of a tap. It uses comparisons, because push constants must not be indexed by a
// variable.
float weight_of(int tap) {
  const int from_middle = abs(tap - int(kSpeedShaderTaps / 2u));
  return from_middle == 0   ? push.weights[4]
         : from_middle == 1 ? push.weights[3]
         : from_middle == 2 ? push.weights[2]
         : from_middle == 3 ? push.weights[1]
                            : push.weights[0];
}

// Returns the index of the row or column that a tap reads. Indices before the first are mirrored; no index is
// after the last.
int place_of(uint place, int tap) { return abs(int(16u * place) + tap - int(kSpeedShaderTaps / 2u)); }

void store(uvec2 at, float sum) {
  reduced[gl_WorkGroupID.z * push.plane + at.y * push.width + at.x] = sum;
}
