// The compressed header: the deltas by which a frame's probabilities differ from those it starts
// from. Source: VP9 specification v0.6, sections 6.3 and 7.3.
#pragma once

#include <span>

#include "vp9/frame_header.h"
#include "vp9/probabilities.h"

namespace sidecore::vp9 {

struct CompressedHeader {
  TransformMode transform_mode = TransformMode::only_4x4;
  ReferenceMode reference_mode = ReferenceMode::single;
};

/// Parses `bytes` and changes `probabilities` accordingly. Throws Error (usage) when the data is
/// damaged or ends early.
[[nodiscard]] CompressedHeader parse_compressed_header(std::span<const std::uint8_t> bytes,
                                                       const FrameHeader& frame,
                                                       Probabilities& probabilities);

}  // namespace sidecore::vp9
