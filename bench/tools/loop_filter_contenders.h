// The loop filters that are compared: ours and, where they are built in (SIDECORE_PEERS), those of
// other decoders, each called as its own decoder calls it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tools/captured_edges.h"

namespace sidecore::bench {

/// Captured edges beside their limits in the shape that libvpx keeps for every level: 16 times the
/// same.
struct PreparedEdges {
  explicit PreparedEdges(const CapturedEdges& edges);

  CapturedEdges captured;
  struct Limits {
    alignas(16) std::array<std::uint8_t, 16> blimit, limit, thresh;
  };
  std::array<Limits, 2> limits;
  bool one_limit;  ///< for both edges
};

struct Contender {
  std::string_view name;
  /// Whether it has a filter for such edges.
  bool (*takes)(const PreparedEdges& edges);
  /// Filters them in `samples`, a square as CapturedEdges has it, aligned to 16.
  void (*filter)(const PreparedEdges& edges, std::uint8_t* samples);
};

/// "none", which does nothing and shows what calling costs; "scalar", the definition; "neon"; and
/// the peers.
[[nodiscard]] std::span<const Contender> contenders();

}  // namespace sidecore::bench

/// The loop filters of libvpx and FFmpeg, from Debian's static libraries, as Contender has them.
/// Two edges go to a decoder's own filter of two where it has one for their limits, else to that of
/// one, twice.
namespace sidecore::bench::peers {

void libvpx_c(const PreparedEdges& edges, std::uint8_t* samples);
/// SSE2 on x86, NEON on ARM.
void libvpx(const PreparedEdges& edges, std::uint8_t* samples);

/// On x86, where its filters of 8 lines are MMX or C, only what its filters of 16 lines take.
[[nodiscard]] bool ffmpeg_takes(const PreparedEdges& edges);
/// AVX on x86, NEON on ARM.
void ffmpeg(const PreparedEdges& edges, std::uint8_t* samples);

}  // namespace sidecore::bench::peers
