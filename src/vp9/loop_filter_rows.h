// The CPU's loop filter of a frame by rows of superblocks, each behind the one above it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vp9/dsp.h"
#include "vp9/frame_buffer.h"
#include "vp9/loop_filter_edges.h"
#include "vp9/loop_filter_schedule.h"
#include "vp9/row_progress.h"
#include "vp9/stage_clock.h"

namespace sidecore::vp9 {

/// Superblock after superblock of a row in raster order, with all planes' edges of each in the
/// definition's order: planes touch no sample of one another, so that this order gives what the
/// definition's gives. A superblock may be filtered when the one above it to the right is, which
/// changes samples at their common corner. Rows of a frame may be filtered at the same time, if
/// they begin in order. Memory is kept between frames.
class LoopFilterRows {
 public:
  /// Nothing of a frame of so many superblocks is filtered yet. Edges are kept of the `at_once`
  /// rows that were derived last: no fewer than threads work on the frame.
  void start(int rows, int columns, int at_once);

  /// The edges of a row are those that the arrays of its frame say. Once a frame, before it is
  /// filtered; rows at the same time, too. Takes no memory that start() has not taken. Returns how
  /// many there are.
  EdgeCounts derive(const FrameHeader& header, const PictureData& picture, int row);
  /// The edges of all rows are those of a list in the definition's order.
  void divide(std::span<const LoopFilterEdge> edges, const PlaneScales& scales);

  /// Filters a row behind the one above. False when that one was given up, and this one with it.
  /// Throws as filter_edges(). The clock gets laps of ClockRow::loop_filter, without the time of
  /// waiting.
  [[nodiscard]] bool filter(const StreamDsp& dsp, FrameBuffer& frame, int sharpness, int row,
                            StageClock& clock);

 private:
  struct Row {
    Storage<LoopFilterEdge> edges;
    std::vector<std::uint32_t> ends;  ///< of each superblock's
  };
  template <class Sample>
  bool filter_by(const Dsp<Sample>& dsp, FrameBuffer& frame, int sharpness, int row,
                 StageClock& clock);

  [[nodiscard]] std::size_t place_of(int row) const {
    return static_cast<std::size_t>(row % at_once_);
  }

  int columns_ = 0;
  int at_once_ = 1;
  std::vector<Row> rows_;  ///< a ring
  RowProgress progress_;
};

}  // namespace sidecore::vp9
