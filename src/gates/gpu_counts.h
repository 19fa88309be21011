// M2's other half: what the GPU's own counters say of a picture's work, apart from all timing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gates/m2_qpu_throughput.h"

namespace sidecore::gates {

/// Runs every variant of every content of `report` once more, on a second device that counts
/// (qpu::Device::open_counting()), and adds the counts to its runs; or says in
/// QpuThroughputReport::counters_refused why there are none. Nothing is timed meanwhile.
void add_gpu_counts(const Subject& subject, const GateOptions& options,
                    QpuThroughputReport& report);

}  // namespace sidecore::gates
