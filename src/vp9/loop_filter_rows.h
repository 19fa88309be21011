// Runs the CPU's loop filter by rows of superblocks; each row follows the row above it.
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

/// Filters a row's superblocks from left to right, each with the edges of all planes. Because
/// planes share no samples, the result equals that of the scalar definition. A superblock may be
/// filtered once the superblock above right of it is filtered, because both change samples at their
/// common corner. Several rows may be filtered at the same time if they begin in order.
/// Memory is reused for the next frame.
class LoopFilterRows {
 public:
  /// Prepares for a frame of `rows` x `columns` superblocks. Only the edges of the last `at_once`
  /// derived rows are kept, so `at_once` must be at least the number of threads that work on the
  /// frame.
  void start(int rows, int columns, int at_once);

  /// Derives the edges of a row from the frame's arrays. Call it once per row, before filter();
  /// different rows may be derived at the same time. It allocates no memory. Returns the numbers of
  /// edges.
  EdgeCounts derive(const FrameHeader& header, const PictureData& picture, int row);
  /// Takes the edges of all rows from a list in the order of the scalar definition; replaces
  /// derive().
  void divide(std::span<const LoopFilterEdge> edges, const PlaneScales& scales);

  /// Filters a row after the row above. Returns false if the row above failed; then this row fails
  /// too. Throws as filter_edges() does. The clock counts the filter's time as
  /// ClockRow::loop_filter, without waits.
  [[nodiscard]] bool filter(const StreamDsp& dsp, FrameBuffer& frame, int sharpness, int row,
                            StageClock& clock);

 private:
  struct Row {
    Storage<LoopFilterEdge> edges;
    std::vector<std::uint32_t> ends;  ///< end of each superblock's edges in `edges`
  };
  template <class Sample>
  bool filter_by(const Dsp<Sample>& dsp, FrameBuffer& frame, int sharpness, int row,
                 StageClock& clock);

  [[nodiscard]] std::size_t place_of(int row) const {
    return static_cast<std::size_t>(row % at_once_);
  }

  int columns_ = 0;
  int at_once_ = 1;
  std::vector<Row> rows_;  ///< ring of at_once_ rows
  RowProgress progress_;
};

}  // namespace sidecore::vp9
