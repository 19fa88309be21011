// The seam between the fake device and whatever executes its compute jobs.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/clock.h"
#include "v3dsim/drm/address_space.h"
#include "v3dsim/drm/uapi.h"

namespace sidecore::v3dsim {

/// One compute dispatch as the driver programs it into the hardware.
struct CsdJob {
  std::array<std::uint32_t, uapi::kCsdConfigWords> cfg;
  /// The grid came from a buffer: the driver sized the shared variables for a single workgroup, so
  /// workgroups must take turns in slot 0.
  bool indirect = false;
};

struct CsdResult {
  /// What the timing model says; zero where there is no model or it does not apply.
  Nanoseconds modelled{0};
};

class JobRunner {
 public:
  virtual ~JobRunner() = default;

  /// Runs the job to its end over `memory`. Throws Error when the job does what the simulator
  /// refuses (an access outside every buffer, an unknown instruction, a runaway).
  virtual CsdResult run(const CsdJob& job, const AddressSpace& memory) = 0;
};

}  // namespace sidecore::v3dsim
