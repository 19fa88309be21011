// The loop filters of libvpx and FFmpeg, from Debian's static libraries.
#pragma once

#include <cstdint>

namespace sidecore::bench {
struct PreparedEdges;
}

/// As bench::Contender has them. Two edges go to a decoder's own filter of two where it has one for
/// their limits, else to that of one, twice.
namespace sidecore::bench::peers {

void libvpx_c(const PreparedEdges& edges, std::uint8_t* samples);
/// SSE2 on x86, NEON on ARM.
void libvpx(const PreparedEdges& edges, std::uint8_t* samples);

/// On x86, where its filters of 8 lines are MMX or C, only what its filters of 16 lines take.
[[nodiscard]] bool ffmpeg_takes(const PreparedEdges& edges);
/// AVX on x86, NEON on ARM.
void ffmpeg(const PreparedEdges& edges, std::uint8_t* samples);

}  // namespace sidecore::bench::peers
