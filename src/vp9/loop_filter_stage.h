// The decoder's loop-filter stage: what filters the edges of reconstructed frames.
#pragma once

#include <cstdint>
#include <memory>

#include "base/thread_team.h"
#include "vp9/dsp.h"
#include "vp9/frame_buffer.h"
#include "vp9/loop_filter_edges.h"
#include "vp9/stage_clock.h"

namespace sidecore::vp9 {

/// Dispatches to a GPU, by what they do.
struct StageDispatches {
  std::uint64_t prediction = 0;  ///< of inter blocks
  std::uint64_t residual = 0;    ///< of intra blocks too, where these are the GPU's
  std::uint64_t intra = 0;
  std::uint64_t loop_filter = 0;

  StageDispatches& operator+=(const StageDispatches& more) {
    prediction += more.prediction;
    residual += more.residual;
    intra += more.intra;
    loop_filter += more.loop_filter;
    return *this;
  }
};

/// What a stage took, over all frames so far: of one that also reconstructs frames, all of that.
struct FilterStatistics {
  std::uint64_t steps = 0;         ///< of the schedules, where there is one
  std::uint64_t submissions = 0;   ///< to a GPU
  std::uint64_t fence_waits = 0;   ///< for these
  std::uint64_t dispatches = 0;    ///< in these
  StageDispatches by_stage{};      ///< the same
  std::uint64_t edges_on_gpu = 0;  ///< the others were the CPU's
  std::uint64_t copied_bytes = 0;  ///< between host and device, where they share no memory
  /// Of coefficients and transform blocks that lay in the host's memory and were copied to where a
  /// GPU reads them: 0 where the parser writes them there.
  std::uint64_t packed_bytes = 0;
  /// Rows of superblocks of frames of which CPU and GPU do a part each at the same time.
  std::uint64_t divided_rows = 0;
  std::uint64_t divided_rows_on_gpu = 0;
};

/// What a decoder lends to its stages, for a frame's time.
struct StageContext {
  const StreamDsp& dsp;  ///< the CPU's kernels, of the stream's bit depth
  ThreadTeam& team;
  StageClock& clock;        ///< of the calling thread, for laps of what is done on it
  SharedStageTimes* times;  ///< for what other threads' clocks count; null when the clock is off

  /// Calls work(piece, clock) for every piece on the threads of a team, as ThreadTeam::run(), each
  /// with a clock that is on where this one is. The calling thread's clock gets no lap: what is not
  /// in the pieces' laps is time in which it waited for other threads.
  template <class Work>
  void run(ThreadTeam& threads, std::size_t pieces, const Work& work) const {
    threads.run(pieces, [&](std::size_t piece) {
      StageClock of_piece(clock.on());
      work(piece, of_piece);
      if (times != nullptr) times->add(of_piece.times());
    });
    clock.restart();
  }
};

/// Filters the edges of a reconstructed frame. An implementation may use any processor, if the
/// outcome is that of filter_edges() over the whole list. The decoder's threads call filter() for
/// one frame after another, and finish() and leave() at any time, also while filter() runs;
/// likewise the allocator of its frames.
class LoopFilterStage {
 public:
  virtual ~LoopFilterStage() = default;
  /// `sharpness` is the frame header's, 0..7. What passes without a lap of the context's clock is
  /// timed as the loop filter, or of a stage that also reconstructs as Stage::other.
  virtual void filter(FrameBuffer& frame, const LoopFilterEdges& edges, int sharpness,
                      const StageContext& context) = 0;
  /// Returns once a frame that was given to filter() is filtered: at once, unless the stage works
  /// in the background. The decoder calls it before a frame is shown, and before it is read or
  /// written as a reference.
  virtual void finish(const FrameBuffer& /*frame*/) {}
  /// Leaves a frame to the caller, who is going to write all its samples: nothing of the stage
  /// touches them any more, and what it has of the frame in another memory is out of date.
  virtual void leave(const FrameBuffer& frame) { finish(frame); }
  [[nodiscard]] virtual FilterStatistics statistics() const { return {}; }
};

/// Filters on the CPU by the decoder's table: edges in order, or with several threads superblocks
/// in waves.
[[nodiscard]] std::unique_ptr<LoopFilterStage> make_cpu_loop_filter();

/// The frame's memory as filters see it.
template <class Sample>
[[nodiscard]] LoopFilterPlanes<Sample> planes_of(FrameBuffer& frame) {
  LoopFilterPlanes<Sample> planes;
  for (int plane = 0; plane < 3; ++plane) {
    const video::PlaneView<Sample> view = frame.memory.plane<Sample>(plane);
    const auto stride = static_cast<std::size_t>(view.stride);
    planes[static_cast<std::size_t>(plane)] = {
        {view.samples, stride * static_cast<std::size_t>(view.height)}, stride};
  }
  return planes;
}

}  // namespace sidecore::vp9
