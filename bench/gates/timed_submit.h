// Time of one submission, on the host's clock and by GPU timestamps.
#pragma once

#include <optional>
#include <vector>

#include "qpu/command_list.h"
#include "qpu/device.h"

namespace sidecore::gates {

/// Times of one submission in nanoseconds.
struct SubmitTime {
  double wall = 0;            ///< host time from before submit() until the fence wait returns
  std::optional<double> gpu;  ///< times between GPU timestamps; empty if the device lacks them
};

struct SubmitTimes {
  std::vector<double> wall;
  std::vector<double> gpu;  ///< empty without GPU timestamps

  void add(const SubmitTime& time);
};

/// Submits a finished list, waits for it and returns its times. Throws the exceptions of
/// Device::submit() and Ticket::wait().
[[nodiscard]] SubmitTime timed_submit(qpu::Device& device, qpu::CommandList& list);

}  // namespace sidecore::gates
