// Computes the same results as psnr_hvs_texture.comp and psnr_hvs_terms.comp, for devices whose shaders
// have registers for a whole block. One invocation processes a block, and nothing is exchanged. On V3D it
// would spill most of its values. Each plane has its own dispatch, so that positions in the tables are
// constants.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require

#include "metrics/psnr_hvs.interface.h"

layout(local_size_x = 64) in;
layout(constant_id = 1) const uint kPlane = 0u;

layout(set = 0, binding = 0, std430) readonly buffer Reference { uint reference[]; };
layout(set = 0, binding = 1, std430) readonly buffer Distorted { uint distorted[]; };
layout(set = 0, binding = 2, std430) readonly buffer Tables { vec4 tables[]; };
layout(set = 0, binding = 3, std430) writeonly buffer Terms { float terms[]; };
layout(set = 0, binding = 4, std430) writeonly buffer Sums { float sums[]; };
layout(push_constant, std430) uniform Push { HvsPush push; };

#include "correct_rounding.glsl"
#include "metrics/psnr_hvs_samples.glsl"
#include "metrics/psnr_hvs_terms.glsl"
#include "metrics/psnr_hvs_texture.glsl"

const uint kTable = kPlane * kHvsTerms;

shared float partial_sums[64];

// Location of a block's rows: row i begins in word first + i * stride, its first sample `shift` bits up.
// `last` is the offset of the last word that is read of a row.
struct Place {
  uint first;
  uint stride;
  uint shift;
  uint last;
  bool run;    // true if the plane has this run of blocks; workgroups may exceed the plane
  bool block;  // true if the plane has this block
};

uint joined(uint low, uint high, uint shift) { return (low >> shift) | ((high << 1u) << (31u - shift)); }

// Defines a function that reads the 8 samples of row i from a buffer.
#define DEFINE_READ_ROW(NAME, BUFFER)                                                              \
  void NAME(Place place, uint i, out int v[8]) {                                                   \
    const uint at = place.first + i * place.stride;                                                \
    uint words[5];                                                                                 \
    [[unroll]] for (uint k = 0u; k < 4u; ++k) words[k] = k <= 2u * kSampleBytes - 1u ? BUFFER[at + k] : 0u; \
    const uint behind = BUFFER[at + place.last];                                                   \
    if (kSampleBytes == 1u) {                                                                      \
      const uint low = joined(words[0], words[1], place.shift);                                    \
      const uint high = joined(words[1], behind, place.shift);                                     \
      [[unroll]] for (int k = 0; k < 4; ++k) {                                                     \
        v[k] = int(bitfieldExtract(low, k * 8, 8));                                                \
        v[k + 4] = int(bitfieldExtract(high, k * 8, 8));                                           \
      }                                                                                            \
    } else {                                                                                       \
      words[4] = behind;                                                                           \
      [[unroll]] for (int k = 0; k < 4; ++k) {                                                     \
        const uint word = joined(words[k], words[k + 1], place.shift);                             \
        v[2 * k] = int(word & 0xffffu);                                                            \
        v[2 * k + 1] = int(word >> 16);                                                            \
      }                                                                                            \
    }                                                                                              \
  }
DEFINE_READ_ROW(read_reference, reference)
DEFINE_READ_ROW(read_distorted, distorted)

// Transforms samples to coefficients; both are stored row by row.
void transform_block(inout int block[64]) {
  int v[8];
  int columns[64];
  [[unroll]] for (uint i = 0u; i < 8u; ++i) {
    [[unroll]] for (uint k = 0u; k < 8u; ++k) v[k] = block[k * 8u + i];
    transform(v);
    [[unroll]] for (uint k = 0u; k < 8u; ++k) columns[i * 8u + k] = v[k];
  }
  [[unroll]] for (uint i = 0u; i < 8u; ++i) {
    [[unroll]] for (uint k = 0u; k < 8u; ++k) v[k] = columns[k * 8u + i];
    transform(v);
    [[unroll]] for (uint k = 0u; k < 8u; ++k) block[i * 8u + k] = v[k];
  }
}

// Adds squared differences of one sample of each picture: from the mean of the block, and from the mean of
// its quadrant.
void add_deviations(precise inout vec2 block, precise inout vec2 part, vec2 samples, vec2 mean, vec2 part_mean) {
  precise const vec2 from_mean = samples - mean;
  precise const vec2 from_part = samples - part_mean;
  block = block + from_mean * from_mean;
  part = part + from_part * from_part;
}

// Adds the energies of a coefficient of each picture.
void add_energies(precise inout vec2 sum, uint n, int a, int b) {
  sum = sum + vec2(float(a * a), float(b * b)) * tables[kTable + n].y;
}

