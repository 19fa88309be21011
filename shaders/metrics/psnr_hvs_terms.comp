// Computes what each coefficient of each block adds to its plane's sum. A workgroup processes a run of 16
// blocks with eight invocations per block. First each invocation has a column of samples. The transforms
// are then exchanged in shared memory, and each invocation has a row of coefficients. The 16 lanes of a
// vector hold the same column or row of 16 blocks, so their loads and stores are contiguous.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require

#include "metrics/psnr_hvs.interface.h"

layout(local_size_x = 128) in;

layout(set = 0, binding = 0, std430) readonly buffer Reference { uint reference[]; };
layout(set = 0, binding = 1, std430) readonly buffer Distorted { uint distorted[]; };
layout(set = 0, binding = 2, std430) readonly buffer ReferenceTextures { float reference_textures[]; };
layout(set = 0, binding = 3, std430) readonly buffer DistortedTextures { float distorted_textures[]; };
layout(set = 0, binding = 4, std430) readonly buffer Tables { vec4 tables[]; };
layout(set = 0, binding = 5, std430) writeonly buffer Terms { float terms[]; };
layout(set = 0, binding = 6, std430) writeonly buffer Sums { float sums[]; };
layout(push_constant, std430) uniform Push { HvsPush push; };

#include "correct_rounding.glsl"
#include "metrics/psnr_hvs_plane.glsl"
#include "metrics/psnr_hvs_samples.glsl"
#include "metrics/psnr_hvs_terms.glsl"

// Values of 16 blocks, 64 per block. First the coefficients of the columns: the reference's are in the low
// half of a word, the distorted picture's in the high half. Later the energies, with separate words for each
// picture.
shared uint exchange[2048];
const uint kPicture = 1024u;
shared float thresholds[32];
shared float partial_sums[128];

// Stores the energies of a coefficient of the reference and of the distorted picture.
void store_energies(uint at, uint entry, int a, int b) {
  const float masking = tables[entry].y;
  precise const float energy_a = float(a * a) * masking;
  precise const float energy_b = float(b * b) * masking;
  exchange[at] = floatBitsToUint(energy_a);
  exchange[at + kPicture] = floatBitsToUint(energy_b);
}

float energy_at(uint at) { return uintBitsToFloat(exchange[at]); }

// Stores and returns a term. Lanes after the last column store 0.
float store_term(uint at, uint entry, int difference, float threshold, bool inside) {
  const float term = term_of(entry, difference, threshold);
  const float stored = inside ? term : 0.0;
  terms[at] = stored;
  return stored;
}

