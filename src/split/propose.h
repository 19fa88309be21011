// The whole of `sidecore split`: measure, predict, propose, run.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "qpu/device.h"
#include "split/gate_results.h"
#include "split/report.h"
#include "split/stream.h"

namespace sidecore::split {

struct ProposeOptions {
  int threads = 1;
  int cores = 1;
  bool run = true;  ///< the plans, on the rest
  std::shared_ptr<qpu::Device> device;
  std::string no_device;           ///< why it is null
  std::optional<GateRates> rates;  ///< then the QPU's costs are from these, not from the sample
};

/// Throws Error (usage) that names the stream when it is damaged, or of more than 8 bits.
[[nodiscard]] Proposal propose(const Stream& stream, const ProposeOptions& options);

}  // namespace sidecore::split
