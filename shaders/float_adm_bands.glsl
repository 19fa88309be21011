// What float_adm_luma.comp and float_adm_bands.comp have in common. The includer declares
//   vec4 column(uint picture, uvec4 rows, uint x)
// which gives four samples of a column of a picture, less 128.
// An invocation makes one sample of every band, of both pictures: the four bands of four samples by
// four cost fewer requests to memory than two passes, one along each direction, with their results
// between them.

#include "float_adm_arithmetic.glsl"

layout(local_size_x = kAdmBandRows, local_size_y = kAdmBandColumns) in;

layout(set = 0, binding = 2, std430) writeonly buffer Approximations { float approximations[]; };
layout(set = 0, binding = 3, std430) writeonly buffer Details { vec4 details[]; };
layout(set = 0, binding = 4, std430) writeonly buffer Diagonals { float diagonals[]; };
layout(push_constant, std430) uniform Push { AdmBandsPush push; };

const vec4 kLowPass =
    vec4(0.482962913144690, 0.836516303737469, 0.224143868041857, -0.129409522550921);
const vec4 kHighPass =
    vec4(-0.129409522550921, -0.224143868041857, 0.836516303737469, -0.482962913144690);
const float kCosSquared = 0.99969541350954788;

// Low-pass and high-pass of four samples; every product and sum is rounded on its own.
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

// Whole-sample mirroring before the first, half-sample mirroring after the last.
uint mirrored(int index, uint length) {
  const uint at = uint(abs(index));
  return at >= length ? 2u * length - 1u - at : at;
}

// Approximation, and bands 0 to 2, at column j of the rows.
vec4 wavelet(uint picture, uvec4 rows, uint j) {
  const uint x = 2u * j;
  vec2 filtered_columns[4];
  for (uint k = 0u; k < 4u; ++k) {
    filtered_columns[k] = filtered(column(picture, rows, mirrored(int(x + k) - 1, push.input_width)));
  }
  const vec2 low = filtered(vec4(filtered_columns[0].x, filtered_columns[1].x,
                                 filtered_columns[2].x, filtered_columns[3].x));
  const vec2 high = filtered(vec4(filtered_columns[0].y, filtered_columns[1].y,
                                  filtered_columns[2].y, filtered_columns[3].y));
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

void store_details(vec3 o, vec3 t, uint at) {
  const bool enhanced = same_direction(o.xy, t.xy);
  const vec3 weights = vec3(push.straight_weight, push.straight_weight, push.diagonal_weight);
  const vec3 restored =
      vec3(restored_detail(o.x, t.x, enhanced), restored_detail(o.y, t.y, enhanced),
           restored_detail(o.z, t.z, enhanced));
  const precise vec3 impairment = t - restored;
  const precise vec3 weighed_reference = o * weights;
  const precise vec3 weighed_restored = restored * weights;
  const precise vec3 weighed_impairment = impairment * weights;
  details[at] = vec4(weighed_restored, weighed_reference.x);
  details[push.plane + at] = vec4(weighed_impairment, weighed_reference.y);
  diagonals[at] = weighed_reference.z;
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
      store_details(reference.yzw, distorted.yzw, at);
    }
  }
}
