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

/// Keeps so many of each kind, drawn with equal chance from all that it is shown.
class EdgeSampler {
 public:
  EdgeSampler(std::size_t of_a_kind, std::uint64_t seed) : of_a_kind_(of_a_kind), random_(seed) {}

  /// A frame of 8 bits as the filter gets it, and its edges in the definition's order. Two edges of
  /// one kind that adjoin are one item if together they start at a multiple of 16 samples, as
  /// libvpx and FFmpeg take them.
  void add(const vp9::FrameBuffer& frame, std::span<const vp9::LoopFilterEdge> edges,
           int sharpness);

  /// By kind.
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
  std::size_t of_a_kind_;
  Random random_;
  std::array<Kind, 7> kinds_;  // by LoopFilterKind
  vp9::FrameBuffer copy_;
  std::vector<Lines> met_;  // by edge
};

}  // namespace sidecore::bench
