// Interface of the vif_*.comp shaders. GLSL and C++ both include this file.
#ifndef SIDECORE_VIF_INTERFACE_H
#define SIDECORE_VIF_INTERFACE_H

#ifdef __cplusplus
#include <cstdint>
namespace sidecore::qpu::shader {
using uint = std::uint32_t;
#define SIDECORE_CONST inline constexpr
#else
#define SIDECORE_CONST const
#endif

// A quad is four samples of a plane: one word of bytes, or two words of 16-bit samples.

// vif_decimate.comp computes both planes of scale kScale (constant_id 0: 1, 2 or 3) from those of
// the previous scale. An invocation computes a quad. Workgroups have 32x8 invocations; z is the
// number of the picture. kBits (constant_id 1) is the number of bits of the samples that are read:
// 8, 10, 12 or 16.
// - Bindings 0 and 1, read: reference and distorted plane.
// - Binding 2, written: both new planes.
// - Binding 3, written by scale 1 only: the lists of undecided windows, which become empty.
SIDECORE_CONST uint kVifDecimateQuads = 32u;
SIDECORE_CONST uint kVifDecimateRows = 8u;
struct VifDecimatePush {
  uint width;  // number of samples per row of the planes that are read
  uint height;
  uint stride;  // distance between rows of these planes, in quads
  uint to_width;
  uint to_height;
  uint to_stride;  // distance between rows of a new plane, in quads
  // Distance from the start of the new reference plane to that of the new distorted plane, in
  // quads.
  uint to_plane;
  uint lists;
  uint radius;  // radius of the filter in samples: 4, 2 or 1
};

// vif_windows.comp sums the windows of one tile per workgroup: 8 rows of 128 columns, without the
// columns whose neighbours under the filter lie outside the tile. kScale and kBits mean the same as
// in vif_decimate.comp. kErrorBoundFactor (constant_id 2) is 1, or more in tests that need
// undecided windows.
// - Bindings 0 and 1, read: the planes.
// - Binding 2, written: one VifTile per workgroup.
// - Binding 3: the scale's list of undecided windows.
SIDECORE_CONST uint kVifTileColumns = 128u;
SIDECORE_CONST uint kVifTileRows = 8u;
// Number of columns of kVifTileColumns on each side that have no windows, at scale 0.
SIDECORE_CONST uint kVifPadding0 = 8u;
SIDECORE_CONST uint kVifPadding = 4u;  // the same number at scales 1 to 3
// Gain limit and its square as binary64 numbers: whole part and 64 fractional bits, high word
// first.
struct VifLimit {
  uint limit;
  uint limit_high;
  uint limit_low;
  uint square;
  uint square_high;
  uint square_low;
  float limit_below;  // a number slightly below the limit
};
struct VifWindowsPush {
  uint width;
  uint height;
  uint stride;  // distance between rows, in quads
  uint first;   // index of the tile of workgroup 0; the range at binding 2 begins with this tile
  uint radius;  // radius of the filter in samples: 8, 4, 2 or 1
  VifLimit gain;
};

// Sums over the windows of a tile, at most 960. Each window adds at most 28,673 units to `kept`,
// and at most as many to `there`.
struct VifTile {
  uint kept;
  uint there;
  // Low word of the sum of the flat windows' variances, which has at most 41 bits.
  uint variance_low;
  // Bits 0 to 15: high bits of that sum; bits from 16 on: number of flat windows.
  uint variance_high;
};

// A window that is left to vif_recompute.comp: its variances, its covariance and its tile.
struct VifUndecidedWindow {
  uint variance1;
  uint variance2;
  uint both;
  uint tile;
};
// A list of undecided windows: 256 bytes.
SIDECORE_CONST uint kVifUndecidedWindows = 15u;
struct VifUndecidedList {
  uint count;  // number of undecided windows; may exceed kVifUndecidedWindows
  uint unused[3];
  VifUndecidedWindow windows[kVifUndecidedWindows];
};

// vif_recompute.comp adds the results of undecided windows to their tiles, in one workgroup.
// - Binding 0, read: the lists of the four scales.
// - Binding 1, read and written: tiles.
SIDECORE_CONST uint kVifRecomputeInvocations = 64u;
struct VifRecomputePush {
  VifLimit gain;
};

// vif_total.comp: workgroup k adds the tiles of scale k.
// - Binding 0, read: tiles.
// - Binding 1, read: the lists of the scales.
// - Binding 2, written: 64-bit numbers for each scale, low word first.
struct VifTotals {
  uint kept[2];
  uint there[2];
  uint variance[2];  // sum of the variances of flat windows
  uint flats[2];
  uint lost[2];  // number of undecided windows that did not fit into the list; no sum contains them
};
struct VifTotalPush {
  uint first[4];  // index of each scale's first tile
  uint tiles[4];
};

#ifdef __cplusplus
}  // namespace sidecore::qpu::shader
#endif
#undef SIDECORE_CONST
#endif
