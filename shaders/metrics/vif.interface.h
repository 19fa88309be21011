// Interface of the vif_*.comp shaders, read by GLSL and by C++.
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

// Planes lie in quads of four samples: a word of bytes, or two words of 16-bit samples.

// vif_decimate.comp makes the two planes of scale kScale (constant_id 0: 1, 2 or 3) of those of the
// scale before. An invocation makes a quad; workgroups are of 32x8 invocations, their third number
// is the picture's. kBits (constant_id 1) are those of the samples that are read: 8, 10, 12 or 16.
// Bindings 0 and 1, read: reference and distorted plane; 2, written: both new planes. Binding 3,
// written by scale 1 alone: the lists of open windows, which become empty.
SIDECORE_CONST uint kVifDecimateQuads = 32u;
SIDECORE_CONST uint kVifDecimateRows = 8u;
struct VifDecimatePush {
  uint width;  // of the planes that are read
  uint height;
  uint stride;  // quads from a row to the next
  uint to_width;
  uint to_height;
  uint to_stride;  // quads
  uint to_plane;   // quads from the new reference plane to the new distorted one
  uint lists;
  uint radius;  // of the filter: 4, 2 or 1
};

// vif_windows.comp sums the windows of a tile a workgroup: 8 rows, and of 128 columns those whose
// neighbours under the filter are among them. kScale and kBits as above; kDoubt (constant_id 2) is
// 1, or more in tests, which want open windows. Bindings 0 and 1, read: the planes; 2, written: a
// VifTile a workgroup; 3: the scale's list of open windows.
SIDECORE_CONST uint kVifTileColumns = 128u;
SIDECORE_CONST uint kVifTileRows = 8u;
SIDECORE_CONST uint kVifPadding0 = 8u;  // of kVifTileColumns, on each side, at scale 0
SIDECORE_CONST uint kVifPadding = 4u;   // at the other scales
// The gain limit and its square as binary64 has it: whole part and 64 bits behind the point, high
// word first.
struct VifLimit {
  uint limit;
  uint limit_high;
  uint limit_low;
  uint square;
  uint square_high;
  uint square_low;
  float limit_below;  // slightly less than the limit
};
struct VifWindowsPush {
  uint width;
  uint height;
  uint stride;  // quads
  uint first;   // the tile of workgroup 0: what is bound to binding 2 begins with it
  uint radius;  // of the filter: 8, 4, 2 or 1
  VifLimit gain;
};

// Sums of a tile's windows, at most 960: each kept or there has at most 28,673 units.
struct VifTile {
  uint kept;
  uint there;
  uint variance_low;   // of flat windows: at most 41 bits
  uint variance_high;  // in the low 16 bits; flat windows above them
};

// A window that is left to vif_settle.comp: its variances, its covariance and its tile.
struct VifOpenWindow {
  uint variance1;
  uint variance2;
  uint both;
  uint tile;
};
// A list of them: 256 bytes.
SIDECORE_CONST uint kVifOpenWindows = 15u;
struct VifOpenList {
  uint count;  // perhaps more than there is room for
  uint unused[3];
  VifOpenWindow windows[kVifOpenWindows];
};

// vif_settle.comp adds what open windows keep to their tiles, in one workgroup. Binding 0, read:
// the lists of the four scales; 1: tiles.
SIDECORE_CONST uint kVifSettleInvocations = 64u;
struct VifSettlePush {
  VifLimit gain;
};

// vif_total.comp adds the tiles of scale k in workgroup k. Binding 0, read: tiles; 1, read: the
// scales' lists; 2, written: numbers of 64 bits for each scale, low word first.
struct VifTotals {
  uint kept[2];
  uint there[2];
  uint variance[2];  // of flat windows
  uint flats[2];
  uint lost[2];  // open windows for which the list had no room, added nowhere
};
struct VifTotalPush {
  uint first[4];  // tile of a scale
  uint tiles[4];
};

#ifdef __cplusplus
}  // namespace sidecore::qpu::shader
#endif
#undef SIDECORE_CONST
#endif
