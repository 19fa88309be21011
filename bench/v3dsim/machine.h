// Properties of the two GPUs that programs and jobs can observe.
#pragma once

#include "v3dsim/instruction.h"

namespace sidecore::v3dsim {

struct Machine {
  Version version = Version::v71;
  /// GPU revision; 7.1 from revision 6 on counts batches, all others count batches - 1.
  unsigned revision = 7;
  unsigned slices = 3;  ///< number of slices, assumed to have one TMU each
  unsigned qpus = 12;
  double clock_hz = 960e6;  ///< GPU clock, which the firmware sets; used only by the timing model

  [[nodiscard]] bool job_holds_batches_minus_one() const {
    return version == Version::v42 || revision < 6;
  }
};

[[nodiscard]] constexpr Machine pi5() {
  return {};
}
[[nodiscard]] constexpr Machine pi4() {
  return {Version::v42, 14, 2, 8, 500e6};
}

}  // namespace sidecore::v3dsim
