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
/// Samples need not be there before: what reads them earlier calls finish(). Those of a frame that
/// its header does not show need not come to the host at all: who wants them calls fetch().
class ReconstructionStage : public LoopFilterStage {
 public:
  /// What passes without a lap of the context's clock is timed as Stage::other.
  virtual void reconstruct(const ParsedFrame& parsed, const StageContext& context) = 0;
  /// Returns once the host has the samples of a frame that filter() is done with. The decoder calls
  /// it before it gives away a frame that was hidden, at any time, as it does finish().
  virtual void fetch(const FrameBuffer& /*frame*/) {}
  /// Memory for the residual of a frame that is going to be parsed (ResidualAllocator): where the
  /// stage wants it, or none. The decoder calls it at any time, also while reconstruct() runs.
  [[nodiscard]] virtual ResidualMemory residual_memory(std::size_t /*coefficient_bytes*/,
                                                       std::size_t /*transforms*/) {
    return {};
  }
};

}  // namespace sidecore::vp9
