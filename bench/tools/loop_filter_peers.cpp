#include "tools/loop_filter_contenders.h"

#include <array>
#include <cstddef>

// Functions without a public header in either library. In FFmpeg "h" filters across a vertical
// boundary, which libvpx calls "vertical".
extern "C" {

#define LIBVPX_ONE(name)                                                                         \
  void name(std::uint8_t* q0, int stride, const std::uint8_t* blimit, const std::uint8_t* limit, \
            const std::uint8_t* thresh)
#define LIBVPX_TWO(name)                                                \
  void name(std::uint8_t* q0, int stride, const std::uint8_t* blimit_0, \
            const std::uint8_t* limit_0, const std::uint8_t* thresh_0,  \
            const std::uint8_t* blimit_1, const std::uint8_t* limit_1,  \
            const std::uint8_t* thresh_1)
#define LIBVPX(suffix)                            \
  LIBVPX_ONE(vpx_lpf_vertical_4_##suffix);        \
  LIBVPX_ONE(vpx_lpf_vertical_8_##suffix);        \
  LIBVPX_ONE(vpx_lpf_vertical_16_##suffix);       \
  LIBVPX_ONE(vpx_lpf_horizontal_4_##suffix);      \
  LIBVPX_ONE(vpx_lpf_horizontal_8_##suffix);      \
  LIBVPX_ONE(vpx_lpf_horizontal_16_##suffix);     \
  LIBVPX_TWO(vpx_lpf_vertical_4_dual_##suffix);   \
  LIBVPX_TWO(vpx_lpf_vertical_8_dual_##suffix);   \
  LIBVPX_ONE(vpx_lpf_vertical_16_dual_##suffix);  \
  LIBVPX_TWO(vpx_lpf_horizontal_4_dual_##suffix); \
  LIBVPX_TWO(vpx_lpf_horizontal_8_dual_##suffix); \
  LIBVPX_ONE(vpx_lpf_horizontal_16_dual_##suffix)

#define FFMPEG(name) \
  void name(std::uint8_t* q0, std::ptrdiff_t stride, int blimit, int limit, int thresh)
#define FFMPEG_TWO(suffix)                     \
  FFMPEG(ff_vp9_loop_filter_h_44_16_##suffix); \
  FFMPEG(ff_vp9_loop_filter_h_88_16_##suffix); \
  FFMPEG(ff_vp9_loop_filter_h_16_16_##suffix); \
  FFMPEG(ff_vp9_loop_filter_v_44_16_##suffix); \
  FFMPEG(ff_vp9_loop_filter_v_88_16_##suffix); \
  FFMPEG(ff_vp9_loop_filter_v_16_16_##suffix)

LIBVPX(c);
#if defined(__aarch64__)
LIBVPX(neon);
FFMPEG_TWO(neon);
FFMPEG(ff_vp9_loop_filter_h_4_8_neon);
FFMPEG(ff_vp9_loop_filter_h_8_8_neon);
FFMPEG(ff_vp9_loop_filter_h_16_8_neon);
FFMPEG(ff_vp9_loop_filter_v_4_8_neon);
FFMPEG(ff_vp9_loop_filter_v_8_8_neon);
FFMPEG(ff_vp9_loop_filter_v_16_8_neon);
#else
LIBVPX(sse2);
FFMPEG_TWO(avx);
void vpx_dsp_rtcd(void);
#endif
}

namespace sidecore::bench::peers {
namespace {

using LibvpxOne = decltype(&vpx_lpf_vertical_4_c);
using LibvpxTwo = decltype(&vpx_lpf_vertical_4_dual_c);
using Ffmpeg = void (*)(std::uint8_t*, std::ptrdiff_t, int, int, int);

constexpr auto kStride = static_cast<int>(CapturedEdges::kSide);

/// Filters of libvpx by LoopFilterKind; index 3 is unused.
struct Libvpx {
  std::array<LibvpxOne, 7> one;
  std::array<LibvpxTwo, 7> two;  ///< filters 4 and 8 wide, for two edges
  /// Filters 16 wide, for two edges with the same limits.
  std::array<LibvpxOne, 7> two_alike;
};

#define LIBVPX_TABLE(suffix)                                                                         \
  {                                                                                                  \
    {&vpx_lpf_vertical_4_##suffix,   &vpx_lpf_vertical_8_##suffix,                                   \
     &vpx_lpf_vertical_16_##suffix,  nullptr,                                                        \
     &vpx_lpf_horizontal_4_##suffix, &vpx_lpf_horizontal_8_##suffix,                                 \
     &vpx_lpf_horizontal_16_##suffix},                                                               \
        {&vpx_lpf_vertical_4_dual_##suffix,   &vpx_lpf_vertical_8_dual_##suffix,   nullptr, nullptr, \
         &vpx_lpf_horizontal_4_dual_##suffix, &vpx_lpf_horizontal_8_dual_##suffix, nullptr},         \
    {                                                                                                \
      nullptr, nullptr, &vpx_lpf_vertical_16_dual_##suffix, nullptr, nullptr, nullptr,               \
          &vpx_lpf_horizontal_16_dual_##suffix                                                       \
    }                                                                                                \
  }

constexpr Libvpx kLibvpxC = LIBVPX_TABLE(c);
#if defined(__aarch64__)
constexpr Libvpx kLibvpx = LIBVPX_TABLE(neon);
constexpr std::array<Ffmpeg, 7> kFfmpegOne = {
    &ff_vp9_loop_filter_h_4_8_neon,  &ff_vp9_loop_filter_h_8_8_neon,
    &ff_vp9_loop_filter_h_16_8_neon, nullptr,
    &ff_vp9_loop_filter_v_4_8_neon,  &ff_vp9_loop_filter_v_8_8_neon,
    &ff_vp9_loop_filter_v_16_8_neon};
#define FFMPEG_NAME(name) &name##_neon
#else
constexpr Libvpx kLibvpx = LIBVPX_TABLE(sse2);
constexpr std::array<Ffmpeg, 7> kFfmpegOne{};
#define FFMPEG_NAME(name) &name##_avx
#endif
constexpr std::array<Ffmpeg, 7> kFfmpegTwo = {
    FFMPEG_NAME(ff_vp9_loop_filter_h_44_16), FFMPEG_NAME(ff_vp9_loop_filter_h_88_16),
    FFMPEG_NAME(ff_vp9_loop_filter_h_16_16), nullptr,
    FFMPEG_NAME(ff_vp9_loop_filter_v_44_16), FFMPEG_NAME(ff_vp9_loop_filter_v_88_16),
    FFMPEG_NAME(ff_vp9_loop_filter_v_16_16)};

void by_libvpx(const Libvpx& filters, const PreparedEdges& edges, std::uint8_t* samples) {
  const CapturedEdges& captured = edges.captured;
  const auto kind = static_cast<std::size_t>(captured.kind);
  const auto& [first, second] = edges.limits;
  std::uint8_t* const q0 = samples + captured.q0(0);
  if (captured.count == 2 && filters.two[kind] != nullptr) {
    return filters.two[kind](q0, kStride, first.blimit.data(), first.limit.data(),
                             first.thresh.data(), second.blimit.data(), second.limit.data(),
                             second.thresh.data());
  }
  if (captured.count == 2 && edges.one_limit) {
    return filters.two_alike[kind](q0, kStride, first.blimit.data(), first.limit.data(),
                                   first.thresh.data());
  }
  for (std::size_t index = 0; index < captured.count; ++index) {
    const PreparedEdges::Limits& limits = edges.limits[index];
    filters.one[kind](samples + captured.q0(index), kStride, limits.blimit.data(),
                      limits.limit.data(), limits.thresh.data());
  }
}

/// Packs the limits of two edges into one number for FFmpeg, with those of the second edge in the
/// upper byte.
int pack_limits(const CapturedEdges& edges, std::uint8_t vp9::LoopFilterLimits::*limit) {
  return edges.limits[0].*limit | edges.limits[1].*limit << 8;
}

/// Returns true if FFmpeg can filter both edges at once. Its filters of two edges 16 wide take one
/// set of limits.
bool ffmpeg_takes_two(const PreparedEdges& edges) {
  return edges.captured.count == 2 && (vp9::width_of(edges.captured.kind) < 16 || edges.one_limit);
}

}  // namespace

void libvpx_c(const PreparedEdges& edges, std::uint8_t* samples) {
  by_libvpx(kLibvpxC, edges, samples);
}

void libvpx(const PreparedEdges& edges, std::uint8_t* samples) {
#if !defined(__aarch64__)
  // This call sets the pointers through which some of libvpx's SSE2 filters jump.
  static const bool ready = (vpx_dsp_rtcd(), true);
  (void)ready;
#endif
  by_libvpx(kLibvpx, edges, samples);
}

bool ffmpeg_takes(const PreparedEdges& edges) {
  return kFfmpegOne[0] != nullptr || ffmpeg_takes_two(edges);
}

void ffmpeg(const PreparedEdges& edges, std::uint8_t* samples) {
  const CapturedEdges& captured = edges.captured;
  const auto kind = static_cast<std::size_t>(captured.kind);
  const vp9::LoopFilterLimits& first = captured.limits[0];
  if (ffmpeg_takes_two(edges)) {
    const bool wide = vp9::width_of(captured.kind) == 16;
    using Limits = vp9::LoopFilterLimits;
    return kFfmpegTwo[kind](samples + captured.q0(0), kStride,
                            wide ? first.blimit : pack_limits(captured, &Limits::blimit),
                            wide ? first.limit : pack_limits(captured, &Limits::limit),
                            wide ? first.thresh : pack_limits(captured, &Limits::thresh));
  }
  for (std::size_t index = 0; index < captured.count; ++index) {
    const vp9::LoopFilterLimits& limits = captured.limits[index];
    kFfmpegOne[kind](samples + captured.q0(index), kStride, limits.blimit, limits.limit,
                     limits.thresh);
  }
}

}  // namespace sidecore::bench::peers
