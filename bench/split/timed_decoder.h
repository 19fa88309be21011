// A decoder that runs a plan, with a stopwatch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "qpu/device.h"
#include "split/plan.h"
#include "vp9/decoder.h"

namespace sidecore::split {

using vp9::kStages;
using vp9::Stage;

/// By Stage.
using StageSeconds = std::array<double, kStages.size()>;
[[nodiscard]] double total(const StageSeconds& seconds);

/// By [vertical, horizontal][width 4, 8, 16], as vp9::DecoderStatistics has them.
using EdgeCounts = std::array<std::array<double, 3>, 2>;

/// What `after` has more than `before`.
[[nodiscard]] EdgeCounts difference(const vp9::EdgeCounts& after, const vp9::EdgeCounts& before);

struct FrameCost {
  /// What the QPU has of it is in Stage::waiting, or in the only stage that is the QPU's.
  StageSeconds seconds{};
  double cpu_seconds = 0;  ///< of all threads of the process
  EdgeCounts edges{};
};

/// What runs the QPU's part of a plan.
struct QpuSide {
  qpu::Device* device = nullptr;  ///< null: there is none
  /// With FilterPlace::split by levels: steps of fewer edges are NEON's.
  std::size_t least_edges = 1;
};

class TimedDecoder {
 public:
  /// There is a device if the plan needs one.
  TimedDecoder(const Plan& plan, const QpuSide& qpu);

  /// Throws what vp9::Decoder throws.
  FrameCost decode(std::span<const std::uint8_t> frame);
  /// Of the frame that was decoded last.
  [[nodiscard]] vp9::LoopFilterEdges edges() const { return decoder_.edges(); }

 private:
  vp9::Decoder decoder_;
};

}  // namespace sidecore::split
