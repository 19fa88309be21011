// A frame in flight: from its arrays to samples that are final.
//
// A decoder's threads work on several frames at a time. One of them, the one that calls
// Decoder::decode(), parses packet after packet, because each frame's probabilities, vectors and
// segments build on the frame before; a parsed frame is a FrameTask, whose pieces any thread takes:
//
//   piece r (a row of superblocks): reconstruct row r, then filter row r - 1; the last one also
//   filters its own row.
//
// Order. All pieces of all frames have one order: frames as they come in the stream, in each its
// rows from the top. Pieces begin in this order (ThreadPool::Batch), and wait only for what pieces
// before them do:
//   - reconstruction of a superblock, for the rows of reference frames that its vectors reach, and
//     if it has intra blocks, for the superblock above it (of piece r - 1);
//   - the filter of a row, for its reconstruction and the filter of the row above (of piece r - 1).
// So the first piece that has not ended never waits: there is no deadlock, on any number of
// threads, and one thread alone runs the pieces one after another without waiting at all.
//
// Why row r - 1 may be filtered behind row r, and no earlier: intra prediction reads samples from
// before the filter, and row r reads the last line of row r - 1. The filter of row r - 1 changes,
// besides that row, up to 7 lines at the bottom of row r - 2; row r + 1 reads neither. Lines
// further up than 8 of a plane above a filtered row's end are final.
//
// Where a back end filters (BackEnd), or somebody looks at frames (FrameObserver), it is done for a
// whole frame at once: pieces only reconstruct, and one more piece after the rows, which
// waits for them, filters. Then the pieces of a frame begin when those of the frame before have
// ended; frames are parsed ahead all the same.
//
// Where the back end reconstructs as well, a frame is one piece: its arrays
// are given away, then its edges.
//
// On one thread that filters rows itself, piece r parses row r at first (Settings::parser): what
// is parsed is reconstructed while it is in the cache, and a row's residual is all that is kept.
//
// A piece that throws, or waits for one that has thrown, ends its frame's progress: rows below and
// frames that predict from this one are given up as soon as they ask for it. The decoder reports
// the first frame in order that has thrown and drops those behind it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "base/thread_pool.h"
#include "vp9/back_end.h"
#include "vp9/dsp.h"
#include "vp9/frame_buffer.h"
#include "vp9/frame_header.h"
#include "vp9/frame_parser.h"
#include "vp9/loop_filter_edges.h"
#include "vp9/loop_filter_rows.h"
#include "vp9/picture_data.h"
#include "vp9/reconstruction.h"
#include "vp9/row_progress.h"
#include "vp9/stage_clock.h"

namespace sidecore::vp9 {

class FrameTask {
 public:
  /// What is the same for all frames of a decoder; outlives them.
  struct Settings {
    BackEnd* back_end = nullptr;              ///< filters whole frames; null: rows are filtered
    bool reconstructs = false;                ///< whether it reconstructs them
    const FrameObserver* observer = nullptr;  ///< only with a back end
    FrameParser* parser = nullptr;      ///< parses rows of a frame that it has begun; null: all of
                                        ///< a frame is parsed before it starts
    SharedStageTimes* times = nullptr;  ///< null: stages are not timed
  };
  using References = std::array<std::shared_ptr<FrameBuffer>, kActiveReferences>;

  FrameTask() = default;
  FrameTask(const FrameTask&) = delete;
  FrameTask& operator=(const FrameTask&) = delete;

  /// Filled by whoever parses: before start(), or by Settings::parser.
  [[nodiscard]] PictureData& picture() { return picture_; }
  [[nodiscard]] const PictureData& picture() const { return picture_; }
  [[nodiscard]] const FrameHeader& header() const { return header_; }

  /// Begins on the threads of a pool. `references` are those of LAST, GOLDEN and ALTREF, null when
  /// the frame is intra; they were given to tasks before this one.
  void start(const Settings& settings, const FrameHeader& header, const StreamDsp& dsp,
             std::shared_ptr<FrameBuffer> frame, References references, ThreadPool& pool);
  /// Nothing is to be done: the frame is an earlier one that is shown once more.
  void repeat(std::shared_ptr<FrameBuffer> frame) { frame_ = std::move(frame); }

  /// Returns when nobody works on the frame any more, helping meanwhile.
  void wait(ThreadPool& pool) const { pool.wait(batch_); }
  /// As wait(), and throws what the uppermost row threw.
  void finish(ThreadPool& pool) { pool.finish(batch_); }
  [[nodiscard]] const std::shared_ptr<FrameBuffer>& frame() const { return frame_; }
  /// Of a task that has ended: gives the frame away and lets its references go.
  [[nodiscard]] std::shared_ptr<FrameBuffer> release();

  /// The edges that were filtered.
  [[nodiscard]] EdgeCounts edge_counts() const;

  /// A piece of the work; for the pool.
  void operator()(std::size_t piece, ThreadTeam& team);

 private:
  [[nodiscard]] std::size_t pieces() const;
  [[nodiscard]] bool run(std::size_t piece, ThreadTeam& team, StageClock& clock);
  void parse(int row, StageClock& clock) const;
  // Each returns false when something that it waited for was given up.
  [[nodiscard]] bool reconstruct(int row, StageClock& clock);
  void reconstruct_frame(ThreadTeam& team, StageClock& clock);
  [[nodiscard]] bool has_intra_blocks(int row, int column) const;
  [[nodiscard]] bool wait_for_references(int row, int column) const;
  [[nodiscard]] bool filter_row(int row, StageClock& clock);
  void filter_frame(ThreadTeam& team, StageClock& clock);
  void add(const EdgeCounts& counts);

  Settings settings_;
  FrameHeader header_;
  PictureData picture_;
  StreamDsp dsp_;
  std::shared_ptr<FrameBuffer> frame_;
  References references_;
  std::optional<Reconstruction> reconstruction_;
  RowProgress reconstructed_;
  LoopFilterRows filter_;
  LoopFilterEdges edges_;  ///< for a back end
  std::array<std::array<std::atomic<std::uint64_t>, 3>, 2> edge_counts_{};
  ThreadPool::Batch batch_;
};

}  // namespace sidecore::vp9
