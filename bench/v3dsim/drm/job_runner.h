// Interface between the fake device and the executor of its compute jobs.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "v3dsim/drm/address_space.h"
#include "v3dsim/job.h"
#include "v3dsim/simulated_counters.h"

namespace sidecore::v3dsim {

/// One compute dispatch as the driver programs it into the hardware.
struct CsdJob {
  Job words;
  /// Buffers that the job may access, disjoint and in ascending order of addresses.
  std::vector<BufferRange> memory;
  /// Compiler figures of the job's program from the driver, as one JSON object; empty if unknown.
  std::string shader;
  bool wants_record = false;  ///< true if CsdResult::record must be filled
};

struct CsdResult {
  /// Modelled duration; 0 if the model does not apply.
  Nanoseconds modelled{0};
  std::string summary;  ///< one line of text for users
  std::string record;   ///< the job's statistics as one JSON object, if CsdJob::wants_record
  CounterValues counters{};
};

class JobRunner {
 public:
  virtual ~JobRunner() = default;

  /// Runs the job to its end on `memory`. Throws Fault if the job breaks a rule or needs something
  /// that is not simulated, Error if the runner itself fails.
  virtual CsdResult run(const CsdJob& job, const AddressSpace& memory) = 0;
};

}  // namespace sidecore::v3dsim
