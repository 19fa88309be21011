// Who filters the edges of reconstructed frames.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/thread_team.h"
#include "vp9/edges.h"
#include "vp9/frame_buffer.h"
#include "vp9/loop_filter.h"

namespace sidecore::vp9 {

/// What filtering took, over all frames so far.
struct FilterStatistics {
  std::uint64_t steps = 0;         ///< of the schedules, where there is one
  std::uint64_t submissions = 0;   ///< to a GPU
  std::uint64_t fence_waits = 0;   ///< for these
  std::uint64_t dispatches = 0;    ///< in these
  std::uint64_t edges_on_gpu = 0;  ///< the others were the CPU's
  std::uint64_t copied_bytes = 0;  ///< between host and device, where they share no memory
};

/// Filters the edges of a reconstructed frame. Whoever implements it may use any processor, if the
/// outcome is that of filtering edge after edge in the list's order.
class PictureFilter {
 public:
  virtual ~PictureFilter() = default;
  /// `sharpness` is the frame header's, 0..7. Throws Error (usage) for samples of a depth that it
  /// cannot filter.
  virtual void filter(FrameBuffer& frame, const PictureEdges& edges, int sharpness,
                      ThreadTeam& team) = 0;
  /// Returns once a frame that was given to filter() is filtered: at once, unless the filter works
  /// in the background. The decoder calls it before a frame is read or written as a reference; who
  /// is shown a frame does so before looking at its samples.
  virtual void finish(const FrameBuffer& /*frame*/) {}
  [[nodiscard]] virtual FilterStatistics statistics() const { return {}; }
};

/// A function that filters a list in its order, as vp9::filter_edges_in_order() and its twin do.
template <class Sample>
using EdgeListFilter = void (*)(const LoopFilterPicture<Sample>&, std::span<const PictureEdge>,
                                int sharpness);

/// Such functions for 8-bit samples and for deeper ones, which are refused where there is none.
struct EdgeListFilters {
  // NOLINTNEXTLINE(google-explicit-constructor): one for 8 bits alone is a set of filters too
  EdgeListFilters(EdgeListFilter<std::uint8_t> bytes, EdgeListFilter<std::uint16_t> words = nullptr)
      : of_bytes(bytes), of_words(words) {}
  EdgeListFilter<std::uint8_t> of_bytes;
  EdgeListFilter<std::uint16_t> of_words;
};

/// The definition: scalar, in order; with several threads, superblocks in waves.
[[nodiscard]] std::unique_ptr<PictureFilter> make_scalar_filter();

/// The same by other functions; `name` is for messages.
[[nodiscard]] std::unique_ptr<PictureFilter> make_cpu_filter(const EdgeListFilters& filters,
                                                             const char* name);

/// The frame's memory as filters see it.
template <class Sample>
[[nodiscard]] LoopFilterPicture<Sample> filter_view(FrameBuffer& frame) {
  LoopFilterPicture<Sample> picture;
  picture.bits = frame.memory.format().pixel.bits;
  for (int plane = 0; plane < 3; ++plane) {
    const video::PlaneView<Sample> view = frame.memory.plane<Sample>(plane);
    const auto stride = static_cast<std::size_t>(view.stride);
    picture.planes[static_cast<std::size_t>(plane)] = {
        {view.samples, stride * static_cast<std::size_t>(view.height)}, stride};
  }
  return picture;
}

}  // namespace sidecore::vp9