// Loops over floats are written out, because spirv-opt (2023.1) drops NoContraction, the form of `precise`,
// from the copies when it unrolls.
void main() {
  const uint row = gl_WorkGroupID.y;
  const uint run = gl_WorkGroupID.x;
  const uint plane_index = plane_of_row(row);
  const HvsPlane plane = plane_at(plane_index);
  if (run < plane.runs) {
    const uint lane = gl_LocalInvocationIndex;
    const uint block = lane & 15u;
    const uint part = lane >> 4;  // index of the invocation's column, later of its row
    const uint column = run * kHvsRunBlocks + block;
    const uint number = plane.first_run + (row - plane.first_row) * plane.runs + run;

    // Lanes after the last column repeat its block.
    const uint x = min(column, plane.columns - 1u) * kHvsStep + part;
    const uint y = (row - plane.first_row) * kHvsStep;
    const uint first = plane.offset + y * plane.stride + x / kSamplesAWord;
    const int shift = int(x % kSamplesAWord * kSampleBits);
    int a[8];  // samples of the reference, then their coefficients
    int b[8];  // samples of the distorted picture, then their coefficients
    [[unroll]] for (uint i = 0u; i < 8u; ++i) {
      const uint at = first + i * plane.stride;
      a[i] = int(bitfieldExtract(reference[at], shift, int(kSampleBits)));
      b[i] = int(bitfieldExtract(distorted[at], shift, int(kSampleBits)));
    }
    transform(a);
    transform(b);
    // A word holds one coefficient of each picture. A coefficient fits into 16 bits, because it is at most
    // 2.83 times the largest sample.
    [[unroll]] for (uint i = 0u; i < 8u; ++i) {
      exchange[(i * 8u + part) * 16u + block] = bitfieldInsert(uint(a[i]), uint(b[i]), 16, 16);
    }
    barrier();

    // Computes a row of each picture's coefficients, their energies, and the difference of the rows. No
    // other invocation reads the words that the reference's energies replace.
    const uint row_at = part * 128u + block;
    [[unroll]] for (uint i = 0u; i < 8u; ++i) {
      const int both = int(exchange[row_at + i * 16u]);
      a[i] = bitfieldExtract(both, 0, 16);
      b[i] = both >> 16;
    }
    transform(a);
    transform(b);
    const uint table = plane_index * kHvsTerms + part * 8u;
    store_energies(row_at, table, a[0], b[0]);
    store_energies(row_at + 16u, table + 1u, a[1], b[1]);
    store_energies(row_at + 32u, table + 2u, a[2], b[2]);
    store_energies(row_at + 48u, table + 3u, a[3], b[3]);
    store_energies(row_at + 64u, table + 4u, a[4], b[4]);
    store_energies(row_at + 80u, table + 5u, a[5], b[5]);
    store_energies(row_at + 96u, table + 6u, a[6], b[6]);
    store_energies(row_at + 112u, table + 7u, a[7], b[7]);
    int difference[8];
    [[unroll]] for (uint i = 0u; i < 8u; ++i) difference[i] = a[i] - b[i];
    barrier();

    // The first 32 invocations each add the energies of one block of one picture, in order and without DC.
    if (lane < 32u) {
      const uint energies = part * kPicture + block;
      precise float energy = energy_at(energies + 16u);
      energy = energy + energy_at(energies + 32u);
      energy = energy + energy_at(energies + 48u);
      for (uint next = 64u; next < kPicture; next += 64u) {
        energy = energy + energy_at(energies + next);
        energy = energy + energy_at(energies + next + 16u);
        energy = energy + energy_at(energies + next + 32u);
        energy = energy + energy_at(energies + next + 48u);
      }
      const uint at = number * kHvsRunBlocks + block;
      precise float masked = 0.0;
      if (column < plane.columns) {
        masked = energy * (part == 0u ? reference_textures[at] : distorted_textures[at]);
      }
      thresholds[lane] = rounded_root(masked) * (1.0 / 32.0);
    }
    barrier();

    const float threshold = max(thresholds[block], thresholds[block + 16u]);
    const bool inside = column < plane.columns;
    const uint at = (number * kHvsTerms + part * 8u) * kHvsRunBlocks + block;
    // The DC coefficient is not masked.
    const float first_threshold = part == 0u ? 0.0 : threshold;
    float sum = store_term(at, table, difference[0], first_threshold, inside);
    sum += store_term(at + 16u, table + 1u, difference[1], threshold, inside);
    sum += store_term(at + 32u, table + 2u, difference[2], threshold, inside);
    sum += store_term(at + 48u, table + 3u, difference[3], threshold, inside);
    sum += store_term(at + 64u, table + 4u, difference[4], threshold, inside);
    sum += store_term(at + 80u, table + 5u, difference[5], threshold, inside);
    sum += store_term(at + 96u, table + 6u, difference[6], threshold, inside);
    sum += store_term(at + 112u, table + 7u, difference[7], threshold, inside);

    partial_sums[lane] = sum;
    barrier();
    if (lane < 16u) {
      for (uint i = 16u; i < 128u; i += 16u) sum += partial_sums[i + lane];
      partial_sums[lane] = sum;
    }
    barrier();
    if (lane == 0u) {
      for (uint i = 1u; i < 16u; ++i) sum += partial_sums[i];
      sums[number] = sum;
    }
  }
}
