// Interface between the decoder and a back end: an object that runs stages of whole frames in the
// decoder's place, for example on a GPU.
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

/// Counters of what a back end did for all frames so far.
struct BackEndStatistics {
  std::uint64_t steps = 0;  ///< dependency levels (or superblock waves) of all filter schedules
  std::uint64_t submissions = 0;  ///< queue submissions to a GPU
  std::uint64_t fence_waits = 0;  ///< waits for the fences of the queue submissions
  std::uint64_t dispatches = 0;   ///< dispatches in the queue submissions
  /// Number of dispatches by stage. Stage::residual includes the residual of intra blocks if the
  /// GPU computes it.
  PerStage<std::uint64_t> by_stage{};
  std::uint64_t edges_on_gpu = 0;  ///< edges that the GPU filtered; the CPU filtered the others
  std::uint64_t copied_bytes = 0;  ///< bytes copied between host and device; 0 if they share memory
  /// Bytes of coefficients and transform blocks that were copied from host memory to memory that
  /// the GPU reads. 0 if the parser writes them there directly.
  std::uint64_t packed_bytes = 0;
  /// Number of superblock rows in frames that CPU and GPU process at the same time, each a part.
  std::uint64_t divided_rows = 0;
  std::uint64_t divided_rows_on_gpu = 0;
};

/// Resources that a decoder lends to its back end while it works on one frame.
struct StageContext {
  const StreamDsp& dsp;  ///< the CPU's kernels for the stream's bit depth
  ThreadTeam& team;
  StageClock& clock;        ///< clock of the calling thread; counts the work done on that thread
  SharedStageTimes* times;  ///< sum of the other threads' clocks; null if the clock is off

  /// Calls work(piece, clock) for every piece on the threads of a team, like ThreadTeam::run().
  /// Each piece gets a clock of its own, which is on if this context's clock is on. The calling
  /// thread's clock counts nothing meanwhile: time outside the pieces' laps is waiting for other
  /// threads.
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

/// A frame that is parsed; its samples are not computed yet.
struct ParsedFrame {
  const FrameHeader& header;
  const PictureData& picture;
  FrameBuffer& frame;
  /// The frames that LAST, GOLDEN and ALTREF refer to; all null if the frame is intra.
  const std::array<std::shared_ptr<FrameBuffer>, kActiveReferences>& references;
};

/// Runs the loop filter of whole frames. If reconstructs() returns true, it runs their other pixel
/// stages too. An implementation may use any processor, but the samples must equal those of the
/// scalar definition. The decoder's threads call reconstruct() and then filter() for one frame
/// after another. The arguments of both calls stay valid until filter() returns. The decoder may
/// call the other functions at any time, also while those two run.
class BackEnd {
 public:
  virtual ~BackEnd() = default;

  /// Returns true if the decoder only parses frames and passes them to reconstruct(). If false, the
  /// decoder's threads reconstruct the frames. The answer must never change.
  [[nodiscard]] virtual bool reconstructs() const { return false; }
  /// Allocates the memory of a frame, on the heap unless overridden. Throws Error.
  [[nodiscard]] virtual video::Picture allocate(const video::PictureFormat& format) {
    return video::Picture(format);
  }
  /// Returns memory for the residual of a frame that is going to be parsed (ResidualAllocator). If
  /// it is empty, the parser uses its own memory. Called only if reconstructs() is true.
  [[nodiscard]] virtual ResidualMemory residual_memory(std::size_t /*coefficient_bytes*/,
                                                       std::size_t /*transforms*/) {
    return {};
  }
  /// Starts the pixel stages of a frame, before its edges are derived. Time without a lap of the
  /// context's clock counts as ClockRow::other. The samples need not be complete when it returns:
  /// code that reads them before filter() calls wait() first.
  virtual void reconstruct(const ParsedFrame& /*parsed*/, const StageContext& /*context*/) {}
  /// Filters the edges of a frame. `sharpness` is the frame header's value, 0..7. Time without a
  /// lap of the context's clock counts as ClockRow::loop_filter, or as ClockRow::other if
  /// reconstructs() is true. If reconstructs() is true, the frame is complete when filter()
  /// returns, except for the samples that fetch() copies to the host.
  virtual void filter(FrameBuffer& frame, const LoopFilterEdges& edges, int sharpness,
                      const StageContext& context) = 0;
  /// Waits until all work that the back end has started on the frame is done. Returns at once
  /// unless the back end works in the background. The decoder calls it before it shows a frame, and
  /// before it reads the frame as a reference or writes it.
  virtual void wait(const FrameBuffer& /*frame*/) {}
  /// Hands a frame to a caller that is going to write all its samples. When it returns, the back
  /// end no longer accesses the frame, and treats its own copies of the frame as out of date.
  virtual void leave(const FrameBuffer& frame) { wait(frame); }
  /// Returns once the host has the samples of a frame that filter() has completed. A back end may
  /// leave the samples of a hidden frame off the host until this call. The decoder calls it before
  /// it passes such a frame to the caller.
  virtual void fetch(const FrameBuffer& /*frame*/) {}
  [[nodiscard]] virtual BackEndStatistics statistics() const { return {}; }
};

/// Makes a back end that filters on the CPU with the decoder's table: in order on one thread, by
/// superblock waves on several.
[[nodiscard]] std::unique_ptr<BackEnd> make_cpu_loop_filter();

/// Callbacks that receive a decoder's frames, in order, on any of its threads. Each function may be
/// empty. If any is set, a frame is filtered only after all of it is reconstructed.
struct FrameObserver {
  /// Called after a frame is parsed and before any of it is reconstructed.
  std::function<void(const ParsedFrame&)> parsed{};
  /// Called after a frame is reconstructed, with the arguments that its filter will get.
  std::function<void(const FrameBuffer&, const LoopFilterEdges&, int sharpness)> before_filter{};
  /// Called after BackEnd::filter() of the frame has returned.
  std::function<void(const FrameBuffer&, const LoopFilterEdges&)> filtered{};

  [[nodiscard]] bool watches() const { return parsed || before_filter || filtered; }
};

/// Returns views of the frame's whole memory, in the form that the loop filter takes.
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
