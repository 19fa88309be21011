// The table of functions by which FFmpeg's H.264 decoder filters and transforms. No header of
// Debian's declares it, although its static library exports ff_h264dsp_init().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace sidecore::bench {

/// H264DSPContext of FFmpeg 5 to 7. In FFmpeg's names "v" filters across a horizontal edge and "h"
/// across a vertical one. tc0 has four values, one per segment: luma has tC0 of the specification,
/// or -1 for a bS of 0; chroma has tC0 + 1, or 0 for a bS of 0.
struct FfmpegH264Dsp {
  using Filter = void (*)(std::uint8_t* q0, std::ptrdiff_t stride, int alpha, int beta,
                          std::int8_t* tc0);
  using StrongFilter = void (*)(std::uint8_t* q0, std::ptrdiff_t stride, int alpha, int beta);

  std::array<void (*)(), 8> weights;
  Filter v_luma, h_luma, h_luma_mbaff;
  StrongFilter v_luma_strong, h_luma_strong, h_luma_mbaff_strong;
  Filter v_chroma, h_chroma, h_chroma_mbaff;
  StrongFilter v_chroma_strong, h_chroma_strong, h_chroma_mbaff_strong;
  std::array<void (*)(), 64> others;  ///< more than the table has
};

}  // namespace sidecore::bench
