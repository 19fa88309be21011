// Gate M5: what does a dispatch cost?
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/statistics.h"
#include "qpu/device.h"

namespace sidecore::gates {

/// A submission of `dispatches` empty dispatches, in nanoseconds.
struct EmptySubmission {
  std::uint32_t dispatches = 0;
  SampleSet submit_to_fence;
  std::optional<SampleSet> gpu;  ///< by GPU timestamps, where the device has them
};

struct DispatchCostReport {
  std::vector<EmptySubmission> submissions;  ///< 1, 2, 4, ..., 64 dispatches
  /// Through the medians of submit-to-fence, in nanoseconds: slope is an extra dispatch.
  Line line;

  [[nodiscard]] const EmptySubmission& single() const { return submissions.front(); }
};

/// `repetitions` of each size, interleaved.
[[nodiscard]] DispatchCostReport run_m5(qpu::Device& device, int repetitions);

}  // namespace sidecore::gates
