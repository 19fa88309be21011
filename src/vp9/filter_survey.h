// Statistics of the loop filter's work in the frames of a stream.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "vp9/dsp.h"
#include "vp9/frame_buffer.h"
#include "vp9/loop_filter_schedule.h"

namespace sidecore::vp9 {

/// Mean, median and maximum of a value over frames.
struct Spread {
  double mean = 0;
  std::uint32_t median = 0;  ///< if two values are in the middle, the lower one
  std::uint32_t most = 0;
};
/// Returns the spread of `values`; all members are 0 if there are none.
[[nodiscard]] Spread compute_spread(std::span<const std::uint32_t> values);

/// Counts which branch each line of each edge takes, for frames of any bit depth. An edge is judged
/// on its input samples: those after all earlier edges are filtered.
class FilterSurvey {
 public:
  /// Adds one frame, unfiltered; `frame` does not change. `edges` are in the order of the scalar
  /// definition. Throws what filter_edges() throws.
  void add(const FrameBuffer& frame, std::span<const LoopFilterEdge> edges, int sharpness);

  /// Returns the counts for one kind of edge. The number of edges is LoopFilterBranches::lines / 8.
  [[nodiscard]] const LoopFilterBranches& branches(LoopFilterKind kind) const {
    return branches_[static_cast<std::size_t>(kind)];
  }
  /// Returns the number of dependency levels of each frame, all planes together; 0 if a frame is
  /// not filtered.
  [[nodiscard]] std::span<const std::uint32_t> levels() const { return levels_; }

 private:
  template <class Sample>
  void filter_and_count(const Dsp<Sample>& dsp, std::span<const LoopFilterEdge> edges,
                        int sharpness);

  std::array<LoopFilterBranches, 7> branches_{};  // indexed by LoopFilterKind
  std::vector<std::uint32_t> levels_;
  LevelScheduler scheduler_;
  FrameBuffer copy_;
};

}  // namespace sidecore::vp9
