// Values that are the same for all blocks of a frame while it is parsed.
#pragma once

#include <array>
#include <cstdint>

#include "vp9/compressed_header.h"
#include "vp9/frame_header.h"
#include "vp9/picture_data.h"
#include "vp9/probabilities.h"

namespace sidecore::vp9 {

/// Quantiser steps of a segment: [luma, chroma][DC, AC].
using QuantizerSteps = std::array<std::array<int, 2>, 2>;

/// Loop filter levels of a segment's blocks: [reference][mode is not ZEROMV]. Intra blocks use
/// [0][0].
using FilterLevels = std::array<std::array<std::uint8_t, 2>, 4>;

/// Values that apply to all blocks of a segment.
struct SegmentValues {
  QuantizerSteps quantizer{};
  FilterLevels filter_levels{};
};

/// Roles of the references in compound prediction (section 7.3, setup_compound_reference_mode).
struct CompoundReferences {
  ReferenceFrame fixed = kAltRef;
  std::array<ReferenceFrame, 2> variable{kLast, kGolden};
};

/// Inputs for parsing the blocks of one frame.
struct FrameContext {
  FrameHeader header;
  CompressedHeader compressed;
  Probabilities probabilities{};
  CompoundReferences compound;
  std::array<SegmentValues, kMaxSegments> segments{};
  const MotionField* previous_motion = nullptr;     ///< null if it must not be used
  const std::uint8_t* previous_segments = nullptr;  ///< segment of each 8x8 unit
  std::uint8_t* current_segments = nullptr;

  /// Derives the compound references and the values of segments from the headers.
  void derive();
};

}  // namespace sidecore::vp9
