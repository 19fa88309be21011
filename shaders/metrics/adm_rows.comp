// adm: sums of rows. Adds the cubes of the reference's samples, and of the visible part of restored detail
// and impairment, each masked by the other. The invocations of a row take four samples each in turn.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/adm.interface.h"
#include "uint64.glsl"

layout(local_size_x = kIntegerAdmLanes, local_size_y = kIntegerAdmRows) in;
layout(constant_id = 0) const bool kFirst = true;

layout(set = 0, binding = 0, std430) readonly buffer Wavelets { ivec4 wavelets[]; };
layout(set = 0, binding = 1, std430) readonly buffer Details { ivec4 details[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Rows { uvec2 row_sums[]; };
layout(push_constant, std430) uniform Push { AdmIntegerRowsPush push; };

const uint kInvocations = kIntegerAdmRows * kIntegerAdmLanes;
shared uvec2 parts[kIntegerAdmBands * kInvocations];

#include "metrics/adm_mirroring.glsl"

// Returns (square * value + half) >> shift, for 0 < shift < 32.
uvec2 shifted_cube(uint square, uint value, uint shift) {
  uvec2 cube;
  umulExtended(square, value, cube.y, cube.x);
  cube = add64(cube, 1u << (shift - 1u));
  return uvec2(cube.x >> shift | cube.y << (32u - shift), cube.y >> shift);
}

// Returns (value^2 + term) >> shift, for 0 < shift < 32. The result must fit into 32 bits.
uint shifted_square(uint value, uint term, uint shift) {
  uvec2 square;
  umulExtended(value, value, square.y, square.x);
  square = add64(square, term);
  return square.x >> shift | square.y << (32u - shift);
}

// Sets values outside the summed columns to 0; their cubes are then 0 too.
uvec4 inside(uvec4 values, uint column) {
  const uvec4 columns = column + uvec4(0u, 1u, 2u, 3u);
  return mix(uvec4(0u), values,
             bvec4(columns.x >= push.left && columns.x < push.right,
                   columns.y >= push.left && columns.y < push.right,
                   columns.z >= push.left && columns.z < push.right,
                   columns.w >= push.left && columns.w < push.right));
}

uvec2 reference_cube(uint size) {
  if (kFirst) {
    uvec2 cube;
    umulExtended(size * size, size, cube.y, cube.x);  // the square has 15 bits
    return cube;
  }
  // The added term is a whole unit, as in libvmaf; rounding would add a half unit.
  const uint square = shifted_square(size, 1u << push.reference_square_shift, push.reference_square_shift);
  return shifted_cube(square, size, push.reference_cube_shift);
}

void add_reference(uint at, uint column, inout uvec2 sum) {
  const uvec4 sizes = inside(uvec4(abs(wavelets[at])), column);
  sum = add64(sum, reference_cube(sizes.x));
  sum = add64(sum, reference_cube(sizes.y));
  sum = add64(sum, reference_cube(sizes.z));
  sum = add64(sum, reference_cube(sizes.w));
}

// Returns the part of a detail above its threshold. In scale 0 a threshold in the detail's units wraps at
// 32 bits. In the other scales thresholds may be negative, down to -30.
uint visible(int detail, int threshold, bool diagonal) {
  const uint size = uint(abs(detail));
  if (kFirst) return uint(max(int(size - (uint(threshold) << (diagonal ? 12 : 10))), 0));
  return threshold > 0 && size < uint(threshold) ? 0u : size - uint(threshold);
}

// Adds cubes of visible details to the sums. Details of scale 0 are below 1.51e9 in the two straight bands,
// so squares shifted by one bit less fit as well.
void add_visible(uint at, uint column, ivec4 thresholds, bool diagonal, inout uvec2 sum) {
  const ivec4 detail = details[at];
  const uvec4 values = inside(
      uvec4(visible(detail.x, thresholds.x, diagonal), visible(detail.y, thresholds.y, diagonal),
            visible(detail.z, thresholds.z, diagonal), visible(detail.w, thresholds.w, diagonal)),
      column);
  const uint square_shift = kFirst && !diagonal ? 29u : 30u;
  const uint cube_shift = push.width_log2 - (kFirst ? (diagonal ? 3u : 4u) : 0u);
#define ADD(value)                                                                             \
  sum = add64(sum, shifted_cube(shifted_square(value, 1u << (square_shift - 1u), square_shift), \
                                value, cube_shift));
  ADD(values.x)
  ADD(values.y)
  ADD(values.z)
  ADD(values.w)
}

// Returns for each of four columns the sum of three horizontal neighbours.
ivec4 three_across(uint row, uint column) {
  const uint quad = (row + column) / 4u;
  const ivec4 here = details[quad];
  // The row is mirrored at its ends. Columns further right are not neighbours of a summed column.
  const int before = column == 0u ? here.y : details[quad - 1u].w;
  const int behind = column + 4u < push.width ? details[quad + 1u].x : here.w;
  const int middle = here.y + here.z;
  return ivec4(before + here.x + here.y, here.x + middle, middle + here.w, here.z + here.w + behind);
}

ivec4 thresholds_at(uint masks, uint y, uint column) {
  const uint neighbours = (kIntegerAdmNeighbours + masks) * push.plane;
  return details[((kIntegerAdmOwn + masks) * push.plane + y * push.pitch + column) / 4u] +
         three_across(neighbours + mirrored(int(y) - 1, push.height) * push.pitch, column) +
         three_across(neighbours + y * push.pitch, column) +
         three_across(neighbours + mirrored(int(y) + 1, push.height) * push.pitch, column);
}

void main() {
  const uint y = push.top + gl_GlobalInvocationID.y;
  const uint what = gl_WorkGroupID.z;
  uvec2 sum0 = uvec2(0u);
  uvec2 sum1 = uvec2(0u);
  uvec2 sum2 = uvec2(0u);
  if (y < push.bottom) {
    const uint plane = push.plane / 4u;
    uint column = (push.left & ~3u) + 4u * gl_LocalInvocationID.x;
    if (what == 0u) {
      for (; column < push.right; column += 4u * kIntegerAdmLanes) {
        const uint at = plane + (y * push.pitch + column) / 4u;
        add_reference(at, column, sum0);
        add_reference(at + plane, column, sum1);
        add_reference(at + 2u * plane, column, sum2);
      }
    } else {
      // Restored detail (z = 1) is masked by the planes of the impairment, which follow its own planes, and
      // the impairment by those of restored detail.
      for (; column < push.right; column += 4u * kIntegerAdmLanes) {
        const ivec4 thresholds = thresholds_at(2u - what, y, column);
        const uint at = (what - 1u) * kIntegerAdmBands * plane + (y * push.pitch + column) / 4u;
        add_visible(at, column, thresholds, false, sum0);
        add_visible(at + plane, column, thresholds, false, sum1);
        add_visible(at + 2u * plane, column, thresholds, true, sum2);
      }
    }
  }
  const uint self = gl_LocalInvocationIndex;
  parts[self] = sum0;
  parts[kInvocations + self] = sum1;
  parts[2u * kInvocations + self] = sum2;
  barrier();
  // Each invocation handles one row and band.
  const uint band = self / kIntegerAdmRows;
  const uint row = gl_WorkGroupID.y * kIntegerAdmRows + self % kIntegerAdmRows;
  if (band < kIntegerAdmBands && push.top + row < push.bottom) {
    uint at = band * kInvocations + self % kIntegerAdmRows * kIntegerAdmLanes;
    uvec2 sum = uvec2(0u);
    for (uint i = 0u; i < kIntegerAdmLanes; ++i) sum = add64(sum, parts[at + i]);
    const uint shift = what == 0u ? push.reference_row_shift : push.row_shift;
    if (shift > 0u) sum = shift_right64(add64(sum, 1u << (shift - 1u)), shift);
    row_sums[row * kIntegerAdmSums + what * kIntegerAdmBands + band] = sum;
  }
}
