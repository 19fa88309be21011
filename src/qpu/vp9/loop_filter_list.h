// QPU twin of vp9::loop_filter(): lists of edges over one plane.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "qpu/vp9/edge_filter.h"

namespace sidecore::qpu {

/// Filters edge lists of any length over planes in device-visible memory, a dispatch a list.
class LoopFilterList {
 public:
  /// `kinds` are those that its lists may have. Samples have 8 bits, or in 16-bit words up to 12.
  LoopFilterList(std::shared_ptr<Device> device, std::span<const vp9::LoopFilterKind> kinds,
                 int bits = 8);

  /// Checks the list against the contract (vp9::check_edges(), words) for a plane of
  /// `plane_samples` and `stride`, and copies it to device-visible memory, sorted by kind. Offsets
  /// and stride are in samples. Throws Error (usage) for a bad list or one with other kinds.
  class Edges {
   public:
    [[nodiscard]] std::size_t count() const { return count_; }

   private:
    friend class LoopFilterList;
    std::shared_ptr<Buffer> edges_;
    std::shared_ptr<Buffer> step_;
    std::size_t count_ = 0;
    std::size_t plane_bytes_ = 0;
    std::size_t stride_bytes_ = 0;
  };
  [[nodiscard]] Edges make_edges(std::span<const vp9::LoopFilterEdge> edges,
                                 std::size_t plane_samples, std::size_t stride) const;

  /// Uploads the edges (where memory is staged). Once a list, before its first dispatch.
  void record_upload(CommandList& list, const Edges& edges) const;
  /// Records the dispatch. `plane` holds at least the samples that the edges were checked for.
  /// Nothing is recorded for an empty list.
  void record(CommandList& list, const BufferRange& plane, const Edges& edges) const;

 private:
  std::shared_ptr<Device> device_;
  std::vector<vp9::LoopFilterKind> kinds_;
  std::size_t sample_bytes_;
  EdgeFilter filter_;
};

}  // namespace sidecore::qpu
