// Workloads of the loop filter with the edges of a VP9 stream.
#pragma once

#include <memory>
#include <optional>

#include "gates/kernel.h"
#include "kernels/vp9/frame_capture.h"
#include "vp9/loop_filter.h"

namespace sidecore::bench {

/// Opens a clip whose frames, shown or hidden, become workloads: the stream's edges and limits,
/// over the reconstructed samples of all planes. Takes only frames with edges of `kind`; without a
/// kind, frames with any edges. Returns null if `clip` has no VP9 stream.
[[nodiscard]] std::unique_ptr<gates::ClipWorkloads> open_loop_filter_stream(
    std::optional<vp9::LoopFilterKind> kind, const gates::ClipRequest& clip);

/// Makes the workload of one frame. Without a kind: the whole frame, as a
/// LoopFilterPictureWorkload. With a kind: its edges as units that can be filtered in any order, or
/// null if there are none. Because kernels take one stride, the planes are joined into one: chroma
/// below luma, side by side if luma is wide enough. Edges that share samples (4 wide, on the border
/// and in the middle of an 8x8 block) use separate copies of the planes, so that every edge filters
/// unfiltered samples.
[[nodiscard]] std::unique_ptr<gates::Workload> make_frame_workload(
    std::optional<vp9::LoopFilterKind> kind, CapturedFrame frame);

}  // namespace sidecore::bench
