// A decoder that runs a candidate and returns the cost of each frame.
#pragma once

#include <cstdint>
#include <span>

#include "model/sample.h"
#include "qpu/device.h"
#include "vp9/decoder.h"

namespace sidecore::split {

class TimedDecoder {
 public:
  /// Creates the decoder. `device` runs the QPU's part of the plan; it may be null only for a plan
  /// without a QPU.
  TimedDecoder(const model::Candidate& candidate, qpu::Device* device);

  /// Decodes a frame and returns its cost. Throws the exceptions of vp9::Decoder.
  model::FrameCost decode(std::span<const std::uint8_t> frame);
  /// Returns the edges of the frame that was decoded last.
  [[nodiscard]] vp9::LoopFilterEdges edges() const { return decoder_.edges(); }

 private:
  vp9::DspTables tables_;
  vp9::Decoder decoder_;
};

}  // namespace sidecore::split
