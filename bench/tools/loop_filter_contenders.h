// The loop filters that are compared: sidecore's and, with SIDECORE_PEERS, those of other decoders.
// Each is called in the same way as by its own decoder.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tools/captured_edges.h"

namespace sidecore::bench {

/// Captured edges with their limits in libvpx's format, which repeats each limit 16 times.
struct PreparedEdges {
  explicit PreparedEdges(const CapturedEdges& edges);

  CapturedEdges captured;
  struct Limits {
    alignas(16) std::array<std::uint8_t, 16> blimit, limit, thresh;
  };
  std::array<Limits, 2> limits;
  bool one_limit;  ///< true if both edges have the same limits
};

struct Contender {
  std::string_view name;
  /// Returns true if the contender has a filter for such edges.
  bool (*takes)(const PreparedEdges& edges);
  /// Filters the edges in `samples`, which is a square in the format of CapturedEdges, aligned to
  /// 16 bytes.
  void (*filter)(const PreparedEdges& edges, std::uint8_t* samples);
};

/// Returns the filters: "none", which does nothing and shows the cost of calls; "scalar", the
/// scalar definition; "neon"; and those of other decoders.
[[nodiscard]] std::span<const Contender> contenders();

}  // namespace sidecore::bench

/// The loop filters of libvpx and FFmpeg, from Debian's static libraries, with the interface of
/// Contender. Two edges go to the decoder's own filter for two edges if it has one for their
/// limits, otherwise to its filter for one edge, twice.
namespace sidecore::bench::peers {

void libvpx_c(const PreparedEdges& edges, std::uint8_t* samples);
/// Filters with libvpx, which uses SSE2 on x86 and NEON on ARM.
void libvpx(const PreparedEdges& edges, std::uint8_t* samples);

/// Returns true if FFmpeg has such a filter. On x86 only edges for its filters of 16 lines count,
/// because its filters of 8 lines are MMX or C.
[[nodiscard]] bool ffmpeg_takes(const PreparedEdges& edges);
/// Filters with FFmpeg, which uses AVX on x86 and NEON on ARM.
void ffmpeg(const PreparedEdges& edges, std::uint8_t* samples);

}  // namespace sidecore::bench::peers
