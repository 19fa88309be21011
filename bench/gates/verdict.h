// What the figures mean.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gates/m4_concurrency.h"

namespace sidecore::gates {

/// Bands of R, the QPU's rate in one NEON core's.
enum class Band : std::uint8_t {
  green,   ///< R >= 1
  yellow,  ///< R >= 0.5
  orange,  ///< R >= 0.25
  red,
};
[[nodiscard]] Band band_of(double ratio);
[[nodiscard]] const char* to_string(Band band);

enum class Conclusion : std::uint8_t {
  wrong,             ///< M1 failed: no other figure counts
  throttled,         ///< the board throttled: the figures are void
  correctness_only,  ///< a CPU played the GPU
  pays,
  does_not_pay,
  within_spread,  ///< M4's windows overlap: no difference was shown
  stopped_early,  ///< RED, and the CPU scales: M4 was not worth its time
  incomplete,     ///< the gates that decide did not run
};
[[nodiscard]] const char* to_string(Conclusion conclusion);
/// It compares speeds, and so holds for the machine alone that it was found on.
[[nodiscard]] bool is_on_speed(Conclusion conclusion);

/// Behind what is said of speed where "NEON" ran on something that is not an ARM core.
inline constexpr const char* kNoArmCore =
    " (no ARM core here: this holds for this machine and its SIMDe build only)";

/// NEON x N >= 0.9 * N * NEON x 1.
[[nodiscard]] bool cpu_scales(double one_core, double all_cores, int threads);

/// Figures of one kernel on one content; rates are units a second.
struct Evidence {
  std::optional<bool> agrees;  ///< M1, where it ran
  bool throttled = false;
  bool cpu_device = false;
  bool unlike_hardware = false;    ///< "NEON" ran on something that is not an ARM core
  std::optional<double> qpu_rate;  ///< M2, best variant that is no baseline, submit to fence
  std::optional<double> neon_one;  ///< M3, one core, in whichever memory it is faster
  std::optional<double> neon_all;  ///< M3, all threads, likewise
  int threads = 1;
  std::optional<PayOff> same;    ///< M4
  std::optional<PayOff> mixed;   ///< M4
  std::optional<PayOff> player;  ///< M4, of the whole stage that the kernel is a part of
};

struct Verdict {
  std::optional<double> ratio;  ///< R; none when a CPU played the GPU
  std::optional<Band> band;
  std::optional<bool> scales;
  Conclusion conclusion = Conclusion::incomplete;
  std::string text;  ///< one line
};

/// RED with a CPU that scales: M4 may be left out.
[[nodiscard]] bool may_stop_early(const Evidence& evidence);
/// Of M4's pay-offs the nearest to a user's work decides: a player's, else that of mixed kernels,
/// else that of one kernel.
[[nodiscard]] Verdict judge(const Evidence& evidence);

}  // namespace sidecore::gates