// Stores and returns a term. Lanes of a run after its last column store 0. Loops over floats are written
// out, because spirv-opt (2023.1) drops NoContraction, the form of `precise`, from the copies when it
// unrolls.
float store_term(uint at, uint n, int difference, float threshold, Place place) {
  const float term = term_of(kTable + n, difference, threshold);
  const float stored = place.block ? term : 0.0;
  if (place.run) terms[at] = stored;
  return stored;
}

#define QUADRANT(n) ((n) / 32 + (n) % 8 / 4 * 2)
#define DEVIATION(n) \
  add_deviations(variance, parts[QUADRANT(n)], vec2(a[n], b[n]), mean, part_means[QUADRANT(n)])
#define ENERGY(n) add_energies(energies, uint(n), a[n], b[n])
#define TERM(n) sum += store_term(at + uint(n) * kHvsRunBlocks, uint(n), a[n] - b[n], threshold, place)
#define SEVEN(DO, n) DO(n + 1); DO(n + 2); DO(n + 3); DO(n + 4); DO(n + 5); DO(n + 6); DO(n + 7)
#define EIGHT(DO, n) DO(n); SEVEN(DO, n)
#define ALL_BUT_DC(DO) \
  SEVEN(DO, 0); EIGHT(DO, 8); EIGHT(DO, 16); EIGHT(DO, 24); EIGHT(DO, 32); EIGHT(DO, 40); EIGHT(DO, 48); EIGHT(DO, 56)

void main() {
  const HvsPlane plane = push.planes[kPlane];
  const uint lane = gl_LocalInvocationIndex;
  const uint run = gl_WorkGroupID.x * kHvsStepsRuns + (lane >> 4);
  const uint column = run * kHvsRunBlocks + (lane & 15u);
  const uint number = plane.first_run + gl_WorkGroupID.y * plane.runs + run;
  // Lanes without a block repeat the last one; only their stores are skipped. If the compiler knows that all
  // lanes take part, a CPU device loads a uniform value once for all of them.
  const uint x = min(column, plane.columns - 1u) * kHvsStep * kSampleBytes;
  Place place;
  place.run = run < plane.runs;
  place.block = column < plane.columns;
  place.first = plane.offset + gl_WorkGroupID.y * kHvsStep * plane.stride + (x >> 2);
  place.stride = plane.stride;
  place.shift = (x & 3u) * 8u;
  place.last = 2u * kSampleBytes - (place.shift == 0u ? 1u : 0u);
  int a[64];
  int b[64];
  int v[8];
  [[unroll]] for (uint i = 0u; i < 8u; ++i) {
    read_reference(place, i, v);
    [[unroll]] for (uint k = 0u; k < 8u; ++k) a[i * 8u + k] = v[k];
    read_distorted(place, i, v);
    [[unroll]] for (uint k = 0u; k < 8u; ++k) b[i * 8u + k] = v[k];
  }

  ivec2 part_sums[4];
  [[unroll]] for (int i = 0; i < 4; ++i) part_sums[i] = ivec2(0);
  [[unroll]] for (int i = 0; i < 64; ++i) part_sums[QUADRANT(i)] += ivec2(a[i], b[i]);
  const vec2 mean = vec2((part_sums[0] + part_sums[1]) + (part_sums[2] + part_sums[3])) * (1.0 / 64.0);
  vec2 part_means[4];
  part_means[0] = vec2(part_sums[0]) * (1.0 / 16.0);
  part_means[1] = vec2(part_sums[1]) * (1.0 / 16.0);
  part_means[2] = vec2(part_sums[2]) * (1.0 / 16.0);
  part_means[3] = vec2(part_sums[3]) * (1.0 / 16.0);
  precise vec2 variance = vec2(0.0);
  precise vec2 parts[4];
  parts[0] = parts[1] = parts[2] = parts[3] = vec2(0.0);
  DEVIATION(0);
  ALL_BUT_DC(DEVIATION);
  const vec2 textures = vec2(texture_of(variance.x, parts[0].x, parts[1].x, parts[2].x, parts[3].x),
                             texture_of(variance.y, parts[0].y, parts[1].y, parts[2].y, parts[3].y));

  transform_block(a);
  transform_block(b);

  precise vec2 energies = vec2(0.0);
  ALL_BUT_DC(ENERGY);
  precise const vec2 masked = energies * textures;
  const uint at = number * kHvsTerms * kHvsRunBlocks + (lane & 15u);
  float sum = 0.0;
  float threshold = 0.0;  // the DC coefficient is not masked
  TERM(0);
  threshold = max(rounded_root(masked.x), rounded_root(masked.y)) * (1.0 / 32.0);
  ALL_BUT_DC(TERM);

  partial_sums[lane] = sum;
  barrier();
  if (place.run && (lane & 15u) == 0u) {
    for (uint i = 1u; i < kHvsRunBlocks; ++i) sum += partial_sums[lane + i];
    sums[number] = sum;
  }
}
