// Published rates of CPU and QPU at the same time on one Raspberry Pi 5, and of each alone. NEON's
// rates are per core; those of the filters include the copy that restores their samples.
// docs/armsim.md explains the bytes per work unit.
#pragma once

#include "model/costs.h"

namespace sidecore::bench::published {

/// Kernels on three NEON cores and on the QPU at the same time.
struct ConcurrentRates {
  const char* what;
  model::MemoryLoad cpu;
  model::MemoryLoad qpu;
  double units_per_second;  ///< work units per second of the three NEON cores together
};

/// Gain of one kernel on NEON and on the QPU at the same time.
struct Gain {
  const char* what;
  model::MemoryLoad cpu;
  model::MemoryLoad qpu;
  double gain;  ///< gain of three NEON cores and the QPU over four NEON cores
};

// The QPU moves 101 cache lines per block, most of them for the table that the compiler copies to
// scratch memory.
inline constexpr model::MemoryLoad kPrediction{256, 21.0e6};
inline constexpr model::MemoryLoad kPredictionOnQpu{6500, 1.41e6};
// Samples count twice, because a copy restores them.
inline constexpr model::MemoryLoad kTransform{384 + 384, 12.6e6};
inline constexpr model::MemoryLoad kTransformOnQpu{256, 6.89e6};
inline constexpr model::MemoryLoad kFilter4{128 + 128, 26.3e6};
inline constexpr model::MemoryLoad kFilter4OnQpu{136, 19.6e6};
inline constexpr model::MemoryLoad kFilter8{128 + 128, 27.4e6};
inline constexpr model::MemoryLoad kFilter8OnQpu{136, 17.8e6};

inline constexpr ConcurrentRates kConcurrentRates[] = {
    {"prediction on NEON x3, prediction on the QPU", kPrediction, kPredictionOnQpu, 22.64e6},
    {"prediction on NEON x3, loop filter 4 on the QPU", kPrediction, kFilter4OnQpu, 27.87e6},
    {"prediction on NEON x3, CDEF on the QPU (fitted)", kPrediction, {700, 0.44e6}, 34.2e6},
    {"loop filter 4 on NEON x3, prediction on the QPU", kFilter4, kPredictionOnQpu, 30.82e6},
};

inline constexpr Gain kGains[] = {
    {"inverse DCT 8x8", kTransform, kTransformOnQpu, 0.072},
    {"loop filter 4", kFilter4, kFilter4OnQpu, 0.069},
    {"loop filter 8", kFilter8, kFilter8OnQpu, 0.041},
    {"prediction", kPrediction, kPredictionOnQpu, -0.195},
};

/// Returns the modelled gain, or the modelled rate of NEON.
[[nodiscard]] inline double modelled(const Gain& of) {
  return model::gain_of_qpu(model::pi5(), of.cpu, of.qpu);
}
[[nodiscard]] inline double modelled(const ConcurrentRates& of) {
  return model::estimate_shared_rates(model::pi5(), 3, of.cpu, of.qpu).cpu;
}

}  // namespace sidecore::bench::published
