// What the loop filter finds in the frames of a stream.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "vp9/dsp.h"
#include "vp9/frame_buffer.h"
#include "vp9/loop_filter_schedule.h"

namespace sidecore::vp9 {

/// Mean, median and maximum of a figure over frames.
struct Spread {
  double mean = 0;
  std::uint32_t median = 0;  ///< the lower one of two
  std::uint32_t most = 0;
};
/// All 0 for none.
[[nodiscard]] Spread spread_of(std::span<const std::uint32_t> values);

/// Counts, for frames of any depth, which way every line of every edge goes. An edge is judged by
/// the samples that it meets: those behind all edges before it.
class FilterSurvey {
 public:
  /// `frame` is as the filter gets it, and stays so; `edges` are in the definition's order. Throws
  /// what filter_edges() throws.
  void add(const FrameBuffer& frame, std::span<const LoopFilterEdge> edges, int sharpness);

  /// Lines / 8 is edges.
  [[nodiscard]] const LoopFilterBranches& branches(LoopFilterKind kind) const {
    return branches_[static_cast<std::size_t>(kind)];
  }
  /// Dependency levels of each frame's edges, all planes together: 0 of one that is not filtered.
  [[nodiscard]] std::span<const std::uint32_t> levels() const { return levels_; }

 private:
  template <class Sample>
  void filter_and_count(const Dsp<Sample>& dsp, std::span<const LoopFilterEdge> edges,
                        int sharpness);

  std::array<LoopFilterBranches, 7> branches_{};  // by LoopFilterKind
  std::vector<std::uint32_t> levels_;
  LevelScheduler scheduler_;
  FrameBuffer copy_;
};

}  // namespace sidecore::vp9
