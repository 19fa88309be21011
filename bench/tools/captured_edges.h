// Edges of a real stream, each with the samples that the loop filter reads for it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "vp9/loop_filter.h"

namespace sidecore::bench {

/// One edge, or two edges that adjoin along their boundary, which decoders filter at once. A file
/// holds such records, one after the other.
struct CapturedEdges {
  static constexpr std::size_t kSide = 16;  ///< side of the square of samples, in samples

  vp9::LoopFilterKind kind = vp9::LoopFilterKind::h_4;
  /// Number of edges, 1 or 2; the second edge follows the first along the boundary.
  std::uint8_t count = 1;
  std::array<vp9::LoopFilterLimits, 2> limits{};  ///< limits of each edge
  /// Samples row by row; the boundary is in the middle of the square.
  std::array<std::uint8_t, kSide * kSide> samples;

  /// Returns the index in `samples` of the first sample after the boundary (q0) on the first line
  /// of edge `index`.
  [[nodiscard]] std::size_t q0(std::size_t index) const {
    const bool vertical = vp9::direction_of(kind) == vp9::EdgeDirection::vertical;
    const std::size_t along = index * vp9::kEdgeLength;
    return vertical ? along * kSide + kSide / 2 : kSide / 2 * kSide + along;
  }
};
static_assert(sizeof(CapturedEdges) == 264 && alignof(CapturedEdges) == 1);

void write_captured_edges(const std::filesystem::path& path, std::span<const CapturedEdges> edges);
/// Reads the edges of a file. Throws Error (usage) if the file is missing or does not hold captured
/// edges.
[[nodiscard]] std::vector<CapturedEdges> read_captured_edges(const std::filesystem::path& path);

}  // namespace sidecore::bench
