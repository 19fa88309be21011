#include "qpu/vp9/row_division.h"

#include <algorithm>
#include <cmath>

namespace sidecore::qpu {

int RowDivision::rows_of_qpu(int rows) const {
  if (rows < 2) return 0;
  return std::clamp(static_cast<int>(std::lround(share_ * rows)), 1, rows - 1);
}

// Frames differ in what their rows hold: one frame moves the share by a quarter of the way.
void RowDivision::took(int rows, int of_qpu, Nanoseconds cpu, std::optional<Nanoseconds> qpu) {
  constexpr double kStep = 0.25;
  // Chosen: a QPU that waited gets a little more, until it is the CPU that waits and tells its
  // time.
  constexpr double kSooner = 0.8;
  const double cpu_seconds = seconds(cpu);
  const double qpu_seconds = qpu ? seconds(*qpu) : kSooner * cpu_seconds;
  if (of_qpu <= 0 || of_qpu >= rows || cpu_seconds <= 0 || qpu_seconds <= 0) return;
  const double rate_of_cpu = (rows - of_qpu) / cpu_seconds;
  const double rate_of_qpu = of_qpu / qpu_seconds;
  share_ += kStep * (rate_of_qpu / (rate_of_qpu + rate_of_cpu) - share_);
}

}  // namespace sidecore::qpu
