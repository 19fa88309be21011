// Code shared by float_adm_luma.comp and float_adm_bands.comp. The including shader declares
//   void load_columns(uint picture, uvec4 rows, int x, out vec4 columns[4])
// which returns four rows of columns x to x + 3 of a picture, minus 128. Columns outside the picture may
// have any value. An invocation computes one sample of every band, of both pictures, from four by four
// samples. This takes fewer memory requests than two passes, one in each direction, with intermediate
// results in memory.

#include "metrics/float_adm_arithmetic.glsl"
#include "metrics/float_adm_neighbourhood.glsl"

layout(local_size_x = kAdmRows, local_size_y = kAdmColumns) in;

layout(set = 0, binding = 2, std430) writeonly buffer Approximations { float approximations[]; };
layout(set = 0, binding = 3, std430) writeonly buffer Details { float details[]; };
layout(push_constant, std430) uniform Push { AdmBandsPush push; };

void load_columns(uint picture, uvec4 rows, int x, out vec4 columns[4]);

const vec4 kLowPass =
    vec4(0.482962913144690, 0.836516303737469, 0.224143868041857, -0.129409522550921);
const vec4 kHighPass =
    vec4(-0.129409522550921, -0.224143868041857, 0.836516303737469, -0.482962913144690);
const float kCosSquared = 0.99969541350954788;

// Returns the low-pass value (x) and the high-pass value (y) of four samples. Every product and sum is
// rounded separately.
vec2 filtered(vec4 s) {
  const precise vec2 sum =
      ((vec2(kLowPass.x, kHighPass.x) * s.x + vec2(kLowPass.y, kHighPass.y) * s.y) +
       vec2(kLowPass.z, kHighPass.z) * s.z) +
      vec2(kLowPass.w, kHighPass.w) * s.w;
  return sum;
}

float without_rounding_noise(float coefficient) {
  return abs(coefficient) < kAdmSmallestCoefficientInShader ? 0.0 : coefficient;
}

// Returns the approximation and bands 0 to 2 at column j of the rows.
vec4 wavelet(uint picture, uvec4 rows, uint j) {
  const uint x = 2u * j;
  vec4 columns[4];
  load_columns(picture, rows, int(x) - 1, columns);
  vec2 c0 = filtered(columns[0]);
  const vec2 c1 = filtered(columns[1]);
  vec2 c2 = filtered(columns[2]);
  vec2 c3 = filtered(columns[3]);
  // Columns are mirrored in the same way as by mirrored().
  if (x == 0u) c0 = c2;
  if (x + 1u == push.input_width) {
    c2 = c1;
    c3 = c0;
  }
  if (x + 2u == push.input_width) c3 = c2;
  const vec2 low = filtered(vec4(c0.x, c1.x, c2.x, c3.x));
  const vec2 high = filtered(vec4(c0.y, c1.y, c2.y, c3.y));
  return vec4(without_rounding_noise(low.x), without_rounding_noise(high.x),
              without_rounding_noise(low.y), without_rounding_noise(high.y));
}

bool same_direction(vec2 o, vec2 t) {
  const precise float product = o.x * t.x + o.y * t.y;
  const precise float reference = o.x * o.x + o.y * o.y;
  const precise float distorted = t.x * t.x + t.y * t.y;
  const precise float bound = (kCosSquared * reference) * distorted;
  const precise float square = product * product;
  return product >= 0.0 && square >= bound;
}

float restored_detail(float o, float t, bool enhanced) {
  const float restored = restored_share(o, t);
  const precise float amplified = restored * push.gain_limit;
  if (enhanced && restored > 0.0) return min(amplified, t);
  if (enhanced && restored < 0.0) return max(amplified, t);
  return restored;
}

void store_details(uint band, float o, float t, bool enhanced, float weight, uint at) {
  const float restored = restored_detail(o, t, enhanced);
  const precise float impairment = t - restored;
  const precise float weighed_reference = o * weight;
  const precise float weighed_restored = restored * weight;
  const precise float weighed_impairment = impairment * weight;
  at += band * push.plane;
  details[at] = weighed_reference;
  details[at + kAdmShaderBands * push.plane] = weighed_restored;
  details[at + 2u * kAdmShaderBands * push.plane] = weighed_impairment;
}

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint j = gl_GlobalInvocationID.y;
  if (i < push.height && j < push.width) {
    const int y = int(2u * i);
    const uvec4 rows = uvec4(mirrored(y - 1, push.input_height), y,
                             mirrored(y + 1, push.input_height), mirrored(y + 2, push.input_height));
    const vec4 reference = wavelet(0u, rows, j);
    const vec4 distorted = wavelet(1u, rows, j);
    const uint at = j * push.pitch + i;
    approximations[at] = reference.x;
    approximations[push.plane + at] = distorted.x;
    if (i >= push.top && i < push.bottom && j >= push.left && j < push.right) {
      const bool enhanced = same_direction(reference.yz, distorted.yz);
      store_details(0u, reference.y, distorted.y, enhanced, push.straight_weight, at);
      store_details(1u, reference.z, distorted.z, enhanced, push.straight_weight, at);
      store_details(2u, reference.w, distorted.w, enhanced, push.diagonal_weight, at);
    }
  }
}
