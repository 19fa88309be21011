// Edges of a real stream with the samples that the loop filter met there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "vp9/loop_filter.h"

namespace sidecore::bench {

/// One edge, or two that adjoin along their boundary, which decoders filter at once: what a file of
/// them holds, one behind the other.
struct CapturedEdges {
  static constexpr std::size_t kSide = 16;  ///< of the square of samples

  vp9::LoopFilterKind kind = vp9::LoopFilterKind::h_4;
  std::uint8_t count = 1;                           ///< 1 or 2; the second lies behind the first
  std::array<vp9::LoopFilterLimits, 2> limits{};    ///< of each
  std::array<std::uint8_t, kSide * kSide> samples;  ///< rows; the boundary lies in their middle

  /// Of edge `index`, in a square of samples.
  [[nodiscard]] std::size_t q0(std::size_t index) const {
    const bool vertical = vp9::direction_of(kind) == vp9::EdgeDirection::vertical;
    const std::size_t along = index * vp9::kEdgeLength;
    return vertical ? along * kSide + kSide / 2 : kSide / 2 * kSide + along;
  }
};
static_assert(sizeof(CapturedEdges) == 264 && alignof(CapturedEdges) == 1);

void write_captured_edges(const std::filesystem::path& path, std::span<const CapturedEdges> edges);
/// Throws Error (usage) when the file is missing or no such file.
[[nodiscard]] std::vector<CapturedEdges> read_captured_edges(const std::filesystem::path& path);

}  // namespace sidecore::bench
