// A frame in flight: from its parsed arrays to its final samples.
//
// A decoder's threads work on several frames at a time. The thread that calls Decoder::decode()
// parses packet after packet, because each frame's probabilities, vectors and segments depend on
// the previous frame. Each parsed frame becomes a FrameTask, whose pieces run on any thread.
//
// Piece r handles row r of superblocks: it reconstructs the row, and the loop filter follows a few
// superblocks behind, while the samples are still in the cache.
//
// Order. All pieces of all frames have one order: frames in stream order, and in each frame rows
// from the top. Pieces begin in this order (ThreadPool::Batch). Each waits only for work of earlier
// pieces:
// - Reconstruction of a superblock waits for the rows of reference frames that its vectors reach.
//   If it has intra blocks, it also waits for the superblock above it (of piece r - 1).
// - The filter of a superblock waits for the filter of the superblock above right (of piece r - 1).
//   A piece waits for that only at the end of its row; before, it continues to reconstruct.
// Therefore the first unfinished piece never waits. There is no deadlock with any number of
// threads, and one thread runs the pieces one after another without waiting.
//
// Intra prediction reads unfiltered samples: those to the left, and the last line of the row above.
// A superblock is filtered when the one to its right is reconstructed, and the filter changes no
// sample right of it. The row above may be filtered earlier, so a copy of its last line is kept
// (UnfilteredLines). The filter of row r also changes up to 7 lines at the bottom of row r - 1.
// Lines more than 8 lines of a plane above the end of a filtered row are final.
//
// If a back end filters (BackEnd) or a FrameObserver is set, the filter runs on a whole frame at
// once. Then the pieces of the rows only reconstruct, and one more piece waits for them and
// filters. The pieces of a frame begin after those of the previous frame have ended; frames are
// still parsed ahead.
//
// If the back end also reconstructs, a frame has one piece, which passes the frame's arrays and
// then its edges to the back end.
//
// A decoder with one thread that filters rows itself parses row r at the start of piece r
// (Settings::parser). The parsed row is then still in the cache when it is reconstructed, and
// memory holds the residual of one row only.
//
// A piece fails if it throws or if it waits for a piece that failed. Its frame then makes no more
// progress: rows below, and frames that predict from this one, fail when they wait for it. The
// decoder reports the first failed frame in order and drops the later ones.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "vp9/back_end.h"
#include "vp9/dsp.h"
#include "vp9/frame_buffer.h"
#include "vp9/frame_header.h"
#include "vp9/frame_parser.h"
#include "vp9/loop_filter_edges.h"
#include "vp9/picture_data.h"
#include "vp9/reconstruction.h"
#include "vp9/row_progress.h"
#include "vp9/stage_clock.h"
#include "vp9/unfiltered_lines.h"

namespace sidecore::vp9 {

class FrameTask {
 public:
  /// Settings that are the same for all frames of a decoder. What they point to must outlive the
  /// tasks.
  struct Settings {
    BackEnd* back_end = nullptr;              ///< filters whole frames; null: the task filters rows
    bool reconstructs = false;                ///< true if the back end also reconstructs frames
    const FrameObserver* observer = nullptr;  ///< used only with a back end
    FrameParser* parser = nullptr;      ///< parses the rows of a frame that it has begun; null: the
                                        ///< whole frame is parsed before start()
    SharedStageTimes* times = nullptr;  ///< null: stages are not timed
  };
  using References = std::array<std::shared_ptr<FrameBuffer>, kActiveReferences>;

  FrameTask() = default;
  FrameTask(const FrameTask&) = delete;
  FrameTask& operator=(const FrameTask&) = delete;

  /// Returns the frame's arrays. The caller fills them before start(). If Settings::parser is set,
  /// that parser fills them during the task.
  [[nodiscard]] PictureData& picture() { return picture_; }
  [[nodiscard]] const PictureData& picture() const { return picture_; }
  [[nodiscard]] const FrameHeader& header() const { return header_; }

  /// Starts the task on the threads of a pool. `references` are the frames of LAST, GOLDEN and
  /// ALTREF, null if the frame is intra. Their own tasks must have been started before.
  void start(const Settings& settings, const FrameHeader& header, const StreamDsp& dsp,
             std::shared_ptr<FrameBuffer> frame, References references, ThreadPool& pool);
  /// Makes this a task without work, for an earlier frame that is shown again.
  void repeat(std::shared_ptr<FrameBuffer> frame) { frame_ = std::move(frame); }

  /// Waits until no thread works on the frame; the calling thread helps meanwhile.
  void wait(ThreadPool& pool) const { pool.wait(batch_); }
  /// Waits like wait(), then throws the exception of the uppermost row that threw.
  void finish(ThreadPool& pool) { pool.finish(batch_); }
  [[nodiscard]] const std::shared_ptr<FrameBuffer>& frame() const { return frame_; }
  /// Returns the frame and releases its references. The task must have ended.
  [[nodiscard]] std::shared_ptr<FrameBuffer> release();

  /// Returns the numbers of edges that were filtered.
  [[nodiscard]] EdgeCounts edge_counts() const;

  /// Runs one piece of the work; called by the pool.
  void operator()(std::size_t piece, ThreadTeam& team);

 private:
  [[nodiscard]] std::size_t pieces() const;
  [[nodiscard]] bool filters_rows() const;
  [[nodiscard]] bool run(std::size_t piece, ThreadTeam& team, StageClock& clock);
  void parse(int row, StageClock& clock) const;
  // process_row(), wait_for_references() and filter_until() return false if something that they
  // waited for has failed.
  [[nodiscard]] bool process_row(int row, StageClock& clock);
  void reconstruct_frame(ThreadTeam& team, StageClock& clock);
  [[nodiscard]] bool has_intra_blocks(int row, int column) const;
  [[nodiscard]] bool wait_for_references(int row, int column) const;
  [[nodiscard]] bool filter_until(int end, bool wait, int row, RowProgress::Row& filtered,
                                  EdgeCounts& counts, StageClock& clock);
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
  // Used only if the task filters rows:
  RowProgress filtered_;
  UnfilteredLines unfiltered_;
  std::vector<Storage<LoopFilterEdge>> group_edges_;  ///< edges of a group, for each thread
  LoopFilterEdges edges_;  ///< edges of the frame; used only with a back end
  std::array<std::array<std::atomic<std::uint64_t>, 3>, 2> edge_counts_{};
  ThreadPool::Batch batch_;
};

}  // namespace sidecore::vp9
