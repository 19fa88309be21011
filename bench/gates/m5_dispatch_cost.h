// Gate M5: the cost of a dispatch.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/statistics.h"
#include "qpu/device.h"

namespace sidecore::gates {

/// Times in nanoseconds of one submission of `dispatches` empty dispatches.
struct EmptySubmission {
  std::uint32_t dispatches = 0;
  SampleSet submit_to_fence;
  std::optional<SampleSet> gpu;  ///< times between GPU timestamps, if the device has them
};

struct DispatchCostReport {
  std::vector<EmptySubmission> submissions;  ///< submissions of 1, 2, 4, ..., 64 dispatches
  /// Line through the medians of submit-to-fence in nanoseconds. Its slope is the cost of one more
  /// dispatch, its intercept that of a submission.
  Line line;

  [[nodiscard]] const EmptySubmission& single() const { return submissions.front(); }
};

/// Times `repetitions` submissions of each size, alternating between the sizes.
[[nodiscard]] DispatchCostReport run_m5(qpu::Device& device, int repetitions);

}  // namespace sidecore::gates
