// The seam between the decoder and whatever runs stages of whole frames in its place: a GPU, or who
// watches.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/thread_team.h"
#include "vp9/dsp.h"
#include "vp9/frame_buffer.h"
#include "vp9/frame_header.h"
#include "vp9/loop_filter_edges.h"
#include "vp9/picture_data.h"
#include "vp9/stage_clock.h"

namespace sidecore::vp9 {

/// What a back end did, over all frames so far.
struct BackEndStatistics {
  std::uint64_t steps = 0;        ///< of the schedules, where there is one
  std::uint64_t submissions = 0;  ///< to a GPU
  std::uint64_t fence_waits = 0;  ///< for these
  std::uint64_t dispatches = 0;   ///< in these
  /// Dispatches by stage; of the residual that of intra blocks too, where these are the GPU's.
  PerStage<std::uint64_t> by_stage{};
  std::uint64_t edges_on_gpu = 0;  ///< the others were the CPU's
  std::uint64_t copied_bytes = 0;  ///< between host and device, where they share no memory
  /// Of coefficients and transform blocks that lay in the host's memory and were copied to where a
  /// GPU reads them: 0 where the parser writes them there.
  std::uint64_t packed_bytes = 0;
  /// Rows of superblocks of frames of which CPU and GPU do a part each at the same time.
  std::uint64_t divided_rows = 0;
  std::uint64_t divided_rows_on_gpu = 0;
};

/// What a decoder lends to its back end, for a frame's time.
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

/// A frame of which only samples are missing.
struct ParsedFrame {
  const FrameHeader& header;
  const PictureData& picture;
  FrameBuffer& frame;
  /// Those of LAST, GOLDEN and ALTREF; null when the frame is intra.
  const std::array<std::shared_ptr<FrameBuffer>, kActiveReferences>& references;
};

/// Runs the loop filter of whole frames, and their other pixel stages too where reconstructs() says
/// so. An implementation may use any processor, if a frame's samples come out as the scalar
/// definition makes them. The decoder's threads call reconstruct() and then filter() for one frame
/// after another; what both were given lives until filter() returns. They call the other functions
/// at any time, also while those two run.
class BackEnd {
 public:
  virtual ~BackEnd() = default;

  /// Whether the decoder only parses, and gives frames to reconstruct(). Otherwise its threads
  /// reconstruct them. The answer never changes.
  [[nodiscard]] virtual bool reconstructs() const { return false; }
  /// Memory of a frame; the heap's unless overridden. Throws Error.
  [[nodiscard]] virtual video::Picture allocate(const video::PictureFormat& format) {
    return video::Picture(format);
  }
  /// Memory for the residual of a frame that is going to be parsed (ResidualAllocator), or none:
  /// then the parser has its own. Only of a back end that reconstructs.
  [[nodiscard]] virtual ResidualMemory residual_memory(std::size_t /*coefficient_bytes*/,
                                                       std::size_t /*transforms*/) {
    return {};
  }
  /// Begins a frame, before its edges are derived. What passes without a lap of the context's clock
  /// is timed as ClockRow::other. Samples need not be there when it returns: what reads them before
  /// filter() calls wait().
  virtual void reconstruct(const ParsedFrame& /*parsed*/, const StageContext& /*context*/) {}
  /// Filters the edges of a frame. `sharpness` is the frame header's, 0..7. What passes without a
  /// lap of the context's clock is timed as ClockRow::loop_filter, or as ClockRow::other where the
  /// back end reconstructs. With a back end that reconstructs the frame is done when it returns,
  /// but for what fetch() brings.
  virtual void filter(FrameBuffer& frame, const LoopFilterEdges& edges, int sharpness,
                      const StageContext& context) = 0;
  /// Returns once the samples that a frame is to have so far are there: at once, unless the back
  /// end works in the background. The decoder calls it before a frame is shown, and before it is
  /// read or written as a reference.
  virtual void wait(const FrameBuffer& /*frame*/) {}
  /// Leaves a frame to the caller, who is going to write all its samples: nothing of the back end
  /// touches them any more, and what it has of the frame in another memory is out of date.
  virtual void leave(const FrameBuffer& frame) { wait(frame); }
  /// Returns once the host has the samples of a frame that filter() is done with. Those of a frame
  /// that its header does not show need not come to the host before. The decoder calls it before it
  /// gives such a frame away.
  virtual void fetch(const FrameBuffer& /*frame*/) {}
  [[nodiscard]] virtual BackEndStatistics statistics() const { return {}; }
};

/// Filters on the CPU by the decoder's table: edges in order, or with several threads superblocks
/// in waves.
[[nodiscard]] std::unique_ptr<BackEnd> make_cpu_loop_filter();

/// Looks at a decoder's frames, in order, on any of its threads. Each function may be empty; where
/// any is not, a frame is filtered when all of it is reconstructed.
struct FrameObserver {
  /// A frame is parsed and nothing of it reconstructed.
  std::function<void(const ParsedFrame&)> parsed{};
  /// A frame is reconstructed, and this is what its filter will get.
  std::function<void(const FrameBuffer&, const LoopFilterEdges&, int sharpness)> before_filter{};
  /// BackEnd::filter() of the frame has returned.
  std::function<void(const FrameBuffer&, const LoopFilterEdges&)> filtered{};

  [[nodiscard]] bool watches() const { return parsed || before_filter || filtered; }
};

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
