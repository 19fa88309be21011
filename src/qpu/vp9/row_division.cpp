#include "qpu/vp9/row_division.h"

#include <algorithm>
#include <cmath>

namespace sidecore::qpu {

int RowDivision::count_qpu_rows(int rows) const {
  if (rows < 2) return 0;
  return std::clamp(static_cast<int>(std::lround(share_ * rows)), 1, rows - 1);
}

// Moves the QPU's share by a quarter of the way to the new value, because the content of rows
// differs between frames.
void RowDivision::record_times(int rows, int of_qpu, Nanoseconds cpu,
                               std::optional<Nanoseconds> qpu) {
  constexpr double kStep = 0.25;
  // Ratio of the QPU's time to the CPU's that is assumed if the QPU ended first. It gives the QPU a
  // few more rows, until the CPU waits for it and can measure its time. The value is chosen, not
  // measured.
  constexpr double kAssumedTimeRatio = 0.8;
  const double cpu_seconds = seconds(cpu);
  const double qpu_seconds = qpu ? seconds(*qpu) : kAssumedTimeRatio * cpu_seconds;
  if (of_qpu <= 0 || of_qpu >= rows || cpu_seconds <= 0 || qpu_seconds <= 0) return;
  const double rate_of_cpu = (rows - of_qpu) / cpu_seconds;
  const double rate_of_qpu = of_qpu / qpu_seconds;
  share_ += kStep * (rate_of_qpu / (rate_of_qpu + rate_of_cpu) - share_);
}

}  // namespace sidecore::qpu
