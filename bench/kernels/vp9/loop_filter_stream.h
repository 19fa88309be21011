// A VP9 stream's own edges for the loop-filter kernels.
#pragma once

#include <memory>
#include <optional>

#include "gates/kernel.h"
#include "kernels/vp9/frame_capture.h"
#include "vp9/loop_filter.h"

namespace sidecore::bench {

/// Workloads of the stream's frames, shown or hidden, that have edges of `kind`, or without one any
/// edges: those edges with the limits that the stream gives them, over the samples of all planes as
/// reconstruction left them. Null when `clip` holds no VP9.
[[nodiscard]] std::unique_ptr<gates::ClipWorkloads> open_loop_filter_stream(
    std::optional<vp9::LoopFilterKind> kind, const gates::ClipRequest& clip);

/// Without a kind the whole frame, as a LoopFilterPictureWorkload. Otherwise the edges of `kind` in
/// one frame, as units that may be filtered in any order. The planes lie in
/// one, for kernels take one stride: chroma below luma, side by side where luma is wide enough for
/// both. Edges that share samples, 4 wide on a border and in the middle of an 8x8 block, are given
/// copies of the planes of their own: every edge meets the samples that reconstruction left. Null
/// when there is no such edge.
[[nodiscard]] std::unique_ptr<gates::Workload> make_frame_workload(
    std::optional<vp9::LoopFilterKind> kind, CapturedFrame frame);

}  // namespace sidecore::bench
