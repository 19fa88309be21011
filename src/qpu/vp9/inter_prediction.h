// The prediction of a whole frame from other frames on the QPU: what packs its blocks and records
// its dispatches.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "qpu/buffer.h"
#include "qpu/command_list.h"
#include "qpu/device.h"
#include "qpu/program.h"
#include "qpu/vp9/loop_filter.h"
#include "vp9/frame_header.h"
#include "vp9/inter_prediction.h"
#include "vp9/picture_data.h"

namespace sidecore::qpu {

/// A frame in a buffer, in memory of whole superblocks: rows begin at multiples of 16 bytes, and so
/// do planes. Several may lie in one buffer.
struct InterFrame {
  std::shared_ptr<Buffer> buffer;
  PicturePlanes planes;
  vp9::FrameSize size;  ///< what is visible; beyond, a reference repeats the border's samples
};
using InterReferences = std::array<InterFrame, vp9::kActiveReferences>;

/// The rows of superblocks [first, last) of a frame.
struct SuperblockRows {
  int first = 0;
  int last = 0;
};

/// Predicts the inter blocks of one frame after another. What a frame needs is packed into buffers
/// that the device sees; the dispatches are recorded into the caller's list. An instance serves one
/// frame at a time; for two in flight take two. The device outlives it.
class InterPrediction {
 public:
  /// Samples of `bits` 8, 10 or 12. Throws Error (usage) for others.
  InterPrediction(Device& device, int bits);

  /// Packs the blocks of `rows` of the frame whose header and arrays these are; intra blocks are
  /// left out. `references` are those of LAST, GOLDEN and ALTREF, unused when the frame is intra:
  /// all of the frame's depth and subsampling. What was packed before must be done. Throws Error
  /// (usage) when a plane begins or a row goes on at no multiple of 16 bytes.
  void set_blocks(const vp9::FrameHeader& header, const vp9::PictureData& picture,
                  const InterFrame& frame, const InterReferences& references, SuperblockRows rows);

  /// Records the uploads and dispatches for what set_blocks() packed; nothing for no blocks. The
  /// frame's samples are written where the blocks are, and nowhere else; references are only read.
  /// Neither goes to the device or comes back here, where memory is staged.
  void record(CommandList& list) const;
  /// That record() records.
  [[nodiscard]] std::size_t dispatches() const;
};

}  // namespace sidecore::qpu
