// The seam between the fake device and whatever executes its compute jobs.
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
  std::vector<BufferRange> memory;  ///< what it may touch; ascending, disjoint
  /// What the driver's compiler said of the job's program, one JSON object; empty: unknown.
  std::string shader;
  bool wants_record = false;  ///< CsdResult::record is to be filled
};

struct CsdResult {
  /// What the timing model says; zero where it does not apply.
  Nanoseconds modelled{0};
  std::string summary;  ///< one line for people
  std::string record;   ///< what it did, one JSON object; where it was asked for
  CounterValues counters{};
};

class JobRunner {
 public:
  virtual ~JobRunner() = default;

  /// Runs the job to its end over `memory`. Throws Fault when the job does what it must not or what
  /// is not simulated, Error where the runner itself fails.
  virtual CsdResult run(const CsdJob& job, const AddressSpace& memory) = 0;
};

}  // namespace sidecore::v3dsim
