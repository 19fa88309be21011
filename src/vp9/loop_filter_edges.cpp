#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>
#include <optional>

#include "base/error.h"
#include "vp9/loop_filter.h"

namespace sidecore::vp9 {
namespace {

constexpr std::size_t kLength = kEdgeLength;
constexpr std::size_t kBandRows = 2 * kLength;
// Every run of bytes that an edge touches in a row is a multiple of this.
constexpr std::size_t kRunBytes = 8;

// The rectangle of samples that an edge touches, of 8-bit samples.
struct Touched {
  explicit Touched(LoopFilterKind kind)
      : reach(static_cast<std::size_t>(read_reach(width_of(kind)))),
        vertical(direction_of(kind) == EdgeDirection::vertical),
        rows(vertical ? kLength : 2 * reach),
        row_bytes(vertical ? 2 * reach : kLength) {}

  // From its first byte to q0.
  [[nodiscard]] std::size_t before(std::size_t stride) const {
    return vertical ? reach : reach * stride;
  }
  // From its first byte to one behind its last.
  [[nodiscard]] std::size_t extent(std::size_t stride) const {
    return (rows - 1) * stride + row_bytes;
  }

  std::size_t reach;
  bool vertical;
  std::size_t rows;
  std::size_t row_bytes;
};

void check_stride(std::size_t stride, SampleAccess access) {
  if (stride < kRunBytes) {
    throw usage_error("stride {} is below {}: the lines of an edge would overlap", stride,
                      kRunBytes);
  }
  if (access == SampleAccess::words && stride % 4 != 0) {
    throw usage_error("stride {} is not a multiple of 4, which word access needs", stride);
  }
}

// Whether the edge's samples from q0's row or column on end inside the plane. Divided, because
// products with a wild stride may wrap.
bool fits_behind(const Touched& touched, std::uint32_t offset, std::size_t plane_bytes,
                 std::size_t stride) {
  const std::size_t bytes = touched.vertical ? touched.reach : kLength;
  const std::size_t rows = touched.vertical ? kLength : touched.reach;
  if (plane_bytes < bytes || offset > plane_bytes - bytes) return false;
  return stride <= (plane_bytes - bytes - offset) / (rows - 1);
}

void check_in_front(std::size_t index, const LoopFilterEdge& edge, const Touched& touched,
                    std::size_t stride) {
  if (touched.vertical ? edge.offset < touched.reach : edge.offset / touched.reach < stride) {
    throw usage_error("edge {}: offset {} leaves fewer than {} samples {} the boundary", index,
                      edge.offset, touched.reach, touched.vertical ? "left of" : "above");
  }
}

void check_kind(std::size_t index, const LoopFilterEdge& edge) {
  if (std::ranges::find(kLoopFilterKinds, edge.kind) == kLoopFilterKinds.end()) {
    throw usage_error("edge {}: there is no filter of kind {}", index,
                      static_cast<unsigned>(edge.kind));
  }
}

void check_alone(std::size_t index, const LoopFilterEdge& edge, std::size_t plane_bytes,
                 std::size_t stride, SampleAccess access) {
  check_kind(index, edge);
  const Touched touched(edge.kind);
  if (stride < touched.row_bytes) {
    throw usage_error("edge {}: stride {} is below {}: its lines would overlap", index, stride,
                      touched.row_bytes);
  }
  check_in_front(index, edge, touched, stride);
  if (access == SampleAccess::words && edge.offset % 4 != 0) {
    throw usage_error("edge {}: offset {} is not a multiple of 4, which word access needs", index,
                      edge.offset);
  }
  if (!fits_behind(touched, edge.offset, plane_bytes, stride)) {
    throw usage_error(
        "edge {}: offset {} with {} lines of stride {} ends beyond the plane's {} bytes", index,
        edge.offset, touched.vertical ? kLength : touched.reach, stride, plane_bytes);
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

  /// Marks the kRunBytes bytes from `at`; false when one of them was marked before.
  bool mark_run(std::size_t at) {
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

// Calls `visit` with the first byte of every run of kRunBytes bytes that the edge touches.
template <class Visit>
void for_each_run(const LoopFilterEdge& edge, std::size_t stride, Visit visit) {
  const Touched touched(edge.kind);
  const std::size_t first = edge.offset - touched.before(stride);
  for (std::size_t row = 0; row < touched.rows; ++row) {
    for (std::size_t at = 0; at < touched.row_bytes; at += kRunBytes) {
      visit(first + row * stride + at);
    }
  }
}

// Names the earliest edge that shares a byte with the run at `run` of edge `index`.
Error overlap_error(std::span<const LoopFilterEdge> edges, std::size_t index, std::size_t run,
                    std::size_t stride) {
  for (std::size_t earlier = 0; earlier < index; ++earlier) {
    std::optional<std::size_t> common;
    for_each_run(edges[earlier], stride, [&](std::size_t start) {
      if (!common && start < run + kRunBytes && run < start + kRunBytes) {
        common = std::max(start, run);
      }
    });
    if (common) {
      return usage_error(
          "edge {}: offset {} touches byte {}, which edge {} (offset {}) touches too", index,
          edges[index].offset, *common, earlier, edges[earlier].offset);
    }
  }
  return usage_error("edge {}: offset {} touches samples of its own twice", index,
                     edges[index].offset);
}

void check_disjoint(std::span<const LoopFilterEdge> edges, std::size_t stride) {
  std::size_t first = std::numeric_limits<std::size_t>::max();
  std::size_t end = 0;
  for (const LoopFilterEdge& edge : edges) {
    const Touched touched(edge.kind);
    const std::size_t start = edge.offset - touched.before(stride);
    first = std::min(first, start);
    end = std::max(end, start + touched.extent(stride));
  }
  TouchedBytes touched(first, end);
  for (std::size_t index = 0; index < edges.size(); ++index) {
    for_each_run(edges[index], stride, [&](std::size_t run) {
      if (!touched.mark_run(run)) throw overlap_error(edges, index, run, stride);
    });
  }
}

}  // namespace

void check_edges(std::span<const LoopFilterEdge> edges, std::size_t plane_bytes, std::size_t stride,
                 SampleAccess access) {
  check_stride(stride, access);
  if (edges.empty()) return;
  for (std::size_t index = 0; index < edges.size(); ++index) {
    check_alone(index, edges[index], plane_bytes, stride, access);
  }
  check_disjoint(edges, stride);
}

void check_edges_h4(std::span<const LoopFilterEdge> edges, std::size_t plane_bytes,
                    std::size_t stride, SampleAccess access) {
  for (std::size_t index = 0; index < edges.size(); ++index) {
    if (edges[index].kind != LoopFilterKind::h_4) {
      throw usage_error("edge {}: kind {} in a list of h_4", index, to_string(edges[index].kind));
    }
  }
  check_edges(edges, plane_bytes, stride, access);
}

std::vector<LoopFilterEdge> grid_edges(LoopFilterKind kind, int width, int height,
                                       std::size_t stride, const LoopFilterLimits& limits) {
  const bool vertical = direction_of(kind) == EdgeDirection::vertical;
  const auto reach = static_cast<std::size_t>(read_reach(width_of(kind)));
  const auto columns = static_cast<std::size_t>(std::max(width, 0));
  const auto rows = static_cast<std::size_t>(std::max(height, 0));
  if (rows > 0 && stride > std::numeric_limits<std::uint32_t>::max() / rows) {
    throw usage_error("{} rows of stride {} are beyond the 32-bit offsets of edges", rows, stride);
  }
  const std::size_t spacing = 2 * reach;
  const std::size_t first_x = vertical ? spacing : 0;
  const std::size_t step_x = vertical ? spacing : kLength;
  const std::size_t right_of_x = vertical ? reach : kLength;
  std::vector<LoopFilterEdge> edges;
  const auto add_row = [&](std::size_t y, std::size_t rows_at_once) {
    for (std::size_t x = first_x; x + right_of_x <= columns; x += step_x) {
      for (std::size_t row = y; row < y + rows_at_once; row += kLength) {
        edges.push_back({.offset = static_cast<std::uint32_t>(row * stride + x),
                         .limits = limits,
                         .kind = kind});
      }
    }
  };
  if (vertical) {
    const std::size_t whole = rows / kLength * kLength;
    for (std::size_t band = 0; band < whole; band += kBandRows) {
      add_row(band, std::min(kBandRows, whole - band));
    }
  } else {
    for (std::size_t y = spacing; y + reach <= rows; y += spacing) add_row(y, 1);
  }
  return edges;
}

std::vector<LoopFilterEdge> grid_edges_h(int width, int height, std::size_t stride,
                                         const LoopFilterLimits& limits) {
  return grid_edges(LoopFilterKind::h_4, width, height, stride, limits);
}

}  // namespace sidecore::vp9
