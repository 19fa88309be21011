// Parses the compressed header: the changes from a frame's initial probabilities to those it uses.
// Source: VP9 specification v0.6, sections 6.3 and 7.3.
#pragma once

#include <span>

#include "vp9/frame_header.h"
#include "vp9/probabilities.h"

namespace sidecore::vp9 {

/// Fields of the compressed header, apart from the probabilities.
struct CompressedHeader {
  TransformMode transform_mode = TransformMode::only_4x4;
  ReferenceMode reference_mode = ReferenceMode::single;
};

/// Parses `bytes` and applies the coded changes to `probabilities`. Throws Error (usage) if the
/// data is damaged or ends early.
[[nodiscard]] CompressedHeader parse_compressed_header(std::span<const std::uint8_t> bytes,
                                                       const FrameHeader& frame,
                                                       Probabilities& probabilities);

}  // namespace sidecore::vp9
