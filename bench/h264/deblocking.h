// Deblocking of H.264 (ITU-T H.264, section 8.7): progressive pictures of 8 bits and 4:2:0. No
// decoder calls this code; the gates judge what such a decoder could gain.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/thread_team.h"
#include "video/picture.h"
#include "vp9/loop_filter.h"

namespace sidecore::h264 {

using vp9::EdgeDirection;

/// Width and height of a macroblock in luma samples; half as many chroma samples.
inline constexpr int kMacroblock = 16;
/// Edges of a macroblock in each direction, and segments of an edge: 4 luma samples, 2 chroma
/// samples each. Edge 0 is the macroblock's left or upper border. Chroma has only edges 0 and 2, at
/// its samples 0 and 4.
inline constexpr std::size_t kEdges = 4;

/// Filter strength bS (section 8.7.2.1) of each segment of an edge: 0 (not filtered) to 4.
using Strengths = std::array<std::uint8_t, kEdges>;

/// Number of values of indexA and of indexB (section 8.7.2.2).
inline constexpr std::size_t kIndices = 52;
/// indexA and indexB, below kIndices.
struct EdgeIndices {
  std::uint8_t a = 0;
  std::uint8_t b = 0;
};

/// Edges that share indices in each plane of a macroblock.
enum class EdgeClass : std::uint8_t { left, top, inner };

/// Strengths and indices of a macroblock's edges.
struct Macroblock {
  [[nodiscard]] const Strengths& edge(EdgeDirection direction, std::size_t index) const {
    return strengths[static_cast<std::size_t>(direction)][index];
  }
  [[nodiscard]] const EdgeIndices& indices_of(std::size_t plane, EdgeClass edges) const {
    return indices[plane][static_cast<std::size_t>(edges)];
  }

  std::array<std::array<Strengths, kEdges>, 2>
      strengths{};                                      ///< strengths by EdgeDirection and edge
  std::array<std::array<EdgeIndices, 3>, 3> indices{};  ///< indices by plane and EdgeClass
};

/// Thresholds of an edge (tables 8-16 and 8-17).
struct EdgeThresholds {
  std::uint8_t alpha = 0;
  std::uint8_t beta = 0;
  std::array<std::uint8_t, 4> tc0{};  ///< tC0 by bS of 1 to 3; tc0[0] is 0
};
/// Returns the thresholds for indices below kIndices (asserted).
[[nodiscard]] EdgeThresholds edge_thresholds(const EdgeIndices& indices);

/// Returns true if a line is filtered, provided that its bS is not 0 (filterSamplesFlag, section
/// 8.7.2.2). `q0` is the first sample after the edge, and `step` the distance between neighbouring
/// samples across the edge.
[[nodiscard]] bool is_filtered(const std::uint8_t* q0, std::ptrdiff_t step,
                               const EdgeThresholds& thresholds);
/// Returns true if a filtered luma line of bS 4 changes samples beyond p0 and q0 (section 8.7.2.4).
[[nodiscard]] bool is_filtered_strongly(const std::uint8_t* q0, std::ptrdiff_t step,
                                        const EdgeThresholds& thresholds);

/// Functions that filter one edge. `q0` is the first sample after the edge of the first line, and
/// `stride` the distance between rows. Strengths are as check_macroblocks() requires.
struct DeblockingKernels {
  /// Filters an edge of 16 luma samples.
  void (*luma)(std::uint8_t* q0, std::ptrdiff_t stride, EdgeDirection direction,
               const Strengths& strengths, const EdgeThresholds& thresholds);
  /// Filters an edge of 8 samples in both chroma planes.
  void (*chroma)(const std::array<std::uint8_t*, 2>& q0, std::ptrdiff_t stride,
                 EdgeDirection direction, const Strengths& strengths,
                 const std::array<EdgeThresholds, 2>& thresholds);
};
/// Returns the scalar definition: section 8.7.2, one line of samples at a time.
[[nodiscard]] const DeblockingKernels& scalar_deblocking();
/// Returns the NEON implementation.
[[nodiscard]] const DeblockingKernels& neon_deblocking();

/// Throws Error (usage) unless all of these hold:
/// - the format is 8 bits and 4:2:0, its sides are multiples of 16, and it has macroblocks.size()
///   macroblocks, which are in raster order;
/// - every index is at most 51 and every strength at most 4;
/// - the strength is 4 in all segments of an edge or in none, and only for edge 0;
/// - edges on the picture's border have strength 0.
void check_macroblocks(const video::PictureFormat& format, std::span<const Macroblock> macroblocks);

/// Planes of a picture: luma, Cb and Cr.
using Planes = std::array<video::PlaneView<std::uint8_t>, 3>;
/// Returns the planes of a picture of 8 bits and 4:2:0.
[[nodiscard]] Planes planes_of(video::Picture& picture);

/// Deblocks the macroblocks [first, last), in raster order, of a picture whose macroblocks pass
/// check_macroblocks(). Earlier macroblocks must be deblocked. In a macroblock, vertical edges come
/// before horizontal ones; each from the first to the last.
void deblock(const DeblockingKernels& kernels, const Planes& planes,
             std::span<const Macroblock> macroblocks, std::size_t first, std::size_t last);
/// Deblocks a whole picture with the same result. Threads take rows of macroblocks; a row stays
/// behind the row above.
void deblock(const DeblockingKernels& kernels, const Planes& planes,
             std::span<const Macroblock> macroblocks, ThreadTeam& team);

}  // namespace sidecore::h264
