// The verdict that follows from the figures of M1 to M4.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gates/m4_concurrency.h"

namespace sidecore::gates {

/// Bands of R, which is the QPU's rate divided by one NEON core's rate.
enum class Band : std::uint8_t {
  green,   ///< R >= 1
  yellow,  ///< R >= 0.5
  orange,  ///< R >= 0.25
  red,     ///< R < 0.25
};
[[nodiscard]] Band band_of(double ratio);
[[nodiscard]] const char* to_string(Band band);

enum class Conclusion : std::uint8_t {
  wrong,             ///< M1 or the playback test found a difference, so no other figure counts
  throttled,         ///< the board throttled: the figures are void
  correctness_only,  ///< the Vulkan device is a CPU
  pays,
  does_not_pay,
  within_spread,  ///< the ranges of M4's time windows overlap: no difference was shown
  stopped_early,  ///< band RED, and NEON scales with threads: M4 was left out
  incomplete,     ///< the gates that decide did not run
};
[[nodiscard]] const char* to_string(Conclusion conclusion);
/// Returns true if the conclusion compares speeds, so that it holds for the measured machine only.
[[nodiscard]] bool is_on_speed(Conclusion conclusion);

/// Text after a statement on speed if the NEON code ran through SIMDe, not on an ARM core.
inline constexpr const char* kNoArmCore =
    " (no ARM core here: this holds for this machine and its SIMDe build only)";

/// Returns true if the rate of `threads` NEON threads is at least 0.9 * threads times one thread's.
[[nodiscard]] bool cpu_scales(double one_core, double all_cores, int threads);

/// Figures of one kernel on one content; rates are work units per second.
struct Evidence {
  /// True if M1 and the playback test found no difference; none if M1 did not run and nothing
  /// differs.
  std::optional<bool> agrees;
  bool throttled = false;
  bool cpu_device = false;
  bool neon_is_emulated = false;  ///< true if the NEON code ran through SIMDe, not on an ARM core
  /// M2: work units per second of the fastest variant without baselines, submit to fence.
  std::optional<double> qpu_rate;
  /// M3: work units per second of one thread, in the faster of the two memories.
  std::optional<double> neon_one;
  /// M3: work units per second of all threads, in the faster of the two memories.
  std::optional<double> neon_all;
  int threads = 1;
  std::optional<SpeedGain> same;    ///< M4: gain if all threads and the QPU run the same kernel
  std::optional<SpeedGain> mixed;   ///< M4: gain of picture jobs of two kernels
  std::optional<SpeedGain> player;  ///< M4: gain of the playback test of the kernel's stage
};

struct Verdict {
  std::optional<double> ratio;  ///< R; none if the Vulkan device is a CPU
  std::optional<Band> band;
  std::optional<bool> scales;
  Conclusion conclusion = Conclusion::incomplete;
  std::string text;  ///< the verdict in one line
};

/// Returns true if M4 may be left out: the band is RED and NEON scales with its threads.
[[nodiscard]] bool may_stop_early(const Evidence& evidence);
/// Returns the verdict. The gain of M4 that is closest to real use decides: the gain of the
/// playback test; without one, the gain of mixed kernels; otherwise the gain of the same kernel.
[[nodiscard]] Verdict judge(const Evidence& evidence);

}  // namespace sidecore::gates
