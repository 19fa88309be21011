// A decoder that runs a plan, with a stopwatch.
#pragma once

#include <cstdint>
#include <span>

#include "model/sample.h"
#include "qpu/device.h"
#include "vp9/decoder.h"

namespace sidecore::split {

class TimedDecoder {
 public:
  /// `device` runs the QPU's part of the plan; null only for a plan without a QPU.
  TimedDecoder(const model::Candidate& candidate, qpu::Device* device);

  /// Throws what vp9::Decoder throws.
  model::FrameCost decode(std::span<const std::uint8_t> frame);
  /// Of the frame that was decoded last.
  [[nodiscard]] vp9::LoopFilterEdges edges() const { return decoder_.edges(); }

 private:
  vp9::DspTables tables_;
  vp9::Decoder decoder_;
};

}  // namespace sidecore::split
