#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>

#include "base/error.h"
#include "vp9/loop_filter.h"

namespace sidecore::vp9 {
namespace {

constexpr std::size_t kLines = 8;
constexpr std::size_t kReach = 4;  // samples read on each side of the boundary
constexpr std::size_t kLineBytes = 2 * kReach;
constexpr std::size_t kBandRows = 2 * kLines;

void check_stride(std::size_t stride, SampleAccess access) {
  if (stride < kLineBytes) {
    throw usage_error("stride {} is below {}: the lines of an edge would overlap", stride,
                      kLineBytes);
  }
  if (access == SampleAccess::words && stride % 4 != 0) {
    throw usage_error("stride {} is not a multiple of 4, which word access needs", stride);
  }
}

// Whether the edge's last sample, offset + 7 * stride + 3, lies inside the plane.
bool fits(std::uint32_t offset, std::size_t plane_bytes, std::size_t stride) {
  if (plane_bytes < kReach || offset > plane_bytes - kReach) return false;
  // Divided, because 7 * stride may wrap.
  return stride <= (plane_bytes - kReach - offset) / (kLines - 1);
}

void check_alone(std::size_t index, const LoopFilterEdge& edge, std::size_t plane_bytes,
                 std::size_t stride, SampleAccess access) {
  if (edge.offset < kReach) {
    throw usage_error("edge {}: offset {} leaves fewer than {} samples left of the boundary", index,
                      edge.offset, kReach);
  }
  if (access == SampleAccess::words && edge.offset % 4 != 0) {
    throw usage_error("edge {}: offset {} is not a multiple of 4, which word access needs", index,
                      edge.offset);
  }
  if (!fits(edge.offset, plane_bytes, stride)) {
    throw usage_error(
        "edge {}: offset {} with {} lines of stride {} ends beyond the plane's {} bytes", index,
        edge.offset, kLines, stride, plane_bytes);
  }
}

// A bit for every byte between the list's first and last sample. calloc() hands out pages that
// become real when touched, so a short list over a large plane stays cheap.
class TouchedBytes {
 public:
  TouchedBytes(std::size_t first, std::size_t end)
      : first_(first),
        bits_(static_cast<std::uint8_t*>(std::calloc((end - first) / 8 + 2, 1)), &std::free) {
    if (!bits_) throw environment_error("no memory to check edges over {} bytes", end - first);
  }

  /// Marks the kLineBytes bytes from `at`; false when one of them was marked before.
  bool mark_line(std::size_t at) {
    const std::size_t bit = at - first_;
    const unsigned mask = 0xffU << (bit % 8);
    std::uint8_t* const pair = bits_.get() + bit / 8;
    const unsigned before = pair[0] | static_cast<unsigned>(pair[1]) << 8U;
    pair[0] = static_cast<std::uint8_t>(before | mask);
    pair[1] = static_cast<std::uint8_t>((before | mask) >> 8U);
    return (before & mask) == 0;
  }

 private:
  std::size_t first_;
  std::unique_ptr<std::uint8_t, decltype(&std::free)> bits_;
};

// Names the earliest edge that shares a byte with the line at `line_start` of edge `index`.
Error overlap_error(std::span<const LoopFilterEdge> edges, std::size_t index,
                    std::size_t line_start, std::size_t stride) {
  for (std::size_t earlier = 0; earlier < index; ++earlier) {
    for (std::size_t line = 0; line < kLines; ++line) {
      const std::size_t start = edges[earlier].offset - kReach + line * stride;
      if (start < line_start + kLineBytes && line_start < start + kLineBytes) {
        return usage_error(
            "edge {}: offset {} touches byte {}, which edge {} (offset {}) touches too", index,
            edges[index].offset, std::max(start, line_start), earlier, edges[earlier].offset);
      }
    }
  }
  return usage_error("edge {}: offset {} touches samples of its own twice", index,
                     edges[index].offset);
}

void check_disjoint(std::span<const LoopFilterEdge> edges, std::size_t stride) {
  const auto [low, high] = std::ranges::minmax(edges, {}, &LoopFilterEdge::offset);
  TouchedBytes touched(low.offset - kReach, high.offset + (kLines - 1) * stride + kReach);
  for (std::size_t index = 0; index < edges.size(); ++index) {
    for (std::size_t line = 0; line < kLines; ++line) {
      const std::size_t start = edges[index].offset - kReach + line * stride;
      if (!touched.mark_line(start)) throw overlap_error(edges, index, start, stride);
    }
  }
}

}  // namespace

void check_edges_h4(std::span<const LoopFilterEdge> edges, std::size_t plane_bytes,
                    std::size_t stride, SampleAccess access) {
  check_stride(stride, access);
  if (edges.empty()) return;
  for (std::size_t index = 0; index < edges.size(); ++index) {
    check_alone(index, edges[index], plane_bytes, stride, access);
  }
  check_disjoint(edges, stride);
}

std::vector<LoopFilterEdge> grid_edges_h(int width, int height, std::size_t stride,
                                         const LoopFilterLimits& limits) {
  std::vector<LoopFilterEdge> edges;
  const auto columns = static_cast<std::size_t>(std::max(width, 0));
  const std::size_t rows = static_cast<std::size_t>(std::max(height, 0)) / kLines * kLines;
  if (rows > 0 && stride > std::numeric_limits<std::uint32_t>::max() / rows) {
    throw usage_error("{} rows of stride {} are beyond the 32-bit offsets of edges", rows, stride);
  }
  edges.reserve(columns / 8 * (rows / 8));
  for (std::size_t band = 0; band < rows; band += kBandRows) {
    const std::size_t band_end = std::min(band + kBandRows, rows);
    for (std::size_t x = 8; x + kReach <= columns; x += 8) {
      for (std::size_t y = band; y < band_end; y += kLines) {
        edges.push_back({.offset = static_cast<std::uint32_t>(y * stride + x), .limits = limits});
      }
    }
  }
  return edges;
}

}  // namespace sidecore::vp9
