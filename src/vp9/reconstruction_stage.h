// The decoder's reconstruction of whole frames, where somebody takes it over.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "vp9/frame_buffer.h"
#include "vp9/frame_header.h"
#include "vp9/loop_filter_stage.h"
#include "vp9/picture_data.h"

namespace sidecore::vp9 {

/// A frame of which only samples are missing.
struct ParsedFrame {
  const FrameHeader& header;
  const PictureData& picture;
  FrameBuffer& frame;
  /// Those of LAST, GOLDEN and ALTREF; null when the frame is intra.
  const std::array<std::shared_ptr<FrameBuffer>, kActiveReferences>& references;
};

/// Reconstructs and filters frames. The decoder calls reconstruct() and then filter() for one frame
/// after another, on any of its threads; what it was given for both lives until filter() returns.
/// Samples need not be there before: what reads them earlier calls finish().
class ReconstructionStage : public LoopFilterStage {
 public:
  virtual void reconstruct(const ParsedFrame& parsed, const StageContext& context) = 0;
  /// Memory for the residual of a frame that is going to be parsed (ResidualAllocator): where the
  /// stage wants it, or none. The decoder calls it at any time, also while reconstruct() runs.
  [[nodiscard]] virtual ResidualMemory residual_memory(std::size_t /*coefficient_bytes*/,
                                                       std::size_t /*transforms*/) {
    return {};
  }
};

}  // namespace sidecore::vp9
