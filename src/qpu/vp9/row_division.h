// Division of a stage's superblock rows between CPU and QPU.
#pragma once

#include <optional>

#include "base/clock.h"

namespace sidecore::qpu {

/// Divides the rows so that CPU and QPU end at the same time, judged by their rates on earlier
/// frames. The QPU takes the last rows, the CPU the others. Each has at least one row, so that both
/// rates are known.
class RowDivision {
 public:
  /// Returns the number of a frame's rows for the QPU: 1 to rows - 1, or 0 if there is only one
  /// row.
  [[nodiscard]] int count_qpu_rows(int rows) const;
  /// Records the times for a frame with `of_qpu` of `rows` rows on the QPU, both from the same
  /// start. `qpu` is empty if the QPU ended before the CPU.
  void record_times(int rows, int of_qpu, Nanoseconds cpu, std::optional<Nanoseconds> qpu);

 private:
  double share_ = 0.5;  ///< fraction of a frame's rows that the QPU takes
};

}  // namespace sidecore::qpu
