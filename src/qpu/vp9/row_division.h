// How CPU and QPU share the rows of superblocks of a stage.
#pragma once

#include <optional>

#include "base/clock.h"

namespace sidecore::qpu {

/// The QPU takes the last rows, the CPU the others, at the same time: as many each as the rates of
/// the frames so far let both end together. Each has at least one row, so that both rates are
/// known.
class RowDivision {
 public:
  /// How many of a frame's rows are the QPU's: 1 to rows - 1; none of a single row.
  [[nodiscard]] int rows_of_qpu(int rows) const;
  /// What the two took for a frame so divided, from one beginning; of the QPU nothing where it had
  /// ended when the CPU had.
  void took(int rows, int of_qpu, Nanoseconds cpu, std::optional<Nanoseconds> qpu);

 private:
  double share_ = 0.5;  ///< the QPU's, of a frame's rows
};

}  // namespace sidecore::qpu
