// One submission, timed from outside and from inside.
#pragma once

#include <optional>
#include <vector>

#include "qpu/command_list.h"
#include "qpu/device.h"

namespace sidecore::gates {

/// Nanoseconds of one submission.
struct SubmitTime {
  double wall = 0;            ///< from before submit() to after the fence's wait, on the host
  std::optional<double> gpu;  ///< between the GPU's timestamps
};

struct SubmitTimes {
  std::vector<double> wall;
  std::vector<double> gpu;  ///< empty without timestamps

  void add(const SubmitTime& time);
};

/// Submits a finished list and waits for it. Throws what Device::submit() and Ticket::wait() throw.
[[nodiscard]] SubmitTime timed_submit(qpu::Device& device, qpu::CommandList& list);

}  // namespace sidecore::gates
