// Captures edges from the frames of a stream.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "tools/captured_edges.h"
#include "vp9/frame_buffer.h"

namespace sidecore::bench {

/// Keeps a random sample of up to `edges_per_kind` items of each kind; all items have the same
/// chance.
class EdgeSampler {
 public:
  EdgeSampler(std::size_t edges_per_kind, std::uint64_t seed)
      : edges_per_kind_(edges_per_kind), random_(seed) {}

  /// Adds the edges of an 8-bit frame, in the scalar definition's order. `frame` is the frame
  /// before the filter. Two adjoining edges of one kind are one item if together they start at a
  /// multiple of 16 samples, as in libvpx and FFmpeg.
  void add(const vp9::FrameBuffer& frame, std::span<const vp9::LoopFilterEdge> edges,
           int sharpness);

  /// Returns the kept items, ordered by kind.
  [[nodiscard]] std::vector<CapturedEdges> sample() const;

 private:
  using Lines = std::array<std::uint8_t, vp9::kEdgeLength * CapturedEdges::kSide>;
  void filter_in_order(const vp9::FrameBuffer& frame, std::span<const vp9::LoopFilterEdge> edges,
                       int sharpness);
  void offer(const CapturedEdges& item);

  struct Kind {
    std::vector<CapturedEdges> kept;
    std::uint64_t seen = 0;
  };
  std::size_t edges_per_kind_;
  Random random_;
  std::array<Kind, 7> kinds_;  // kept edges, indexed by LoopFilterKind
  vp9::FrameBuffer copy_;
  std::vector<Lines> met_;  // samples that each edge of the frame reads
};

}  // namespace sidecore::bench
