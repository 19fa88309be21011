// A decoder that runs a plan, with a stopwatch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "model/sample.h"
#include "qpu/device.h"
#include "vp9/decoder.h"

namespace sidecore::split {

/// What runs the QPU's part of a plan.
struct QpuSide {
  qpu::Device* device = nullptr;  ///< null: there is none
  /// Edges of the smallest dependency level that is the QPU's where the loop filter is divided.
  std::size_t least_edges = 1;
};

class TimedDecoder {
 public:
  /// There is a device if the plan needs one.
  TimedDecoder(const model::Candidate& candidate, const QpuSide& qpu);

  /// Throws what vp9::Decoder throws.
  model::FrameCost decode(std::span<const std::uint8_t> frame);
  /// Of the frame that was decoded last.
  [[nodiscard]] vp9::LoopFilterEdges edges() const { return decoder_.edges(); }

 private:
  vp9::DspTables tables_;
  vp9::Decoder decoder_;
};

}  // namespace sidecore::split
