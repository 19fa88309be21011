#include "h264/deblocking_kinds.h"

#include <cassert>

namespace sidecore::h264 {
namespace {

constexpr std::array<std::string_view, 2> kLumaKernels{"h264_deblocking luma vertical",
                                                       "h264_deblocking luma horizontal"};
constexpr std::array<std::string_view, 2> kChromaKernels{"h264_deblocking chroma vertical",
                                                         "h264_deblocking chroma horizontal"};
constexpr std::string_view kNotMet = "mask not met";
constexpr std::string_view kNormal = "bS 1 to 3";
constexpr std::string_view kWeak = "bS 4, p0 and q0";
constexpr std::string_view kStrong = "bS 4";

/// Returns true if holds(q0, step) of any of an edge's `lines` lines whose bS is not 0.
template <class Holds>
bool any_line(const std::uint8_t* q0, std::ptrdiff_t stride, EdgeDirection direction, int lines,
              const Strengths& strengths, const Holds& holds) {
  const bool vertical = direction == EdgeDirection::vertical;
  const int per_segment = lines / static_cast<int>(kEdges);
  for (int line = 0; line < lines; ++line) {
    if (strengths[static_cast<std::size_t>(line / per_segment)] == 0) continue;
    if (holds(q0 + line * (vertical ? stride : 1), vertical ? 1 : stride)) return true;
  }
  return false;
}

// The kernels that count have no argument for this.
thread_local std::map<DeblockingKind, double>* g_counts = nullptr;

void count_luma(std::uint8_t* q0, std::ptrdiff_t stride, EdgeDirection direction,
                const Strengths& strengths, const EdgeThresholds& thresholds) {
  assert(g_counts != nullptr);
  (*g_counts)[kind_of_luma(q0, stride, direction, strengths, thresholds)] += 1;
  scalar_deblocking().luma(q0, stride, direction, strengths, thresholds);
}

void count_chroma(const std::array<std::uint8_t*, 2>& q0, std::ptrdiff_t stride,
                  EdgeDirection direction, const Strengths& strengths,
                  const std::array<EdgeThresholds, 2>& thresholds) {
  assert(g_counts != nullptr);
  (*g_counts)[kind_of_chroma(q0, stride, direction, strengths, thresholds)] += 1;
  scalar_deblocking().chroma(q0, stride, direction, strengths, thresholds);
}

}  // namespace

DeblockingKind kind_of_luma(const std::uint8_t* q0, std::ptrdiff_t stride, EdgeDirection direction,
                            const Strengths& strengths, const EdgeThresholds& thresholds) {
  const auto any = [&](const auto& holds) {
    return any_line(q0, stride, direction, kMacroblock, strengths, holds);
  };
  const auto filtered = [&](const std::uint8_t* at, std::ptrdiff_t step) {
    return is_filtered(at, step, thresholds);
  };
  const auto strong = [&](const std::uint8_t* at, std::ptrdiff_t step) {
    return is_filtered(at, step, thresholds) && is_filtered_strongly(at, step, thresholds);
  };
  std::string_view input = kNotMet;
  if (any(filtered)) input = strengths[0] < 4 ? kNormal : any(strong) ? kStrong : kWeak;
  return {kLumaKernels[static_cast<std::size_t>(direction)], input};
}

DeblockingKind kind_of_chroma(const std::array<std::uint8_t*, 2>& q0, std::ptrdiff_t stride,
                              EdgeDirection direction, const Strengths& strengths,
                              const std::array<EdgeThresholds, 2>& thresholds) {
  bool any = false;
  for (std::size_t plane = 0; plane < q0.size(); ++plane) {
    any |= any_line(q0[plane], stride, direction, kMacroblock / 2, strengths,
                    [&](const std::uint8_t* at, std::ptrdiff_t step) {
                      return is_filtered(at, step, thresholds[plane]);
                    });
  }
  const std::string_view input = !any ? kNotMet : strengths[0] < 4 ? kNormal : kStrong;
  return {kChromaKernels[static_cast<std::size_t>(direction)], input};
}

std::map<DeblockingKind, double> count_kinds(const Planes& planes,
                                             std::span<const Macroblock> macroblocks) {
  constexpr DeblockingKernels kCounting{count_luma, count_chroma};
  std::map<DeblockingKind, double> counts;
  counts[kMacroblockKind] = static_cast<double>(macroblocks.size());
  g_counts = &counts;
  deblock(kCounting, planes, macroblocks, 0, macroblocks.size());
  g_counts = nullptr;
  return counts;
}

}  // namespace sidecore::h264
